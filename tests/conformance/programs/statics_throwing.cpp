// An initialiser that throws leaves the static uninitialised: the next caller tries again, also one that waits in another thread.
#include "check.h"
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

static std::atomic<int> attempts, caught, succeeded;
static int initialize() {
    const int attempt = ++attempts;
    Sleep(5);
    if (attempt <= 5) throw std::runtime_error("attempt");
    return attempt * 10;
}
static int get() {
    static int value = initialize();
    return value;
}

int main() {
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index)
        threads.emplace_back([] {
            for (;;) {
                try {
                    CHECK(get() == 60);
                    ++succeeded;
                    return;
                } catch (const std::runtime_error &) {
                    ++caught;
                }
            }
        });
    for (auto &thread : threads) thread.join();
    printf("attempts %d caught %d succeeded %d value %d\n", attempts.load(), caught.load(), succeeded.load(), get());
}
