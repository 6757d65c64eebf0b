/* Passes: the same cells, drawn to show something else than their colour. docs/looks.md describes each for users.
 *
 * A pass is one row here; a new kind of picture also needs a shader (render/shaders.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "render/downsample.h"
#include "render/shaders.h"
#include "sheet/sheet.h"

/* What a pass shows besides its surfaces, and what others have to do for it. */
enum pass_trait {
    SHOWS_LAYERS = 1, /* blended layers, and through what blends what is behind it */
    SHOWS_GROUND = 2,
    SHOWS_OUTLINE = 4,
    SHOWS_BACKGROUND = 8,
    SHOWS_SKELETON = 16, /* over everything: lines from each joint to its parent; the ends are dots */
    SHOWS_BOX = 32,      /* over everything: the edges of the box around the pose */
    HAS_DISTANCES = 64,  /* its pixels mean distances: the metadata says which */
    HAS_LEGEND = 128,    /* its pixels mean surfaces: the metadata says which colour is which */
    HAS_EDGES = 256,     /* pixel art gives it hard edges */

    /* A layer of the colour picture, which leaves it out where the job has this pass (shot.apart). */
    ONLY_GROUND = 512,
    ONLY_OUTLINE = 1024,
    ONLY_EMISSION = 2048, /* all surfaces as they are without light: black where nothing shines */
    ONLY_TEAM = 4096,     /* what has the team's colour, white */
    ONLY_ALBEDO = 8192,   /* all surfaces in even light, and nothing shines; the colour picture stays as it is */
    IS_LAYER = ONLY_GROUND | ONLY_OUTLINE | ONLY_EMISSION | ONLY_TEAM | ONLY_ALBEDO,
};

/* What shows of a look on shaded surfaces; holes and the matrices of pictures show in every pass. */
#define SHADED (SHADER_TWO_SIDED | SHADER_RIM)
#define OWN_PICTURES (SHADER_METALLIC_ROUGHNESS | SHADER_OCCLUSION | SHADER_EMISSIVE)
#define COLORED (SHADED | SHADER_NORMAL_MAP | SHADER_SPECULAR | OWN_PICTURES)

/* In each row: the word of job lists and file names; what draws the surfaces; the features of looks that show; traits;
 * how samples become a pixel (NULL: the nearest one's depth); how the page is written.
 *
 * Normals are in view space: x right, y up, z to the viewer in r, g, b as 128 + 127 n.
 * Depth is linear along the line of sight: 65535 at the view's `nearest`, 1 at its `farthest`, 0 where nothing is.
 * A mask has one flat colour for each surface. UV has s and t, wrapped into 0..1, in r and g. */
/* clang-format off */
#define PASS_ROWS(X)                                                                                                   \
    X(PASS_COLOR, "color", SHADER_LIT, COLORED,                                                                        \
      SHOWS_LAYERS | SHOWS_GROUND | SHOWS_OUTLINE | SHOWS_BACKGROUND | HAS_EDGES, NULL, SHEET_COLOR)                   \
    X(PASS_NORMAL, "normal", SHADER_NORMAL, SHADER_TWO_SIDED | SHADER_NORMAL_MAP, 0, reduce_normals, SHEET_DATA)       \
    X(PASS_DEPTH, "depth", SHADER_FLAT, 0, HAS_DISTANCES, NULL, SHEET_GREY16)                                          \
    X(PASS_MASK, "mask", SHADER_FLAT, 0, HAS_LEGEND, reduce_majority, SHEET_DATA)                                      \
    X(PASS_UV, "uv", SHADER_UV, 0, 0, reduce_middle, SHEET_DATA)                                                       \
    X(PASS_WIREFRAME, "wireframe", SHADER_WIRE, SHADED, 0, NULL, SHEET_COLOR)                                          \
    X(PASS_CLAY, "clay", SHADER_CLAY, SHADED, 0, NULL, SHEET_COLOR)                                                    \
    X(PASS_SKELETON, "skeleton", SHADER_CLAY, SHADED, SHOWS_SKELETON, NULL, SHEET_COLOR)                               \
    X(PASS_BOUNDS, "bounds", SHADER_CLAY, SHADED, SHOWS_BOX, NULL, SHEET_COLOR)                                        \
    X(PASS_SHADOW, "shadow", SHADER_FLAT, 0, SHOWS_GROUND | ONLY_GROUND, NULL, SHEET_COLOR)                            \
    X(PASS_OUTLINE, "outline", SHADER_LIT, COLORED,                                                                    \
      SHOWS_LAYERS | SHOWS_OUTLINE | HAS_EDGES | ONLY_OUTLINE, NULL, SHEET_COLOR)                                      \
    X(PASS_EMISSION, "emission", SHADER_LIT, COLORED, SHOWS_LAYERS | HAS_EDGES | ONLY_EMISSION, NULL, SHEET_COLOR)     \
    X(PASS_ALBEDO, "albedo", SHADER_LIT, COLORED, SHOWS_LAYERS | ONLY_ALBEDO, NULL, SHEET_COLOR)                       \
    X(PASS_TEAMCOLOR, "teamcolor", SHADER_FLAT, 0, HAS_EDGES | ONLY_TEAM, NULL, SHEET_COLOR)
/* clang-format on */

enum pass {
#define X(pass, ...) pass,
    PASS_ROWS(X)
#undef X
        PASS_COUNT,
    PASS_MAIN = 0, /* the sheet's own picture: every job has it, and the names of its files leave the word out */
};

enum { PASSES_ALWAYS = 1 << PASS_MAIN };

struct pass_row {
    enum shader_kind shader;
    unsigned features; /* of enum shader_feature */
    unsigned traits;   /* of enum pass_trait */
    reducer *reduce;
    enum sheet_kind sheet;
};

extern const struct pass_row pass_rows[PASS_COUNT];
extern const char *const pass_names[PASS_COUNT];

/* Of a set of passes, a bit `1 << pass` for each: whether this one is in it, and whether one with this trait is. */
bool passes_have(uint32_t passes, enum pass pass);
bool passes_need(uint32_t passes, enum pass_trait trait);

/* The colour of an id in PASS_MASK, opaque, for 0 transparent. Stable, well spread, and different for each id
 * below 65536. */
void mask_color(uint32_t id, uint8_t rgba[4]);
