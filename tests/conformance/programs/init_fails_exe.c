// A C initialiser that reports a failure ends the program with code 255, before C++ initialisers and `main`.
#include "check.h"

static int refuse(void) {
    if (GetEnvironmentVariableA("WINDLASS_REFUSE", NULL, 0) == 0)
        return 0;
    printf("refusing\n");
    fflush(stdout);
    return 17;
}
static void constructor(void) {
    printf("constructor\n");
    fflush(stdout);
}
__attribute__((section(".CRT$XIU"), used)) static int (*const place_refuse)(void) = refuse;
__attribute__((section(".CRT$XCU"), used)) static void (*const place_constructor)(void) = constructor;

int main(int argc, char **argv) {
    if (argc > 1)
        return 5;
    CHECK(SetEnvironmentVariableA("WINDLASS_REFUSE", "1"));
    printf("refused: %lu\n", run_self(L"child"));
    CHECK(SetEnvironmentVariableA("WINDLASS_REFUSE", NULL));
    printf("accepted: %lu\n", run_self(L"child"));
    return 0;
}
