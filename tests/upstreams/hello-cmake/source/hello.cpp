#include <cstdio>
#include <string>
#include "words.hpp"

using Count = int (*)(int);

#ifdef _WIN32
#include <windows.h>
static Count load(const std::string &folder)
{
    HMODULE module = LoadLibraryA((folder + "/count.dll").c_str());
    return module ? reinterpret_cast<Count>(reinterpret_cast<void *>(GetProcAddress(module, "count"))) : nullptr;
}
#else
#include <dlfcn.h>
static Count load(const std::string &folder)
{
    void *module = dlopen((folder + "/count.so").c_str(), RTLD_NOW);
    return module ? reinterpret_cast<Count>(dlsym(module, "count")) : nullptr;
}
#endif

int main(int argc, char **argv)
{
    const std::string text = argc > 1 ? argv[1] : "one two three";
    const Count count = load(argc > 2 ? argv[2] : "../lib/hello-cmake");
    if (!count) {
        std::fprintf(stderr, "hello-cmake: no plug-in\n");
        return 3;
    }
    const auto words = words::split(text);
    std::printf("hello-cmake: %zu words, last `%s`, counted %d\n", words.size(), words.back().c_str(),
                count(static_cast<int>(words.size())));
    try {
        words::split(std::string(text.size(), ' '));
    } catch (const words::NoWords &error) {
        std::printf("hello-cmake: caught `%s` of %zu\n", error.what(), error.length);
        return 0;
    }
    std::fprintf(stderr, "hello-cmake: nothing was thrown\n");
    return 4;
}
