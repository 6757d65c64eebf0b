#include "image/image_format.h"
#include "base/memory.h"

#include <png.h>
#include <string.h>

/* libpng reports an error through this and then jumps back to png_load. */
struct source {
    struct cursor cursor;
    struct error *err;
};

static void on_error(png_structp png, png_const_charp message)
{
    struct source *source = png_get_error_ptr(png);
    error_set(source->err, "%s, before byte %zu of %zu", message, source->cursor.at, source->cursor.bytes.size);
    png_longjmp(png, 1);
}

/* Most warnings are about chunks that we do not use, such as a colour profile. */
static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep out, size_t size)
{
    struct source *source = png_get_io_ptr(png);
    const uint8_t *data = cursor_take(&source->cursor, size);
    if (!data)
        png_error(png, "the file ends inside a chunk");
    memcpy(out, data, size);
}

static int read_picture(png_structp png, png_infop info, struct source *source, struct image *image)
{
    /* image_init_packed checks the sides, with a message of ours. */
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    /* Compressed text and profiles would cost memory; of all chunks that can be left out only tRNS is used. */
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    /* Old optimisers declared a smaller window than their data need. */
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
    png_read_info(png, info);
    unsigned bits_per_pixel = png_get_bit_depth(png, info) * png_get_channels(png, info);
    /* Deflate makes at most 1032 bytes from one: 258 from two bits. */
    if (image_init_packed(image, png_get_image_width(png, info), png_get_image_height(png, info),
                          source->cursor.bytes.size, 1032 * 8 / bits_per_pixel, source->err))
        return -1;

    /* Whatever the file holds, rows come out as RGBA with 8 bits a channel. What it says about gamma is not applied:
     * games never did, and in game data it is often wrong. */
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != (size_t)image->width * 4)
        return error_set(source->err, "rows of %zu bytes for %u pixels", png_get_rowbytes(png, info),
                         image->width);
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < image->height; y++)
            png_read_row(png, image->pixels + (size_t)y * image->width * 4, NULL);
    png_read_end(png, NULL);
    return 0;
}

static bool png_matches(struct bytes bytes)
{
    return bytes.size >= 8 && memcmp(bytes.data, "\x89PNG\r\n\x1a\n", 8) == 0;
}

static int png_load(struct bytes bytes, struct image *image, struct error *err)
{
    struct source source = {.cursor = cursor_at(bytes, 0), .err = err};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        memory_failed(0);
        return error_set(err, "out of memory starting libpng");
    }
    /* Nothing local to this function changes after setjmp but `result`, hence volatile. */
    volatile int result = -1;
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_read_fn(png, &source, read_bytes);
        result = read_picture(png, info, &source, image);
    }
    png_destroy_read_struct(&png, &info, NULL);
    return result;
}

const struct image_format png_format = {"PNG", {".png"}, png_matches, png_load};
