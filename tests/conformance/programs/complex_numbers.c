// Complex numbers in both forms: Microsoft's structures with their functions, and the compiler's `_Complex` with operators.
#include "check.h"
#include <complex.h>
#include <math.h>

static void show(const char *name, _Dcomplex z) { printf("%s %.9f %.9f\n", name, creal(z), cimag(z)); }

int main(void) {
    volatile double three = 3, four = 4;
    _Dcomplex z = {{three, four}}, half = {{0.5, -2}}, little = {{0.5, 0.25}}, endless = {{INFINITY, -1}}, w = _Cmulcc(z, half);
    _Fcomplex f = _FCmulcr(_FCOMPLEX_(1, -2), 3), i = I;
    printf("%.9f %.9f %.9f %.1f\n", cabs(z), carg(z), norm(z), (double)cabsf(i));
    show("product", w);
    show("csqrt", csqrt(z));
    show("cexp", cexp(w));
    show("clog", clog(z));
    show("clog10", clog10(z));
    show("cpow", cpow(z, little));
    show("conj", conj(z));
    show("cproj", cproj(endless));
    show("csin", csin(little));
    show("ccosh", ccosh(little));
    show("ctan", ctan(little));
    show("cacos", cacos(z));
    show("casinh", casinh(z));
    show("catanh", catanh(z));
    _Fcomplex root = csqrtf(f);
    printf("float %.5f %.5f %.5f %.5f\n", (double)crealf(f), (double)cimagf(f), (double)crealf(root), (double)cimagf(root));
    // The compiler's own, whose products and quotients are functions of compiler-rt.
    double _Complex a = three + four * 1.0i, b = (a * a - 2.0) / (a + 1.0i);
    float _Complex c = (float)three - 2.0fi;
    c = c * c / (1.0f + c);
    printf("operators %.9f %.9f %.6f %.6f\n", __real__ b, __imag__ b, (double)__real__ c, (double)__imag__ c);
    // Both lie in memory alike.
    _Dcomplex copy;
    memcpy(&copy, &b, sizeof copy);
    show("same", copy);
    return 0;
}
