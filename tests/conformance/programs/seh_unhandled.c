// Faults that nobody handles give the exit code of the exception; a C signal handler gets its turn first.
#include "check.h"
#include <signal.h>

static void on_segv(int number) {
    printf("signal %d\n", number);
    fflush(stdout);
    _exit(66);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        SetErrorMode(SEM_NOGPFAULTERRORBOX);
        int *volatile nowhere = NULL;
        switch (argv[1][0]) {
        case 'v': return *nowhere;
        case 's': signal(SIGSEGV, on_segv); return *nowhere;
        case 'r': RaiseException(0xE0BADBAD, EXCEPTION_NONCONTINUABLE, 0, NULL); return 1;
        }
    }
    printf("access violation %lx\n", run_self(L"v"));
    printf("handler %lu\n", run_self(L"s"));
    printf("raised %lx\n", run_self(L"r"));
    return 0;
}
