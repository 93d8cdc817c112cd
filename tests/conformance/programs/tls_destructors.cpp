// 1,500 thread-local objects with destructors, in four threads: all are destroyed, in reverse order, also one that a destructor makes.
#include "check.h"
#include <atomic>
#include <thread>

static std::atomic<int> alive, destroyed, misordered, resurrected;
static thread_local int expected = -1;

struct Late {
    int value = 1;
    ~Late() { ++resurrected; }
};
static void touch_late();

template <int N> struct Object {
    int id = N;
    Object() { ++alive; }
    ~Object() {
        --alive;
        ++destroyed;
        if (expected != -1 && id != expected) ++misordered;
        expected = N - 1;
        if (N == 0) touch_late();
    }
};
template <int N> static int touch() {
    static thread_local Object<N> object;
    return object.id;
}
static void touch_late() {
    static thread_local Late late;
    late.value = 2;
}
template <int Low, int High> static long long touch_all() {
    if constexpr (High - Low == 1) {
        return touch<Low>();
    } else {
        constexpr int Middle = Low + (High - Low) / 2;
        long long left = touch_all<Low, Middle>();
        return left + touch_all<Middle, High>();
    }
}

int main() {
    for (int round = 0; round < 4; ++round) {
        long long sum = 0;
        std::thread([&sum] { sum = touch_all<0, 1500>(); }).join();
        CHECK(sum == 1500LL * 1499 / 2);
    }
    printf("alive %d destroyed %d misordered %d resurrected %d\n", alive.load(), destroyed.load(), misordered.load(), resurrected.load());
}
