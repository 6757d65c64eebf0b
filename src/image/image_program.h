/* Pictures by the names that models and materials give them: paths, and image programs.
 *
 * The engines swap picture formats freely (a skin named .pcx is often shipped as .png), so a name is tried as it
 * is, when it ends in the suffix of a picture, and then with each suffix (image_suffix). A file in another has one name.
 *
 * An image program names a picture that is computed from others:
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
#pragma once

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
 * paths as they are in the assets. A path is looked for as it is, then with other suffixes (image_path_find),
 * then below dds/. Fails where that is not an image program, and where a picture is not there: then the paths looked for
 * are added to `tried`, unless that is NULL. Never reads a picture. */
int image_program_resolve(struct assets *assets, const char *program, char **out, struct strings *tried,
                          struct error *err);

/* Runs a program. */
int image_program_load(struct assets *assets, const char *program, struct image *out, struct error *err);

/* -- Paths --
 *
 * All results are paths as assets_find gives them, or NULL. Paths looked for in vain are added to `tried`, unless
 * that is NULL; what is already there is not looked for again. */

/* Whether its suffix is that of pictures which are not read, such as .psd: artists keep them, and others beside them. */
bool image_path_is_foreign(const char *name);

/* The length of `name` without a suffix that names a picture format, read or not; other dots belong to the name. */
size_t image_path_stem(const char *name);

/* This very path. */
const char *image_path_exact(struct assets *assets, const char *path, struct strings *tried);

/* The first `length` characters of `name` with `ending` and each suffix. */
const char *image_path_ending(struct assets *assets, const char *name, size_t length, const char *ending,
                              struct strings *tried);

/* The name as it is, unless that is not read, then with the other suffixes. */
const char *image_path_find(struct assets *assets, const char *name, struct strings *tried);
