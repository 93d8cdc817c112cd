// Atomics of 1, 2, 4, 8 and 16 bytes and of floating point under contention, exchange loops, wait and notify, fences.
#include "check.h"
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

struct Wide {
    uint64_t low, high;
    bool operator==(const Wide &) const = default;
};
struct Large {
    uint64_t parts[4];
};

template <class T> static unsigned long long count() {
    std::atomic<T> value = 0;
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index)
        threads.emplace_back([&] {
            for (int round = 0; round < 5000; ++round) {
                value.fetch_add(3);
                value.fetch_xor(0);
                value.fetch_sub(1, std::memory_order_relaxed);
            }
        });
    for (auto &thread : threads) thread.join();
    return (unsigned long long)value.load();
}

int main() {
    printf("%llu %llu %llu %llu\n", count<uint8_t>(), count<uint16_t>(), count<uint32_t>(), count<uint64_t>());
    std::atomic<Wide> wide = Wide{0, ~0ull};
    std::atomic<Large> large = Large{};
    std::atomic<double> real = 0;
    std::atomic<int> torn = 0;
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index)
        threads.emplace_back([&] {
            for (int round = 0; round < 5000; ++round) {
                Wide seen = wide.load();
                while (!wide.compare_exchange_weak(seen, Wide{seen.low + 1, ~(seen.low + 1)}))
                    ;
                if (seen.high != ~seen.low) ++torn;
                Large whole = large.load();
                if (whole.parts[0] != whole.parts[3]) ++torn;
                ++whole.parts[0];
                whole.parts[3] = whole.parts[0];
                large.store(whole);
                real.fetch_add(0.5);
            }
        });
    for (auto &thread : threads) thread.join();
    const Wide last = wide.exchange(Wide{1, 2});
    printf("wide %llu %llx torn %d real %.1f sizes %d %d\n", last.low, last.high, torn.load(), real.load(), (int)sizeof wide, (int)alignof(std::atomic<Wide>));
    std::atomic<int> turn = 0;
    int exchanged = 0;
    std::thread partner([&] {
        for (int round = 0; round < 500; ++round) {
            turn.wait(round * 2);
            ++exchanged;
            turn.fetch_add(1);
            turn.notify_one();
        }
    });
    for (int round = 0; round < 500; ++round) {
        turn.fetch_add(1);
        turn.notify_one();
        for (int seen = turn.load(); seen != round * 2 + 2; seen = turn.load()) turn.wait(seen);
    }
    partner.join();
    std::atomic_flag flag;
    printf("exchanged %d flag %d %d\n", exchanged, flag.test_and_set(), flag.test_and_set());
}
