/* Passes: the same cells, drawn to show something else than their colour. docs/looks.md describes each for users.
 *
 * A pass is one row here; a new kind of picture also needs a shader (render/shaders.h). */
#pragma once

#include <stdint.h>

#include "render/downsample.h"
#include "render/shaders.h"
#include "sheet/sheet.h"

/* Which lines of the shot are drawn over everything. */
enum pass_lines {
    LINES_NONE,
    LINES_SKELETON, /* from each joint to its parent; the ends are dots */
    LINES_BOX,      /* the edges of the box around the pose */
};

/* What shows of a look on shaded surfaces; holes and the matrices of pictures show in every pass. */
#define SHADED (SHADER_TWO_SIDED | SHADER_RIM)
#define OWN_PICTURES (SHADER_METALLIC_ROUGHNESS | SHADER_OCCLUSION | SHADER_EMISSIVE)

/* In each row: the word of job lists and file names; what draws the surfaces; the features of looks that show; lines;
 * how samples become a pixel (NULL: the nearest one's depth); how the page is written.
 *
 * PASS_COLOR alone also shows blended layers, the ground, the outline and the background.
 * Normals are in view space: x right, y up, z to the viewer in r, g, b as 128 + 127 n.
 * Depth is linear along the line of sight: 65535 at the view's `nearest`, 1 at its `farthest`, 0 where nothing is.
 * A mask has one flat colour for each surface. UV has s and t, wrapped into 0..1, in r and g. */
/* clang-format off */
#define PASS_ROWS(X)                                                                                                   \
    X(PASS_COLOR, "color", SHADER_LIT, SHADED | SHADER_NORMAL_MAP | SHADER_SPECULAR | OWN_PICTURES, LINES_NONE, downsample, SHEET_COLOR) \
    X(PASS_NORMAL, "normal", SHADER_NORMAL, SHADER_TWO_SIDED | SHADER_NORMAL_MAP, LINES_NONE, downsample_normals, SHEET_DATA) \
    X(PASS_DEPTH, "depth", SHADER_FLAT, 0, LINES_NONE, NULL, SHEET_GREY16)                                             \
    X(PASS_MASK, "mask", SHADER_FLAT, 0, LINES_NONE, downsample_majority, SHEET_DATA)                                  \
    X(PASS_UV, "uv", SHADER_UV, 0, LINES_NONE, downsample_middle, SHEET_DATA)                                          \
    X(PASS_WIREFRAME, "wireframe", SHADER_WIRE, SHADED, LINES_NONE, downsample, SHEET_COLOR)                           \
    X(PASS_CLAY, "clay", SHADER_CLAY, SHADED, LINES_NONE, downsample, SHEET_COLOR)                                     \
    X(PASS_SKELETON, "skeleton", SHADER_CLAY, SHADED, LINES_SKELETON, downsample, SHEET_COLOR)                         \
    X(PASS_BOUNDS, "bounds", SHADER_CLAY, SHADED, LINES_BOX, downsample, SHEET_COLOR)
/* clang-format on */

enum pass {
#define X(pass, ...) pass,
    PASS_ROWS(X)
#undef X
        PASS_COUNT,
};

struct pass_row {
    enum shader_kind shader;
    unsigned features; /* of enum shader_feature */
    enum pass_lines lines;
    downsampler *shrink;
    enum sheet_kind sheet;
};

extern const struct pass_row pass_rows[PASS_COUNT];
extern const char *const pass_names[PASS_COUNT];

/* The colour of an id in PASS_MASK, opaque, for 0 transparent. Stable, well spread, and different for each id
 * below 65536. */
void mask_color(uint32_t id, uint8_t rgba[4]);
