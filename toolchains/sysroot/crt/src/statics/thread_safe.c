// Initialisation of function-local statics exactly once, by whichever thread comes first.
//
// Each static has a guard word: 0 not initialised, -1 being initialised, else the epoch at which it was finished. A thread whose own epoch
// is at least that knows without a lock that the static is ready. Source: clang, CodeGen/MicrosoftCXXABI.cpp (EmitGuardedInit), which
// emits the comparison and the calls; "/Zc:threadSafeInit" of the Microsoft C++ documentation; N2660.
#include "../crt.h"

#define UNINITIALIZED 0
#define BEING_INITIALIZED (-1)
// Finished guards carry values from here upwards, below the two special ones for two thousand million statics.
#define EPOCH_START ((int)0x80000000)

int _Init_global_epoch = EPOCH_START;
__declspec(thread) int _Init_thread_epoch = EPOCH_START;

// One lock for all statics: it is held for a few instructions and never while an initialiser runs.
static SRWLOCK lock = SRWLOCK_INIT;
static CONDITION_VARIABLE changed = CONDITION_VARIABLE_INIT;

// Wakes the threads that wait for an initialiser of another thread.
void __cdecl _Init_thread_notify(void) { WakeAllConditionVariable(&changed); }

// On return the guard is -1 when this thread must initialise, and the finished epoch when another thread has done so.
void __cdecl _Init_thread_header(int *guard) {
    AcquireSRWLockExclusive(&lock);
    while (*guard == BEING_INITIALIZED)
        SleepConditionVariableSRW(&changed, &lock, INFINITE, 0);
    if (*guard == UNINITIALIZED)
        *guard = BEING_INITIALIZED;
    else
        _Init_thread_epoch = _Init_global_epoch;
    ReleaseSRWLockExclusive(&lock);
}

// The initialiser threw: the next thread to come by tries again.
void __cdecl _Init_thread_abort(int *guard) {
    AcquireSRWLockExclusive(&lock);
    *guard = UNINITIALIZED;
    ReleaseSRWLockExclusive(&lock);
    _Init_thread_notify();
}

void __cdecl _Init_thread_footer(int *guard) {
    AcquireSRWLockExclusive(&lock);
    *guard = ++_Init_global_epoch;
    _Init_thread_epoch = _Init_global_epoch;
    ReleaseSRWLockExclusive(&lock);
    _Init_thread_notify();
}
