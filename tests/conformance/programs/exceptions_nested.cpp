// Nested and rethrown exceptions: handlers inside handlers, throw in a destructor's own try, nested_exception, uncaught counts.
#include "check.h"
#include <exception>
#include <stdexcept>
#include <string>

static std::string trail;
struct Inner {
    ~Inner() {
        const int before = std::uncaught_exceptions();
        try {
            throw 5;
        } catch (int value) {
            trail += "d" + std::to_string(value) + std::to_string(before);
        }
    }
};
static void rethrow() { throw; }
static int depth(const std::exception &error) {
    try {
        std::rethrow_if_nested(error);
    } catch (const std::exception &inner) {
        return 1 + depth(inner);
    }
    return 1;
}
static void wrap(int levels) {
    try {
        if (levels == 0) throw std::runtime_error("core");
        wrap(levels - 1);
    } catch (...) {
        std::throw_with_nested(std::logic_error("level " + std::to_string(levels)));
    }
}

int main() {
    try {
        try {
            Inner inner;
            throw std::string("first");
        } catch (const std::string &first) {
            trail += first;
            try {
                throw 2.5;
            } catch (double value) {
                trail += std::to_string((int)(value * 2));
                try {
                    rethrow();
                } catch (double again) {
                    trail += again == value ? "same" : "other";
                }
            }
            throw;
        }
    } catch (std::string &last) {
        trail += "again" + last;
    }
    puts(trail.c_str());
    try {
        wrap(4);
    } catch (const std::logic_error &error) {
        printf("%s depth %d\n", error.what(), depth(error));
    }
    try {
        try {
            throw std::runtime_error("by value");
        } catch (std::exception copy) {
            trail = typeid(copy).name();
            throw;
        }
    } catch (const std::runtime_error &error) {
        printf("%s uncaught %d\n", error.what(), std::uncaught_exceptions());
    }
}
