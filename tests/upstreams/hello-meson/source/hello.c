#include <stdio.h>
#include "sum.h"

typedef unsigned twice_function(unsigned number);

#ifdef _WIN32
#include <windows.h>
static twice_function *load(const char *folder)
{
    char path[1024];
    HMODULE module;

    snprintf(path, sizeof path, "%s/twice.dll", folder);
    module = LoadLibraryA(path);
    return module ? (twice_function *)(void *)GetProcAddress(module, "twice") : NULL;
}
#else
#include <dlfcn.h>
static twice_function *load(const char *folder)
{
    char path[1024];
    void *module;

    snprintf(path, sizeof path, "%s/twice.so", folder);
    module = dlopen(path, RTLD_NOW);
    return module ? (twice_function *)dlsym(module, "twice") : NULL;
}
#endif

int main(int argc, char **argv)
{
    twice_function *twice = argc > 1 ? load(argv[1]) : NULL;
    unsigned total = argc > 2 ? sum(argc - 2, argv + 2) : 0;

    if (!twice) {
        fprintf(stderr, "hello-meson: no plug-in, wanted: hello-meson FOLDER TEXT...\n");
        return 3;
    }
    printf("hello-meson: sum %08x, twice %08x\n", total, twice(total));
    return 0;
}
