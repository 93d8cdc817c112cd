// Files and folders with names outside every code page, through Win32, the C library, fstream and filesystem.
#include "check.h"
#include <filesystem>
#include <fstream>
#include <string>

namespace fs = std::filesystem;

int main() {
    const fs::path root = L"pfad \xe4\x65e5\x672c \xd83d\xde00";
    fs::remove_all(root);
    CHECK(fs::create_directories(root / L"unter\x0416"));
    const fs::path file = root / L"unter\x0416" / u8"datei-\u00df.txt";
    std::ofstream(file, std::ios::binary) << "twelve bytes";
    HANDLE handle = CreateFileW(file.c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING, 0, nullptr);
    CHECK(handle != INVALID_HANDLE_VALUE);
    printf("size %lu %llu\n", GetFileSize(handle, nullptr), (unsigned long long)fs::file_size(file));
    CloseHandle(handle);
    FILE *stream = _wfopen(file.c_str(), L"rb");
    char text[16] = {};
    CHECK(stream && fread(text, 1, 15, stream) == 12 && fclose(stream) == 0);
    printf("%s\n", text);
    fs::rename(file, root / L"\xfcmbenannt");
    int entries = 0, units = 0;
    for (const auto &entry : fs::recursive_directory_iterator(root)) {
        ++entries;
        units += (int)entry.path().filename().native().size();
    }
    const auto utf8 = root.u8string();
    printf("entries %d units %d utf8 %d removed %d\n", entries, units, (int)utf8.size(), (int)fs::remove_all(root));
}
