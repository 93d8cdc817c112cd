// The header of UTF-16 and UTF-32 conversions in C++, whose types for both are its own. Wine has no code for the functions, so they are linked
// and not called.
#include "check.h"
#include <cuchar>
#include <string>
#include <type_traits>

template <class Unit> static const char *kind() {
    return std::is_same<Unit, char16_t>::value ? "char16_t" : std::is_same<Unit, char32_t>::value ? "char32_t" : "another type";
}

template <class Unit> static const char *written_by(size_t (*)(Unit *, const char *, size_t, mbstate_t *)) { return kind<Unit>(); }
template <class Unit> static const char *read_by(size_t (*)(char *, Unit, mbstate_t *)) { return kind<Unit>(); }

int main() {
    size_t (*volatile linked[])(char *, char16_t, mbstate_t *) = {std::c16rtomb};
    std::u16string units = u"a\u00e4\U0001f3ac";
    printf("%s %s %s %s\n", written_by(std::mbrtoc16), written_by(std::mbrtoc32), read_by(std::c16rtomb), read_by(std::c32rtomb));
    printf("units %zu last %04x linked %d\n", units.size(), (unsigned)units.back(), linked[0] != nullptr);
}
