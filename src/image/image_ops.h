/* The arithmetic of image programs (image/image_program.h), on pictures in memory. */
#ifndef IMAGE_IMAGE_OPS_H
#define IMAGE_IMAGE_OPS_H

#include "image/image.h"

/* Brightness is height: each texel becomes the normal of the relief there. Wraps around at the edges. */
int image_heightmap(struct image *image, float scale, struct error *err);
int image_smooth_normals(struct image *image, struct error *err);

/* Of two pictures of one size; the result is in the first. */
void image_add_normals(struct image *image, const struct image *bumps);
void image_add(struct image *image, const struct image *other);

void image_scale(struct image *image, const float factors[4]);
void image_invert_alpha(struct image *image);
void image_invert_color(struct image *image);
void image_make_intensity(struct image *image);
void image_make_alpha(struct image *image);

/* To another size, between texels by their neighbours. Wraps around at the edges. */
int image_resize(struct image *image, uint32_t width, uint32_t height, struct error *err);

#endif
