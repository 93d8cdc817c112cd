// operator new and delete: the library's own, failures, alignment, the new handler, and a program's replacement that is used everywhere.
#include "check.h"
#include <memory>
#include <new>
#include <string>
#include <vector>

#ifdef WINDLASS_REPLACE
static size_t news, deletes;
void *operator new(size_t size) {
    ++news;
    if (void *block = malloc(size ? size : 1)) return block;
    throw std::bad_alloc();
}
void operator delete(void *block) noexcept {
    if (block) ++deletes;
    free(block);
}
void operator delete(void *block, size_t) noexcept { operator delete(block); }
#endif
struct alignas(256) Aligned {
    char bytes[512];
};
#ifndef WINDLASS_REPLACE
static int handled;
static void handler() {
    if (++handled == 3) throw std::bad_alloc();
}
#endif

// The compiler may leave out an allocation that nobody sees.
static void *volatile sink;

int main() {
    {
        std::vector<std::string> many;
        for (int index = 0; index < 100; ++index) many.push_back(std::string(100, 'x'));
        auto shared = std::make_shared<std::string>(200, 'y');
        std::unique_ptr<int[]> array(new int[10]);
    }
#ifdef WINDLASS_REPLACE
    CHECK(news > 100 && news == deletes);
    puts("replaced");
#endif
    bool aligned = true;
    std::vector<std::unique_ptr<Aligned>> objects;
    for (int index = 0; index < 50; ++index) {
        objects.push_back(std::make_unique<Aligned>());
        aligned = aligned && ((ULONG_PTR)objects.back().get() & 255) == 0;
    }
    objects.clear();
    volatile size_t huge = ~(size_t)0 / 2 - 64;
    int failures = 0;
    try {
        sink = new char[huge];
    } catch (const std::bad_alloc &) {
        ++failures;
    }
    sink = new (std::nothrow) char[huge];
    failures += sink == nullptr;
    volatile long long negative = -1;
    try {
        sink = new int[(size_t)negative];
    } catch (const std::bad_alloc &) {
        // This ABI asks for the largest size instead of naming the wrong length.
        ++failures;
    }
#ifndef WINDLASS_REPLACE
    std::set_new_handler(handler);
    try {
        sink = new char[huge];
    } catch (const std::bad_alloc &) {
        ++failures;
    }
    CHECK(handled == 3 && std::get_new_handler() == handler);
#endif
    printf("aligned %d failures %d\n", aligned, failures);
}
