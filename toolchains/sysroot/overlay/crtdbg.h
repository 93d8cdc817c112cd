/* Wine lacks the report files, modes and hooks and the forms of malloc that say where they are called; without _DEBUG the calls do nothing. */
#pragma once
#include_next <crtdbg.h>
typedef void *_HFILE;
#define _CRTDBG_MODE_FILE 0x1
#define _CRTDBG_MODE_DEBUG 0x2
#define _CRTDBG_MODE_WNDW 0x4
#define _CRTDBG_REPORT_MODE -1
#define _CRTDBG_ALLOC_MEM_DF 0x01
#define _CRTDBG_DELAY_FREE_MEM_DF 0x02
#define _CRTDBG_CHECK_ALWAYS_DF 0x04
#define _CRTDBG_CHECK_CRT_DF 0x10
#define _CRTDBG_LEAK_CHECK_DF 0x20
#define _CRTDBG_CHECK_EVERY_16_DF 0x00100000
#define _CRTDBG_CHECK_EVERY_128_DF 0x00800000
#define _CRTDBG_CHECK_EVERY_1024_DF 0x04000000
#define _CRTDBG_CHECK_DEFAULT_DF 0
#define _CRTDBG_REPORT_FLAG -1
typedef int(__cdecl *_CRT_REPORT_HOOK)(int, char *, int *);
typedef int(__cdecl *_CRT_REPORT_HOOKW)(int, wchar_t *, int *);
#define _CRT_RPTHOOK_INSTALL 0
#define _CRT_RPTHOOK_REMOVE 1
#define _CRTDBG_INVALID_HFILE ((_HFILE)(intptr_t)-1)
#define _CRTDBG_HFILE_ERROR ((_HFILE)(intptr_t)-2)
#define _CRTDBG_FILE_STDOUT ((_HFILE)(intptr_t)-4)
#define _CRTDBG_FILE_STDERR ((_HFILE)(intptr_t)-5)
#define _CRTDBG_REPORT_FILE ((_HFILE)(intptr_t)-6)
#ifndef _DEBUG
#define _CrtSetReportFile(type, file) ((_HFILE)0)
#define _CrtSetReportHook(hook) ((_CRT_REPORT_HOOK)0)
#define _CrtSetReportHook2(mode, hook) ((int)0)
#define _CrtSetReportHookW2(mode, hook) ((int)0)
#define _CrtGetReportHook() ((_CRT_REPORT_HOOK)0)
#define _CrtDbgReportW(...) ((int)0)
#define _ASSERT_EXPR(expression, text) ((void)0)
#define _RPTW0(type, text)
#define _RPTW1(type, text, p1)
#define _RPTW2(type, text, p1, p2)
#define _RPTFW0(type, text)
#define _RPTFW1(type, text, p1)
#define _RPTFW2(type, text, p1, p2)
#define _malloc_dbg(size, type, file, line) malloc(size)
#define _calloc_dbg(count, size, type, file, line) calloc(count, size)
#define _realloc_dbg(memory, size, type, file, line) realloc(memory, size)
#define _free_dbg(memory, type) free(memory)
#define _strdup_dbg(text, type, file, line) _strdup(text)
#define _aligned_malloc_dbg(size, alignment, file, line) _aligned_malloc(size, alignment)
#define _aligned_free_dbg(memory) _aligned_free(memory)
#endif
