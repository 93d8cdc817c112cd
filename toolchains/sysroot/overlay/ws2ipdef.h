/* Wine lacks the multicast scope and IPv4-mapped address tests, and declares the two addresses without C linkage; Microsoft
 * has them in ws2_32.lib beside the imports, and we here. */
#pragma once
#define in6addr_any sysroot_wine_in6addr_any
#define in6addr_loopback sysroot_wine_in6addr_loopback
#include_next <ws2ipdef.h>
#undef in6addr_any
#undef in6addr_loopback
#ifdef __cplusplus
extern "C" {
#endif
extern const __declspec(selectany) IN6_ADDR in6addr_any = {{{0}}};
extern const __declspec(selectany) IN6_ADDR in6addr_loopback = {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}};
#ifdef __cplusplus
}
#endif
#ifndef IN_MULTICAST
#define IN_CLASSD(i) (((unsigned)(i) & 0xf0000000u) == 0xe0000000u)
#define IN_MULTICAST(i) IN_CLASSD(i)
#endif
#ifndef IN6_IS_ADDR_MC_GLOBAL
#define SYSROOT_MC_SCOPE(a, scope) ((a)->s6_addr[0] == 0xff && ((a)->s6_addr[1] & 0xf) == (scope))
#define IN6_IS_ADDR_MC_NODELOCAL(a) SYSROOT_MC_SCOPE(a, 1)
#define IN6_IS_ADDR_MC_LINKLOCAL(a) SYSROOT_MC_SCOPE(a, 2)
#define IN6_IS_ADDR_MC_SITELOCAL(a) SYSROOT_MC_SCOPE(a, 5)
#define IN6_IS_ADDR_MC_ORGLOCAL(a) SYSROOT_MC_SCOPE(a, 8)
#define IN6_IS_ADDR_MC_GLOBAL(a) SYSROOT_MC_SCOPE(a, 0xe)
#endif
#ifndef IN6_IS_ADDR_V4MAPPED
#define IN6_IS_ADDR_V4MAPPED(a)                                                       \
    (!(a)->s6_words[0] && !(a)->s6_words[1] && !(a)->s6_words[2] && !(a)->s6_words[3] \
     && !(a)->s6_words[4] && (a)->s6_words[5] == 0xffff)
#endif
