/* Image programs: how materials name pictures that are computed from others.
 *
 *     addnormals(models/imp_local.tga, heightmap(models/imp_h.tga, 4))
 *
 * A plain path is the simplest program. Functions, their case ignored, and what they give:
 *
 *     heightmap(img, scale)     the normal map of a relief; brighter is higher, 1 is a faint relief, 8 strong
 *     addnormals(a, b)          the bumps of normal map b on those of a
 *     smoothnormals(img)        each normal the mean of its nine neighbours but for those that are black or grey
 *     add(a, b)                 sums, each channel up to 255
 *     scale(img, r, g, b, a)    products; the numbers left out are 1
 *     invertAlpha(img)  invertColor(img)
 *     makeIntensity(img)        red in all four channels
 *     makeAlpha(img)            white, with the mean of the colours as alpha
 *     downsize(img, n)          the picture as it is: Quake 4 makes it smaller to save memory
 *
 * and four pictures that need no file: _white, _black, _flat (a normal map without bumps) and _default (grey).
 * Numbers are those of the files (0 to 255, no sRGB decoding), as in the engine. Normal maps have x along +s and y
 * along +t, which runs down. Of two pictures the smaller is scaled up to the larger. */
#ifndef IMAGE_IMAGE_PROGRAM_H
#define IMAGE_IMAGE_PROGRAM_H

#include "asset/assets.h"
#include "image/image.h"
#include "base/strings.h"

enum {
    /* Bytes. Real ones have up to 150. */
    IMAGE_PROGRAM_LONGEST = 16384,
    /* Each level may hold a picture while it works. Real materials nest three deep. */
    IMAGE_PROGRAM_MAX_DEPTH = 16,
    /* Real materials name up to four. */
    IMAGE_PROGRAM_MAX_IMAGES = 32,
};

/* Checks the program and finds its pictures: *out, the caller's to free, is the program in its one form, with the
 * paths as they are in the assets. A path is looked for as it is, then with other suffixes (image/image_path.h),
 * then below dds/. Fails where the program is none, and where a picture is not there: then the paths looked for
 * are added to `tried`, unless that is NULL. Never reads a picture. */
int image_program_resolve(struct assets *assets, const char *program, char **out, struct strings *tried,
                          struct error *err);

/* Runs a program. */
int image_program_load(struct assets *assets, const char *program, struct image *out, struct error *err);

#endif
