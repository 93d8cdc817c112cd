// `wmain`: arguments outside the code page arrive as UTF-16.
#include "check.h"

int wmain(int argc, wchar_t **argv, wchar_t **environment) {
    CHECK(environment != NULL && argv[argc] == NULL);
    for (int index = 1; index < argc; ++index) {
        printf("argv[%d]=", index);
        for (const wchar_t *unit = argv[index]; *unit; ++unit)
            printf("%04x ", (unsigned)*unit);
        printf("length %d\n", (int)wcslen(argv[index]));
    }
    return 43;
}
