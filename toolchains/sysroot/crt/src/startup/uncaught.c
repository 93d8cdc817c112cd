// A C++ exception that nobody catches calls `terminate`, on every thread of the program.
//
// `_seh_filter_exe` leaves C++ exceptions to the system's unhandled-exception filter; this is the filter it then finds.
// The layout of the record is that of `_CxxThrowException`: code 0xE06D7363, four parameters on 64-bit machines, the first a magic number.
#include "../crt.h"

#define CXX_EXCEPTION 0xE06D7363u
#define CXX_PARAMETERS 4
#define CXX_MAGIC_FIRST 0x19930520u
#define CXX_MAGIC_LAST 0x19930522u
#define CXX_MAGIC_PURE 0x01994000u

// Per-thread slots of the runtime which `std::current_exception` reads, also inside a terminate handler.
void **__cdecl __current_exception(void);
void **__cdecl __current_exception_context(void);

static LONG WINAPI filter(EXCEPTION_POINTERS *pointers) {
    EXCEPTION_RECORD *record = pointers->ExceptionRecord;
    if (record->ExceptionCode != CXX_EXCEPTION || record->NumberParameters != CXX_PARAMETERS)
        return EXCEPTION_CONTINUE_SEARCH;
    ULONG_PTR magic = record->ExceptionInformation[0];
    if ((magic < CXX_MAGIC_FIRST || magic > CXX_MAGIC_LAST) && magic != CXX_MAGIC_PURE)
        return EXCEPTION_CONTINUE_SEARCH;
    *__current_exception() = record;
    *__current_exception_context() = pointers->ContextRecord;
    terminate();
}

void __cdecl __windlass_catch_cxx_exceptions(void) { SetUnhandledExceptionFilter(filter); }
