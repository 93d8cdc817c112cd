/* Absent in Wine: the address of a Hyper-V socket. */
#pragma once
#include <ws2def.h>
#include <guiddef.h>
#define HV_PROTOCOL_RAW 1
#define HVSOCKET_CONNECT_TIMEOUT 0x01
#define HVSOCKET_CONNECT_TIMEOUT_MAX 300000
#define HVSOCKET_CONTAINER_PASSTHRU 0x02
#define HVSOCKET_CONNECTED_SUSPEND 0x04
#define HVSOCKET_ADDRESS_FLAG_PASSTHRU 0x00000001
typedef struct _SOCKADDR_HV {
    ADDRESS_FAMILY Family;
    USHORT Reserved;
    GUID VmId;
    GUID ServiceId;
} SOCKADDR_HV, *PSOCKADDR_HV;
