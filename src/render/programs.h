/* The GL programs, each compiled when it is first needed: a plain sheet needs one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "material/material.h"
#include "render/gl.h"
#include "render/shaders.h"

/* Texture units are those of enum picture_kind, and one for the masks of layers. */
enum { UNIT_MASK = PICTURE_COUNT, UNIT_COUNT };

/* Names as in the GLSL sources. Where a program has no such uniform, setting it does nothing. */
/* clang-format off */
#define PROGRAM_UNIFORMS(X)                                                                         \
    X(model_to_clip) X(model_to_view) X(target_size)                                                \
    X(alpha_test) X(base_factor) X(normal_scale)                                                    \
    X(rig) X(light_steps) X(flat_color) X(line_width) X(source_factor) X(destination_factor)                              \
    X(emission) X(even_light) X(metallic_roughness_occlusion) X(specular_factor) X(is_glossy) \
    X(team_range) X(shade_factor) X(shade_range)
/* clang-format on */

struct program {
    enum shader_kind kind;
    unsigned features;
    GLuint id;
#define X(name) GLint name;
    PROGRAM_UNIFORMS(X)
#undef X
    GLint matrices[UNIT_COUNT]; /* where the rows of the picture's matrix are */
    uint64_t shot;              /* the renderer's number of the shot whose light and view are set */
};

struct programs {
    const struct gl *gl;
    struct program *items; /* some dozens at most */
    size_t count, capacity;
};

/* NULL, with the driver's reason, when it does not compile. Good until the next one is got. */
struct program *programs_get(struct programs *programs, enum shader_kind kind, unsigned features,
                             struct error *err);
void programs_release(struct programs *programs);
