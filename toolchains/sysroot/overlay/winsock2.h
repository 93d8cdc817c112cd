/* Wine's WSAPOLLFD is a structure without a tag, and has no names for pointers to it. The name, a macro while Wine's header is
 * read, ends that type under another name at its first use, takes itself away and names the structure with the tag. */
#pragma once
#pragma push_macro("WSAPOLLFD")
#undef WSAPOLLFD
#define WSAPOLLFD                                                                                                              \
    WINE_WSAPOLLFD;                                                                                                            \
    struct pollfd {                                                                                                            \
        SOCKET fd;                                                                                                             \
        SHORT events;                                                                                                          \
        SHORT revents;                                                                                                         \
    };                                                                                                                         \
    _Pragma("pop_macro(\"WSAPOLLFD\")") typedef struct pollfd WSAPOLLFD, *PWSAPOLLFD, *LPWSAPOLLFD
#include_next <winsock2.h>
