/* The files of a page: its pictures, the files that describe it to an engine, and its record (fresh/record.h).
 *
 * A format of metadata is a file that writes it and a row here. */
#ifndef SHEET_METADATA_H
#define SHEET_METADATA_H

#include <stdbool.h>

#include "sheet/atlas.h"

#define PICTURE_SUFFIX ".png"
#define PREVIEW_WORD ".preview"    /* before the clip and camera of a moving picture (sheet/movie.h) */
#define RECORD_SUFFIX ".sheetbake" /* of its own, because engines take *.json and *.png for assets */

/* In each row: the word of job lists; what follows the name of the page; whether one file serves all pages of a
 * sheet, and goes with the first; what writes it. Compact takes the place of JSON, and one of the two is always
 * made. */
/* clang-format off */
#define METADATA_ROWS(X)                                                                        \
    X(METADATA_JSON, "json", ".json", false, pixi_save)                                   \
    X(METADATA_COMPACT, "compact", ".json", false, pixi_save_compact)                          \
    X(METADATA_ASEPRITE, "aseprite", ".aseprite.json", false, aseprite_save)                    \
    X(METADATA_ASEPRITE_HASH, "aseprite-hash", ".aseprite-hash.json", false, aseprite_save_hash) \
    X(METADATA_GODOT, "godot", ".tres", true, godot_save)
/* clang-format on */

enum metadata {
#define X(metadata, ...) metadata,
    METADATA_ROWS(X)
#undef X
        METADATA_COUNT,
};

#define X(metadata, name, suffix, is_of_sheet, save)                                                              \
    int save(const struct atlas *atlas, struct blob *out, struct error *err);
METADATA_ROWS(X)
#undef X

struct metadata_format {
    const char *name, *suffix;
    bool is_of_sheet;
    int (*save)(const struct atlas *atlas, struct blob *out, struct error *err);
};

extern const struct metadata_format metadata_formats[METADATA_COUNT];

/* Whether a file of this name may be a file of a page, going by its suffix. */
bool metadata_is_output(const char *name);

/* Whether it may be a picture. */
bool metadata_is_picture(const char *name);

#endif
