/* A clip is a run of keyframes that plays under a name; a moment is a place between two of them.
 *
 * Time is in seconds from the clip's start. N keyframes at rate R: a looping clip has the period N/R, and its
 * last keyframe blends into the first; but one that closes, whose last keyframe is the first again, has the period
 * (N-1)/R. A clip that does not loop lasts (N-1)/R, and a time past either end holds the nearest keyframe. Where
 * keyframes have times of their own, the last blends into the first until loop_s, and one that lasts no time is never
 * shown, but for the last of a clip that does not loop. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* How a clip ends, as its file says. UNTOLD: the file says nothing. APART: nor that, but the clip ends in another pose. */
enum clip_ending { ENDING_UNTOLD, ENDING_APART, ENDING_LOOP, ENDING_ONCE };

struct clip {
    const char *name;
    const char *name_in_file;          /* where `name` is another; or NULL */
    uint32_t animation;                /* index into model.animations */
    uint32_t first_frame, frame_count; /* of that animation's keyframes; at least 1 */
    float rate_hz;                     /* keyframes per second, above 0; with times_s, about so many */
    const double *times_s; /* of each keyframe: 0 first, none below that before; NULL: as rate_hz says */
    double loop_s; /* with times_s: when a loop is back at its start; 0: as long after the last keyframe as that is
                    * after the one before it */
    bool closes;   /* the last keyframe repeats the first */
    bool is_extra; /* it has to be asked for by its whole name: `all` and patterns leave it out */
    enum clip_ending ending; /* clip_plays_once knows more */
    float travel[2];         /* root motion from the first keyframe to the last; (0, 0): it stays in place */
    uint32_t root;           /* the joint that travels so */
    float start[2];          /* where it begins, from its place at bind pose, if that is far away */
    bool keeps_sway;         /* only the straight line is taken out; or else all, as Doom 3 does with joint 0 */
    struct clip *searched;   /* what clip_find_travel makes of it (no frames: not yet), for all copies; or NULL */
};

/* An event at a keyframe, such as a step. */
struct clip_event {
    const char *name;
    uint32_t keyframe; /* of the clip, from 0 */
    uint32_t sample;   /* of a take: the one that shows it */
};

/* Two keyframes of an animation and how far the way from the first to the second: 0 <= blend < 1. */
struct moment {
    uint32_t frame_a, frame_b; /* numbers of the animation, not of the clip */
    double blend;
};

/* When a keyframe of the clip is shown; number frame_count is the first again. */
double clip_keyframe_s(const struct clip *clip, uint32_t frame);

double clip_duration_s(const struct clip *clip, bool loop);

/* Whether the clip is no loop. Where the file does not say, the name does: "Armature|DeathA", "enemy_die2" and "NPCDie" play
 * once, and a walk is a loop even if it ends in another pose. */
bool clip_plays_once(const struct clip *clip);

/* Any finite time: a looping clip wraps it (also below 0), another clamps it. A time within 1e-6 of a frame of
 * a keyframe is that keyframe exactly, so that i/rate in binary floating point never blends. */
struct moment clip_moment(const struct clip *clip, double time_s, bool loop);

/* A clip's name as a file gives it, made fit to be typed in job lists, matched by globs, and to become part of
 * "job/animation/camera/0007" in JSON and of the names of files. Keeps letters and digits, all printable characters of
 * UTF-8 outside ASCII among them; drops quotes, turns what is neither these nor one of "-_.+ " into '_', and trims such
 * characters from both ends. A name without letters and digits becomes "frame". In the arena. */
const char *clip_name_clean(struct arena *arena, const char *text, size_t length);
