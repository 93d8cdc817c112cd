// What C++ adds to the C library's headers, and member functions that macros of those headers must leave alone.
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <io.h>

#include "check.h"

int main() {
    std::ofstream file;
    file.open("overloads.tmp");
    file << "text" << std::flush;
    file.close();
    int number = open("overloads.tmp", O_RDONLY | O_BINARY);
    char text[8] = {};
    CHECK(number >= 0 && read(number, text, 7) == 4 && close(number) == 0 && unlink("overloads.tmp") == 0);
    ldiv_t of_long = std::div(-70001L, 1000L);
    lldiv_t of_long_long = std::div(7000000007LL, 1000LL);
    printf("%s %ld %ld %lld %lld %ld %lld %.1f\n", text, of_long.quot, of_long.rem, of_long_long.quot, of_long_long.rem,
           std::abs(-70001L), std::abs(-7000000007LL), std::abs(-1.5));
}
