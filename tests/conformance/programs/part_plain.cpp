// A DLL without `DllMain`, with one static that counts its own life in the caller's memory.
#include "check.h"
#include <string>

struct Counted {
    int *counts = nullptr;
    std::string text = std::string(40, 'x');
    ~Counted() {
        if (counts) ++counts[1];
    }
};
static Counted counted;

extern "C" __declspec(dllexport) int attach(int *counts) {
    counted.counts = counts;
    ++counts[0];
    return (int)counted.text.size() + 2;
}
