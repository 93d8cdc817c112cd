// thread_local objects of the main thread: constructed when first used, destroyed at exit before the statics.
#include "check.h"
#include <string>
#include <thread>

static void say(const char *text) {
    printf("%s\n", text);
    fflush(stdout);
}
struct Static {
    ~Static() { say("static -"); }
} object;
struct Local {
    std::string name;
    explicit Local(const char *text) : name(text) { say((name + " +").c_str()); }
    ~Local() { say((name + " -").c_str()); }
};
static thread_local Local namespace_scope("namespace scope");

static int use() {
    static thread_local Local function_scope("function scope");
    return (int)function_scope.name.size();
}

int main() {
    say("main");
    atexit([] { say("atexit"); });
    std::thread([] { CHECK(namespace_scope.name.size() == 15); }).join();
    printf("sizes %d %d\n", (int)namespace_scope.name.size(), use());
    return 3;
}
