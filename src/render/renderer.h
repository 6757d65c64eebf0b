/* Draws posed meshes into cells of pixels.
 *
 *     renderer_new(context, &renderer, err);
 *     renderer_add_texture(renderer, &image, kind, &texture, err);   once per picture
 *     drawable_new(renderer, model, &drawable, err);                 once per model
 *     renderer_set_target(renderer, cell_px, supersample, err);      once per sheet
 *     drawable_set_pose(drawable, mesh);                             once per sample
 *     renderer_draw(renderer, &shot, pass);                          once per camera and pass
 *     renderer_read(renderer, pixels, stride, err);                  after each renderer_draw
 *
 * Lighting is computed in linear light: colours are decoded from sRGB by the sampler, the target encodes to sRGB,
 * and supersamples are averaged in linear light (render/downsample.h). Normal maps have x along s and y along t,
 * so down the picture (green as if lit from below, as Doom 3 and Cube 2 have it). Everything here belongs to the
 * context and goes before it does. The renderer does not know which file format a model came from.
 *
 * Surfaces that consist of blended layers alone, or add light, are not solid: they are drawn in PASS_COLOR only,
 * after all others, and throw no shadow. A shot that has nothing else is drawn in the other passes as if it were
 * solid. Holes are holes in every pass, so that all have the same silhouette. */
#ifndef RENDER_RENDERER_H
#define RENDER_RENDERER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/image.h"
#include "material/material.h"
#include "image/mipmap.h"
#include "base/error.h"
#include "model/camera.h"
#include "model/model.h"
#include "render/context.h"
#include "render/light.h"
#include "render/pass.h"
#include "render/style.h"

struct renderer;
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
struct look_stage {
    struct texture image;
    enum blend_factor source, destination;
    float alpha_test;
    vec4 color;
    unsigned masked; /* channels that are not drawn: bits 1 red, 2 green, 4 blue */
    struct texture mask;
};

/* How one surface looks. A zeroed look but for alpha_test (-1) is plain and opaque. */
struct look {
    struct texture diffuse, normal, specular;
    float alpha_test; /* texels of diffuse with less alpha are holes; below 0: alpha is ignored */
    bool two_sided;
    bool unsmoothed_tangents; /* with a normal map: the bases of dominant triangles (model/tangents.h) */
    bool back_sided;          /* only back faces are drawn */
    bool adds_light;          /* with stages_only: before the stages, what the maps shine is added */
    bool stages_only;         /* nothing but the stages is drawn; without stages: nothing. One that starts with a
                                        stage that covers (one, zero) is solid all the same */
    const struct look_stage *stages; /* borrowed */
    size_t stage_count;
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
    const struct ground *ground;   /* PASS_COLOR only; NULL: none */
    float ground_height;           /* world z */
    const struct outline *outline; /* PASS_COLOR only; NULL: none */
    const struct view *view;
    const vec3 (*lines)[2]; /* of PASS_SKELETON and PASS_BOUNDS, in the world; drawn over everything */
    size_t line_count;
};

int renderer_new(struct context *context, struct renderer **out, struct error *err);
void renderer_free(struct renderer *renderer);

/* Uploads the picture with all its mip levels; trilinear. MIPMAP_COLOR is decoded from sRGB
 * where it is sampled, MIPMAP_DATA is not. The image is not kept. */
int renderer_add_texture(struct renderer *renderer, const struct image *image, enum mipmap_kind kind,
                         struct texture *out, struct error *err);
void renderer_drop_texture(struct renderer *renderer, struct texture *texture);

int drawable_new(struct renderer *renderer, const struct model *model, struct drawable **out, struct error *err);
void drawable_free(struct drawable *drawable);
void drawable_set_pose(struct drawable *drawable, const struct mesh *mesh);

/* Cells of this size from now on, each drawn at `supersample` times its size on both axes (1..4). */
int renderer_set_target(struct renderer *renderer, const uint32_t cell_px[2], uint32_t supersample,
                        struct error *err);

/* Draws one cell, on a transparent ground unless the shot has one. What the shot names is not kept. */
void renderer_draw(struct renderer *renderer, const struct shot *shot, enum pass pass);

/* The finished cell of any pass but depth: RGBA, straight alpha, rows from the top, of `stride` bytes. Colour-like
 * passes are averaged in linear light, normals as vectors, masks by majority; of texture coordinates the sample
 * nearest to the middle is taken. Fails when GL reported an error since the last call, such as being out of
 * memory. */
int renderer_read(struct renderer *renderer, uint8_t *pixels, size_t stride, struct error *err);

/* The finished cell of PASS_DEPTH: 16 bits a pixel, 65535 at `near_far[0]`, 1 at near_far[1] (distances along the
 * line of sight from the camera's plane, in model units), linear in between and held beyond; 0 where nothing is.
 * Each pixel is the nearest of its samples. Where both distances are equal, everything is at the near one. */
int renderer_read_depth(struct renderer *renderer, const float near_far[2], uint16_t *pixels, size_t stride,
                        struct error *err);

#endif
