// POSIX names without an underscore, which come from oldnames.lib.
#include "check.h"

// Declared here, so that the names are looked up in the library whatever the headers offer.
int open(const char *, int, ...);
int read(int, void *, unsigned);
int write(int, const void *, unsigned);
int close(int);
long lseek(int, long, int);
int unlink(const char *);
int access(const char *, int);
char *strdup(const char *);
int stricmp(const char *, const char *);
char *strupr(char *);
char *itoa(int, char *, int);
int getpid(void);
int isatty(int);
int dup(int);
int mkdir(const char *);
int rmdir(const char *);
wchar_t *wcsdup(const wchar_t *);
double jn(int, double);
int fileno(FILE *);
void swab(char *, char *, int);

int main(void) {
    char buffer[16] = {0}, swapped[5] = {0};
    int file = open("oldnames.tmp", 0x8302 /* _O_BINARY | _O_CREAT | _O_TRUNC | _O_RDWR */, 0600);
    CHECK(file >= 0 && write(file, "0123456789", 10) == 10 && lseek(file, 4, 0) == 4);
    CHECK(read(file, buffer, 3) == 3 && close(file) == 0 && access("oldnames.tmp", 0) == 0);
    CHECK(unlink("oldnames.tmp") == 0 && access("oldnames.tmp", 0) == -1);
    char *copy = strdup("MiXed");
    wchar_t *wide = wcsdup(L"wide");
    CHECK(stricmp(copy, "mIxED") == 0 && wcscmp(wide, L"wide") == 0);
    CHECK((DWORD)getpid() == GetCurrentProcessId());
    int null = open("NUL", 0), other = dup(null);
    CHECK(null >= 0 && other > null && isatty(null) != 0 && close(other) == 0);
    CHECK(mkdir("oldnames.dir") == 0 && rmdir("oldnames.dir") == 0 && fileno(stdout) == 1);
    swab("badc", swapped, 4);
    printf("%s %s %s %s %.6f\n", buffer, strupr(copy), itoa(-255, buffer + 4, 16), swapped, jn(2, 3.0));
    free(copy);
    free(wide);
    return 0;
}
