/* Lights, as data. Directions point from the model to the light. Colours are linear, with their strength
 * multiplied in.
 *
 * Key, fill and rim stay with the camera (their directions are in view space: x right, y up, z towards the
 * viewer), so that every direction of a sprite is lit from the same side of the screen. The hemisphere belongs to
 * the world. */
#ifndef RENDER_LIGHT_H
#define RENDER_LIGHT_H

#include <cglm/types.h>

struct directional_light {
    vec3 direction; /* any length above 0 */
    vec3 color;
};

struct light_rig {
    struct directional_light key, fill;
    struct directional_light rim; /* from behind: brightens the edges of the form. Black: none */
    vec3 sky, ground;             /* hemisphere light from above and below in world space (Z up) */
    vec3 ambient;                 /* from everywhere alike */
};

#endif
