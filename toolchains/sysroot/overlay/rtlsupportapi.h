/* Wine's header of the unwind functions uses NTSTATUS, which no header that it needs defines, and has no C linkage. The SDK reaches it from
 * winnt.h. */
#pragma once
#include <windows.h>
#pragma push_macro("NTSTATUS")
#undef NTSTATUS
#define NTSTATUS LONG
#ifdef __cplusplus
extern "C" {
#endif
#include_next <rtlsupportapi.h>
#ifdef __cplusplus
}
#endif
#pragma pop_macro("NTSTATUS")
