/* The JSON beside a page: frames, animations and meta as PixiJS and Phaser 3 read them, our own data under
 * meta.sheetbake. docs/formats.md lists the fields. Keys are sorted, there is no time stamp: the same atlas
 * gives the same bytes. Text that is not UTF-8 gets '?' for what JSON cannot hold.
 *
 * A sheet of several pages has one file each. `frames`, `animations` and `frameTags` of a file speak of its own
 * frames only, because PixiJS looks the frames of an animation up in the page alone: one from another page would
 * be undefined in its list. The whole of an animation that spans pages is under meta.sheetbake.animations.
 * `related_multi_packs` is in the first page's file only: loading that one loads all, and pages that name each
 * other make PixiJS's loader wait for ever when a program asks for several of them at once (issue 8833 there).
 * `frameTags` count frames in the order of the file, that of their names. */
#ifndef SHEET_ATLAS_H
#define SHEET_ATLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "sheet/layout.h"

struct atlas_frame {
    const char *name;        /* "job/animation/camera/0007" */
    struct rect rect;        /* in the page */
    bool trimmed;
    struct rect source_rect; /* where rect lay in the untrimmed cell */
    uint32_t source_px[2];   /* the untrimmed cell */
    double pivot[2];         /* the world origin in 0..1 of source_px, y down; may lie outside */
    double duration_ms;
    double time_s;           /* of the sample in its clip */
};

struct atlas_animation {
    const char *name; /* "animation/camera" */
    size_t first_frame, frame_count; /* in the frames of the whole sheet, not of this page */
    bool loop;
};

struct atlas_camera { /* how a camera saw the scope, for engines that place sprites in a world */
    const char *name;
    const char *projection; /* "orthographic" or "perspective" */
    double pixels_per_unit; /* of the cell, at the origin's depth */
};

struct atlas_input {
    const char *path;
    char hash[33]; /* XXH3-128 of its bytes, hexadecimal */
};

struct atlas {
    const char *image;                    /* file name of the page, relative to the JSON */
    uint32_t width, height;
    const struct atlas_frame *frames;     /* of the whole sheet */
    size_t frame_count;
    size_t first_frame, page_frame_count; /* those of this page */
    const struct atlas_animation *animations;
    size_t animation_count;
    const char *const *siblings;          /* the JSON files of the sheet's other pages; used on the first page */
    size_t sibling_count;
    const char *renderer;                 /* "OSMesa 22.3.6, llvmpipe (LLVM 15.0.6, 256 bits)" */
    const struct atlas_camera *cameras;
    size_t camera_count;
    const struct atlas_input *inputs;     /* every file that went into the sheet, sorted by path */
    size_t input_count;
    const char *const *warnings;
    size_t warning_count;
};

int atlas_save_json(const struct atlas *atlas, struct blob *out, struct error *err);

/* XXH3-128 of the bytes as 32 hexadecimal digits and a NUL. */
void atlas_hash(struct bytes bytes, char hash[33]);

#endif
