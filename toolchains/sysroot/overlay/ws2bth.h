/* Absent in Wine: the address of a Bluetooth socket. */
#pragma once
#include <winsock2.h>
#include <bthdef.h>
#define PF_BTH AF_BTH
#define NS_BTH 16
#define BT_PORT_ANY ((ULONG)-1)
#define BT_PORT_MIN 0x1
#define BT_PORT_MAX 0xffff
#define BT_PORT_DYN_FIRST 0x1001
#define BTHPROTO_RFCOMM 0x0003
#define BTHPROTO_L2CAP 0x0100
#define SOL_RFCOMM BTHPROTO_RFCOMM
#define SOL_L2CAP BTHPROTO_L2CAP
#define SOL_SDP 0x0101
#define SO_BTH_AUTHENTICATE 0x80000001
#define SO_BTH_ENCRYPT 0x00000002
#define SO_BTH_MTU 0x80000007
#define SO_BTH_MTU_MAX 0x80000008
#define SO_BTH_MTU_MIN 0x8000000a
#include <pshpack1.h>
typedef struct _SOCKADDR_BTH {
    USHORT addressFamily;
    BTH_ADDR btAddr;
    GUID serviceClassId;
    ULONG port;
} SOCKADDR_BTH, *PSOCKADDR_BTH;
#include <poppack.h>
