/* The colours of Quake, which its pictures and skins name by number. Other games have a gfx/palette.lmp of their own. */
#ifndef IMAGE_QUAKE_PALETTE_H
#define IMAGE_QUAKE_PALETTE_H

#include <stdint.h>

enum { QUAKE_PALETTE_SIZE = 256 * 3 };

void quake_palette(uint8_t palette[QUAKE_PALETTE_SIZE]);

#endif
