/* Writes a table of squares, and on which machine it was made. */
#include <stdio.h>

#if defined(_WIN32)
#define SYSTEM "windows"
#else
#define SYSTEM "linux"
#endif
#if defined(__x86_64__) || defined(_M_X64)
#define MACHINE "x86_64"
#elif defined(__aarch64__) || defined(_M_ARM64)
#define MACHINE "aarch64"
#else
#define MACHINE "riscv64"
#endif

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;

    if (!file) {
        fprintf(stderr, "squares: wanted a file that can be written\n");
        return 1;
    }
    fprintf(file, "#define TABLE_MADE_ON \"%s %s\"\nstatic const unsigned table[] = {", MACHINE, SYSTEM);
    for (unsigned i = 1; i <= 30; i++)
        fprintf(file, " %u,", i * i);
    fprintf(file, " };\n");
    return fclose(file) ? 1 : 0;
}
