/* The times at which a clip is sampled. docs/jobs.md describes the four ways to users. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/clip.h"

enum sampling_kind {
    SAMPLING_UNSET,
    SAMPLING_TIMES,  /* these, in seconds from the clip's start */
    SAMPLING_COUNT,  /* so many, evenly; the end is excluded for a loop, for it equals the start */
    SAMPLING_FPS,    /* i / fps while t < duration for a loop, t <= duration otherwise */
    SAMPLING_FRAMES, /* keyframes by number within the clip, from 0; none listed: all */
};

struct frame_run {
    uint32_t first, last; /* inclusive */
};

/* The most samples one clip may give: a guard against `fps: 1e9`, far above any sheet. */
enum { SAMPLING_MAX = 65536 };

struct sampling {
    enum sampling_kind kind;
    const double *times_s;
    size_t time_count;
    uint32_t count;
    double fps;
    const struct frame_run *runs;
    size_t run_count;
    bool has_range; /* narrows the clip to [range_s[0], range_s[1]] first; times stay those of the clip */
    double range_s[2];
};

/* How many samples it gives of a clip that is not known: `otherwise` where only the clip tells. */
uint64_t sampling_guess(const struct sampling *sampling, uint64_t otherwise);

/* The sample times, ascending as given, from malloc. Fails when one lies outside the clip or the range, when
 * a frame number is past the last keyframe, and when nothing is left. No time is past the end. */
int sampling_times(const struct sampling *sampling, const struct clip *clip, bool loop, double **times_s,
                   size_t *count, struct error *err);

/* The sample that is shown at a time of the clip: the latest that is not after it. Before the first one that is the last of
 * a loop, or else the first. `count` for a time that the range leaves out. */
size_t sampling_shown_at(const struct sampling *sampling, const struct clip *clip, bool loop,
                         const double *times_s, size_t count, double time_s);

/* How long sample `i` of these is shown, in seconds: until the next one, and the last until the end of the
 * loop or, without one, as long as the one before it (the whole clip, or one keyframe, for a single sample). */
double sampling_shown_s(const struct sampling *sampling, const struct clip *clip, bool loop, const double *times_s,
                        size_t count, size_t i);
