// Initialisers and terminators of a program run in the documented order, statics in order of definition.
#include "check.h"

static int steps;
static void step(const char *name) {
    printf("%d %s\n", ++steps, name);
    fflush(stdout);
}

struct Noted {
    const char *name;
    explicit Noted(const char *text) : name(text) { step(name); }
    ~Noted() { step(name); }
};

#define PLACE(section_name, type, function)                                                                              \
    extern "C" __attribute__((section(section_name), used)) type const place_##function = function;

typedef int (*Initializer)();
typedef void (*Procedure)();
static int early() { step("XIB"); return 0; }
static int late() { step("XIY"); return 0; }
static void constructor() { step("XCB"); }
static void constructor_last() { step("XCX"); }
static void before_termination() { step("XPM"); }
static void termination() { step("XTM"); }
PLACE(".CRT$XIB", Initializer, early)
PLACE(".CRT$XIY", Initializer, late)
PLACE(".CRT$XCB", Procedure, constructor)
PLACE(".CRT$XCX", Procedure, constructor_last)
PLACE(".CRT$XPM", Procedure, before_termination)
PLACE(".CRT$XTM", Procedure, termination)

static Noted first("first static");
static Noted second("second static");

int main() {
    atexit([] { step("atexit 1"); });
    atexit([] { step("atexit 2"); });
    step("main");
    return 12;
}
