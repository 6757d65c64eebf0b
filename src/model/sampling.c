#include "model/sampling.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Binary floating point may miss a boundary by so much, in samples or keyframes. */
#define TOLERANCE 1e-6

/* The part of a clip that is sampled. Of a loop the end is its start again, and left out where samples are
 * ours to choose. */
struct span {
    double begin_s, end_s;
    bool end_is_start;
};

struct times {
    double *items;
    size_t count;
};

/* Puts `time_s` on the list when it lies in the span, ends included, give or take the tolerance. */
static bool add_if_inside(struct times *times, const struct span *span, const struct clip *clip, double time_s)
{
    double slack_s = TOLERANCE / clip->rate_hz;

    if (!(time_s >= span->begin_s - slack_s && time_s <= span->end_s + slack_s))
        return false;
    times->items[times->count++] = fmin(fmax(time_s, span->begin_s), span->end_s);
    return true;
}

static int alloc_times(struct times *times, double count, struct error *err)
{
    if (!(count <= SAMPLING_MAX))
        return error_set(err, "%.0f samples of one clip (at most %d)", count, SAMPLING_MAX);
    times->items = memory_alloc((size_t)count, sizeof *times->items, err);
    return times->items ? 0 : -1;
}

static int listed_times(const struct sampling *sampling, const struct clip *clip, const struct span *span,
                        struct times *times, struct error *err)
{
    if (alloc_times(times, (double)sampling->time_count, err) < 0)
        return -1;
    for (size_t i = 0; i < sampling->time_count; i++) {
        if (!add_if_inside(times, span, clip, sampling->times_s[i]))
            return error_set(err, "time %g s lies outside %g to %g s of clip '%s'", sampling->times_s[i],
                             span->begin_s, span->end_s, clip->name);
    }
    return 0;
}

static int counted_times(const struct sampling *sampling, const struct span *span, struct times *times,
                         struct error *err)
{
    uint32_t intervals = span->end_is_start ? sampling->count : sampling->count - 1;

    if (alloc_times(times, sampling->count, err) < 0)
        return -1;
    for (uint32_t i = 0; i < sampling->count; i++) {
        double part = intervals ? i / (double)intervals : 0;

        times->items[times->count++] = fmin((1 - part) * span->begin_s + part * span->end_s, span->end_s);
    }
    return 0;
}

/* A single keyframe is the same at all times. */
static int regular_times(const struct sampling *sampling, const struct clip *clip, const struct span *span,
                         struct times *times, struct error *err)
{
    double steps = clip->frame_count > 1 ? (span->end_s - span->begin_s) * sampling->fps : 0;
    double count = span->end_is_start ? fmax(ceil(steps - TOLERANCE), 1) : floor(steps + TOLERANCE) + 1;

    if (!(sampling->fps > 0 && isfinite(sampling->fps)))
        return error_set(err, "%g samples per second (must be above 0 and finite)", sampling->fps);
    if (alloc_times(times, count, err) < 0)
        return -1;
    while (times->count < count) {
        double time_s = span->begin_s + (double)times->count / sampling->fps;

        times->items[times->count++] = fmin(time_s, span->end_s);
    }
    return 0;
}

/* Without runs all keyframes of the span. */
static int keyframe_times(const struct sampling *sampling, const struct clip *clip, const struct span *span,
                          struct times *times, struct error *err)
{
    const struct frame_run all = {0, clip->frame_count - 1};
    const struct frame_run *runs = sampling->run_count ? sampling->runs : &all;
    const size_t run_count = sampling->run_count ? sampling->run_count : 1;
    double total = 0;

    for (const struct frame_run *run = runs; run < runs + run_count; run++) {
        if (run->first > run->last)
            return error_set(err, "frames %u-%u run backwards", run->first, run->last);
        if (run->last >= clip->frame_count)
            return error_set(err, "frame %u is past the last frame, %u, of clip '%s'", run->last,
                             clip->frame_count - 1, clip->name);
        total += (double)run->last - run->first + 1;
    }
    if (alloc_times(times, total, err) < 0)
        return -1;
    for (const struct frame_run *run = runs; run < runs + run_count; run++)
        for (uint32_t frame = run->first; frame <= run->last; frame++) {
            const double time_s = clip_keyframe_s(clip, frame);
            if (run == &all && span->end_is_start && time_s >= span->end_s - TOLERANCE / clip->rate_hz)
                continue; /* the start again */
            if (!add_if_inside(times, span, clip, time_s) && run != &all)
                return error_set(err, "frame %u (%g s) lies outside %g to %g s of clip '%s'", frame, time_s,
                                 span->begin_s, span->end_s, clip->name);
        }
    return 0;
}

uint64_t sampling_guess(const struct sampling *sampling, uint64_t otherwise)
{
    uint64_t count = sampling->kind == SAMPLING_TIMES   ? sampling->time_count
                     : sampling->kind == SAMPLING_COUNT ? sampling->count
                                                        : 0;
    for (size_t i = 0; i < sampling->run_count; i++)
        count += (uint64_t)sampling->runs[i].last - sampling->runs[i].first + 1;
    return count ? count : otherwise;
}

int sampling_times(const struct sampling *sampling, const struct clip *clip, bool loop, double **times_s,
                   size_t *count, struct error *err)
{
    struct times times = {0};
    const double duration_s = clip_duration_s(clip, loop);
    struct span span = {.end_s = duration_s};
    int result = -1;

    if (sampling->has_range) {
        double begin_s = sampling->range_s[0], end_s = sampling->range_s[1];
        if (!(begin_s >= 0 && begin_s <= end_s && end_s <= duration_s + TOLERANCE / clip->rate_hz))
            return error_set(err, "range %g to %g s is not within clip '%s' (0 to %g s)", begin_s, end_s,
                             clip->name, duration_s);
        span.end_s = fmin(end_s, duration_s);
        span.begin_s = fmin(begin_s, span.end_s);
    }
    span.end_is_start = loop && span.end_s > span.begin_s;

    switch (sampling->kind) {
    case SAMPLING_TIMES:
        result = listed_times(sampling, clip, &span, &times, err);
        break;
    case SAMPLING_COUNT:
        result = counted_times(sampling, &span, &times, err);
        break;
    case SAMPLING_FPS:
        result = regular_times(sampling, clip, &span, &times, err);
        break;
    case SAMPLING_FRAMES:
        result = keyframe_times(sampling, clip, &span, &times, err);
        break;
    case SAMPLING_UNSET:
        error_set(err, "no sampling given for clip '%s'", clip->name);
    }
    if (result == 0 && !times.count)
        result = error_set(err, "no samples of clip '%s' in %g to %g s", clip->name, span.begin_s, span.end_s);
    if (result < 0) {
        free(times.items);
        return -1;
    }
    *times_s = times.items;
    *count = times.count;
    return 0;
}

size_t sampling_shown_at(const struct sampling *sampling, const struct clip *clip, bool loop,
                         const double *times_s, size_t count, double time_s)
{
    const double slack_s = TOLERANCE / clip->rate_hz, duration_s = clip_duration_s(clip, loop);
    double least_s = INFINITY;
    size_t shown = 0;
    if (loop && time_s > duration_s - slack_s) /* the end is the start */
        time_s -= duration_s;
    if (sampling->has_range &&
        (time_s < sampling->range_s[0] - slack_s || time_s > sampling->range_s[1] + (loop ? -slack_s : slack_s)))
        return count;
    for (size_t i = 0; i < count; i++) {
        double since_s = time_s - times_s[i];
        if (since_s < -slack_s) /* comes last */
            since_s = duration_s + (loop ? since_s : -since_s);
        if (since_s < least_s)
            least_s = since_s, shown = i;
    }
    return shown;
}

double sampling_shown_s(const struct sampling *sampling, const struct clip *clip, bool loop, const double *times_s,
                        size_t count, size_t i)
{
    double keyframe_s = 1.0 / clip->rate_hz;
    double begin_s = sampling->has_range ? sampling->range_s[0] : 0;
    double end_s = sampling->has_range ? sampling->range_s[1] : clip_duration_s(clip, loop);
    double shown_s;

    if (count == 1)
        shown_s = end_s - begin_s;
    else if (i + 1 < count)
        shown_s = times_s[i + 1] - times_s[i];
    else if (loop && times_s[i] >= times_s[i - 1])
        shown_s = end_s - times_s[i];
    else
        shown_s = times_s[i] - times_s[i - 1];
    /* Listed times may go back, or stay, to make a picture play to and fro or be held. */
    shown_s = fabs(shown_s);
    return shown_s > TOLERANCE * keyframe_s ? shown_s : keyframe_s;
}
