/* Draws a preview (bake/previews.h).
 *
 * The cells are drawn once more: they may be on several pages, and have there the colours that `bleed` gives transparent
 * pixels. */
#ifndef BAKE_PREVIEW_DRAW_H
#define BAKE_PREVIEW_DRAW_H

#include "base/bytes.h"
#include "bake/studio.h"

/* Its file. The renderer's target has the size of a cell. */
int preview_draw(const struct plan *plan, struct studio *studio, const struct preview_plan *preview,
                 struct blob *out, struct error *err);

#endif
