/* Wine ends the list of address families at AF_IRDA and lacks most protocol numbers. The numbers are constants of an
 * enumeration, as in the SDK: programs define each name as itself to test for it later. */
#pragma once
#include_next <ws2def.h>
#define AF_TCNPROCESS 29
#define AF_TCNMESSAGE 30
#define AF_ICLFXBM 31
#define AF_BTH 32
#define AF_LINK 33
#define AF_HYPERV 34
#undef AF_MAX
#define AF_MAX 35
enum {
    IPPROTO_HOPOPTS = 0,
    IPPROTO_ST = 5,
    IPPROTO_CBT = 7,
    IPPROTO_EGP = 8,
    IPPROTO_IGP = 9,
    IPPROTO_PUP = 12,
    IPPROTO_RDP = 27,
    IPPROTO_ROUTING = 43,
    IPPROTO_FRAGMENT = 44,
    IPPROTO_ESP = 50,
    IPPROTO_AH = 51,
    IPPROTO_NONE = 59,
    IPPROTO_DSTOPTS = 60,
    IPPROTO_ICLFXBM = 78,
    IPPROTO_PIM = 103,
    IPPROTO_PGM = 113,
    IPPROTO_L2TP = 115,
    IPPROTO_SCTP = 132
};
