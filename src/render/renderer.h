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
 * Lighting is computed in linear light: the sampler decodes colours from sRGB, the target is linear, with 16 bits a
 * channel, and supersamples are averaged before they are encoded (render/downsample.h): drivers encode by approximations
 * that differ from one processor to the next. Only blended layers blend codes. Normal maps have x along s and y along t,
 * so down the picture (green as if lit from below, as Doom 3 and Cube 2 have it). Everything here belongs to the
 * context and goes before it does. The renderer does not know which file format a model came from.
 *
 * Surfaces that consist of blended layers alone, or add light, are not solid: they are drawn after all others, only in
 * passes that show layers, and throw no shadow. A shot that has nothing else is drawn in the other passes as if it were
 * solid. Holes are holes in every pass, so that all have the same silhouette. Blended materials of model files are solid in
 * passes without SHOWS_LAYERS, where they hide at least half of what is behind them, and blended in the others. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "image/image.h"
#include "image/mipmap.h"
#include "render/context.h"
#include "render/drawable.h"
#include "render/pass.h"
#include "render/shot.h"

struct renderer;

int renderer_new(struct context *context, struct renderer **out, struct error *err);
void renderer_free(struct renderer *renderer);

/* Uploads the picture with all its mip levels; trilinear. MIPMAP_COLOR is decoded from sRGB
 * where it is sampled, MIPMAP_DATA is not. The image is not kept. */
int renderer_add_texture(struct renderer *renderer, const struct image *image, enum mipmap_kind kind,
                         struct texture *out, struct error *err);
void renderer_drop_texture(struct renderer *renderer, struct texture *texture);

/* Cells of this size from now on, each drawn at `supersample` times its size on both axes (1..4). */
int renderer_set_target(struct renderer *renderer, const uint32_t cell_px[2], uint32_t supersample,
                        struct error *err);

/* Draws one cell, on a transparent ground unless the shot has one. What the shot names is not kept. */
void renderer_draw(struct renderer *renderer, const struct shot *shot, enum pass pass);

/* The finished cell: straight alpha, rows from the top, of `stride` bytes; the pixels are as the pass's row says
 * (render/pass.h): RGBA, or 16 bits of depth. Fails when GL reported an error since the last call, such as being out of
 * memory. */
int renderer_read(struct renderer *renderer, void *pixels, size_t stride, struct error *err);

/* The mean of the grey values, 0 to 1, of what the cell of PASS_MAIN that was read last shows of the model alone, without
 * outline, ground and background; NAN where it shows nothing. */
float renderer_lightness(const struct renderer *renderer);
