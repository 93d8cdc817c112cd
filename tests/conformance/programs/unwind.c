// Walking the stack with the functions of the system: every frame of a recursion is found, and the walk ends.
#include "check.h"

static int frames, own;

#if defined(_M_ARM64)
#define PC(context) (context).Pc
#define SP(context) (context).Sp
#else
#define PC(context) (context).Rip
#define SP(context) (context).Rsp
#endif

static __declspec(noinline) int descend(int depth);

static __declspec(noinline) void walk(void) {
    CONTEXT context;
    RtlCaptureContext(&context);
    ULONG_PTR base = 0, of_descend = 0, seen = 0;
    RUNTIME_FUNCTION *wanted = RtlLookupFunctionEntry((ULONG_PTR)descend, &of_descend, NULL);
    CHECK(wanted);
    while (PC(context) && frames < 1000) {
        RUNTIME_FUNCTION *entry = RtlLookupFunctionEntry(PC(context), &base, NULL);
        if (!entry)
            break;
        CHECK(SP(context) >= seen);
        seen = SP(context);
        own += entry == wanted && base == of_descend;
        ++frames;
        void *handler_data;
        ULONG_PTR frame;
        RtlVirtualUnwind(UNW_FLAG_NHANDLER, base, PC(context), entry, &context, &handler_data, &frame, NULL);
    }
}

static __declspec(noinline) int descend(int depth) {
    // Something is left to be done after the call, so it cannot become a jump.
    volatile int below = 0;
    if (depth == 0)
        walk();
    else
        below = descend(depth - 1);
    return depth + below;
}

int main(void) {
    int sum = descend(100);
    void *addresses[62];
    printf("sum %d own %d more %d\n", sum, own, frames >= own + 2 && frames < 1000);
    printf("trace %d\n", CaptureStackBackTrace(0, 62, addresses, NULL) >= 1);
    return 0;
}
