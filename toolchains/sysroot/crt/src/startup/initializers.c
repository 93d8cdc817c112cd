// Bounds of the tables of initialisers and terminators.
//
// The compiler puts a pointer to each C++ dynamic initialiser into `.CRT$XCU`; C initialisers that can fail stand in `.CRT$XI*`,
// pre-terminators in `.CRT$XP*`, terminators in `.CRT$XT*`. Entries may be null (alignment padding); `_initterm` skips those.
// Source: "CRT initialization" of the Microsoft C++ documentation; names and letters are those Microsoft's objects refer to.
#include "../crt.h"

CRT_SECTION(".CRT$XIA") const crt_initializer __xi_a[1] = {0};
CRT_SECTION(".CRT$XIZ") const crt_initializer __xi_z[1] = {0};
CRT_SECTION(".CRT$XCA") const crt_procedure __xc_a[1] = {0};
CRT_SECTION(".CRT$XCZ") const crt_procedure __xc_z[1] = {0};
CRT_SECTION(".CRT$XPA") const crt_procedure __xp_a[1] = {0};
CRT_SECTION(".CRT$XPZ") const crt_procedure __xp_z[1] = {0};
CRT_SECTION(".CRT$XTA") const crt_procedure __xt_a[1] = {0};
CRT_SECTION(".CRT$XTZ") const crt_procedure __xt_z[1] = {0};
