/* Lights, as data. Directions are in view space (they stay with the camera, so that every direction of a sprite
 * is lit from the same side of the screen) and point from the model to the light. Colours are linear. */
#ifndef RENDER_LIGHT_H
#define RENDER_LIGHT_H

#include <cglm/types.h>

struct directional_light {
    vec3 direction; /* any length above 0; x right, y up, z towards the viewer */
    vec3 color;     /* linear, with its strength multiplied in */
};

struct light_rig {
    struct directional_light key, fill;
    vec3 sky, ground; /* hemisphere light from above and below in *world* space (Z up) */
};

#endif
