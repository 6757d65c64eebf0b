/* Random changes to a world: its assets, its list, and what runs have made of it. */
#ifndef EDITS_STEPS_H
#define EDITS_STEPS_H

#include "base/buffer.h"
#include "base/strings.h"
#include "list.h"
#include "snapshot.h"
#include "tree.h"

struct world_now {
    struct random random;
    struct tree tree;
    struct list list;
    const struct strings *asked; /* paths that matter, of which half of the changed files are; may be empty */
    const char *mods;            /* what the root of that name is called now */
};

/* Makes one in the current folder. */
void world_begin(struct world_now *world, uint64_t seed, const struct strings *asked);
void world_end(struct world_now *world);

/* A change that was made. */
struct step {
    const char *name; /* of its kind: never changes */
    bool is_neutral;  /* no sheet may be made because of it */
    char *damaged;    /* a file that runs have made and this step changed, or NULL */
};

/* Makes a change, telling `said` which. `outputs`: what a full run makes, in out/, of which some may be damaged.
 */
void world_change(struct world_now *world, const struct snapshot *outputs, struct step *step, struct buffer *said);

/* Any change of the assets, for while a run is going on. */
void world_change_assets(struct world_now *world, struct buffer *said);

/* Puts back what every list needs, after one with problems. */
void world_mend(struct world_now *world, const struct list *list);

/* Makes what failed likely to work: without that, damage gathers until nothing is left to be made. */
void world_heal(struct world_now *world, const struct strings *failed);

#endif
