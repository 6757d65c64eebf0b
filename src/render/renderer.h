/* Draws posed meshes into cells of pixels.
 *
 *     renderer_new(context, &renderer, err);
 *     renderer_add_texture(renderer, &image, &texture, err);         once per picture
 *     drawable_new(renderer, model, &drawable, err);                 once per model
 *     renderer_set_target(renderer, cell_px, supersample, err);      once per sheet
 *     drawable_set_pose(drawable, mesh);                             once per sample
 *     renderer_draw(renderer, drawable, looks, &light, &view);       once per camera
 *     renderer_read(renderer, pixels, stride, err);                  after each renderer_draw
 *
 * Lighting is computed in linear light: textures are decoded from sRGB by the sampler, the target encodes to sRGB,
 * and supersamples are averaged in linear light (render/downsample.h). Everything here belongs to the context
 * and goes before it does. The renderer does not know which file format a model came from. */
#ifndef RENDER_RENDERER_H
#define RENDER_RENDERER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asset/image.h"
#include "base/error.h"
#include "model/camera.h"
#include "model/model.h"
#include "render/context.h"
#include "render/light.h"

struct renderer;
struct drawable;

/* A picture on the GL side. A zeroed texture stands for "no picture": drawn plain. */
struct texture {
    unsigned id;
    bool has_alpha;
};

/* How one surface looks. */
struct look {
    struct texture diffuse;
    bool cut_out; /* texels less than half opaque are holes; otherwise alpha is ignored */
};

int renderer_new(struct context *context, struct renderer **out, struct error *err);
void renderer_free(struct renderer *renderer);

/* Uploads the picture with all its mip levels; repeats outside 0..1, trilinear. The image is not kept. */
int renderer_add_texture(struct renderer *renderer, const struct image *image, struct texture *out, struct error *err);
void renderer_drop_texture(struct renderer *renderer, struct texture *texture);

int drawable_new(struct renderer *renderer, const struct model *model, struct drawable **out, struct error *err);
void drawable_free(struct drawable *drawable);
void drawable_set_pose(struct drawable *drawable, const struct mesh *mesh);

/* Cells of this size from now on, each drawn at `supersample` times its size on both axes (1..4). */
int renderer_set_target(struct renderer *renderer, const uint32_t cell_px[2], uint32_t supersample, struct error *err);

/* Draws the drawable's pose into the target, on a transparent ground. `looks` has one entry per surface of the
 * model. */
void renderer_draw(struct renderer *renderer, const struct drawable *drawable, const struct look *looks,
                   const struct light_rig *light, const struct view *view);

/* The finished cell: RGBA, straight alpha, sRGB, from the top, rows of `stride` bytes. Fails when GL reported
 * an error since the last call, such as being out of memory. */
int renderer_read(struct renderer *renderer, uint8_t *pixels, size_t stride, struct error *err);

#endif
