/* What one cell shows, as data: models, how their surfaces look, light, view and what surrounds them. */
#pragma once

#include <cglm/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "material/material.h"
#include "model/camera.h"
#include "render/style.h"

struct drawable;

/* A picture on the GL side, and how it lies on a surface. A zeroed texture stands for "no picture": drawn plain.
 */
struct texture {
    unsigned id;
    bool has_alpha, alpha_is_mask; /* as the image's */
    struct texture_placement placement;
};

/* A blended layer of a look; the factors and numbers are those of material/material.h.
 *
 * The alpha that the DST_ALPHA factors take is that of `mask`, 1 without one, and not that of the target. In the
 * engine the alpha of a pixel is a scratch value that one layer leaves for the next; here it is what a sheet shows
 * of its background, which masks must not touch. */
struct look_layer {
    struct texture image;
    enum blend_factor source, destination;
    float alpha_test;
    vec4 color;
    bool is_lit;     /* light falls on it */
    unsigned masked; /* channels that are not drawn: bits 1 red, 2 green, 4 blue */
    struct texture mask;
};

/* How one surface looks. A zeroed look but for alpha_test (-1) is plain and opaque. */
struct look {
    struct texture pictures[PICTURE_COUNT];
    float alpha_test; /* texels of the diffuse one with less alpha are holes; below 0: alpha is ignored */
    bool two_sided;
    bool unsmoothed_tangents; /* with a normal map: the bases of dominant triangles (model/tangents.h) */
    bool back_sided;          /* only back faces are drawn */
    bool adds_light;          /* with layers_only: before the layers, what the maps shine is added */
    bool layers_only;         /* nothing but the layers is drawn; without layers: nothing. One that starts with a
                                        layer that covers (one, zero) is solid all the same */
    const struct look_layer *layers; /* borrowed */
    size_t layer_count;

    /* The material that the model file brings (borrowed), or NULL. What it says of alpha and sides is in alpha_test,
     * blends and two_sided. */
    const struct model_material *own;
    bool blends; /* by its alpha it lets through what is behind */
};

/* A posed model in the world of a shot. */
struct shot_part {
    struct drawable *drawable;
    const struct look *looks; /* one per surface of its model */
    mat4 model_to_world;      /* rotation, translation and uniform scale */
    uint32_t first_mask_id;   /* PASS_MASK: its surfaces have this id and the following; 0 is nothing */
};

/* Everything one cell shows. */
struct shot {
    const struct shot_part *parts;
    size_t part_count;
    const struct light_rig *light;
    /* For the passes that show them; NULL: none */
    const struct ground *ground;
    float ground_height; /* world z */
    const struct outline *outline;
    const struct background *background;
    const struct pixel_art *pixel; /* NULL, or not wanted: none */
    const struct view *view;
    const vec3 (*lines)[2]; /* in the world, for passes that have lines */
    size_t line_count;
};
