// Destructors of thread-local variables: a list per thread, without a fixed limit, run in reverse order of registration.
//
// Compiled code calls `__tlregdtor` after each construction (clang, CodeGen/MicrosoftCXXABI.cpp, registerGlobalDtor). The list grows in
// chunks from the process heap and not from `malloc`, so that a replaced allocator with thread-local state of its own is not entered.
#include "../crt.h"

#define CHUNK_ENTRIES 32

struct chunk {
    struct chunk *older;
    unsigned count;
    crt_procedure entries[CHUNK_ENTRIES];
};

// Most threads never leave the first chunk and so allocate nothing.
static __declspec(thread) struct chunk first;
static __declspec(thread) struct chunk *newest;

int __cdecl __tlregdtor(crt_procedure destructor) {
    struct chunk *chunk = newest ? newest : &first;
    if (chunk->count == CHUNK_ENTRIES) {
        struct chunk *fresh = HeapAlloc(GetProcessHeap(), 0, sizeof *fresh);
        // The compiler ignores the result. A destructor that silently never runs is worse than an end that names its cause.
        if (!fresh)
            __fastfail(FAST_FAIL_FATAL_APP_EXIT);
        fresh->older = chunk;
        fresh->count = 0;
        chunk = fresh;
    }
    newest = chunk;
    chunk->entries[chunk->count++] = destructor;
    return 0;
}

// The list is consistent before each call, since a destructor may construct, and so register, another variable.
static void run_destructors(void) {
    while (newest) {
        struct chunk *chunk = newest;
        if (chunk->count > 0) {
            chunk->entries[--chunk->count]();
        } else {
            newest = chunk->older;
            if (chunk != &first)
                HeapFree(GetProcessHeap(), 0, chunk);
        }
    }
}

static void NTAPI leave(PVOID module, DWORD reason, PVOID reserved) {
    (void)module;
    (void)reserved;
    if (reason == DLL_THREAD_DETACH || reason == DLL_PROCESS_DETACH)
        run_destructors();
}

// The loader calls TLS callbacks before the entry point at detach, so thread-local variables go before the module's statics.
crt_tls_callback __windlass_tls_exit = leave;
CRT_SECTION(".CRT$XLD") static const PIMAGE_TLS_CALLBACK callback = leave;
