/* Makes the plan of a job: opens its models, finds clips, skins and materials, lays its sheets out and chooses what
 * previews show. plan_open is for others; the rest is what the files that make a plan share. */
#pragma once

#include "bake/plan.h"

/* `models` are kept for the next job; NULL: they are the plan's own. */
int plan_open(struct model_cache *models, struct assets *assets, const struct job *job, struct plan **out,
              struct error *err);

/* -- Takes (takes.c): which clips a job plays, and when they are sampled ----------------------------------- */

/* Fills plan->takes. The job's own model is open, and its skins are counted. */
int takes_add(struct plan *plan, struct assets *assets, struct error *err);

/* The clip of that name, ignoring case; fails with those there are. Borrowed until the part gets another
 * animation. */
const struct clip *takes_find_clip(const struct part *part, struct assets *assets, const char *name,
                                   struct error *err);

/* -- Skins (skins.c): which a job chooses, the materials of surfaces, and which of these can be seen ------- */

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
