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
    const struct strings
        *asked;       /* paths that runs ask for: half of the changed files are among them; may be empty */
    const char *mods; /* the present name of the root "mods" */
};

/* Makes one in the current folder. */
void world_begin(struct world_now *world, uint64_t seed, const struct strings *asked);
void world_end(struct world_now *world);

/* A change that was made. */
struct step {
    const char *name; /* of its kind */
    bool is_neutral;  /* it must not make any sheet stale */
    char *damaged;    /* the output file that this step changed, or NULL */
    char *edited;     /* the asset, below its root, that got other bytes: nothing else did. Or NULL */
    bool is_of_list;  /* nothing but settings in the list changed */
};

/* Makes a change and describes it in `said`. `outputs`: the files of a full run, in out/, which may be damaged. */
void world_change(struct world_now *world, const struct snapshot *outputs, struct step *step, struct buffer *said);

/* A change of the assets during a run. */
void world_change_assets(struct world_now *world, struct buffer *said);

/* Restores the list after a step that gave it problems. */
void world_mend(struct world_now *world, const struct list *list);

/* Repairs failed jobs: without it, damage would grow until every job fails. */
void world_heal(struct world_now *world, const struct strings *failed);

#endif
