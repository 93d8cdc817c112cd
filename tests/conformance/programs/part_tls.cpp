// A DLL with thread_local objects at namespace scope, one of them without a constant initialiser, and a count of their lives.
#include "check.h"
#include <atomic>

static std::atomic<int> constructed, destroyed;
static int next() { return 1000 + ++constructed; }
struct Local {
    int base = next() - constructed;
    int calls = 0;
    ~Local() {
        ++destroyed;
        if (base != 1000) abort();
    }
};
thread_local Local local;
thread_local int derived = local.base + 7;

extern "C" __declspec(dllexport) int value() { return derived + ++local.calls; }
extern "C" __declspec(dllexport) void counts(int *in, int *out) {
    *in = constructed;
    *out = destroyed;
}
