/* The open job on the GL side: draws any cell of its plan in any pass.
 *
 * Cells that follow each other are best of one sample: it is posed once for all of them. */
#pragma once

#include "render/renderer.h"
#include "bake/plan.h"
#include "bake/textures.h"
#include "bake/views.h"

struct studio;

/* Loads what the parts look like. `plan` and `views` are borrowed, the textures are good until textures_trim. */
int studio_open(struct studio **out, struct renderer *renderer, struct textures *textures, const struct plan *plan,
                const struct views *views, struct error *err);
void studio_close(struct studio *studio); /* NULL is fine */

/* Poses the cell's sample unless it is posed already; studio_draw does so, too, in its caller's time for drawing.
 */
void studio_pose(struct studio *studio, const struct cell *cell);

/* The finished cell, of `stride` bytes a row, in pixels of the pass's kind of sheet. */
int studio_draw(struct studio *studio, const struct cell *cell, enum pass pass, void *pixels, size_t stride,
                struct error *err);
