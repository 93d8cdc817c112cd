// std::regex: ECMAScript and POSIX grammars, captures, iteration, replacement, back references, look-ahead, wide text, errors.
#include "check.h"
#include <regex>
#include <string>

int main() {
    std::smatch match;
    const std::string text = "2024-02-29T12:34:56Z and 1999-12-31T23:59:59Z";
    const std::regex stamp(R"((\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z)");
    CHECK(std::regex_search(text, match, stamp));
    printf("%s %s %s groups %d\n", match[1].str().c_str(), match[3].str().c_str(), match.suffix().str().c_str(), (int)match.size());
    int sum = 0;
    for (std::sregex_iterator next(text.begin(), text.end(), stamp), end; next != end; ++next) sum += std::stoi((*next)[1]) + (int)next->position();
    printf("sum %d\n", sum);
    printf("%s\n", std::regex_replace(text, stamp, "$3.$2.$1").c_str());
    printf("%d %d %d\n", std::regex_match("abcabc", std::regex(R"((\w+)\1)")), std::regex_search("foobar", std::regex("foo(?=bar)")), std::regex_search("foobaz", std::regex("foo(?!baz)")));
    printf("%d %d\n", std::regex_match("aXbX", std::regex("A.B.", std::regex::icase)), std::regex_match("aaab", std::regex("a\\{3\\}b", std::regex::basic)));
    printf("%d\n", std::regex_match(L"\x3b1\x3b2\x3b3", std::wregex(L"[\x3b1-\x3b3]{3}")));
    const std::string list = "one, two;three";
    const std::regex separator("[,;] ?");
    std::string joined;
    for (std::sregex_token_iterator next(list.begin(), list.end(), separator, -1), end; next != end; ++next) joined += "<" + next->str() + ">";
    puts(joined.c_str());
    int errors = 0;
    for (const char *wrong : {"(", "a{2,1}", "[z-a]", "*", "\\"}) {
        try {
            std::regex expression(wrong);
        } catch (const std::regex_error &) {
            ++errors;
        }
    }
    printf("errors %d\n", errors);
}
