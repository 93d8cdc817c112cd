/* Wine lacks what the UCRT has in its header and not in its DLL: feraiseexcept, feupdateenv and the environment at start. */
#include_next <fenv.h>
#ifndef SYSROOT_FENV_H
#define SYSROOT_FENV_H
#ifdef __cplusplus
extern "C" {
#endif
/* Zero in both members asks fesetenv for the environment that a program starts with. */
extern const __declspec(selectany) fenv_t _Fenv0 = {0, 0};
#define FE_DFL_ENV (&_Fenv0)
/* Raises each exception by an operation that has it, so that traps are taken; the compiler may not do any of them itself. */
__inline int __cdecl feraiseexcept(int which)
{
    volatile double zero = 0.0, one = 1.0, three = 3.0, tiny = 2.2250738585072014e-308, huge = 1.7976931348623157e308, result;
    if (which & FE_INVALID)
        result = zero / zero;
    if (which & FE_DIVBYZERO)
        result = one / zero;
    if (which & FE_OVERFLOW)
        result = huge * huge;
    if (which & FE_UNDERFLOW)
        result = tiny * tiny;
    if (which & FE_INEXACT)
        result = one / three;
    (void)result;
    return 0;
}
__inline int __cdecl feupdateenv(const fenv_t *before)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);
    int failed = fesetenv(before);
    return failed ? failed : feraiseexcept(raised);
}
#ifdef __cplusplus
}
#endif
#endif
