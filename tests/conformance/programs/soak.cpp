// Threads with thread-local objects while DLLs come and go; the exit code says whether every object was destroyed.
#include "check.h"
#include <atomic>
#include <thread>
#include <vector>

static std::atomic<int> alive, wrong;
struct Local {
    int rounds = 0;
    Local() { ++alive; }
    ~Local() { --alive; }
};
static thread_local Local local;

static void work(int seed) {
    for (int round = 0; round < 3; ++round) {
        ++local.rounds;
        HMODULE module = LoadLibraryA(seed % 2 ? "part_tls.dll" : "part_plain.dll");
        if (!module) {
            ++wrong;
            return;
        }
        if (seed % 2) {
            auto value = (int (*)())GetProcAddress(module, "value");
            if (!value || value() < 1008) ++wrong;
        }
        static const int once = GetTickCount() ? 7 : 7;
        if (once != 7) ++wrong;
        FreeLibrary(module);
    }
    if (local.rounds != 3) ++wrong;
}

int main(int argc, char **argv) {
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) threads.emplace_back(work, index);
    for (auto &thread : threads) thread.join();
    const int code = argc > 1 ? atoi(argv[1]) : 0;
    printf("soak alive %d wrong %d code %d\n", alive.load(), wrong.load(), code);
    fflush(stdout);
    // The main thread's own object lives until `exit`.
    return alive != 1 || wrong ? 98 : code;
}
