/* For the fuzz targets of picture formats: any bytes must give a picture or a message. The loader is called directly,
 * so that inputs need no valid signature. */
#ifndef FUZZ_IMAGE_H
#define FUZZ_IMAGE_H

#include "image/image_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline int fuzz_image(const struct image_format *format, const uint8_t *data, size_t size)
{
    struct image image = {0};
    struct error err = {""};
    struct bytes bytes = {data, size};
    if (format->matches)
        format->matches(bytes);
    if (format->load(bytes, &image, &err) ? err.text[0] == '\0' : !image.pixels || !image.width || !image.height)
        abort();
    image_release(&image);
    return 0;
}

#endif
