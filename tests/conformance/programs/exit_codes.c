// Every way to end a program gives its own exit code, and only the polite ones run `atexit` functions.
#include "check.h"

static void parting(void) {
    printf("parting\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        atexit(parting);
        _set_abort_behavior(0, _WRITE_ABORT_MSG | _CALL_REPORTFAULT);
        switch (argv[1][0]) {
        case 'r': return -2;
        case 'e': exit(300);
        case 'q': _exit(301);
        case 'Q': quick_exit(302);
        case 'a': abort();
        case 'x': ExitProcess(0xdeadbeef);
        case 't': TerminateProcess(GetCurrentProcess(), 304);
        }
    }
    printf("return %lx\n", run_self(L"r"));
    printf("exit %lu\n", run_self(L"e"));
    printf("_exit %lu\n", run_self(L"q"));
    printf("quick_exit %lu\n", run_self(L"Q"));
    printf("abort %lu\n", run_self(L"a"));
    printf("ExitProcess %lx\n", run_self(L"x"));
    printf("TerminateProcess %lu\n", run_self(L"t"));
    return 0;
}
