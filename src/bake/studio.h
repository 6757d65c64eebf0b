/* The open job on the GL side: draws any cell of its plan in any pass.
 *
 * Cells that follow each other are best of one sample: it is posed once for all of them. */
#pragma once

#include "asset/assets.h"
#include "image/mipmap.h"
#include "render/renderer.h"
#include "plan/plan.h"
#include "plan/scene.h"

/* -- Textures ----------------------------------------------------------------------------------------------
 *
 * A worker's cache of them, by image program (image/image_program.h): models share skins, and pages share models. The
 * least recently used ones are dropped when their texels or their number exceed a budget, so that a worker's memory
 * stays bounded over thousands of models. */

struct textures;

/* Without a renderer, pictures are decoded and their sizes kept: enough to judge a job that is not drawn. */
struct textures *textures_new(struct renderer *renderer, struct assets *assets);
void textures_free(struct textures *textures);

/* The texture of the program, from the cache or loaded; either way the trace of the assets gets the files it was
 * made of. Colours (also those of specular maps) are MIPMAP_COLOR, normal maps MIPMAP_DATA. Valid until
 * textures_trim. */
int textures_get(struct textures *textures, const char *program, enum mipmap_kind kind, float alpha_test,
                 struct texture *out, struct error *err);

/* Between jobs: drops the least recently used ones while over the budget. */
void textures_trim(struct textures *textures);

/* -- The studio -------------------------------------------------------------------------------------------- */

struct studio;

/* Loads what the parts look like. `plan` and `views` are borrowed, the textures are good until textures_trim. */
int studio_open(struct studio **out, struct renderer *renderer, struct textures *textures, const struct plan *plan,
                const struct views *views, struct error *err);
void studio_close(struct studio *studio); /* NULL is fine */

/* Poses the cell's sample unless it is posed already; studio_draw does so, too, in its caller's time for drawing.
 */
void studio_pose(struct studio *studio, const struct cell *cell);

/* Counts the colours of all cells or, where these are more than `most`, of some, evenly spread. */
int studio_count_colors(struct studio *studio, size_t most, struct color_counts *counts, struct error *err);

/* The box around what is posed, in world space; false where nothing can be seen. */
bool studio_box(const struct studio *studio, vec3 box[2]);

/* The finished cell, of `stride` bytes a row, in pixels of the pass's kind of sheet. The colour leaves out what passes of
 * `apart` have. With `is_mirrored` as the camera's mirrored direction sees it, in a mirrored light: the cell, flipped,
 * where the sides of the model are alike. */
int studio_draw(struct studio *studio, const struct cell *cell, enum pass pass, uint32_t apart, bool is_mirrored,
                void *pixels, size_t stride, struct error *err);

/* Of the cell that was drawn last in PASS_MAIN (render/renderer.h). */
float studio_lightness(const struct studio *studio);

/* The size of a picture that the studio's plan shows; false where it was not loaded. A picture_size (bake/pages.h). */
bool studio_picture_size(void *studio, const char *program, uint32_t size_px[2]);
