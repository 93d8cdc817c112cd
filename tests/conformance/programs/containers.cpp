// Containers, algorithms, ranges, memory resources, variants and numbers: one computation through each, compared with a plain one.
#include "check.h"
#include <algorithm>
#include <any>
#include <bitset>
#include <functional>
#include <list>
#include <map>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

int main() {
    std::mt19937_64 generator(5489);
    std::vector<unsigned> values(20000);
    for (auto &value : values) value = (unsigned)(generator() % 100000);
    printf("generator %llu\n", (unsigned long long)generator());
    std::multiset<unsigned> ordered(values.begin(), values.end());
    std::unordered_map<unsigned, int> counts;
    for (auto value : values) ++counts[value];
    std::list<unsigned> list(values.begin(), values.end());
    list.sort();
    auto sorted = values;
    std::stable_sort(sorted.begin(), sorted.end());
    CHECK(std::equal(sorted.begin(), sorted.end(), ordered.begin()) && std::equal(sorted.begin(), sorted.end(), list.begin()));
    printf("distinct %d sum %llu median %u\n", (int)counts.size(), std::accumulate(values.begin(), values.end(), 0ull), sorted[10000]);
    auto even = values | std::views::filter([](unsigned value) { return value % 2 == 0; }) | std::views::transform([](unsigned value) { return value / 2; }) | std::views::take(3);
    unsigned long long folded = 0;
    for (auto value : even) folded = folded * 1000003 + value;
    printf("folded %llu\n", folded);
    std::pmr::monotonic_buffer_resource pool;
    std::pmr::map<int, std::pmr::string> names(&pool);
    for (int index = 0; index < 100; ++index) names[index] = std::pmr::string(50, (char)('a' + index % 26), &pool);
    std::variant<int, std::string, double> variant = "text";
    printf("%d %c %s %d\n", (int)names.size(), names[27][49], std::visit([](auto &value) { return std::to_string(sizeof value > 8); }, variant).c_str(), std::any_cast<int>(std::any(5)));
    std::function<int(int)> fibonacci = [&](int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); };
    printf("%d %s %d\n", fibonacci(20), std::bitset<10>(0x155).to_string().c_str(), (int)std::optional<int>().value_or(3));
}
