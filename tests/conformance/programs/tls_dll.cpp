// thread_local objects in a DLL that is loaded while a thread is already running: made on demand there, destroyed with each thread.
#include "check.h"
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static int stage;
static void wait_for(int wanted) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [wanted] { return stage >= wanted; });
}
static void advance(int to) {
    { std::lock_guard lock(mutex); stage = to; }
    changed.notify_all();
}

int main() {
    int (*value)() = nullptr;
    int old_thread = 0, new_thread = 0;
    std::thread old([&] {
        wait_for(1);
        old_thread = value() + value();
        advance(2);
        wait_for(3);
    });
    HMODULE module = LoadLibraryA("part_tls.dll");
    CHECK(module);
    value = (int (*)())GetProcAddress(module, "value");
    auto counts = (void (*)(int *, int *))GetProcAddress(module, "counts");
    CHECK(value && counts);
    advance(1);
    wait_for(2);
    std::thread([&] { new_thread = value() + value(); }).join();
    int constructed, destroyed;
    counts(&constructed, &destroyed);
    printf("old %d new %d constructed %d destroyed %d\n", old_thread, new_thread, constructed, destroyed);
    advance(3);
    old.join();
    counts(&constructed, &destroyed);
    printf("main %d constructed %d destroyed %d\n", value(), constructed, destroyed);
    CHECK(FreeLibrary(module));
    puts("unloaded");
}
