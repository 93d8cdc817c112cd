// Structured exceptions and C++ objects (/EHa): destructors run on a fault, catch (...) takes it, a translator turns it into a C++ type.
#include "check.h"
#include <eh.h>
#include <stdexcept>

static int alive;
struct Counted {
    Counted() { ++alive; }
    ~Counted() { --alive; }
};
struct Structured {
    unsigned code;
};
static int *volatile nowhere;
static __declspec(noinline) int fault() {
    Counted one, two;
    return *nowhere + alive;
}
static int guarded() {
    __try {
        return fault();
    } __except (GetExceptionCode() == EXCEPTION_ACCESS_VIOLATION) {
        return -5;
    }
}
static int cxx_through_seh() {
    __try {
        throw std::runtime_error("as structured");
    } __except (GetExceptionCode() == 0xE06D7363) {
        return -6;
    }
}

int main() {
    printf("guarded %d alive %d\n", guarded(), alive);
    try {
        fault();
    } catch (...) {
        printf("caught alive %d\n", alive);
    }
    _set_se_translator([](unsigned code, EXCEPTION_POINTERS *) { throw Structured{code}; });
    try {
        fault();
    } catch (const Structured &structured) {
        printf("translated %x alive %d\n", structured.code, alive);
    }
    printf("C++ exception %d\n", cxx_through_seh());
}
