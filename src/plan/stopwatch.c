#include "plan/stopwatch.h"

#include <math.h>
#include <stddef.h>

#include "base/clock.h"

void stopwatch_enter(struct stopwatch *stopwatch, enum stage stage)
{
    if (!stopwatch || stopwatch->current == stage)
        return;
    double now = clock_now_s();
    if (stopwatch->current < STAGE_COUNT)
        stopwatch->seconds[stopwatch->current] += now - stopwatch->since_s;
    stopwatch->seconds[STAGE_NONE] = 0;
    stopwatch->since_s = now;
    stopwatch->current = stage;
}

void stopwatch_end(const struct stopwatch *left, double elapsed_s, struct stopwatch *out)
{
    struct stopwatch ended = {.current = left->current < STAGE_COUNT ? left->current : STAGE_NONE};
    double rest_s = fmax(elapsed_s, 0);
    for (unsigned i = STAGE_LOAD; i < STAGE_COUNT; i++) {
        ended.seconds[i] = fmin(fmax(left->seconds[i], 0), rest_s); /* both take the other number for a NaN */
        rest_s -= ended.seconds[i];
    }
    if (ended.current != STAGE_NONE)
        ended.seconds[ended.current] += rest_s;
    *out = ended;
}

const char *stage_name(uint32_t stage)
{
    static const char *const names[STAGE_COUNT] = {
        [STAGE_LOAD] = "load",     [STAGE_POSE] = "pose",   [STAGE_DRAW] = "draw",
        [STAGE_ENCODE] = "encode", [STAGE_WRITE] = "write",
    };
    return stage < STAGE_COUNT ? names[stage] : NULL;
}
