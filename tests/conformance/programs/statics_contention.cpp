// Function-local statics under contention: 8 threads, 64 statics with slow initialisers, each runs once and all see the finished value.
#include "check.h"
#include <atomic>
#include <thread>
#include <vector>

static std::atomic<int> runs, torn;
struct Slow {
    int first, second;
    explicit Slow(int value) : first(value), second(0) {
        ++runs;
        Sleep(1);
        second = value * 3;
    }
};
template <int N> static const Slow &get() {
    static const Slow slow(N);
    return slow;
}
template <int... N> static long long sum(std::integer_sequence<int, N...>) {
    long long total = 0;
    auto add = [&total](const Slow &slow) {
        if (slow.second != slow.first * 3) ++torn;
        total += slow.second;
    };
    (add(get<N>()), ...);
    return total;
}

int main() {
    std::vector<std::thread> threads;
    std::atomic<long long> total = 0;
    for (int index = 0; index < 8; ++index)
        threads.emplace_back([&total] { total += sum(std::make_integer_sequence<int, 64>()); });
    for (auto &thread : threads) thread.join();
    printf("runs %d torn %d total %lld\n", runs.load(), torn.load(), total.load());
}
