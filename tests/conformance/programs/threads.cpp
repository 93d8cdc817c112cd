// Threads and what orders them: mutexes of every kind, condition variables, shared locks, timed waits, latch, barrier, semaphore, stop tokens.
#include "check.h"
#include <barrier>
#include <condition_variable>
#include <deque>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static long long producer_consumer() {
    std::mutex mutex;
    std::condition_variable filled, drained;
    std::deque<int> queue;
    long long sum = 0;
    std::thread consumer([&] {
        for (int taken = 0; taken < 5000; ++taken) {
            std::unique_lock lock(mutex);
            filled.wait(lock, [&] { return !queue.empty(); });
            sum += queue.front();
            queue.pop_front();
            drained.notify_one();
        }
    });
    for (int value = 1; value <= 5000; ++value) {
        std::unique_lock lock(mutex);
        drained.wait(lock, [&] { return queue.size() < 16; });
        queue.push_back(value);
        filled.notify_one();
    }
    consumer.join();
    return sum;
}
static int counted(auto &&step) {
    int counter = 0;
    std::vector<std::jthread> threads;
    for (int index = 0; index < 4; ++index)
        threads.emplace_back([&] { for (int round = 0; round < 2000; ++round) step(counter); });
    threads.clear();
    return counter;
}

int main() {
    printf("queue %lld\n", producer_consumer());
    std::mutex mutex;
    std::recursive_mutex recursive;
    std::shared_mutex shared;
    printf("mutex %d", counted([&](int &counter) { std::lock_guard lock(mutex); ++counter; }));
    printf(" recursive %d", counted([&](int &counter) { std::lock_guard one(recursive); std::lock_guard two(recursive); ++counter; }));
    printf(" shared %d\n", counted([&](int &counter) { { std::shared_lock reader(shared); } std::unique_lock writer(shared); ++counter; }));
    std::timed_mutex timed;
    timed.lock();
    bool got = true;
    std::thread([&] { got = timed.try_lock_for(20ms); }).join();
    timed.unlock();
    std::condition_variable never;
    std::unique_lock lock(mutex);
    printf("timed %d timeout %d\n", got, !never.wait_for(lock, 10ms, [] { return false; }));
    lock.unlock();
    std::latch latch(4);
    std::barrier barrier(4);
    std::counting_semaphore<4> semaphore(0);
    std::atomic<int> before = 0, wrong = 0;
    std::vector<std::jthread> group;
    for (int index = 0; index < 4; ++index)
        group.emplace_back([&] {
            for (int phase = 1; phase <= 50; ++phase) {
                ++before;
                barrier.arrive_and_wait();
                if (before != phase * 4) ++wrong;
                barrier.arrive_and_wait();
            }
            latch.count_down();
            semaphore.release();
        });
    latch.wait();
    for (int index = 0; index < 4; ++index) semaphore.acquire();
    group.clear();
    printf("phases %d wrong %d\n", before.load(), wrong.load());
    std::atomic<bool> stopped = false;
    std::jthread worker([&](std::stop_token token) {
        while (!token.stop_requested()) std::this_thread::yield();
        stopped = true;
    });
    worker.request_stop();
    worker.join();
    printf("stopped %d distinct %d\n", stopped.load(), std::this_thread::get_id() != std::thread::id());
}
