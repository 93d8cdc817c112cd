// Files beyond 4 GiB: a sparse file is written and read around the 32-bit borders through the C library, streams and Win32.
#include "check.h"
#include <fstream>
#include <io.h>
#include <fcntl.h>
#include <filesystem>
#include <winioctl.h>

int main() {
    const char *name = "seek_4g.tmp";
    DWORD returned;
    HANDLE handle = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS, 0, nullptr);
    CHECK(handle != INVALID_HANDLE_VALUE);
    // Where the file system cannot mark files as sparse it may still leave holes.
    DeviceIoControl(handle, FSCTL_SET_SPARSE, nullptr, 0, nullptr, 0, &returned, nullptr);
    CloseHandle(handle);
    const long long borders[] = {0x7fffffff, 0xffffffffll, 0x140000000ll};
    FILE *file = fopen(name, "r+b");
    CHECK(file);
    for (int index = 0; index < 3; ++index) {
        CHECK(_fseeki64(file, borders[index] - 1, SEEK_SET) == 0);
        CHECK(fprintf(file, "mark%d", index) == 5 && _ftelli64(file) == borders[index] + 4);
    }
    fclose(file);
    printf("size %llu\n", (unsigned long long)std::filesystem::file_size(name));
    std::ifstream stream(name, std::ios::binary);
    for (int index = 2; index >= 0; --index) {
        std::string mark(5, ' ');
        stream.seekg(borders[index] - 1);
        CHECK(stream.read(mark.data(), 5) && (long long)stream.tellg() == borders[index] + 4);
        printf("%s ", mark.c_str());
    }
    stream.seekg(-4, std::ios::end);
    printf("%c\n", stream.get());
    stream.close();
    int descriptor = _open(name, _O_RDONLY | _O_BINARY);
    char byte;
    CHECK(_lseeki64(descriptor, -5, SEEK_END) == borders[2] - 1 && _read(descriptor, &byte, 1) == 1);
    printf("%c %lld %lld\n", byte, _telli64(descriptor), _filelengthi64(descriptor));
    _close(descriptor);
    CHECK(std::filesystem::remove(name));
}
