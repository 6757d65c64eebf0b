/* What has to hold after each change: the list's sheets, made by a run that makes only what changed, are byte for
 * byte those of a run that makes all; and what was told beforehand is what was done. */
#ifndef EDITS_CHECK_H
#define EDITS_CHECK_H

#include "program.h"
#include "steps.h"

/* How the sheets are brought up to date. */
enum way {
    WAY_PLAIN,
    WAY_FORCE,
    WAY_ONLY,   /* first some jobs */
    WAY_SHARDS, /* by two, one after the other */
    WAY_PRUNE,
    WAY_KILLED,    /* a run before was killed */
    WAY_DISTURBED, /* assets were changed while a run before went on */
    WAYS
};

extern const char *const way_names[WAYS];

struct check {
    struct program program;
    struct snapshot full;    /* what a run makes that makes all, as it was last found */
    struct strings asked;    /* paths that it asked for */
    struct strings damaged;  /* names of outputs, without suffix, that were damaged and not made since */
    struct strings problems; /* what does not hold */
    size_t made,
        same_pictures;     /* by the last check: sheets made, and those of them whose files but the JSON stayed */
    struct strings failed; /* jobs that cannot be made */
};

/* Of a world that was changed by `step`. False where the list has problems: then nothing was made. */
bool check_world(struct check *check, struct world_now *world, const struct step *step, enum way way,
                 uint32_t delay_ms);
void check_release(struct check *check);

#endif
