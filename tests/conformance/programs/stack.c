// Frames far larger than a page, `alloca` of half a megabyte, deep recursion, a thread with its own stack size.
#include "check.h"
#include <malloc.h>
#include <process.h>

static __declspec(noinline) unsigned fill(volatile unsigned char *block, unsigned size, unsigned seed) {
    unsigned sum = 0;
    // From the top downwards touches the far end last; from the bottom upwards would skip guard pages without a probe.
    for (unsigned index = 0; index < size; index += 61)
        block[index] = (unsigned char)(seed += 7);
    for (unsigned index = 0; index < size; index += 61)
        sum += block[index];
    return sum;
}
static __declspec(noinline) unsigned frame_700k(unsigned seed) {
    unsigned char block[700000];
    return fill(block, sizeof block, seed);
}
static __declspec(noinline) unsigned frame_5000(unsigned seed) {
    unsigned char block[5000];
    return fill(block, sizeof block, seed);
}
static __declspec(noinline) unsigned dynamic(unsigned size) {
    unsigned char *block = _alloca(size);
    return fill(block, size, size);
}
static __declspec(noinline) int recurse(int depth) {
    volatile char block[4096];
    block[0] = (char)depth;
    return depth == 0 ? 0 : recurse(depth - 1) + (block[0] == (char)depth);
}
static unsigned __stdcall work(void *unused) {
    unsigned char block[6 << 20];
    return fill(block, sizeof block, 1);
}

int main(void) {
    DWORD code;
    printf("700k %u\n", frame_700k(1));
    printf("5000 %u\n", frame_5000(1));
    printf("alloca %u %u\n", dynamic(512 << 10), dynamic(3));
    printf("depth %d\n", recurse(150));
    HANDLE thread = (HANDLE)_beginthreadex(NULL, 8 << 20, work, NULL, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    WaitForSingleObject(thread, INFINITE);
    GetExitCodeThread(thread, &code);
    printf("thread %lu\n", code);
    return 0;
}
