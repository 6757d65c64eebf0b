/* Between image.c and the loaders: the table's row. A new format is one file and one line in image.c. */
#ifndef ASSET_IMAGE_FORMAT_H
#define ASSET_IMAGE_FORMAT_H

#include "asset/image.h"

struct image_format {
    const char *name;
    bool (*matches)(struct bytes bytes);
    /* Fills a zeroed image; on failure image.c releases what is in it. `has_alpha` is set by image.c. */
    int (*load)(struct bytes bytes, struct image *image, struct error *err);
};

extern const struct image_format png_format, jpeg_format, dds_format, bmp_format, pcx_format, tga_format;

#endif
