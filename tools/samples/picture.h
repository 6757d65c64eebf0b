/* Pictures as bytes of a file: PNG, and the PCX and TGA of the games. */
#ifndef GENERATOR_PICTURE_H
#define GENERATOR_PICTURE_H

#include <stdint.h>

#include "base/buffer.h"

/* `pixels` are size * size RGB, rows from the top. */
void picture_save_png(const uint8_t *pixels, int size, struct buffer *out);

/* 8 bits a pixel with a palette of 256 colours chosen for the picture. */
void picture_save_pcx(const uint8_t *pixels, int size, struct buffer *out);

/* 24 bits, run-length encoded, rows from the bottom. */
void picture_save_tga(const uint8_t *pixels, int size, struct buffer *out);

#endif
