// The TLS directory, the TLS index and the bounds of the TLS data and callbacks.
//
// The loader reads the directory, copies the template `.tls` for every thread and calls the callbacks; compiled code indexes with
// `_tls_index`. The linker takes the symbol `_tls_used` as the directory and sets the alignment in it.
// Source: PE/COFF specification, section "The .tls Section".
#include "../crt.h"

ULONG _tls_index = 0;

// First and last byte of the template. The compiler puts thread-local variables into `.tls$`, which sorts between the two.
__attribute__((section(".tls"), used)) char _tls_start = 0;
__attribute__((section(".tls$ZZZ"), used)) char _tls_end = 0;

// The callbacks stand between these bounds; the array that the loader walks ends with a null.
CRT_SECTION(".CRT$XLA") const PIMAGE_TLS_CALLBACK __xl_a = 0;
CRT_SECTION(".CRT$XLZ") const PIMAGE_TLS_CALLBACK __xl_z = 0;

__attribute__((section(".rdata$T"), used)) const IMAGE_TLS_DIRECTORY64 _tls_used = {
    (ULONGLONG)&_tls_start, (ULONGLONG)&_tls_end, (ULONGLONG)&_tls_index, (ULONGLONG)(&__xl_a + 1), 0, 0};
