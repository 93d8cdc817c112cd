// Round trips of floating point: 100,000 random bit patterns through printf and strtod, and through to_chars and from_chars.
#include "check.h"
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

static uint64_t state = 88172645463325252ull;
static uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

int main() {
    int finite = 0, exact = 0, shortest = 0, floats = 0, hexadecimal = 0;
    for (int round = 0; round < 100000; ++round) {
        const uint64_t bits = next();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) continue;
        ++finite;
        char text[64];
        if (round % 4 == 0) {
            snprintf(text, sizeof text, "%.17g", value);
            exact += strtod(text, nullptr) == value;
            snprintf(text, sizeof text, "%a", value);
            hexadecimal += strtod(text, nullptr) == value;
        }
        auto end = std::to_chars(text, text + sizeof text, value).ptr;
        *end = 0;
        shortest += strtod(text, nullptr) == value;
        float single, other;
        const uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof single);
        if (std::isfinite(single)) {
            end = std::to_chars(text, text + sizeof text, single).ptr;
            const auto result = std::from_chars(text, end, other);
            floats += result.ec == std::errc() && result.ptr == end && other == single;
        } else {
            ++floats;
        }
    }
    printf("finite %d exact %d hexadecimal %d shortest %d floats %d\n", finite, exact, hexadecimal, shortest, floats);
    char *end;
    printf("%.17g %.17g %.17g\n", strtod("1.7976931348623158e308", nullptr), strtod("2.2250738585072011e-308", nullptr), strtod("0x1.fffffffffffff8p1023x", &end));
    printf("%s %.17g %d\n", end, strtod("9007199254740993", nullptr), std::isinf(strtod("-1e999", nullptr)));
    char text[32];
    *std::to_chars(text, text + 32, 0.1 + 0.2).ptr = 0;
    printf("%s", text);
    *std::to_chars(text, text + 32, 1e23, std::chars_format::scientific, 3).ptr = 0;
    printf(" %s\n", text);
}
