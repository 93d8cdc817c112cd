// Structured exceptions in C: filters, __finally order, resumption, nesting, a fault in a called function, leaving by `return`.
#include "check.h"

static char trail[256];
static void note(const char *text) { strcat(trail, text); }
static int *volatile nowhere;

static __declspec(noinline) int fault(void) { return *nowhere; }
static __declspec(noinline) void store(int *target) { *target = 9; }

static int filter(const char *name, int verdict) {
    note(name);
    return verdict;
}
static int resume(EXCEPTION_POINTERS *pointers) {
    CHECK(pointers->ExceptionRecord->NumberParameters == 2 && pointers->ExceptionRecord->ExceptionInformation[1] == 22);
    return EXCEPTION_CONTINUE_EXECUTION;
}
// Whether it was a read or a write is left out: an emulated processor does not always tell.
static int address_filter(EXCEPTION_POINTERS *pointers) {
    const EXCEPTION_RECORD *record = pointers->ExceptionRecord;
    CHECK(record->ExceptionCode == EXCEPTION_ACCESS_VIOLATION && record->NumberParameters == 2);
    return record->ExceptionInformation[1] < 4096 ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH;
}
static __declspec(noinline) void inner(void) {
    __try {
        note("a");
        RaiseException(0xE0001234, 0, 0, NULL);
        note("!");
    } __finally {
        note(AbnormalTermination() ? "f" : "n");
    }
}
static __declspec(noinline) int leave_by_return(void) {
    __try {
        return 1;
    } __finally {
        note("r");
    }
    return 2;
}

int main(void) {
    __try {
        __try {
            inner();
        } __except (filter("s", EXCEPTION_CONTINUE_SEARCH)) {
            note("!");
        }
    } __except (filter("t", GetExceptionCode() == 0xE0001234 ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH)) {
        note("h");
    }
    printf("trail %s return %d", trail, leave_by_return());
    printf(" %s\n", trail + strlen(trail) - 1);
    __try {
        printf("read %d\n", fault());
    } __except (address_filter(GetExceptionInformation())) {
        printf("read caught\n");
    }
    __try {
        store(nowhere);
    } __except (address_filter(GetExceptionInformation())) {
        printf("write caught\n");
    }
    __try {
        ULONG_PTR arguments[2] = {11, 22};
        RaiseException(0xE0005678, 0, 2, arguments);
        printf("resumed\n");
    } __except (resume(GetExceptionInformation())) {
        printf("not resumed\n");
    }
    int rounds = 0;
    for (int index = 0; index < 1000; ++index) {
        __try {
            if (index % 2)
                RaiseException(0xE0000000 + (DWORD)index, 0, 0, NULL);
            rounds += 1;
        } __except (GetExceptionCode() == 0xE0000000 + (DWORD)index) {
            rounds += 1000;
        }
    }
    printf("rounds %d\n", rounds);
    return 0;
}
