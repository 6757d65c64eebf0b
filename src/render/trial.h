/* Whether a context draws what it is told: one triangle into a target such as cells have, read back and looked at.
 * Leaves objects of GL behind; meant for a context that is closed afterwards. */
#ifndef RENDER_TRIAL_H
#define RENDER_TRIAL_H

#include "render/context.h"

/* Fails when a shader does not compile, GL reports an error, or a pixel is wrong. */
int trial_draw(struct context *context, struct error *err);

#endif
