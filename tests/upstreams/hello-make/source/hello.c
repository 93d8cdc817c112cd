#include <stdio.h>
#include <string.h>
#include "greet.h"

typedef unsigned shout_function(const char *text);

#ifdef _WIN32
#include <windows.h>
static shout_function *load(const char *path)
{
    HMODULE module = LoadLibraryA(path);
    return module ? (shout_function *)(void *)GetProcAddress(module, "shout") : NULL;
}
#define SUFFIX "dll"
#else
#include <dlfcn.h>
static shout_function *load(const char *path)
{
    void *module = dlopen(path, RTLD_NOW);
    return module ? (shout_function *)dlsym(module, "shout") : NULL;
}
#define SUFFIX "so"
#endif

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : "windlass";
    const char *folder = argc > 2 ? argv[2] : "../lib/hello-make";
    char path[1024];
    shout_function *shout;

    printf("hello-make: library says %08lx\n", (unsigned long)greet_fold(text));
    snprintf(path, sizeof path, "%s/shout." SUFFIX, folder);
    shout = load(path);
    if (!shout) {
        fprintf(stderr, "hello-make: no plug-in at %s\n", path);
        return 3;
    }
    printf("hello-make: plug-in says %08lx", (unsigned long)shout(text));
    return 0;
}
