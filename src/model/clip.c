#include "model/clip.h"

#include <math.h>

/* In frames: nearer to a keyframe than this is on it. */
#define ON_KEYFRAME 1e-6

/* Keyframes until a loop starts again. A single one has nothing to repeat. */
static uint32_t loop_length(const struct clip *clip)
{
    return clip->closes && clip->frame_count > 1 ? clip->frame_count - 1 : clip->frame_count;
}

double clip_duration_s(const struct clip *clip, bool loop)
{
    uint32_t intervals = loop ? loop_length(clip) : clip->frame_count - 1;

    return intervals / (double)clip->rate_hz;
}

/* Where in the clip a time falls, in frames: 0 <= position < loop_length for a loop, <= frame_count - 1
 * otherwise. */
static double position_in_clip(const struct clip *clip, double time_s, bool loop)
{
    double frames = loop ? loop_length(clip) : clip->frame_count;
    double position = time_s * clip->rate_hz;

    if (loop) {
        /* A time so large that the product overflows has no fraction of a frame left to honour. */
        position = isfinite(position) ? fmod(position, frames) : 0;
        if (position < 0)
            position += frames;
    }
    if (fabs(position - round(position)) <= ON_KEYFRAME)
        position = round(position);
    if (loop)
        return position >= frames ? 0 : position;
    return fmin(fmax(position, 0), frames - 1);
}

struct moment clip_moment(const struct clip *clip, double time_s, bool loop)
{
    double position = position_in_clip(clip, time_s, loop);
    uint32_t frame = (uint32_t)position;
    uint32_t next = frame + 1 < clip->frame_count ? frame + 1 : 0;
    struct moment moment = {.frame_a = clip->first_frame + frame, .blend = position - frame};

    moment.frame_b = moment.blend > 0 ? clip->first_frame + next : moment.frame_a;
    return moment;
}
