/* Wine declares FILE_DISPOSITION_INFO before the DeleteFile macro, so the member's name differs
 * from its uses; it lacks the NUMA, group affinity and large page functions, which its
 * kernel32 exports, FILE_ID_INFO, and the unwind functions that winnt.h should give. */
#pragma once
#include <excpt.h>
#ifndef DeleteFile
#define DeleteFile WINELIB_NAME_AW(DeleteFile)
#endif
#include_next <winbase.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifndef _APISETRTLSUPPORT_
NTSYSAPI void WINAPI RtlCaptureContext(CONTEXT *);
NTSYSAPI void CDECL RtlRestoreContext(CONTEXT *, EXCEPTION_RECORD *);
NTSYSAPI PEXCEPTION_ROUTINE WINAPI RtlVirtualUnwind(ULONG, ULONG_PTR, ULONG_PTR, RUNTIME_FUNCTION *, CONTEXT *,
                                                    void **, ULONG_PTR *, KNONVOLATILE_CONTEXT_POINTERS *);
#endif
WINBASEAPI SIZE_T WINAPI GetLargePageMinimum(void);
WINBASEAPI BOOL WINAPI GetNumaHighestNodeNumber(PULONG);
WINBASEAPI BOOL WINAPI GetNumaNodeProcessorMask(UCHAR, PULONGLONG);
WINBASEAPI BOOL WINAPI SetThreadIdealProcessorEx(HANDLE, PPROCESSOR_NUMBER, PPROCESSOR_NUMBER);
WINBASEAPI BOOL WINAPI SetThreadGroupAffinity(HANDLE, const GROUP_AFFINITY *, PGROUP_AFFINITY);
WINBASEAPI BOOL WINAPI GetThreadGroupAffinity(HANDLE, PGROUP_AFFINITY);
WINBASEAPI LPVOID WINAPI MapViewOfFileExNuma(HANDLE, DWORD, DWORD, DWORD, SIZE_T, LPVOID, DWORD);
WINBASEAPI HANDLE WINAPI CreateFileMappingNumaW(HANDLE, LPSECURITY_ATTRIBUTES, DWORD, DWORD, DWORD, LPCWSTR, DWORD);
#ifdef __cplusplus
}
#endif

typedef struct _FILE_ID_INFO {
    ULONGLONG VolumeSerialNumber;
    FILE_ID_128 FileId;
} FILE_ID_INFO, *PFILE_ID_INFO;

#ifndef NUMA_NO_PREFERRED_NODE
#define NUMA_NO_PREFERRED_NODE ((DWORD)-1)
#endif
#ifndef FILE_MAP_LARGE_PAGES
#define FILE_MAP_LARGE_PAGES 0x20000000
#endif

/* CopyFileEx flags of Windows Vista and later. */
#ifndef COPY_FILE_COPY_SYMLINK
#define COPY_FILE_COPY_SYMLINK 0x00000800
#endif
#ifndef COPY_FILE_NO_BUFFERING
#define COPY_FILE_NO_BUFFERING 0x00001000
#endif
#ifndef COPY_FILE_REQUEST_SECURITY_PRIVILEGES
#define COPY_FILE_REQUEST_SECURITY_PRIVILEGES 0x00002000
#endif
#ifndef COPY_FILE_RESUME_FROM_PAUSE
#define COPY_FILE_RESUME_FROM_PAUSE 0x00004000
#endif
#ifndef COPY_FILE_NO_OFFLOAD
#define COPY_FILE_NO_OFFLOAD 0x00040000
#endif
