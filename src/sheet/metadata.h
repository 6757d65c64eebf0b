/* The files beside a page that describe it: a row of a table for each kind. */
#ifndef SHEET_METADATA_H
#define SHEET_METADATA_H

#include <stdbool.h>

#include "sheet/atlas.h"

enum metadata {
    METADATA_JSON,     /* sheet/atlas.h: PixiJS and Phaser 3 */
    METADATA_ASEPRITE, /* sheet/aseprite.h: frames named "0", "1", ... and frameTags, for Phaser's
                          createFromAseprite */
    METADATA_GODOT,    /* sheet/godot.h: a SpriteFrames resource, .tres */
    METADATA_COUNT,
};

struct metadata_writer {
    const char *suffix; /* after the name of the page */
    bool is_of_sheet;   /* one file serves all pages, and goes with the first */
    int (*save)(const struct atlas *atlas, struct blob *out, struct error *err);
};

extern const struct metadata_writer metadata_writers[METADATA_COUNT];

#endif
