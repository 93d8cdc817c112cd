// The stack cookie: seeded at start, different in each process, and a smashed frame ends the process with 0xC0000409.
#include "check.h"

extern ULONG_PTR __security_cookie;
extern ULONG_PTR __security_cookie_complement;

// The length comes from outside, so that the compiler cannot see the overflow.
static __declspec(noinline) int smash(volatile int length) {
    char buffer[16];
    for (volatile int index = 0; index < length; ++index)
        ((volatile char *)buffer)[index] = 'x';
    return buffer[3];
}

int main(int argc, char **argv) {
    if (argc > 1 && argv[1][0] == 's') {
        SetErrorMode(SEM_NOGPFAULTERRORBOX);
        int value = smash(argc == 2 ? 96 : 8);
        printf("survived %d\n", value);
        return 1;
    }
    // The exit code carries the low 31 bits.
    if (argc > 1)
        return (int)(__security_cookie & 0x7fffffff);
    CHECK(__security_cookie != 0x00002B992DDFA232ull && __security_cookie != 0);
    CHECK(__security_cookie >> 48 == 0 && __security_cookie_complement == ~__security_cookie);
    // A loader that seeds from its clock may seed two processes alike, hardly three.
    unsigned long first = run_self(L"c"), second = run_self(L"c"), own = (unsigned long)(__security_cookie & 0x7fffffff);
    CHECK(first != second || first != own);
    printf("smashed %lx\n", run_self(L"s"));
    printf("unsmashed %d\n", smash(8));
    return 0;
}
