// Static thread-local storage: own copy per thread, initial values, alignment, and TLS callbacks of the program's own.
#include "check.h"
#include <process.h>

static __declspec(thread) int counter = 5;
static __declspec(thread) char text[8] = "initial";
static __declspec(thread) __declspec(align(64)) char aligned[64];
static long callbacks[4];

static void NTAPI callback(void *module, DWORD reason, void *reserved) {
    if (reason < 4) InterlockedIncrement(&callbacks[reason]);
}
__attribute__((section(".CRT$XLM"), used)) static const PIMAGE_TLS_CALLBACK place = callback;

static unsigned __stdcall work(void *argument) {
    CHECK(counter == 5 && strcmp(text, "initial") == 0);
    CHECK(((ULONG_PTR)aligned & 63) == 0 && aligned[0] == 0 && aligned[63] == 0);
    memset(aligned, 0xff, sizeof aligned);
    for (int round = 0; round < 100; ++round)
        counter += (int)(ULONG_PTR)argument;
    return (unsigned)counter;
}

int main(void) {
    HANDLE threads[8];
    DWORD code, sum = 0;
    CHECK(callbacks[DLL_PROCESS_ATTACH] == 1);
    for (ULONG_PTR index = 0; index < 8; ++index)
        threads[index] = (HANDLE)_beginthreadex(NULL, 0, work, (void *)index, 0, NULL);
    WaitForMultipleObjects(8, threads, TRUE, INFINITE);
    for (int index = 0; index < 8; ++index) {
        GetExitCodeThread(threads[index], &code);
        sum += code;
    }
    printf("sum %lu own %d attached %ld detached %ld\n", sum, counter, callbacks[DLL_THREAD_ATTACH], callbacks[DLL_THREAD_DETACH]);
    return 0;
}
