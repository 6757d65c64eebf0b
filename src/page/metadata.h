/* The files of a page: its pictures, the files that describe it to an engine, and its record (page/record.h).
 *
 * A format of metadata is a file that writes it and a row here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "image/palette.h"
#include "model/clip.h"
#include "sheet/layout.h"

#define PICTURE_SUFFIX ".png"
#define PREVIEW_WORD ".preview"    /* before the clip and camera of a moving picture (sheet/movie.h) */
#define FRAMES_SUFFIX ".frames"    /* the folder of the frames of a page that are files (plan/plan.h) */
#define RECORD_SUFFIX ".sheetbake" /* of its own, because engines take *.json and *.png for assets */

/* -- What the files beside a page say about its sheet, whatever their format ------------------------------- */

/* Raised whenever the same inputs give other bytes than with the release before. */
#define OUTPUT_VERSION 6
#define OUTPUT_VERSION_TEXT "6" /* where other formats have the version of a program */

/* The scale of a cell, and its range of depths. */
struct atlas_scale {
    double pixels_per_unit;   /* of the cell, at the origin's depth */
    double nearest, farthest; /* of PASS_DEPTH: the distances in model units that are white, and darkest */
};

/* A socket that is in front of the camera, and where it is seen. */
struct atlas_socket {
    const char *name; /* one of the atlas */
    double px[2];     /* in the untrimmed cell, from its top left; may lie outside */
    double depth;     /* as in struct atlas_scale */
};

/* The rectangle around a part, in the untrimmed cell. */
struct atlas_box {
    const char *name;
    struct rect rect;
};

struct atlas_frame {
    const char *name; /* "grunt/walk/east/0003" */
    uint32_t page;
    const char *file;      /* its own, relative to the JSON; NULL: it has none, or was read */
    struct rect rect;      /* in the page; frames that look the same may share it */
    struct rect source;    /* where rect lay in the untrimmed cell; as large as rect */
    uint32_t source_px[2]; /* the untrimmed cell */
    double pivot[2];       /* the world origin in 0..1 of source_px, y down; may lie outside */
    double duration_ms;
    double start_ms; /* of a sheet that was read: the durations before it in its clip */
    double time_s;   /* of the sample in the model's clip */
    double moved[2]; /* of a clip that travels: root motion since its first keyframe, which no picture shows */
    struct atlas_scale scale;
    const struct atlas_socket *sockets; /* frames of other pages than the one to describe may have none */
    size_t socket_count;
    const struct atlas_box *boxes; /* as sockets */
    size_t box_count;
    uint32_t sample;                 /* of its clip */
    const struct clip_event *events; /* of the clip: those of its sample are this frame's */
    size_t event_count;
};

static inline bool atlas_frame_is_trimmed(const struct atlas_frame *frame)
{
    return frame->source.width < frame->source_px[0] || frame->source.height < frame->source_px[1];
}

struct atlas_keyframe {
    const char *frame; /* its name */
    double time_s;
};

/* A clip seen by a camera. */
struct atlas_clip {
    const char *name;                       /* "walk/east" */
    const char *animation, *camera;         /* "walk", "east"; NULL in a sheet that was read */
    size_t take;                            /* its number in the job */
    char rotations[3];                      /* of the camera: see sprite_rotations in plan/plan.h */
    size_t first_frame, frame_count;        /* in the frames of the whole sheet */
    const struct atlas_keyframe *keyframes; /* in place of the first frame, where one page was read; else NULL */
    bool loop;
    bool travels;
    double travel[2]; /* root motion from its beginning to its end, along x and y of the world, in model units */
};

struct atlas_camera { /* how a camera saw the scope, for engines that place sprites in a world */
    const char *name;
    const char *projection; /* "orthographic" or "perspective" */
    const char *mirrored;   /* a direction without cells, which shows those of this one flipped; or NULL */
    bool has_one_scale;     /* all its frames have this scale */
    struct atlas_scale scale;
};

struct atlas_pass {
    const char *name;  /* "normal" */
    const char *image; /* file name, relative to the JSON */
};

struct atlas_mask {
    uint8_t color[3];    /* in the sheet of PASS_MASK */
    const char *part;    /* the model, or what is attached to it */
    const char *surface; /* of that */
};

struct atlas_page {
    const char *image; /* file names, relative to each other */
    const char *json;
    uint32_t width, height;
};

struct atlas {
    const char *name;               /* of the sheet, "units/grunt"; NULL in one that was read */
    const struct atlas_page *pages; /* of the whole sheet */
    uint32_t page_count;
    uint32_t scale;                   /* of `scales`; 0: 1 */
    uint32_t page;                    /* the one to describe */
    const struct atlas_frame *frames; /* of the whole sheet */
    size_t frame_count;
    const struct atlas_clip *clips;
    size_t clip_count;
    const struct atlas_camera *cameras;
    size_t camera_count;
    bool has_frame_scales; /* frames then have scales of their own */
    bool has_pivot;        /* all cells show the world origin at one whole pixel: */
    double pivot_px[2];
    const struct atlas_pass *passes; /* besides the picture in colour */
    size_t pass_count;
    bool has_depths; /* PASS_DEPTH is among them */
    const struct atlas_mask *masks;
    size_t mask_count;
    const struct palette *palette; /* all colours of the picture; NULL: any */
    const char *const *sockets;    /* names; none of a sheet that was read */
    size_t socket_count;
};

/* -- Formats ----------------------------------------------------------------------------------------------- */

/* Formats. In each row: the word of job lists; what follows the name of the page; and whether no name may end so
 * (page/names.h): for a format that came later, that would refuse names of older lists. Compact takes the place of
 * JSON, and one of the two is always made. */
/* clang-format off */
#define METADATA_ROWS(X)              \
    X(METADATA_JSON, "json", ".json", true) \
    X(METADATA_COMPACT, "compact", ".json", true)

/* Formats that a template writes (page/templates/WORD.mustache). The first true: one file serves all pages of a sheet,
 * and goes with the first; the template has `{{#pages}}`. */
#define TEMPLATE_ROWS(X)                                                      \
    X(METADATA_ASEPRITE, "aseprite", ".aseprite.json", false, true)                 \
    X(METADATA_ASEPRITE_HASH, "aseprite-hash", ".aseprite-hash.json", false, true)  \
    X(METADATA_GODOT, "godot", ".tres", true, true)                                 \
    X(METADATA_TEXTUREPACKER, "texturepacker", ".texturepacker.json", false, true) \
    X(METADATA_LIBGDX, "libgdx", ".atlas", true, false)                              \
    X(METADATA_UNITY, "unity", ".tpsheet", false, false)                             \
    X(METADATA_COCOS, "cocos", ".plist", false, false)                               \
    X(METADATA_GZDOOM, "gzdoom", ".textures", true, false)                           \
    X(METADATA_LOVE, "love", ".lua", true, false)                                    \
    X(METADATA_TILED, "tiled", ".tsx", false, false)
/* clang-format on */

enum metadata {
#define X(metadata, ...) metadata,
    METADATA_ROWS(X) TEMPLATE_ROWS(X)
#undef X
        METADATA_COUNT,
    TEMPLATES_MOST = 8, /* of a job's own */
    METADATA_MOST_FILES = METADATA_COUNT + TEMPLATES_MOST,
};

struct metadata_format {
    const char *name, *suffix;
    bool is_of_sheet, is_reserved;
    const char *template, *template_end; /* NULL: pixi_save writes it */
};

extern const struct metadata_format metadata_formats[METADATA_COUNT];

/* The file of the page to describe; *out stays as it is where that of the sheet's first page serves it. */
int metadata_save(enum metadata metadata, const struct atlas *atlas, struct blob *out, struct error *err);

/* The JSON of the page to describe. */
int pixi_save(const struct atlas *atlas, bool is_compact, struct blob *out, struct error *err);

/* Reads what pixi_save wrote, as a sheet of this page alone, and checks it: a stranger may have written it. Which frames a clip
 * has is told by its keyframes; they may be on other pages. What is read lives in the arena. */
int pixi_load(struct bytes file, struct arena *arena, struct atlas *out, struct error *err);

#define TEMPLATE_SUFFIX ".mustache"

/* Returns the ending of the files that a job's own template writes, in the arena: ".atlas" of
 * "engines/my.atlas.mustache", ".my" of "my.mustache". */
char *template_suffix(struct arena *arena, const char *path);

/* Whether a file of this name may be a file of a page, going by its suffix. */
bool metadata_is_output(const char *name);

/* Whether it may be a picture. */
bool metadata_is_picture(const char *name);
