/* A program of somebody who was handed the bundle: it uses three of its libraries, and prints what only they can have computed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/crc.h>
#include <libswresample/swresample.h>

int main(void)
{
    static const char text[] = "capstan and windlass";
    const AVCodec *codec = avcodec_find_encoder(AV_CODEC_ID_FLAC);
    AVChannelLayout stereo = AV_CHANNEL_LAYOUT_STEREO;
    struct SwrContext *swr = NULL;
    int16_t both[4] = { 100, -100, 32767, -32768 }, left[2], right[2];
    const uint8_t *in[] = { (const uint8_t *)both };
    uint8_t *out[] = { (uint8_t *)left, (uint8_t *)right };

    if (avcodec_version() != LIBAVCODEC_VERSION_INT) {
        printf("headers of %u, library of %u\n", LIBAVCODEC_VERSION_INT, avcodec_version());
        return 1;
    }
    if (swr_alloc_set_opts2(&swr, &stereo, AV_SAMPLE_FMT_S16P, 48000, &stereo, AV_SAMPLE_FMT_S16, 48000, 0, NULL) < 0 ||
        swr_init(swr) < 0)
        return 2;
    printf("%s %08" PRIx32 " %d", codec ? codec->name : "no codec",
           av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UINT32_MAX, (const uint8_t *)text, strlen(text)) ^ UINT32_MAX,
           swr_convert(swr, out, 2, in, 2));
    printf(" %d %d %d %d\n", left[0], left[1], right[0], right[1]);
    swr_free(&swr);
    return 0;
}
