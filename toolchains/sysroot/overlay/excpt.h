/* Wine gives the intrinsics of __except and __finally only under USE_COMPILER_EXCEPTIONS
 * and without C linkage, which hides the compiler's builtins from C++. */
#pragma once
#pragma push_macro("USE_COMPILER_EXCEPTIONS")
#undef USE_COMPILER_EXCEPTIONS
#include_next <excpt.h>
#pragma pop_macro("USE_COMPILER_EXCEPTIONS")

#ifdef __cplusplus
extern "C" {
#endif
unsigned long __cdecl _exception_code(void);
void *__cdecl _exception_info(void);
int __cdecl _abnormal_termination(void);
#ifdef __cplusplus
}
#endif
#define GetExceptionCode _exception_code
#define GetExceptionInformation (struct _EXCEPTION_POINTERS *)_exception_info
#define AbnormalTermination _abnormal_termination
