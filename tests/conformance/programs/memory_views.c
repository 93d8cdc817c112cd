// Memory that is mapped, prefetched and offered: the functions for NUMA nodes and large machines.
#include "check.h"

int main(void) {
    HANDLE file = CreateFileMappingNumaW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 1 << 20, NULL, NUMA_NO_PREFERRED_NODE);
    CHECK(file);
    char *writer = MapViewOfFileExNuma(file, FILE_MAP_WRITE, 0, 0, 0, NULL, NUMA_NO_PREFERRED_NODE);
    char *reader = MapViewOfFileExNuma(file, FILE_MAP_READ, 0, 1 << 16, 1 << 16, NULL, NUMA_NO_PREFERRED_NODE);
    CHECK(writer && reader && writer != reader);
    for (int index = 0; index < 1 << 20; ++index)
        writer[index] = (char)(index * 7);
    long sum = 0;
    for (int index = 0; index < 1 << 16; ++index)
        sum += (unsigned char)reader[index];
    printf("sum %ld\n", sum);
    CHECK(UnmapViewOfFile(writer) && UnmapViewOfFile(reader) && CloseHandle(file));
    int *block = VirtualAllocExNuma(GetCurrentProcess(), NULL, 1 << 16, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE, 0);
    CHECK(block);
    block[100] = 4711;
    WIN32_MEMORY_RANGE_ENTRY range = {block, 1 << 16};
    printf("prefetched %d value %d\n", PrefetchVirtualMemory(GetCurrentProcess(), 1, &range, 0), block[100]);
    CHECK(VirtualFree(block, 0, MEM_RELEASE));
    SIZE_T large = GetLargePageMinimum();
    printf("large pages %d flag %x\n", large == 0 || large % 4096 == 0, FILE_MAP_LARGE_PAGES);
    return 0;
}
