/* Wine repeats FILE_ID_128 here (winnt.h has it now), and its enum WAIT_TYPE falls over a program's macro of that name. */
#pragma once
#include <windows.h>
#define _FILE_ID_128 _SYSROOT_WINE_FILE_ID_128
#define FILE_ID_128 SYSROOT_WINE_FILE_ID_128
#define PFILE_ID_128 SYSROOT_WINE_PFILE_ID_128
#pragma push_macro("WAIT_TYPE")
#undef WAIT_TYPE
#include_next <winternl.h>
#pragma pop_macro("WAIT_TYPE")
#undef _FILE_ID_128
#undef FILE_ID_128
#undef PFILE_ID_128
