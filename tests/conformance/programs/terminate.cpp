// What ends in `std::terminate`: noexcept, an uncaught exception on the main thread and on another, a joinable thread.
#include "check.h"
#include <exception>
#include <stdexcept>
#include <thread>

static void handler() {
    const char *what = "nothing";
    if (auto current = std::current_exception()) {
        try {
            std::rethrow_exception(current);
        } catch (const std::exception &error) {
            what = error.what();
        } catch (...) {
            what = "unknown";
        }
    }
    printf("terminate: %s\n", what);
    fflush(stdout);
    _exit(70);
}
static void promise_not_to(int) noexcept { throw std::runtime_error("out of noexcept"); }

int main(int argc, char **argv) {
    if (argc > 1) {
        _set_abort_behavior(0, _WRITE_ABORT_MSG | _CALL_REPORTFAULT);
        if (argv[1][0] != 'p') std::set_terminate(handler);
        switch (argv[1][0]) {
        case 'n':
            try {
                promise_not_to(argc);
            } catch (...) {
                puts("caught what may not be caught");
            }
            return 1;
        case 'm':
        case 'p': throw std::runtime_error("uncaught");
        case 't': {
            std::thread thread([] { throw std::runtime_error("uncaught in a thread"); });
            thread.join();
            return 1;
        }
        case 'j': {
            std::thread thread([] { Sleep(INFINITE); });
        }
            return 1;
        }
    }
    printf("noexcept %lu\n", run_self(L"n"));
    printf("main %lu\n", run_self(L"m"));
    // A terminate handler belongs to the thread that set it ("set_terminate", Microsoft C++ documentation): this thread has none.
    printf("thread %lu\n", run_self(L"t"));
    printf("joinable %lu\n", run_self(L"j"));
    printf("plain %lu\n", run_self(L"p"));
}
