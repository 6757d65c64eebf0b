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
    uint32_t apart; /* the passes of the job: the colour leaves out what has one of its own */
    const struct light_rig *light;
    /* For the passes that show them; NULL: none */
    const struct ground *ground;
    float ground_height; /* world z */
    const struct outline *outline;
    const struct background *background;
    float team_range[4]; /* a direction among the hues, least cosine to it, least saturation (render/shaders.c) */
    const struct pixel_art *pixel; /* NULL, or not wanted: none */
    const struct view *view;
    const vec3 (*lines)[2]; /* in the world, for passes that have lines */
    size_t line_count;
};
