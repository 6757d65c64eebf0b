/* The skins that a job chooses, the materials of each surface, and which surfaces can be seen. */
#ifndef BAKE_SKINS_H
#define BAKE_SKINS_H

#include "bake/plan.h"

/* Makes the outfits of the job's own model, without materials yet: fails where the job asks for a skin that its
 * model lacks. The model is open. */
int skins_choose(struct plan *plan, struct error *err);

/* Finds the materials of all parts. A missing one is a warning; a missing skin of a Doom 3 file is an error. */
int skins_resolve(struct plan *plan, struct assets *assets, struct error *err);

/* Finds the points of all parts that can be seen, and warns of parts without any. Doom 3 models bring surfaces
 * along that draw nothing, such as those for collisions: these do not count for framing. */
int skins_find_visible(struct plan *plan, struct error *err);

/* Whether a surface has triangles, and a material that draws something in any skin of the job. */
bool skins_is_visible(const struct part *part, uint32_t surface);

#endif
