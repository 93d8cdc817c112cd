// The stack cookie and its seed.
//
// The load configuration names the cookie, so that the loader may seed it before any code runs; when it has not, the entry point does.
// Source: "/GS (Buffer Security Check)" and "__security_init_cookie" of the Microsoft C++ documentation. The default value is the one by
// which loaders recognise a cookie that nobody has seeded.
#include "../crt.h"

#define DEFAULT_COOKIE 0x00002B992DDFA232ull
// The top 16 bits stay zero, so that a string copy that overruns a buffer cannot write the whole cookie.
#define COOKIE_MASK 0x0000FFFFFFFFFFFFull

UINT_PTR __security_cookie = DEFAULT_COOKIE;
UINT_PTR __security_cookie_complement = ~DEFAULT_COOKIE;

// Spreads every input bit over the word (the finaliser of the SplitMix64 generator).
static ULONGLONG mix(ULONGLONG state, ULONGLONG value) {
    state += value + 0x9E3779B97F4A7C15ull;
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ull;
    state = (state ^ (state >> 27)) * 0x94D049BB133111EBull;
    return state ^ (state >> 31);
}

void __cdecl __security_init_cookie(void) {
    if (__security_cookie == DEFAULT_COOKIE || __security_cookie == 0) {
        FILETIME time;
        LARGE_INTEGER counter;
        ULONGLONG seed = 0;
        GetSystemTimeAsFileTime(&time);
        QueryPerformanceCounter(&counter);
        seed = mix(seed, ((ULONGLONG)time.dwHighDateTime << 32) | time.dwLowDateTime);
        seed = mix(seed, (ULONGLONG)counter.QuadPart);
        seed = mix(seed, ((ULONGLONG)GetCurrentProcessId() << 32) | GetCurrentThreadId());
        // Address-space randomisation contributes through the stack and the image.
        seed = mix(seed, (ULONGLONG)&time);
        seed = mix(seed, (ULONGLONG)&__ImageBase);
        seed &= COOKIE_MASK;
        __security_cookie = seed == DEFAULT_COOKIE || seed == 0 ? DEFAULT_COOKIE + 1 : seed;
    }
    __security_cookie_complement = ~__security_cookie;
}
