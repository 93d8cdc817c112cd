// A pure virtual call reaches the handler of the program, and without one ends it.
#include "check.h"
#include <stdlib.h>

struct Base;
static void call(Base *object);
struct Base {
    Base() { call(this); }
    virtual ~Base() = default;
    virtual int pure() = 0;
};
struct Derived : Base {
    int pure() override { return 4; }
};
static void call(Base *object) { printf("%d\n", object->pure()); }

int main(int argc, char **) {
    if (argc > 1) {
        _set_purecall_handler([] {
            puts("pure virtual call");
            fflush(stdout);
            _exit(77);
        });
        Derived derived;
        return 1;
    }
    printf("code %lu\n", run_self(L"p"));
}
