#include "image/image_format.h"

#include <string.h>
#include <webp/decode.h>

/* A plain block of 16 x 16 pixels takes a few bits; and a picture of one colour takes none for its pixels where it is
 * without loss, but is hardly a texture. */
enum { PIXELS_PER_BYTE = 16384 };

static bool webp_matches(struct bytes bytes)
{
    return bytes.size >= 12 && !memcmp(bytes.data, "RIFF", 4) && !memcmp(bytes.data + 8, "WEBP", 4);
}

static int webp_load(struct bytes bytes, struct image *image, struct error *err)
{
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(bytes.data, bytes.size, &features) != VP8_STATUS_OK)
        return error_set(err, "the header is broken or cut off");
    if (features.has_animation)
        return error_set(err, "it is animated, and only still pictures are read");
    if (image_init_packed(image, (uint32_t)features.width, (uint32_t)features.height, bytes.size, PIXELS_PER_BYTE,
                          err))
        return -1;
    size_t row = (size_t)image->width * 4;
    if (!WebPDecodeRGBAInto(bytes.data, bytes.size, image->pixels, row * image->height, (int)row))
        return error_set(err, "the data are broken or cut off");
    return 0;
}

/* Games have no such textures, so that names are not looked for with its suffix. */
const struct image_format webp_format = {"WebP", {NULL}, NULL, webp_matches, webp_load};
