/* UFO:AI's .anm: a text beside an MD2 that names its animations.
 *
 *     // name   first  last  frames per second
 *     walk0     191    206   22 */
#ifndef MODEL_ANM_H
#define MODEL_ANM_H

#include "base/bytes.h"
#include "base/error.h"
#include "model/model.h"

/* Adds the clips named in the text on animation 0 of the model. What does not fit the model (frames past its
 * end) becomes an oddity; text that is not an .anm, or of which nothing fits, is an error and adds nothing. */
int anm_add_clips(struct model *model, struct bytes bytes, struct error *err);

#endif
