/* Absent in Wine: COM's helpers for C++. Only the string class; smart pointers and _com_error are not here. */
#pragma once
#include <comutil.h>
