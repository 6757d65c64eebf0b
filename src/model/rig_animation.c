#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/rig.h"
#include "model/root_motion.h"

/* Key times nearer to each other than this are one keyframe. Times are single floats, so those of a minute that were
 * meant to be equal differ by 4e-6. */
#define SAME_TIME_S 1e-5

/* A joint that ends turned by more than this from where it began, in radians, and by more than so many times its largest
 * step, ends in another pose. Loops whose file leaves the last keyframe out end one step from their start. */
#define ENDS_APART (20 * M_PI / 180)
#define ENDS_APART_STEPS 2

enum {
    MOST_ANIMATIONS = 1024, /* names of clips are made unique by looking at all */
    MOST_KEYS = 1 << 22,    /* of an animation, in tracks whose times differ */
};

/* Keeps one of the sorted times for each `apart_s`: the last, so that all keys of the keyframe have begun. */
static uint32_t merge_times(double *times_s, uint32_t count, double apart_s)
{
    uint32_t kept = 0;
    double first_s = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        if (times_s[i] - first_s > apart_s) {
            first_s = times_s[i];
            kept++;
        }
        times_s[kept - 1] = times_s[i];
    }
    return kept;
}

/* Most tracks have the times of the one before, which is NULL for the first. */
static bool has_own_times(const struct rig_track *track, const struct rig_track *before)
{
    return !before || before->key_count != track->key_count ||
           (before->times_s != track->times_s &&
            memcmp(before->times_s, track->times_s, track->key_count * sizeof *track->times_s));
}

/* Merges keyframes where there are too many; the animation plays the same. */
const double *rig_keyframes(const struct rig_animation *animation, struct arena *arena, uint32_t *count,
                            struct error *err)
{
    const struct rig_track *const end = animation->tracks + animation->track_count, *before = NULL;
    size_t key_count = 0;
    for (const struct rig_track *track = animation->tracks; track < end && !animation->keyframes_s;
         before = track++)
        key_count += has_own_times(track, before) ? track->key_count : 0;
    if (key_count > MOST_KEYS) {
        error_set(err, "animation '%s' has more than %d keys", animation->name, MOST_KEYS);
        return NULL;
    }
    double *times_s = arena_must_alloc(arena, key_count + animation->keyframe_count, sizeof *times_s);
    *count = animation->keyframe_count;
    before = NULL;
    if (animation->keyframes_s)
        memcpy(times_s, animation->keyframes_s, *count * sizeof *times_s);
    for (const struct rig_track *track = animation->tracks; track < end && !animation->keyframes_s;
         before = track++)
        if (has_own_times(track, before))
            for (uint32_t key = 0; key < track->key_count; key++)
                times_s[(*count)++] = track->times_s[key];
    SORT(times_s, *count, doubles_compare);
    double apart_s = SAME_TIME_S;
    do {
        *count = merge_times(times_s, *count, apart_s);
        apart_s *= 2;
    } while (*count > MODEL_MOST_FRAMES);
    return times_s;
}

/* Returns the turn between two keys of a rotation, in radians. */
static double turn_between(const struct rig_track *track, uint32_t key_a, uint32_t key_b)
{
    double a[4], b[4];
    rig_turn_at(track, key_a, a);
    rig_turn_at(track, key_b, b);
    return 2 * acos(fmin(fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]), 1));
}

/* From one keyframe to the next. */
static double largest_step(const struct rig_animation *animation, const struct rig_track *track)
{
    double largest = 0;
    for (uint32_t key = 1, from = 0, frame = 1; key < track->key_count; key++) {
        const double time_s = (double)track->times_s[key] + SAME_TIME_S;
        if (frame < animation->keyframe_count && animation->keyframes_s[frame] > time_s)
            continue; /* it is between two */
        largest = fmax(largest, turn_between(track, from, key));
        for (from = key; frame < animation->keyframe_count && animation->keyframes_s[frame] <= time_s;)
            frame++;
    }
    return largest;
}

static bool ends_in_another_pose(const struct rig_animation *animation)
{
    for (uint32_t t = 0; t < animation->track_count; t++) {
        const struct rig_track *track = &animation->tracks[t];
        if (track->target != RIG_ROTATION)
            continue;
        double turn = turn_between(track, 0, track->key_count - 1);
        if (turn > ENDS_APART && turn > ENDS_APART_STEPS * largest_step(animation, track))
            return true;
    }
    return false;
}

int rig_add_animation(struct model *model, const struct rig_animation *from, struct error *err)
{
    uint32_t count = 0;
    const double *times_s = rig_keyframes(from, &model->arena, &count, err);
    if (!times_s || count == 0)
        return times_s ? 0 : -1;
    struct motion *motion = arena_must_alloc(&model->arena, 1, sizeof *motion);
    double *clip_times_s = arena_must_alloc(&model->arena, count, sizeof *clip_times_s);
    *motion = (struct motion){.tracks = from->tracks,
                              .track_count = from->track_count,
                              .times_s = times_s,
                              .keyframes_s = from->keyframes_s,
                              .keyframe_count = from->keyframe_count};
    for (uint32_t i = 0; i < count; i++)
        clip_times_s[i] = times_s[i] - times_s[0];
    double duration_s = clip_times_s[count - 1];
    const char *told = *from->name ? from->name : "animation";
    const char *name = clip_name_clean(&model->arena, told, strlen(told));
    struct clip clip = {
        .name = model_unique_clip_name(model, name),
        .name_in_file = strcmp(name, told) ? arena_strdup(&model->arena, told) : NULL,
        .animation = model->animation_count,
        .frame_count = count,
        .rate_hz = from->rate_hz > 0 ? from->rate_hz
                   : count > 1       ? (float)((count - 1) / duration_s)
                                     : 1,
        .times_s = from->rate_hz > 0 || count == 1 ? NULL : clip_times_s,
        .closes = true,
        .ending = from->rate_hz <= 0 && ends_in_another_pose(from) ? ENDING_APART : from->ending,
    };
    model_add_animation_entry(
        model,
        &(struct animation){.name = clip.name, .frame_count = count, .rate_hz = clip.rate_hz, .motion = motion});
    const int32_t root = model->rig->has_moving_root ? 0 : -1;
    if ((from->rate_hz > 0 || root >= 0) && clip_measure(model, root, &clip, err) < 0) {
        model->animation_count--;
        return -1;
    }
    model_add_clip(model, &clip);
    return 0;
}

/* Where no two animations move the same thing: files that show several machines at once are made so. */
static int add_all_at_once(struct model *model, const struct rig *rig, struct error *err)
{
    struct rig_animation all = {.name = "all"};
    for (uint32_t a = 0; a < rig->animation_count; a++)
        all.track_count += rig->animations[a].track_count;
    struct rig_track *tracks = arena_must_alloc(&model->arena, all.track_count, sizeof *tracks);
    uint32_t(*users)[RIG_VISIBILITY + 1] = arena_must_alloc(&model->arena, rig->node_count, sizeof *users);
    all.tracks = tracks;
    for (uint32_t a = 0; a < rig->animation_count; a++)
        for (uint32_t t = 0; t < rig->animations[a].track_count; t++) {
            *tracks = rig->animations[a].tracks[t];
            uint32_t *user = &users[tracks->node][tracks->target];
            if (*user != 0 && *user != a + 1)
                return 0;
            *user = a + 1;
            tracks++;
        }
    return rig_add_animation(model, &all, err);
}

int rig_build(struct model *model, const struct rig *rig, struct error *err)
{
    if (rig_build_points(model, rig, err) < 0)
        return -1;
    if (rig->animation_count > MOST_ANIMATIONS)
        return error_set(err, "%u animations, at most %d are allowed", rig->animation_count, MOST_ANIMATIONS);
    for (uint32_t a = 0; a < rig->animation_count; a++)
        if (rig_check_name("animation", a, rig->animations[a].name, err) < 0 ||
            rig_add_animation(model, &rig->animations[a], err) < 0)
            return -1;
    return rig->animation_count > 1 ? add_all_at_once(model, rig, err) : 0;
}
