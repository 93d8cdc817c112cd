// call_once under contention and with an exception: one successful call per flag, everyone waits for it.
#include "check.h"
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

int main() {
    constexpr int Flags = 100;
    std::vector<std::once_flag> flags(Flags);
    std::vector<int> values(Flags);
    std::atomic<int> calls = 0, seen = 0, thrown = 0;
    std::vector<std::thread> threads;
    for (int index = 0; index < 6; ++index)
        threads.emplace_back([&] {
            for (int flag = 0; flag < Flags; ++flag) {
                for (;;) {
                    try {
                        std::call_once(flags[(size_t)flag], [&] {
                            const int call = ++calls;
                            if (call % 5 == 0) throw std::runtime_error("again");
                            values[(size_t)flag] = flag * flag;
                        });
                        break;
                    } catch (const std::runtime_error &) {
                        ++thrown;
                    }
                }
                if (values[(size_t)flag] == flag * flag) ++seen;
            }
        });
    for (auto &thread : threads) thread.join();
    int sum = 0;
    for (int value : values) sum += value;
    printf("succeeded %d seen %d sum %d\n", calls.load() - thrown.load(), seen.load(), sum);
}
