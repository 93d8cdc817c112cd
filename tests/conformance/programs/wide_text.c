// Wide functions: formatting, conversion from and to UTF-8 and code pages, searching, and a text file in UTF-16.
#include "check.h"
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
    wchar_t buffer[64], *end;
    char narrow[64];
    CHECK(swprintf(buffer, 64, L"%ls|%hs|%d|%.2f|%c", L"\x3b1\x3b2", "ascii", 7, 1.5, L'\x20ac') == 17);
    printf("%04x %04x %d\n", buffer[0], buffer[16], (int)wcslen(buffer));
    CHECK(setlocale(LC_ALL, ".UTF-8") != NULL);
    const size_t bytes = wcstombs(narrow, L"gr\xfc\xdf \x20ac \x4e2d\x6587", sizeof narrow);
    printf("bytes %zu:", bytes);
    for (size_t index = 0; index < bytes; ++index) printf(" %02x", (unsigned char)narrow[index]);
    CHECK(mbstowcs(buffer, narrow, 64) == 9);
    printf("\nunits %04x %04x %04x\n", buffer[2], buffer[5], buffer[8]);
    printf("%ld %.3f %04x\n", wcstol(L"-0x7f tail", &end, 0), wcstod(L"2.625", NULL), *end);
    printf("%04x %d %d\n", towupper(L'\x3b1'), iswalpha(L'\x4e2d') != 0, iswspace(L'\x2003') != 0);
    FILE *file = _wfopen(L"wide_\x65e5\x672c.tmp", L"w, ccs=UTF-16LE");
    CHECK(file && fputws(L"\x3b3 line\n", file) >= 0 && fclose(file) == 0);
    struct _stat64 status;
    CHECK(_wstat64(L"wide_\x65e5\x672c.tmp", &status) == 0);
    file = _wfopen(L"wide_\x65e5\x672c.tmp", L"r, ccs=UTF-16LE");
    CHECK(file && fgetws(buffer, 64, file) && fclose(file) == 0 && _wremove(L"wide_\x65e5\x672c.tmp") == 0);
    printf("file %lld %04x %d\n", status.st_size, buffer[0], (int)wcslen(buffer));
    return 0;
}
