/* Wine declares set_se_translator without its underscore and without C linkage. */
#pragma once
#include_next <eh.h>
extern "C" _ACRTIMP _se_translator_function __cdecl _set_se_translator(_se_translator_function);
