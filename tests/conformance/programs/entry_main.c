// `main`: arguments, environment, and the exit code that it returns.
#include "check.h"

int main(int argc, char **argv, char **environment) {
    int found = 0;
    printf("argc=%d\n", argc);
    for (int index = 1; index < argc; ++index)
        printf("argv[%d]=[%s]\n", index, argv[index]);
    CHECK(argv[argc] == NULL && argc == __argc && argv == __argv);
    for (char **entry = environment; *entry; ++entry)
        found += _strnicmp(*entry, "SystemRoot=", 11) == 0;
    CHECK(_putenv("WINDLASS_ENTRY=set") == 0);
    printf("SystemRoot entries=%d, own=%s\n", found, getenv("WINDLASS_ENTRY"));
    return 42;
}
