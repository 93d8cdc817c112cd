// _malloca: memory of the stack up to a threshold and of the heap above it, aligned, each given back by _freea.
#include "check.h"
#include <malloc.h>
#include <stdint.h>

static int on_stack(const void *memory) {
    const NT_TIB *thread = (const NT_TIB *)NtCurrentTeb();
    return memory >= thread->StackLimit && memory < thread->StackBase;
}

static void take(size_t size) {
    unsigned char *memory = _malloca(size);
    CHECK(memory && ((uintptr_t)memory & 15) == 0);
    memset(memory, 0xa5, size);
    printf("%zu %s\n", size, on_stack(memory) ? "stack" : "heap");
    _freea(memory);
}

int main(void) {
    const size_t sizes[] = {1, 1008, 1009, 1 << 20};
    for (int i = 0; i < 4; ++i)
        take(sizes[i]);
    for (int i = 0; i < 4096; ++i) {
        char *memory = _malloca(1 << 20);
        CHECK(memory);
        memory[i] = 1;
        _freea(memory);
    }
    volatile size_t all = SIZE_MAX;
    CHECK(_malloca(all) == NULL);
    _freea(NULL);
    puts("given back");
    return 0;
}
