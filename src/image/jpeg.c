#include "image/image_format.h"
#include "base/memory.h"

#include <string.h>
#include <turbojpeg.h>

/* A block of 8 x 8 pixels takes one bit at least (its DC difference, in a progressive file that codes nothing
 * else), so a byte makes 8 of them. */
enum { PIXELS_PER_BYTE = 8 * 64 };

/* libjpeg only warns where data are cut or broken, and makes up the rest of the picture. Such a file is refused; a
 * few warnings are about nothing that matters. The error code does not help: it says "warning" for what went wrong
 * for good after a warning, too. The text is then that of the last, worst problem. */
static bool is_harmless(tjhandle decoder)
{
    static const char *const harmless[] = {
        "extraneous bytes before marker",
        "unknown JFIF revision",
        "Unknown Adobe color transform",
        "Invalid SOS parameters for sequential JPEG",
    };
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strstr(tjGetErrorStr2(decoder), harmless[i]))
            return true;
    return false;
}

static int fail(tjhandle decoder, struct error *err)
{
    const char *text = tjGetErrorStr2(decoder);
    if (strstr(text, "Insufficient memory"))
        memory_failed(0);
    return error_set(err, "%s", text);
}

static int decode(tjhandle decoder, struct bytes bytes, struct image *image, struct error *err)
{
    int width = 0, height = 0, subsampling, color_space = TJCS_RGB;
    if (tjDecompressHeader3(decoder, bytes.data, bytes.size, &width, &height, &subsampling, &color_space) &&
        !is_harmless(decoder))
        return fail(decoder, err);
    if (image_init_packed(image, (uint32_t)width, (uint32_t)height, bytes.size, PIXELS_PER_BYTE, err))
        return -1;

    bool cmyk = color_space == TJCS_CMYK || color_space == TJCS_YCCK;
    /* A progressive file may repeat scans of the whole picture without end: at most 500 are decoded. */
    if (tjDecompress2(decoder, bytes.data, bytes.size, image->pixels, width, 0, height,
                      cmyk ? TJPF_CMYK : TJPF_RGBA, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS) &&
        !is_harmless(decoder))
        return fail(decoder, err);
    /* As Adobe's programs and those that followed store inks, 255 means none. */
    size_t size = cmyk ? (size_t)width * (size_t)height * 4 : 0;
    for (uint8_t *pixel = image->pixels; pixel < image->pixels + size; pixel += 4) {
        for (int i = 0; i < 3; i++)
            pixel[i] = (uint8_t)((pixel[i] * pixel[3] + 127) / 255);
        pixel[3] = 255;
    }
    return 0;
}

static int jpeg_load(struct bytes bytes, struct image *image, struct error *err)
{
    tjhandle decoder = tjInitDecompress();
    if (!decoder)
        return fail(NULL, err);
    int result = decode(decoder, bytes, image, err);
    tjDestroy(decoder);
    return result;
}

const struct image_format jpeg_format = {"JPEG", {".jpg", ".jpeg"}, "\xff\xd8\xff", NULL, jpeg_load};
