// std::chrono: clocks move and agree, calendar arithmetic, durations, file clock, sleeping, and C time functions.
#include "check.h"
#include <chrono>
#include <ctime>
#include <thread>

using namespace std::chrono;
using namespace std::chrono_literals;

int main() {
    const auto start = steady_clock::now();
    std::this_thread::sleep_for(30ms);
    const auto elapsed = steady_clock::now() - start;
    CHECK(elapsed >= 25ms && elapsed < 20s);
    const auto system = duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
    FILETIME time;
    GetSystemTimeAsFileTime(&time);
    const long long windows = (((long long)time.dwHighDateTime << 32 | time.dwLowDateTime) - 116444736000000000ll) / 10000000;
    CHECK(std::llabs(system - windows) <= 2 && std::llabs(system - (long long)std::time(nullptr)) <= 2);
    CHECK(system_clock::to_time_t(system_clock::now()) >= 1700000000);
    printf("steady %d\n", steady_clock::is_steady);
    const sys_days day = 2024y / February / 29;
    const year_month_day next = day + days(366);
    printf("%d %d-%u-%u %u\n", (int)day.time_since_epoch().count(), (int)next.year(), (unsigned)next.month(), (unsigned)next.day(), weekday(day).iso_encoding());
    printf("%d %d %u\n", year(2000).is_leap(), year(1900).is_leap(), (unsigned)year_month_day(sys_days(2024y / 2 / last)).day());
    const hh_mm_ss parts(3h + 25min + 45s + 678ms);
    printf("%d %d %d %d\n", (int)parts.hours().count(), (int)parts.minutes().count(), (int)parts.seconds().count(), (int)parts.subseconds().count());
    printf("%lld %d\n", (long long)floor<minutes>(-90s).count(), 1h > 59min);
    std::time_t moment = 1709210096;
    std::tm utc;
    CHECK(gmtime_s(&utc, &moment) == 0);
    printf("%d-%02d-%02d %02d:%02d:%02d %d %lld\n", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, utc.tm_yday, (long long)_mkgmtime(&utc));
    const auto file = file_clock::from_sys(sys_seconds(seconds(moment)));
    printf("%lld\n", (long long)duration_cast<seconds>(file_clock::to_sys(file).time_since_epoch()).count());
    CHECK(std::clock() >= 0);
}
