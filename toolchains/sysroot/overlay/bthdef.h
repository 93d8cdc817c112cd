/* Wine lacks the type of a device's address, which it uses. */
#pragma once
#include <windef.h>
typedef ULONGLONG BTH_ADDR, *PBTH_ADDR;
#include_next <bthdef.h>
