// Types that two modules share.
#pragma once
#include <stdexcept>
#include <string>
#include <typeinfo>

struct Base {
    virtual ~Base() = default;
    virtual int value() const { return 1; }
};
struct Side {
    virtual ~Side() = default;
    int side = 77;
};
struct Derived : Base, Side {
    int value() const override { return 2; }
};
struct Problem : std::runtime_error {
    int code;
    Problem(const std::string &text, int number) : std::runtime_error(text), code(number) {}
};
template <class T> struct Pair {
    T first, second;
};
#ifdef WINDLASS_PART
#define SHARED __declspec(dllexport)
#else
#define SHARED __declspec(dllimport)
#endif
// C++ linkage: with /EHsc the compiler takes it for granted that `extern "C"` functions do not throw.
SHARED Base *make_derived();
SHARED void destroy(Base *);
SHARED const std::type_info &type_of(int which);
SHARED void throw_problem(int code);
SHARED void throw_pointer();
SHARED int catch_from(void (*callback)());
