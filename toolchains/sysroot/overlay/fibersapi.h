/* Wine has no fibersapi.h; it declares the fiber and FLS functions in winbase.h. */
#pragma once
#include <windows.h>
