// exception_ptr: kept after the handler, carried between threads, rethrown many times, swapped, and through future and async.
#include "check.h"
#include <atomic>
#include <exception>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

static std::atomic<int> alive;
struct Payload {
    int number;
    explicit Payload(int value) : number(value) { ++alive; }
    Payload(const Payload &other) : number(other.number) { ++alive; }
    ~Payload() { --alive; }
};
static int value_of(const std::exception_ptr &pointer) {
    try {
        std::rethrow_exception(pointer);
    } catch (const Payload &payload) {
        return payload.number;
    } catch (...) {
        return -1;
    }
}

int main() {
    CHECK(!std::current_exception() && !std::exception_ptr());
    {
        std::exception_ptr first, second = std::make_exception_ptr(Payload(8));
        try {
            throw Payload(7);
        } catch (...) {
            first = std::current_exception();
        }
        int sum = 0;
        for (int round = 0; round < 50; ++round) sum += value_of(first);
        std::swap(first, second);
        std::exception_ptr copy = first;
        CHECK(copy == first && copy != second);
        std::vector<std::thread> threads;
        std::vector<int> values(4);
        for (int index = 0; index < 4; ++index)
            threads.emplace_back([&, index] { values[(size_t)index] = value_of(index % 2 ? copy : second); });
        for (auto &thread : threads) thread.join();
        printf("sum %d threads %d %d %d %d\n", sum, values[0], values[1], values[2], values[3]);
    }
    printf("alive %d\n", alive.load());
    auto result = std::async(std::launch::async, []() -> int { throw std::out_of_range("in a thread"); });
    try {
        (void)result.get();
    } catch (const std::out_of_range &error) {
        printf("async %s\n", error.what());
    }
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread([moved = std::move(promise)]() mutable { moved.set_exception(std::make_exception_ptr(Payload(9))); }).join();
    try {
        (void)future.get();
    } catch (const Payload &payload) {
        printf("promise %d\n", payload.number);
    }
    { std::promise<int> broken; future = broken.get_future(); }
    try {
        (void)future.get();
    } catch (const std::future_error &error) {
        printf("broken %d\n", error.code() == std::future_errc::broken_promise);
    }
}
