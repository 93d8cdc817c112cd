/* Finds out what the system that runs the tests can do, in the words of libc++'s tests: one feature a line, and for each
 * locale the members of its lconv that tests want to know, as `NAME=VALUE`. */

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>
#include <windows.h>

struct names
{
    const char *feature;
    const char *alternatives[3];
};

/* libcxx/utils/libcxx/test/features/localization.py */
static const struct names locales[] = {
    {"en_US.UTF-8", {"en_US.UTF-8", "en_US.utf8", "English_United States.1252"}},
    {"fr_FR.UTF-8", {"fr_FR.UTF-8", "fr_FR.utf8", "French_France.1252"}},
    {"ja_JP.UTF-8", {"ja_JP.UTF-8", "ja_JP.utf8", "Japanese_Japan.923"}},
    {"ru_RU.UTF-8", {"ru_RU.UTF-8", "ru_RU.utf8", "Russian_Russia.1251"}},
    {"zh_CN.UTF-8", {"zh_CN.UTF-8", "zh_CN.utf8", "Chinese_China.936"}},
    {"fr_CA.ISO8859-1", {"fr_CA.ISO8859-1", "French_Canada.1252", NULL}},
    {"cs_CZ.ISO8859-2", {"cs_CZ.ISO8859-2", "Czech_Czech Republic.1250", NULL}},
};

static int choose(const char *feature)
{
    size_t at, other;
    for (at = 0; at < sizeof locales / sizeof *locales; at++)
        for (other = 0; other < 3 && !strcmp(locales[at].feature, feature); other++)
            if (locales[at].alternatives[other] && setlocale(LC_ALL, locales[at].alternatives[other]))
                return 1;
    return 0;
}

static void member(const char *name, const char *value)
{
    wchar_t wide[32];
    size_t length = mbstowcs(wide, value, 32), at;
    printf("%s=L\"", name);
    for (at = 0; length != (size_t)-1 && at < length; at++)
        printf(wide[at] > 0x7f ? "\\u%04x" : "%c", wide[at]);
    printf("\"\n");
}

static int links(void)
{
    char folder[MAX_PATH], file[MAX_PATH], link[MAX_PATH + 8];
    BOOL made;
    if (!GetTempPathA(sizeof folder, folder) || !GetTempFileNameA(folder, "cxx", 0, file))
        return 0;
    snprintf(link, sizeof link, "%s_symlink", file);
    /* An emulator may say that it made one and not do so. */
    made = CreateSymbolicLinkA(link, file, SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE)
        && GetFileAttributesA(link) != INVALID_FILE_ATTRIBUTES
        && (GetFileAttributesA(link) & FILE_ATTRIBUTE_REPARSE_POINT);
    DeleteFileA(file);
    DeleteFileA(link);
    return made;
}

int main(void)
{
    char text[100];
    size_t at;
    for (at = 0; at < sizeof locales / sizeof *locales; at++)
        if (choose(locales[at].feature))
            printf("locale.%s\n", locales[at].feature);
    if (choose("fr_FR.UTF-8")) {
        member("LOCALE_CONV_FR_FR_UTF_8_DECIMAL_POINT", localeconv()->decimal_point);
        member("LOCALE_CONV_FR_FR_UTF_8_MON_THOUSANDS_SEP", localeconv()->mon_thousands_sep);
        member("LOCALE_CONV_FR_FR_UTF_8_THOUSANDS_SEP", localeconv()->thousands_sep);
    }
    if (choose("ru_RU.UTF-8")) {
        member("LOCALE_CONV_RU_RU_UTF_8_MON_THOUSANDS_SEP", localeconv()->mon_thousands_sep);
        if (strcmp(localeconv()->mon_decimal_point, ","))
            printf("glibc-old-ru_RU-decimal-point\n");
    }
    choose("en_US.UTF-8");
    if (towlower(L'\xDA') != L'\xFA')
        printf("win32-broken-utf8-wchar-ctype\n");
    snprintf(text, sizeof text, "%#.*g", 0, 0.0);
    if (strcmp(text, "0."))
        printf("win32-broken-printf-g-precision\n");
    snprintf(text, sizeof text, "%a", 0.0);
    if (strcmp(text, "0x0p+0"))
        printf("win32-broken-printf-a-precision\n");
    if (links())
        printf("can-create-symlinks\n");
    printf("probed\n");
    return 0;
}
