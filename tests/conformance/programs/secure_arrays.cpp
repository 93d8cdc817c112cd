// The secure functions of the C library know the size of an array in C++, and say when it is too small.
#include "check.h"
#include <ctime>
#include <cwchar>
#include <errno.h>

static int failures;
static void quiet(const wchar_t *, const wchar_t *, const wchar_t *, unsigned, uintptr_t) { ++failures; }

template <size_t N> static int format(char (&into)[N], const char *how, ...) {
    va_list arguments;
    va_start(arguments, how);
    int length = _vsnprintf_s(into, N - 1, how, arguments);
    va_end(arguments);
    return length;
}

int main() {
    _set_invalid_parameter_handler(quiet);
    char text[12], drive[_MAX_DRIVE], folder[_MAX_DIR], name[_MAX_FNAME], extension[_MAX_EXT];
    wchar_t wide[12];
    printf("%d %s|", sprintf_s(text, "%d-%s", 17, "abc"), text);
    printf("%d %s|", _snprintf_s(text, _TRUNCATE, "%s", "longer than twelve"), text);
    printf("%d %s|", _snprintf_s(text, sizeof text, "%x", 48879), text);
    printf("%d %s\n", format(text, "%c%c", 'o', 'k'), text);
    printf("%d %s|", strcpy_s(text, "one"), text);
    printf("%d %s|", strcat_s(text, " two"), text);
    printf("%d %s|", strncpy_s(text, "threefold", 5), text);
    printf("%d %s|", strncpy_s(text, "more than fits in", _TRUNCATE), text);
    printf("%d %s\n", strncat_s(text, "x", 0), text);
    printf("%d %ls|", wcscpy_s(wide, L"eins"), wide);
    printf("%d %ls|", wcscat_s(wide, L" zwei"), wide);
    printf("%d %ls|", wcsncpy_s(wide, L"dreifach", 4), wide);
    printf("%d %ls|", swprintf_s(wide, L"%d", -5), wide);
    printf("%d %ls\n", _snwprintf_s(wide, _TRUNCATE, L"%ls", L"longer than twelve"), wide);
    printf("%d %s|", _itoa_s(-255, text, 16), text);
    printf("%d %s|", _ui64toa_s(9007199254740993u, text, 36), text);
    printf("%d %ls|", _i64tow_s(-4096, wide, 8), wide);
    printf("%d %s\n", _ultoa_s(4000000000u, text, 10), text);
    size_t made;
    printf("%d %ls %zu|", mbstowcs_s(&made, wide, "narrow", _TRUNCATE), wide, made);
    printf("%d %s %zu|", wcstombs_s(&made, text, L"wide", _TRUNCATE), text, made);
    CHECK(_splitpath_s("C:\\one\\two.three", drive, folder, name, extension) == 0);
    printf("%s %s %s %s|", drive, folder, name, extension);
    char path[_MAX_PATH];
    printf("%d %s\n", _makepath_s(path, "D", "\\a\\", "b", "c"), path);
    CHECK(strcpy_s(text, "Mixed Case") == 0 && _strupr_s(text) == 0 && wcscpy_s(wide, L"Mixed Case") == 0 && _wcslwr_s(wide) == 0);
    printf("%s %ls|", text, wide);
    printf("%d %s\n", strerror_s(path, ENOENT), path);
    char *copy = nullptr;
    CHECK(_putenv_s("WINDLASS_PROBE", "value") == 0 && _dupenv_s(&copy, &made, "WINDLASS_PROBE") == 0);
    printf("%s %zu", copy, made);
    free(copy);
    CHECK(_dupenv_s(&copy, &made, "WINDLASS_ABSENT") == 0);
    printf(" absent %d %zu\n", copy == nullptr, made);
    // Too long, without being told to cut: the array is emptied and the handler called.
    int copied = strcpy_s(text, "this is too long");
    printf("%d %d|", copied, text[0]);
    int longer = strcat_s(text, "this is too long");
    printf("%d %d %d\n", longer, text[0], failures);
}
