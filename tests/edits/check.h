/* The checks after each change: an incremental run leaves byte for byte what a full run makes, and it makes what the dry
 * run has announced. */
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
    struct snapshot full;    /* the files of the last full run */
    struct strings asked;    /* the asset paths that it asked for */
    struct strings damaged;  /* outputs, without suffix, that were damaged and not made since */
    struct strings problems; /* failed checks */
    size_t made,
        same_pictures;     /* by the last check: sheets made, and those of them whose files but the JSON stayed */
    struct strings failed; /* jobs that failed */
};

/* Checks a world that `step` has changed. False where the list has problems: then nothing was made. */
bool check_world(struct check *check, struct world_now *world, const struct step *step, enum way way,
                 uint32_t delay_ms);
void check_release(struct check *check);

#endif
