/* What the parts of a plan wear: the skins a job chooses, and the materials they are. */
#ifndef BAKE_SKINS_H
#define BAKE_SKINS_H

#include "bake/plan.h"

/* Makes the outfits of the job's own model, without materials yet: fails where the job asks for a skin that its
 * model lacks. The model is open. */
int skins_choose(struct plan *plan, struct error *err);

/* Finds the materials of all parts. What is not found is a warning, but for the skin of a Doom 3 file. */
int skins_resolve(struct plan *plan, struct assets *assets, struct error *err);
void skins_release(struct part *part);

#endif
