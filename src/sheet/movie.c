#include "sheet/movie.h"

#include <assert.h>
#include <endian.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "sheet/png.h"

enum {
    PIXEL = 4, /* bytes */

    /* Of WebP without loss. Six frames of 160x160 take 87 KB and 3 ms with 0, 83 KB and 18 ms with 2, 80 KB and
     * 35 ms with 4, and 74 KB and 3.4 s with 9. As an APNG they take 111 KB and 6 ms. A sheet of 25 cells of 192x192 has
     * 431 KB with 0, 241 KB with 1, 229 KB with 2 in 1.6 times the time, and 328 KB as the fastest PNG. */
    WEBP_EFFORT = 2,
    WEBP_SHEET_EFFORT = 1,
};

const char *const movie_suffixes[MOVIE_FORMAT_COUNT] = {
    [MOVIE_APNG] = ".png",
    [MOVIE_WEBP] = ".webp",
};

struct movie {
    struct movie_settings settings;
    uint32_t added;        /* frames */
    struct buffer png;     /* the file so far */
    uint32_t next_in_file; /* number of the next chunk that APNG counts */
    uint8_t *canvas;       /* the latest frame */
    WebPAnimEncoder *webp;
    WebPConfig config;
    int end_ms; /* of the frames so far */
};

/* -- APNG: PNG's chunks, and three more --------------------------------------------------------------------- */

/* The pixels that are not as they were in the frame before: all of the first frame, and one at least. */
static struct rect find_change(const struct movie *movie, const uint8_t *pixels)
{
    uint32_t width = movie->settings.width, height = movie->settings.height;
    struct rect change = {0};
    if (movie->added == 0)
        return (struct rect){0, 0, width, height};
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = pixels + (size_t)y * width * PIXEL;
        const uint8_t *before = movie->canvas + (size_t)y * width * PIXEL;
        if (!memcmp(row, before, (size_t)width * PIXEL))
            continue;
        uint32_t first = 0, last = width - 1;
        while (!memcmp(row + first * PIXEL, before + first * PIXEL, PIXEL))
            first++;
        while (!memcmp(row + last * PIXEL, before + last * PIXEL, PIXEL))
            last--;
        rect_join(&change, &(struct rect){first, y, last - first + 1, 1});
    }
    return change.width ? change : (struct rect){0, 0, 1, 1};
}

/* Writes what an APNG says of a frame: it replaces all in its rectangle, and stays for the next frame. */
static void put_control(struct movie *movie, const struct rect *rect, uint32_t duration_ms)
{
    const uint32_t place[5] = {htobe32(movie->next_in_file++), htobe32(rect->width), htobe32(rect->height),
                               htobe32(rect->x), htobe32(rect->y)};
    const uint16_t rest[3] = {htobe16((uint16_t)duration_ms), htobe16(1000) /* parts of a second */, 0};
    png_add_chunk(&movie->png, "fcTL", CHUNK(place), CHUNK(rest));
}

/* The first frame is the picture of the PNG; each of the others has its number in front. */
static int add_to_png(struct movie *movie, const uint8_t *pixels, uint32_t duration_ms, struct error *err)
{
    size_t stride = (size_t)movie->settings.width * PIXEL;
    const struct rect rect = find_change(movie, pixels);
    const struct rect all = {0, 0, rect.width, rect.height};
    struct sheet sheet;
    struct blob data;
    if (sheet_init(&sheet, SHEET_COLOR, rect.width, rect.height, err) < 0)
        return -1;
    sheet.png.level = movie->settings.png_level;
    sheet_place(&sheet, &all, pixels + rect.y * stride + (size_t)rect.x * PIXEL, stride);
    int result = sheet_deflate(&sheet, &data, err);
    sheet_release(&sheet);
    if (result < 0)
        return -1;
    put_control(movie, &rect, duration_ms);
    if (movie->added == 0) {
        png_add_chunk(&movie->png, "IDAT", blob_bytes(&data), (struct bytes){0});
    } else {
        const uint32_t number[1] = {htobe32(movie->next_in_file++)};
        png_add_chunk(&movie->png, "fdAT", CHUNK(number), blob_bytes(&data));
    }
    blob_release(&data);
    memcpy(movie->canvas, pixels, movie->settings.height * stride);
    return 0;
}

/* -- WebP --------------------------------------------------------------------------------------------------- */

static int out_of_memory(const struct movie *movie, struct error *err)
{
    memory_failed(0);
    return error_set(err, "out of memory for a WebP of %ux%u", movie->settings.width, movie->settings.height);
}

/* Keeps the colours of transparent pixels, so that a decoder gives the very bytes of the frame. */
static int start_webp(struct movie *movie, struct error *err)
{
    const struct movie_settings *settings = &movie->settings;
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options) || !WebPConfigInit(&movie->config))
        return error_set(err, "this libwebp is not the one that sheetbake was built with");
    options.anim_params.loop_count = settings->loop ? 0 : 1;
    options.anim_params.bgcolor = 0;
    if (settings->quality) {
        movie->config.quality = (float)settings->quality;
    } else {
        WebPConfigLosslessPreset(&movie->config, WEBP_EFFORT);
        movie->config.exact = 1;
    }
    movie->webp = WebPAnimEncoderNew((int)settings->width, (int)settings->height, &options);
    return movie->webp ? 0 : out_of_memory(movie, err);
}

static int add_to_webp(struct movie *movie, const uint8_t *pixels, struct error *err)
{
    WebPPicture picture;
    if (!WebPPictureInit(&picture))
        return error_set(err, "this libwebp is not the one that sheetbake was built with");
    picture.use_argb = 1;
    picture.width = (int)movie->settings.width;
    picture.height = (int)movie->settings.height;
    if (!WebPPictureImportRGBA(&picture, pixels, (int)movie->settings.width * PIXEL))
        return out_of_memory(movie, err);
    bool is_added = WebPAnimEncoderAdd(movie->webp, &picture, movie->end_ms, &movie->config);
    WebPPictureFree(&picture);
    return is_added ? 0 : error_set(err, "writing a WebP: %s", WebPAnimEncoderGetError(movie->webp));
}

static int copy_file(struct bytes file, struct blob *out, struct error *err)
{
    *out = (struct blob){memory_alloc(file.size, 1, err), file.size};
    if (out->data)
        memcpy(out->data, file.data, file.size);
    return out->data ? 0 : -1;
}

static int save_webp(struct movie *movie, struct blob *out, struct error *err)
{
    WebPData file = {0};
    if (!WebPAnimEncoderAdd(movie->webp, NULL, movie->end_ms, NULL) ||
        !WebPAnimEncoderAssemble(movie->webp, &file))
        return error_set(err, "writing a WebP: %s", WebPAnimEncoderGetError(movie->webp));
    int result = copy_file((struct bytes){file.bytes, file.size}, out, err);
    WebPDataClear(&file);
    return result;
}

int sheet_save_webp(const struct sheet *sheet, uint32_t quality, struct blob *out, struct error *err)
{
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture) ||
        !(quality || WebPConfigLosslessPreset(&config, WEBP_SHEET_EFFORT)))
        return error_set(err, "this libwebp is not the one that sheetbake was built with");
    config.exact = 1;
    config.quality = quality ? (float)quality : config.quality;
    picture.use_argb = 1;
    picture.width = (int)sheet->width;
    picture.height = (int)sheet->height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    WebPMemoryWriterInit(&writer);
    int result = WebPPictureImportRGBA(&picture, sheet_row(sheet, 0), (int)(sheet_row_size(sheet) + 1)) &&
                         WebPEncode(&config, &picture)
                     ? copy_file((struct bytes){writer.mem, writer.size}, out, err)
                     : error_set(err, "a WebP of %ux%u pixels cannot be made: error %d", sheet->width,
                                 sheet->height, picture.error_code);
    WebPMemoryWriterClear(&writer);
    WebPPictureFree(&picture);
    return result;
}

/* -- Either ------------------------------------------------------------------------------------------------- */

int movie_new(const struct movie_settings *settings, struct movie **out, struct error *err)
{
    struct movie *movie = must_alloc(1, sizeof *movie);
    int result = 0;
    movie->settings = *settings;
    if (settings->format == MOVIE_WEBP) {
        result = start_webp(movie, err);
    } else {
        movie->canvas = memory_alloc(settings->height, (size_t)settings->width * PIXEL, err);
        result = movie->canvas ? 0 : -1;
        const uint32_t control[2] = {htobe32(settings->frame_count), htobe32(settings->loop ? 0 : 1)};
        png_begin(&movie->png, SHEET_COLOR, false, settings->width, settings->height);
        png_add_chunk(&movie->png, "acTL", CHUNK(control), (struct bytes){0});
    }
    if (result < 0)
        movie_free(movie);
    else
        *out = movie;
    return result;
}

void movie_free(struct movie *movie)
{
    if (!movie)
        return;
    WebPAnimEncoderDelete(movie->webp);
    buffer_release(&movie->png);
    free(movie->canvas);
    free(movie);
}

int movie_add(struct movie *movie, const uint8_t *pixels, uint32_t duration_ms, struct error *err)
{
    assert(movie->added < movie->settings.frame_count);
    uint32_t duration = duration_ms < 1 ? 1 : duration_ms < UINT16_MAX ? duration_ms : UINT16_MAX;
    if (movie->end_ms > INT_MAX - UINT16_MAX)
        return error_set(err, "the animation takes more than %d days", INT_MAX / 86400000);
    int result = movie->webp ? add_to_webp(movie, pixels, err) : add_to_png(movie, pixels, duration, err);
    movie->end_ms += (int)duration;
    movie->added++;
    return result;
}

int movie_save(struct movie *movie, struct blob *out, struct error *err)
{
    assert(movie->added == movie->settings.frame_count);
    if (movie->webp)
        return save_webp(movie, out, err);
    png_add_chunk(&movie->png, "IEND", (struct bytes){0}, (struct bytes){0});
    *out = (struct blob){(uint8_t *)movie->png.text, movie->png.length};
    movie->png = (struct buffer){0};
    return 0;
}
