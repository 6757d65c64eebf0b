/* The shadow of a shot's parts on the ground, as a picture of the plane.
 *
 * Everything is projected along the light onto the plane, which keeps for each texel how high above the plane the
 * lowest thing over it is. Only the plane receives this shadow, so nothing has to be compared and nothing can
 * shadow itself by accident. Looking straight down gives the field of heights that contact shadows are made from.
 */
#ifndef RENDER_CAST_H
#define RENDER_CAST_H

#include "render/gl.h"
#include "render/ground.h"
#include "render/renderer.h"

struct cast;

/* Draws the shadow that the parts of the shot throw along `to_light` (world space, z above 0) into *out, whose
 * heights become the caller's. Leaves the cast's framebuffer bound. A shot of nothing gives a shadow of side 0. */
void cast_draw(struct renderer *renderer, const struct shot *shot, const vec3 to_light, uint32_t side,
               struct shadow *out);

void cast_release(struct cast *cast, const struct gl *gl);

#endif
