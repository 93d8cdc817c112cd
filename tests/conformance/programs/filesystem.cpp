// std::filesystem: folders, copies, links that may be refused, times, permissions, iteration, path arithmetic, errors with their codes.
#include "check.h"
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace fs = std::filesystem;

int main() {
    const fs::path root = "filesystem.dir";
    fs::remove_all(root);
    CHECK(fs::create_directories(root / "a" / "b") && !fs::create_directory(root / "a"));
    for (int index = 0; index < 5; ++index)
        std::ofstream(root / "a" / ("file" + std::to_string(index))) << std::string((size_t)index * 100, 'x');
    fs::copy(root / "a", root / "copy", fs::copy_options::recursive);
    CHECK(fs::copy_file(root / "a" / "file4", root / "a" / "file0", fs::copy_options::overwrite_existing));
    std::set<std::string> names;
    uintmax_t bytes = 0;
    for (const auto &entry : fs::recursive_directory_iterator(root)) {
        names.insert(entry.path().lexically_relative(root).generic_string());
        if (entry.is_regular_file()) bytes += entry.file_size();
    }
    for (const auto &name : names) printf("%s ", name.c_str());
    printf("\nbytes %llu\n", (unsigned long long)bytes);
    fs::rename(root / "copy", root / "moved");
    fs::resize_file(root / "moved" / "file1", 7);
    printf("%d %d %llu\n", fs::exists(root / "copy"), fs::is_directory(root / "moved"), (unsigned long long)fs::file_size(root / "moved" / "file1"));
    const auto stamp = fs::file_time_type::clock::now() - std::chrono::hours(48);
    fs::last_write_time(root / "moved" / "file1", stamp);
    const auto drift = fs::last_write_time(root / "moved" / "file1") - stamp;
    CHECK(std::chrono::abs(drift) < std::chrono::seconds(1));
    fs::permissions(root / "moved" / "file1", fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove);
    printf("writable %d\n", (fs::status(root / "moved" / "file1").permissions() & fs::perms::owner_write) != fs::perms::none);
    fs::permissions(root / "moved" / "file1", fs::perms::owner_write, fs::perm_options::add);
    std::error_code error;
    fs::remove(root / "a", error);
    printf("not empty %d\n", error == std::errc::directory_not_empty);
    try {
        (void)fs::file_size(root / "none");
    } catch (const fs::filesystem_error &problem) {
        printf("missing %d %s\n", problem.code() == std::errc::no_such_file_or_directory, problem.path1().filename().string().c_str());
    }
    const fs::path path = "C:/one/./two/../three.tar.gz";
    printf("%s %s %s %s %s\n", path.root_name().string().c_str(), path.stem().string().c_str(), path.extension().string().c_str(),
           path.lexically_normal().generic_string().c_str(), fs::path("C:/x/y").lexically_relative("C:/x/z/w").generic_string().c_str());
    CHECK(fs::current_path().is_absolute() && fs::absolute(root) == fs::current_path() / root && fs::equivalent(root / "a" / "b" / "..", root / "a"));
    printf("removed %llu\n", (unsigned long long)fs::remove_all(root));
}
