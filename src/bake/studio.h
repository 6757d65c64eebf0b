/* The open job on the GL side: draws any cell of its plan in any pass.
 *
 * Cells that follow each other are best of one sample: it is posed once for all of them. */
#pragma once

#include "render/renderer.h"
#include "plan/scene.h"

struct studio;

/* All are borrowed. */
int studio_open(struct studio **out, struct renderer *renderer, const struct plan *plan, const struct views *views,
                struct error *err);
void studio_close(struct studio *studio); /* NULL is fine */

/* Poses the cell's sample unless it is posed already; studio_draw does so, too, in its caller's time for drawing.
 */
void studio_pose(struct studio *studio, const struct cell *cell);

/* Counts the colours of all cells or, where these are more than `most`, of some, evenly spread. They stay as they are drawn,
 * as far as that takes little memory: studio_draw finishes them. */
int studio_count_colors(struct studio *studio, size_t most, struct color_counts *counts, struct error *err);

/* As it is posed. */
const struct scene *studio_scene(const struct studio *studio);

/* The finished cell, of `stride` bytes a row, in pixels of the pass's kind of sheet. The colour leaves out what passes of
 * `apart` have. With `is_mirrored` as the camera's mirrored direction sees it, in a mirrored light: the cell, flipped,
 * where the sides of the model are alike. */
int studio_draw(struct studio *studio, const struct cell *cell, enum pass pass, uint32_t apart, bool is_mirrored,
                void *pixels, size_t stride, struct error *err);

/* Of the cell that was drawn last in PASS_MAIN (render/renderer.h). */
float studio_lightness(const struct studio *studio);
