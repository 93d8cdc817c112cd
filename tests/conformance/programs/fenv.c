// The floating-point environment: exceptions that are raised, held and put back, and the environment of the start.
#include "check.h"
#include <fenv.h>

int main(void) {
    const int kinds[] = {FE_INVALID, FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INEXACT};
    for (int index = 0; index < 5; ++index) {
        CHECK(feclearexcept(FE_ALL_EXCEPT) == 0 && feraiseexcept(kinds[index]) == 0);
        printf("%d", fetestexcept(kinds[index]) == kinds[index]);
    }
    CHECK(feclearexcept(FE_ALL_EXCEPT) == 0);
    printf(" %d\n", fetestexcept(FE_ALL_EXCEPT));
    // The rounding comes first: Wine forgets what was raised when it is set.
    fenv_t kept;
    CHECK(fesetround(FE_UPWARD) == 0 && feraiseexcept(FE_DIVBYZERO) == 0 && feholdexcept(&kept) == 0);
    printf("held %d", fetestexcept(FE_ALL_EXCEPT));
    CHECK(fesetround(FE_DOWNWARD) == 0 && feraiseexcept(FE_INVALID) == 0 && feupdateenv(&kept) == 0);
    printf(" both %d round %d\n", fetestexcept(FE_DIVBYZERO | FE_INVALID) == (FE_DIVBYZERO | FE_INVALID), fegetround() == FE_UPWARD);
    CHECK(fesetenv(FE_DFL_ENV) == 0);
    printf("default %d\n", fegetround() == FE_TONEAREST);
    return 0;
}
