/* The files of a page: its pictures, the files that describe it to an engine, and its record (fresh/record.h).
 *
 * A format of metadata is a file that writes it and a row of this table. */
#ifndef SHEET_METADATA_H
#define SHEET_METADATA_H

#include <stdbool.h>

#include "sheet/atlas.h"

#define PICTURE_SUFFIX ".png"
#define RECORD_SUFFIX ".sheetbake" /* of its own, because engines take *.json and *.png for assets */

enum metadata {
    METADATA_JSON,          /* sheet/atlas.h: PixiJS and Phaser 3 */
    METADATA_COMPACT,       /* the same in fewer bytes, in its place */
    METADATA_ASEPRITE,      /* sheet/aseprite.h: Aseprite's array of frames */
    METADATA_ASEPRITE_HASH, /* the same with the frames as an object */
    METADATA_GODOT,         /* sheet/godot.h: a SpriteFrames resource, .tres */
    METADATA_COUNT,
};

struct metadata_format {
    const char *name;   /* in job lists */
    const char *suffix; /* after the name of the page */
    bool is_of_sheet;   /* one file serves all pages, and goes with the first */
    int (*save)(const struct atlas *atlas, struct blob *out, struct error *err);
};

extern const struct metadata_format metadata_formats[METADATA_COUNT];

/* Whether a file of this name may be a file of a page, going by its suffix. */
bool metadata_is_output(const char *name);

/* Whether it may be a picture. */
bool metadata_is_picture(const char *name);

#endif
