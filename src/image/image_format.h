/* Between image.c and the loaders: the table's row. A new format is one file and one line in image.c. */
#ifndef IMAGE_IMAGE_FORMAT_H
#define IMAGE_IMAGE_FORMAT_H

#include "image/image.h"

struct image_format {
    const char *name;
    bool (*matches)(struct bytes bytes);
    /* Fills a zeroed image; on failure image.c releases what is in it. `has_alpha` is set by image.c. */
    int (*load)(struct bytes bytes, struct image *image, struct error *err);
};

/* image_init for a size that a file claims: fails first when even the best packing the format knows, in pixels for
 * each byte, could not get that many out of the `data_size` bytes there are. So no allocation, which costs 4 bytes
 * a pixel, is more than a known multiple of the file. */
int image_init_packed(struct image *image, uint32_t width, uint32_t height, size_t data_size,
                      size_t pixels_per_byte, struct error *err);

/* Makes a picture opaque that is transparent everywhere: TGA and BMP files often have a fourth channel that their
 * writer left at 0. */
void image_drop_empty_alpha(struct image *image);

extern const struct image_format png_format, jpeg_format, dds_format, bmp_format, pcx_format, tga_format;

#endif
