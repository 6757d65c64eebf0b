/* Decodes an animated WebP by libwebp's own decoder: each frame, as it is seen, becomes DIR/N.rgba. Prints "plays" (0: for
 * ever) and "WIDTHxHEIGHT", then for each frame its milliseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <webp/demux.h>

int main(int argc, char **argv)
{
    static unsigned char bytes[1 << 24];
    FILE *in = fopen(argv[1], "rb");
    WebPData file = {bytes, in && argc == 3 ? fread(bytes, 1, sizeof bytes, in) : 0};
    WebPAnimDecoderOptions options;
    WebPAnimDecoderOptionsInit(&options);
    options.color_mode = MODE_RGBA;
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&file, &options);
    WebPAnimInfo info;
    if (!decoder || !WebPAnimDecoderGetInfo(decoder, &info))
        return 1;
    printf("plays %u\n%ux%u\n", info.loop_count, info.canvas_width, info.canvas_height);
    for (int i = 0, before = 0, end; WebPAnimDecoderHasMoreFrames(decoder); i++, before = end) {
        unsigned char *pixels;
        char path[4096];
        snprintf(path, sizeof path, "%s/%d.rgba", argv[2], i);
        FILE *out = fopen(path, "wb");
        if (!out || !WebPAnimDecoderGetNext(decoder, &pixels, &end))
            return 1;
        fwrite(pixels, 4, (size_t)info.canvas_width * info.canvas_height, out);
        fclose(out);
        printf("%d\n", end - before);
    }
    return 0;
}
