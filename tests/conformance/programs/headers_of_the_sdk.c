// Headers that the SDK cuts the Windows API into, each asked for by name, and words of other headers that old sources want.
#include <minwindef.h>
#include <errhandlingapi.h>
#include <handleapi.h>
#include <heapapi.h>
#include <jobapi2.h>
#include <processtopologyapi.h>
#include <stringapiset.h>
#include <sysinfoapi.h>
#include <timeapi.h>
#include <utilapiset.h>
#include <consoleapi2.h>
#include <debugapi.h>
#include <fibersapi.h>
#include <profileapi.h>
#include <memoryapi.h>
#include <memoryapi.h>
#include "check.h"
#include <crtdbg.h>
#include <io.h>
#include <shlobj.h>
#include <time.h>
#include <versionhelpers.h>

static int filter(unsigned long code) { return code == 0xe0001234 ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH; }

int main(int argc, char **argv) {
    (void)argv;
    // alloca comes with stdlib.h alone.
    char *scratch = alloca((size_t)argc * 64);
    memset(scratch, 'x', 63);
    scratch[63] = 0;
    printf("%zu %lu\n", strlen(scratch), (unsigned long)HeapSize(GetProcessHeap(), 0, HeapAlloc(GetProcessHeap(), 0, 77)));
    SYSTEM_INFO system;
    GetNativeSystemInfo(&system);
    printf("page %lu time %d\n", system.dwPageSize, timeGetTime() != 0);
    wchar_t wide[16];
    printf("wide %d %d\n", MultiByteToWideChar(CP_UTF8, 0, "\xe2\x82\xac", -1, wide, 16), MulDiv(7, 9, 2));
    int finals = 0;
    __try {
        __try {
            RaiseException(0xe0001234, 0, 0, NULL);
        } __finally {
            finals += AbnormalTermination() ? 1 : 10;
        }
    } __except (filter(GetExceptionCode())) {
        finals += 100;
    }
    printf("finals %d\n", finals);
    _CrtSetReportMode(_CRT_ASSERT, _CRTDBG_MODE_FILE | _CRTDBG_MODE_DEBUG);
    _CrtSetReportFile(_CRT_ASSERT, _CRTDBG_FILE_STDERR);
    _ASSERTE(argc == -1);
    FILE *file = fopen("commit.tmp", "wb");
    CHECK(file && fputs("text", file) >= 0 && fflush(file) == 0);
    printf("commit %d bad %d\n", _commit(_fileno(file)), IsWindows8Point1OrGreater() && !IsWindowsVersionOrGreater(99, 0, 0));
    CHECK(fclose(file) == 0 && remove("commit.tmp") == 0);
    // A list of two identifiers of 3 and 4 bytes, and its end.
    BYTE bytes[] = {3, 0, 'a', 4, 0, 'b', 'c', 0, 0};
    PIDLIST_RELATIVE list = (PIDLIST_RELATIVE)bytes;
    printf("list %u\n", ILGetSize((PCUIDLIST_RELATIVE)list));
    struct timespec now;
    printf("now %d\n", timespec_get(&now, TIME_UTC) == TIME_UTC && now.tv_sec > 1700000000 && now.tv_nsec < 1000000000);
    return 0;
}
