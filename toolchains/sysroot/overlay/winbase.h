/* Wine declares FILE_DISPOSITION_INFO before the DeleteFile macro, so the member's name differs from its uses; it lacks the functions of NUMA,
 * group affinity, CPU sets, large pages, offered memory, process mitigations and thread pool environments, FILE_ID_INFO, and the unwind
 * functions that winnt.h should give. */
#pragma once
#include <excpt.h>
#ifndef DeleteFile
#define DeleteFile WINELIB_NAME_AW(DeleteFile)
#endif
#include_next <winbase.h>
#include <rtlsupportapi.h>

#ifdef __cplusplus
extern "C" {
#endif
WINBASEAPI SIZE_T WINAPI GetLargePageMinimum(void);
WINBASEAPI BOOL WINAPI GetNumaHighestNodeNumber(PULONG);
WINBASEAPI BOOL WINAPI GetNumaNodeProcessorMask(UCHAR, PULONGLONG);
WINBASEAPI BOOL WINAPI GetNumaNodeNumberFromHandle(HANDLE, PUSHORT);
WINBASEAPI WORD WINAPI GetActiveProcessorGroupCount(void);
WINBASEAPI WORD WINAPI GetMaximumProcessorGroupCount(void);
WINBASEAPI BOOL WINAPI GetProcessGroupAffinity(HANDLE, PUSHORT, PUSHORT);
WINBASEAPI BOOL WINAPI GetThreadIdealProcessorEx(HANDLE, PPROCESSOR_NUMBER);
WINBASEAPI BOOL WINAPI GetThreadSelectedCpuSets(HANDLE, PULONG, ULONG, PULONG);
WINBASEAPI BOOL WINAPI SetThreadSelectedCpuSets(HANDLE, const ULONG *, ULONG);
WINBASEAPI BOOL WINAPI GetProcessDefaultCpuSets(HANDLE, PULONG, ULONG, PULONG);
WINBASEAPI BOOL WINAPI SetProcessDefaultCpuSets(HANDLE, const ULONG *, ULONG);
WINBASEAPI BOOL WINAPI SetThreadStackGuarantee(PULONG);
WINBASEAPI BOOL WINAPI SetThreadpoolTimerEx(PTP_TIMER, PFILETIME, DWORD, DWORD);
WINBASEAPI BOOL WINAPI GetPhysicallyInstalledSystemMemory(PULONGLONG);
WINBASEAPI BOOL WINAPI GetProcessMitigationPolicy(HANDLE, PROCESS_MITIGATION_POLICY, PVOID, SIZE_T);
WINBASEAPI BOOL WINAPI SetProcessMitigationPolicy(PROCESS_MITIGATION_POLICY, PVOID, SIZE_T);
WINBASEAPI BOOL WINAPI PrefetchVirtualMemory(HANDLE, ULONG_PTR, PWIN32_MEMORY_RANGE_ENTRY, ULONG);
/* Inline in the SDK, over what ntdll does with the structure. */
FORCEINLINE VOID InitializeThreadpoolEnvironment(PTP_CALLBACK_ENVIRON environment)
{
    TP_CALLBACK_ENVIRON fresh = {0};
    fresh.Version = 3;
    fresh.CallbackPriority = TP_CALLBACK_PRIORITY_NORMAL;
    fresh.Size = sizeof fresh;
    *environment = fresh;
}
FORCEINLINE VOID DestroyThreadpoolEnvironment(PTP_CALLBACK_ENVIRON environment) { (void)environment; }
FORCEINLINE VOID SetThreadpoolCallbackPool(PTP_CALLBACK_ENVIRON environment, PTP_POOL pool) { environment->Pool = pool; }
FORCEINLINE VOID SetThreadpoolCallbackCleanupGroup(PTP_CALLBACK_ENVIRON environment, PTP_CLEANUP_GROUP group,
                                                   PTP_CLEANUP_GROUP_CANCEL_CALLBACK canceled)
{
    environment->CleanupGroup = group;
    environment->CleanupGroupCancelCallback = canceled;
}
FORCEINLINE VOID SetThreadpoolCallbackRunsLong(PTP_CALLBACK_ENVIRON environment) { environment->u.s.LongFunction = 1; }
FORCEINLINE VOID SetThreadpoolCallbackPersistent(PTP_CALLBACK_ENVIRON environment) { environment->u.s.Persistent = 1; }
FORCEINLINE VOID SetThreadpoolCallbackLibrary(PTP_CALLBACK_ENVIRON environment, PVOID module) { environment->RaceDll = module; }
FORCEINLINE VOID SetThreadpoolCallbackPriority(PTP_CALLBACK_ENVIRON environment, TP_CALLBACK_PRIORITY priority)
{
    environment->CallbackPriority = priority;
}

typedef enum OFFER_PRIORITY {
    VmOfferPriorityVeryLow = 1,
    VmOfferPriorityLow,
    VmOfferPriorityBelowNormal,
    VmOfferPriorityNormal
} OFFER_PRIORITY;
WINBASEAPI DWORD WINAPI OfferVirtualMemory(PVOID, SIZE_T, OFFER_PRIORITY);
WINBASEAPI DWORD WINAPI ReclaimVirtualMemory(const void *, SIZE_T);
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
