// Link options binmode.obj, threadlocale.obj and newmode.obj change what the start-up code sets.
#include "check.h"
#include <fcntl.h>
#include <locale.h>
#include <new.h>

int main(void) {
    int mode = 0;
    CHECK(_get_fmode(&mode) == 0);
    FILE *file = fopen("options.tmp", "w");
    CHECK(file && fputs("a\nb\n", file) >= 0);
    fclose(file);
    file = fopen("options.tmp", "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    printf("mode %x bytes %ld threads %d new %d\n", mode, ftell(file), _configthreadlocale(0), _query_new_mode());
    fclose(file);
    remove("options.tmp");
    return 0;
}
