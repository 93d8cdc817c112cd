/* Three compressors: each gives back what it was given, and each makes of a known text what its format prescribes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>

#define SIZE 200000u

static unsigned char plain[SIZE], packed[SIZE + 10000], again[SIZE];

static int same(const char *name, size_t packed_size, size_t size)
{
    int good = size == SIZE && packed_size < SIZE / 2 && memcmp(plain, again, SIZE) == 0;
    printf("%s %s\n", name, good ? "round trip" : "FAILED");
    memset(again, 0, SIZE);
    return good;
}

int main(void)
{
    unsigned i, state = 1, good = 1;
    uLongf packed_size = sizeof packed, size = SIZE;
    unsigned bz_packed = sizeof packed, bz_size = SIZE;
    size_t in = 0, out = 0;
    uint64_t limit = UINT64_MAX;

    for (i = 0; i < SIZE; i++) {
        state = state * 1103515245u + 12345u;
        plain[i] = "windlass"[(state >> 16) & 7];
    }
    if (strcmp(zlibVersion(), ZLIB_VERSION) || strcmp(lzma_version_string(), LZMA_VERSION_STRING))
        return puts("library and headers differ"), 1;
    /* The check value of CRC-32, and Adler-32's example. */
    printf("crc32 %08lx adler32 %08lx\n", crc32(0, (const Bytef *)"123456789", 9), adler32(1, (const Bytef *)"Wikipedia", 9));
    if (compress2(packed, &packed_size, plain, SIZE, 9) || uncompress(again, &size, packed, packed_size))
        return puts("zlib failed"), 1;
    good &= same("zlib", packed_size, size);
    if (BZ2_bzBuffToBuffCompress((char *)packed, &bz_packed, (char *)plain, SIZE, 9, 0, 0) ||
        BZ2_bzBuffToBuffDecompress((char *)again, &bz_size, (char *)packed, bz_packed, 0, 0))
        return puts("bzip2 failed"), 1;
    good &= same("bzip2", bz_packed, bz_size);
    if (lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, plain, SIZE, packed, &out, sizeof packed))
        return puts("lzma failed"), 1;
    size = 0;
    packed_size = (uLongf)out;
    out = 0;
    if (lzma_stream_buffer_decode(&limit, 0, NULL, packed, &in, packed_size, again, &out, SIZE))
        return puts("lzma failed"), 1;
    good &= same("lzma", packed_size, out);
    /* The check value of CRC-64 as xz has it. */
    printf("crc64 %016llx\n", (unsigned long long)lzma_crc64((const uint8_t *)"123456789", 9, 0));
    return !good;
}
