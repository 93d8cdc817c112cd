/* Absent in Wine: the version tests, over VerifyVersionInfo as documented. */
#pragma once
#include <windows.h>
static __inline BOOL IsWindowsVersionOrGreater(WORD major, WORD minor, WORD sp)
{
    OSVERSIONINFOEXW v;
    DWORDLONG mask = VerSetConditionMask(0, VER_MAJORVERSION, VER_GREATER_EQUAL);
    mask = VerSetConditionMask(mask, VER_MINORVERSION, VER_GREATER_EQUAL);
    mask = VerSetConditionMask(mask, VER_SERVICEPACKMAJOR, VER_GREATER_EQUAL);
    ZeroMemory(&v, sizeof v);
    v.dwOSVersionInfoSize = sizeof v;
    v.dwMajorVersion = major;
    v.dwMinorVersion = minor;
    v.wServicePackMajor = sp;
    return VerifyVersionInfoW(&v, VER_MAJORVERSION | VER_MINORVERSION | VER_SERVICEPACKMAJOR, mask) != FALSE;
}
static __inline BOOL IsWindowsXPOrGreater(void) { return IsWindowsVersionOrGreater(5, 1, 0); }
static __inline BOOL IsWindowsVistaOrGreater(void) { return IsWindowsVersionOrGreater(6, 0, 0); }
static __inline BOOL IsWindows7OrGreater(void) { return IsWindowsVersionOrGreater(6, 1, 0); }
static __inline BOOL IsWindows7SP1OrGreater(void) { return IsWindowsVersionOrGreater(6, 1, 1); }
static __inline BOOL IsWindows8OrGreater(void) { return IsWindowsVersionOrGreater(6, 2, 0); }
static __inline BOOL IsWindows8Point1OrGreater(void) { return IsWindowsVersionOrGreater(6, 3, 0); }
static __inline BOOL IsWindows10OrGreater(void) { return IsWindowsVersionOrGreater(10, 0, 0); }
static __inline BOOL IsWindowsServer(void)
{
    OSVERSIONINFOEXW v;
    ZeroMemory(&v, sizeof v);
    v.dwOSVersionInfoSize = sizeof v;
    v.wProductType = VER_NT_WORKSTATION;
    return !VerifyVersionInfoW(&v, VER_PRODUCT_TYPE, VerSetConditionMask(0, VER_PRODUCT_TYPE, VER_EQUAL));
}
