// Locales of C and C++: the classic one, a named one, decimal comma, time names, per-thread locales, facets of one's own.
#include "check.h"
#include <iomanip>
#include <locale.h>
#include <locale>
#include <sstream>
#include <thread>
#include <time.h>

struct Grouped : std::numpunct<char> {
    char do_thousands_sep() const override { return '\''; }
    std::string do_grouping() const override { return "\3"; }
    char do_decimal_point() const override { return ','; }
    std::string do_truename() const override { return "yes"; }
};

int main() {
    char text[64];
    CHECK(strcmp(setlocale(LC_ALL, nullptr), "C") == 0 && strcmp(localeconv()->decimal_point, ".") == 0);
    CHECK(setlocale(LC_NUMERIC, "de-DE"));
    snprintf(text, sizeof text, "%.2f", 1234.5);
    printf("%s %s", text, localeconv()->decimal_point);
    printf(" %.2f\n", strtod("2,75", nullptr));
    _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    setlocale(LC_ALL, "C");
    std::thread([] {
        _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
        CHECK(setlocale(LC_NUMERIC, "fr-FR"));
        printf("thread %.1f\n", 0.5);
    }).join();
    printf("main %.1f\n", 0.5);
    _locale_t german = _create_locale(LC_ALL, "de-DE");
    CHECK(german);
    printf("%.3f %d\n", _strtod_l("1,125", nullptr, german), _toupper_l(0xe4, german));
    _free_locale(german);
    struct tm time = {};
    time.tm_year = 124; time.tm_mon = 1; time.tm_mday = 29; time.tm_wday = 4; time.tm_yday = 59;
    strftime(text, sizeof text, "%A %d %B %Y %j %H:%M", &time);
    puts(text);
    std::ostringstream stream;
    stream.imbue(std::locale(std::locale::classic(), new Grouped));
    stream << std::boolalpha << 1234567.5 << ' ' << 9876543 << ' ' << true << ' ' << std::fixed << std::setprecision(1) << 1e6;
    puts(stream.str().c_str());
    const auto &types = std::use_facet<std::ctype<wchar_t>>(std::locale::classic());
    printf("%d %d %lc\n", types.is(std::ctype_base::digit, L'7'), types.is(std::ctype_base::alpha, L'7'), types.toupper(L'q'));
    try {
        std::locale none("no-such-locale");
    } catch (const std::runtime_error &) {
        puts("no such locale");
    }
}
