// A program compiled and linked with /MT: the compiler takes the C runtime for static, and nothing is loaded that is no part of Windows.
#include "check.h"
#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" IMAGE_DOS_HEADER __ImageBase;

struct Trace {
    std::string text = "made";
    ~Trace() { printf("%s gone\n", text.c_str()); }
};
static thread_local Trace trace;

// The DLLs that this image imports, in small letters and sorted.
static std::vector<std::string> imports() {
    const char *base = reinterpret_cast<const char *>(&__ImageBase);
    auto headers = reinterpret_cast<const IMAGE_NT_HEADERS *>(base + __ImageBase.e_lfanew);
    auto entry = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
    std::vector<std::string> names;
    for (auto one = reinterpret_cast<const IMAGE_IMPORT_DESCRIPTOR *>(base + entry.VirtualAddress); one->Name; ++one) {
        names.emplace_back(base + one->Name);
        for (char &letter : names.back())
            letter = (char)tolower(letter);
    }
    std::sort(names.begin(), names.end());
    return names;
}

int main() {
#ifdef _DLL
    printf("_DLL is defined\n");
#endif
#ifdef _MT
    printf("_MT is defined\n");
#endif
    for (const std::string &name : imports())
        printf("%s\n", name.c_str());
    std::thread([] { trace.text = "thread's"; }).join();
    trace.text = "main's";
    try {
        throw std::runtime_error("thrown");
    } catch (const std::exception &error) {
        printf("%s\n", error.what());
    }
    return 0;
}
