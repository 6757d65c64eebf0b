/* The stage that a page is in, and the time it spent in each.
 *
 * A worker keeps this in memory shared with the supervisor, which knows the stage even when the worker has died.
 * A change of stage costs one look at the clock; there are a few for each cell. */
#pragma once

#include <stdint.h>

enum stage {
    STAGE_NONE,   /* not begun */
    STAGE_LOAD,   /* opening the job: models, animations, materials, textures */
    STAGE_POSE,   /* of all samples for framing, and of each that is drawn */
    STAGE_DRAW,   /* cells, and what is painted on them */
    STAGE_ENCODE, /* laying out what was drawn, making the bytes of PNG and JSON */
    STAGE_WRITE,  /* these to files */
    STAGE_COUNT
};

/* Zeroed, nothing has begun. */
struct stopwatch {
    uint32_t current; /* an enum stage; from a worker that broke its own memory, any number */
    double since_s;
    double seconds[STAGE_COUNT];
};

/* Ends the stage before; STAGE_NONE ends the last one. `stopwatch` may be NULL. */
void stopwatch_enter(struct stopwatch *stopwatch, enum stage stage);

/* Reads what the worker left in shared memory. `elapsed_s` is all of its time; the stage it was in gets the remainder.
 * The seconds are finite, not negative and at most `elapsed_s`, even if the memory holds garbage. */
void stopwatch_end(const struct stopwatch *left, double elapsed_s, struct stopwatch *out);

/* "load", "pose", ...; NULL for STAGE_NONE. */
const char *stage_name(uint32_t stage);
