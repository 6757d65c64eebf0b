/* The blended layers of a shot, drawn over its solid surfaces. */
#ifndef RENDER_STAGES_H
#define RENDER_STAGES_H

#include "render/renderer.h"

/* Surfaces with layers are drawn farthest first, by the depth of their centres over all parts, each with its
 * layers in their order; where a surface has nothing solid under its layers, its triangles are sorted likewise.
 * Layers are tested against depth but leave none. They are not lit. A look that adds light is drawn as it is lit,
 * and added, before its layers.
 *
 * The target holds colour multiplied by alpha, so that light added over transparent ground is kept: colour without
 * alpha. What a layer lets through decides the alpha it leaves (stage_fragment in shaders.c). */
void stages_draw(struct renderer *renderer, const struct shot *shot);

/* The first layer of surface i, which covers what is behind it (look_cover), as a solid that is not lit. */
void stages_draw_cover(struct renderer *renderer, const struct shot *shot, const struct shot_part *part,
                       uint32_t i);

#endif
