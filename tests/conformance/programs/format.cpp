// std::format: every presentation type, alignment, dynamic width, ranges, tuples, a formatter of one's own, wide, run-time errors, print.
#include "check.h"
#include <chrono>
#include <format>
#include <print>
#include <string>
#include <tuple>
#include <vector>

struct Point {
    int x, y;
};
template <> struct std::formatter<Point> : std::formatter<int> {
    auto format(const Point &point, auto &context) const {
        auto out = std::format_to(context.out(), "<");
        context.advance_to(out);
        out = std::formatter<int>::format(point.x, context);
        return std::format_to(out, "|{}>", point.y);
    }
};

int main() {
    std::println("[{}] [{:5}] [{:<5}] [{:^5}] [{:>5}] [{:*^7}] [{:05}] [{:+}]", 1, 2, 3, 4, 5, 6, -7, 8);
    std::println("[{:x}] [{:#X}] [{:#b}] [{:o}] [{:c}] [{:d}] [{}]", 255, 255, 5, 8, 65, true, false);
    std::println("[{}] [{:.3f}] [{:e}] [{:g}] [{:a}] [{:.0f}] [{:+.1f}] [{:010.3f}]", 0.1, 3.14159, 1234.5, 1e-7, 1.0, 2.5, 0.05, -3.5);
    std::println("[{}] [{}] [{:>6}] [{:.2}] [{:{}}] [{:.{}f}]", 1e300 * 1e10, "text", "ab", "truncated", "w", 4, 2.0 / 3, 4);
    std::println("[{1} {0}] [{0:?}] [{2:?}]", "a\tb", 'c', '\n');
    std::println("{} {} {}", std::vector{1, 2, 3}, std::tuple(1, "two", 3.5), std::pair{'k', std::vector<std::string>{"v"}});
    std::println("{:04} {}", Point{7, 8}, static_cast<const void *>(nullptr));
    std::println("{:%Y-%m-%d %H:%M:%S} {} {}", std::chrono::sys_seconds(std::chrono::seconds(1709210096)), std::chrono::milliseconds(250), std::chrono::year(2024) / 2 / std::chrono::last);
    const std::wstring wide = std::format(L"{:>4}|{}", L"\x3b1", 7);
    std::println("{} {:04x}", wide.size(), (unsigned)wide[3]);
    // Display width: each of the two ideographs takes two columns.
    std::println("{}", std::format("{:*<6}", "\xe6\x97\xa5\xe6\x9c\xac").size());
    try {
        (void)std::vformat("{:d}", std::make_format_args("text"));
    } catch (const std::format_error &) {
        std::println("format_error");
    }
    std::println("{} {}", std::formatted_size("{:>20}", 1), 18446744073709551615ull);
}
