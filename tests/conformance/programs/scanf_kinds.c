// Every kind of conversion of scanf, from a string and from a file.
#include "check.h"

int main(void) {
    int a, b, c, used;
    unsigned x;
    long long big;
    float f;
    double d;
    char word[16], set[16], chars[4] = {0};
    wchar_t wide[16];
    CHECK(sscanf("12 -34 0x1f 077", "%d %d %i %o", &a, &b, &c, &x) == 4);
    printf("%d %d %d %u\n", a, b, c, x);
    CHECK(sscanf("deadBEEF -9223372036854775808 1.5e3 -0x1.8p4", "%x %lld %f %lf%n", &x, &big, &f, &d, &used) == 4);
    printf("%x %lld %.1f %.1f %d\n", x, big, f, d, used);
    CHECK(sscanf("word  key=value;abcdef", "%15s %*[^=]=%15[a-z];%3c", word, set, chars) == 3);
    printf("%s %s %s\n", word, set, chars);
    CHECK(sscanf("wide", "%ls", wide) == 1 && wcscmp(wide, L"wide") == 0);
    CHECK(sscanf("1234567", "%2d%3d%d", &a, &b, &c) == 3);
    printf("%d %d %d %d %d\n", a, b, c, sscanf("x", "%d", &a), sscanf("", "%d", &a));
    FILE *file = fopen("scanf_kinds.tmp", "w+");
    CHECK(file && fprintf(file, "line one\n42,43\n") > 0);
    rewind(file);
    char line[32];
    CHECK(fgets(line, sizeof line, file) && fscanf(file, "%d,%d", &a, &b) == 2);
    fclose(file);
    remove("scanf_kinds.tmp");
    line[strcspn(line, "\n")] = 0;
    printf("%s %d\n", line, a + b);
    return 0;
}
