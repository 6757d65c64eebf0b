#include "image_check.h"
#include "test.h"

#include <turbojpeg.h>

enum { WIDTH = 24, HEIGHT = 16, QUALITY = 95, TOLERANCE = 4 };

struct options {
    int format, subsampling, flags;
};

/* A smooth picture, `channels` bytes a pixel, without sharp edges between colours. */
static void paint(uint8_t *pixels, int channels)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < channels; c++)
                pixels[(y * WIDTH + x) * channels + c] = (uint8_t)(40 + c * 30 + x * 3 + y * (4 - c));
}

static struct file make_jpeg(struct options options)
{
    uint8_t pixels[WIDTH * HEIGHT * 4];
    paint(pixels, tjPixelSize[options.format]);
    unsigned char *data = NULL;
    unsigned long size = 0;
    tjhandle encoder = tjInitCompress();
    assert_int_equal(tjCompress2(encoder, pixels, WIDTH, 0, HEIGHT, options.format, &data, &size,
                                 options.subsampling, QUALITY, options.flags | TJFLAG_ACCURATEDCT),
                     0);
    tjDestroy(encoder);
    struct file file = {.size = 0};
    put(&file, data, size);
    tjFree(data);
    return file;
}

static void check_near(const struct image *image, int x, int y, const int wanted[3])
{
    const uint8_t *p = image->pixels + (y * WIDTH + x) * 4;
    for (int i = 0; i < 3; i++)
        if (abs(p[i] - wanted[i]) > TOLERANCE)
            fail_msg("channel %d of pixel %d,%d is %d, not %d", i, x, y, p[i], wanted[i]);
    assert_int_equal(p[3], 255);
}

static void check_jpeg(struct options options)
{
    struct file file = make_jpeg(options);
    struct image image = must_load(&file);
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.height, HEIGHT);
    assert_false(image.has_alpha);

    int channels = tjPixelSize[options.format];
    uint8_t pixels[WIDTH * HEIGHT * 4];
    paint(pixels, channels);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const uint8_t *p = pixels + (y * WIDTH + x) * channels;
            int wanted[3];
            for (int i = 0; i < 3; i++)
                wanted[i] = channels == 1 ? p[0] : channels == 4 ? p[i] * p[3] / 255 : p[i];
            check_near(&image, x, y, wanted);
        }
    image_release(&image);
}

static size_t find_marker(const struct file *file, uint8_t marker)
{
    for (size_t i = 0; i + 1 < file->size; i++)
        if (file->data[i] == 0xff && file->data[i + 1] == marker)
            return i;
    fail_msg("no marker %02x", marker);
    return 0;
}

static void set_sides(struct file *file, uint16_t width, uint16_t height)
{
    uint8_t *sides = file->data + find_marker(file, 0xc0) + 5;
    sides[0] = (uint8_t)(height >> 8);
    sides[1] = (uint8_t)height;
    sides[2] = (uint8_t)(width >> 8);
    sides[3] = (uint8_t)width;
}

TEST(jpegs_are_read_or_rejected)
{
    fact("jpegs are read");
    fact("jpeg reads color");
    check_jpeg((struct options){TJPF_RGB, TJSAMP_444, 0});
    check_jpeg((struct options){TJPF_RGB, TJSAMP_420, 0});
    fact("jpeg reads grey");
    check_jpeg((struct options){TJPF_GRAY, TJSAMP_GRAY, 0});
    fact("jpeg reads cmyk");
    check_jpeg((struct options){TJPF_CMYK, TJSAMP_444, 0});
    fact("jpeg reads progressive");
    check_jpeg((struct options){TJPF_RGB, TJSAMP_420, TJFLAG_PROGRESSIVE});
    fact("jpeg tolerates junk between segments");
    struct file plain = make_jpeg((struct options){TJPF_RGB, TJSAMP_420, 0}), junk = {.size = 0};
    size_t at = find_marker(&plain, 0xda);
    put(&junk, plain.data, at);
    put_zeros(&junk, 5);
    put(&junk, plain.data + at, plain.size - at);
    struct image a = must_load(&plain), b = must_load(&junk);
    assert_memory_equal(a.pixels, b.pixels, WIDTH * HEIGHT * 4);
    image_release(&a);
    image_release(&b);
    fact("jpeg tolerates bytes after its end");
    struct file file = make_jpeg((struct options){TJPF_RGB, TJSAMP_420, 0});
    put_zeros(&file, 5);
    struct image image = must_load(&file);
    image_release(&image);
    fact("jpeg rejects sides out of range");
    file = make_jpeg((struct options){TJPF_RGB, TJSAMP_420, 0});
    set_sides(&file, 16385, 16);
    check_error(&file, "JPEG: a picture of 16385 x 16 pixels, each side must be 1 to 16384");
    set_sides(&file, 65535, 65535);
    check_error(&file, "JPEG: ");
    set_sides(&file, 0, 16);
    check_error(&file, "JPEG: ");
    fact("jpeg of few bytes allocates no gigabyte");
    file = make_jpeg((struct options){TJPF_RGB, TJSAMP_420, 0});
    set_sides(&file, 16384, 16384);
    check_error(&file, "16384 x 16384 pixels need at least 524288 bytes, there are ");
}

TEST(jpeg_fails_when_cut_anywhere)
{
    struct file plain = make_jpeg((struct options){TJPF_RGB, TJSAMP_420, 0});
    struct file progressive = make_jpeg((struct options){TJPF_RGB, TJSAMP_444, TJFLAG_PROGRESSIVE});
    check_fails_when_cut(&plain);
    check_fails_when_cut(&progressive);
}

TEST(jpeg_survives_any_byte)
{
    struct file plain = make_jpeg((struct options){TJPF_RGB, TJSAMP_420, 0});
    struct file progressive = make_jpeg((struct options){TJPF_GRAY, TJSAMP_GRAY, TJFLAG_PROGRESSIVE});
    check_survives_any_byte(&plain);
    check_survives_any_byte(&progressive);
}
