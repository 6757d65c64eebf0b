/* Materials of Doom 3 (.mtr): what is in the block of a declaration.
 *
 *     models/imp/body
 *     {
 *         bumpmap   addnormals(models/imp/body_local.tga, heightmap(models/imp/body_h.tga, 4))
 *         {
 *             blend     diffusemap
 *             map       models/imp/body.tga
 *             alphaTest 0.5
 *         }
 *         {
 *             if        parm7 == 0
 *             blend     add
 *             map       models/imp/glow.tga
 *             rgb       0.8
 *         }
 *     }
 *
 * Read are `diffusemap`, `bumpmap`, `specularmap`, `twoSided`, `translucent`, `forceOpaque` and
 * `unsmoothedTangents`, and of stages `blend`, `map`, `alphaTest`, `if`, `texGen`, and what gives a colour: `rgb`,
 * `rgba`, `red`, `green`, `blue`, `alpha`, `color`, `vertexColor`, `inverseVertexColor`. Words may be quoted. Expressions
 * have the value they have at first (mtr_expression.c). Everything else is passed over to the end of its line, or of the
 * block that opens on it, but a map on that line is read: shader programs, sounds, what the editor and the physics
 * want. */
#pragma once

#include "material/declarations.h"
#include "model/own_material.h"

/* As glBlendFunc has them. */
enum blend_factor {
    BLEND_ONE,
    BLEND_ZERO,
    BLEND_SRC_COLOR,
    BLEND_ONE_MINUS_SRC_COLOR,
    BLEND_SRC_ALPHA,
    BLEND_ONE_MINUS_SRC_ALPHA,
    BLEND_DST_COLOR,
    BLEND_ONE_MINUS_DST_COLOR,
    BLEND_DST_ALPHA,
    BLEND_ONE_MINUS_DST_ALPHA,
};

/* "one", "src_alpha", ...: for people and JSON. */
extern const char *const blend_factor_names[];

/* Each stage costs a draw. Real materials have up to a dozen. */
enum { MTR_MAX_STAGES = 64 };

enum mtr_role { MTR_BLENDED, MTR_DIFFUSE, MTR_BUMP, MTR_SPECULAR };

struct mtr_stage {
    enum mtr_role role;
    const char *image;                     /* an image program as written, not checked; never NULL */
    unsigned line;                         /* of the image */
    enum blend_factor source, destination; /* of MTR_BLENDED */
    float alpha_test;                      /* below 0: none */
    float color[4];                        /* 0 to 1; multiplies codes */
    bool is_lit;                           /* of MTR_BLENDED: light falls on it */
    struct texture_placement placement;
    unsigned masked; /* channels it does not write: bits 1 red, 2 green, 4 blue, 8 alpha */
};

struct mtr {
    struct arena arena;
    bool two_sided, back_sided, translucent, unsmoothed_tangents;
    unsigned roles; /* bits 1 << role, of all stages, shown or not */
    bool reflects;  /* some stage shows its surroundings */
    /* Those that show and have an image, in order. `diffusemap x` and its like are stages too. */
    struct mtr_stage *stages;
    size_t stage_count, stage_capacity;
};

/* Takes the expression that starts where the lexer stands, see mtr_expression.c. It ends on its line, but for what is
 * in parentheses. The lexer's own words do not fit here: to them `parm7==0` is one. */
double mtr_expression_take(struct lexer *lexer);

/* Warnings start with the number of a line. */
void mtr_parse(const struct declaration *declaration, struct mtr *out, struct strings *warnings);
/* The same of a shader of Quake III (scripts/ .shader), which has stages alone:
 *
 *     models/players/sarge/sarge
 *     {
 *         cull none
 *         {
 *             map     models/players/sarge/sarge.tga
 *             rgbGen  lightingDiffuse
 *         }
 *         {
 *             map        textures/effects/envmap.tga
 *             blendFunc  add
 *             tcGen      environment
 *         }
 *     }
 *
 * Read are `cull`, and of stages `map`, `clampMap`, `animMap` (its first picture), `blendFunc`, `alphaFunc`, `rgbGen`,
 * `alphaGen`, `tcGen` and `tcMod`, at time 0. */
void mtr_parse_q3(const struct declaration *declaration, struct mtr *out, struct strings *warnings);
void mtr_release(struct mtr *mtr);
