/* Absent in Wine: the address of a Unix domain socket. */
#pragma once
#include <winsock2.h>
#define UNIX_PATH_MAX 108
typedef struct sockaddr_un {
    USHORT sun_family;
    char sun_path[UNIX_PATH_MAX];
} SOCKADDR_UN, *PSOCKADDR_UN;
#define SIO_AF_UNIX_GETPEERPID _WSAIOR(IOC_VENDOR, 256)
