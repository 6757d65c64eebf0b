/* Pictures by the names that models and materials give them.
 *
 * The engines swap picture formats freely (a skin named .pcx is often shipped as .png), so a name is tried as it
 * is, when it ends in the suffix of a picture, and then with each suffix (image_suffix). A file in another has one name.
 *
 * All results are paths as assets_find gives them, or NULL. Paths looked for in vain are added to `tried`, unless
 * that is NULL; what is already there is not looked for again. */
#ifndef IMAGE_IMAGE_PATH_H
#define IMAGE_IMAGE_PATH_H

#include <stddef.h>

#include "asset/assets.h"
#include "base/strings.h"

/* The length of `name` without a suffix that names a picture format; other dots belong to the name. */
size_t image_path_stem(const char *name);

/* This very path. */
const char *image_path_exact(struct assets *assets, const char *path, struct strings *tried);

/* The first `length` characters of `name` with `ending` and each suffix. */
const char *image_path_ending(struct assets *assets, const char *name, size_t length, const char *ending,
                              struct strings *tried);

/* The only picture in the folder; none that `thumb` made, nor where there are several. */
const char *image_path_alone(struct assets *assets, const char *folder, struct strings *tried);

/* The name as it is, then with the other suffixes. */
const char *image_path_find(struct assets *assets, const char *name, struct strings *tried);

#endif
