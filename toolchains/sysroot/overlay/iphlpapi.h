/* Wine's iphlpapi.h does not reach netioapi.h, which lacks some functions that iphlpapi.dll exports. */
#include_next <iphlpapi.h>
#ifndef NDIS_IF_MAX_STRING_SIZE
#define NDIS_IF_MAX_STRING_SIZE 256
#endif
#ifndef IF_NAMESIZE
#define IF_NAMESIZE NDIS_IF_MAX_STRING_SIZE
#endif
#if defined(_WINSOCK2API_) && !defined(SYSROOT_IPHLPAPI_H)
#define SYSROOT_IPHLPAPI_H
#include <ws2ipdef.h>
#include <netioapi.h>
#ifdef __cplusplus
extern "C" {
#endif
IPHLPAPI_DLL_LINKAGE DWORD WINAPI NotifyRouteChange2(ADDRESS_FAMILY, PIPFORWARD_CHANGE_CALLBACK, PVOID, BOOLEAN, HANDLE *);
IPHLPAPI_DLL_LINKAGE DWORD WINAPI NotifyIpInterfaceChange(ADDRESS_FAMILY, PIPINTERFACE_CHANGE_CALLBACK, PVOID, BOOLEAN, HANDLE *);
IPHLPAPI_DLL_LINKAGE DWORD WINAPI NotifyUnicastIpAddressChange(ADDRESS_FAMILY, PUNICAST_IPADDRESS_CHANGE_CALLBACK, PVOID, BOOLEAN,
                                                               HANDLE *);
IPHLPAPI_DLL_LINKAGE DWORD WINAPI CancelMibChangeNotify2(HANDLE);
IPHLPAPI_DLL_LINKAGE DWORD WINAPI GetBestRoute2(NET_LUID *, NET_IFINDEX, const SOCKADDR_INET *, const SOCKADDR_INET *, ULONG,
                                                PMIB_IPFORWARD_ROW2, SOCKADDR_INET *);
#ifdef __cplusplus
}
#endif
#endif
