#include "motion.h"

#include <assert.h>

enum { STEPS_PER_FRAME = 16, WARM_UP_LOOPS = 4, WARM_UP_S = 2, MOTION_MAX_DANGLES = 8 };

double turn_sin(double turns)
{
    return sin(2 * PI * turns);
}

double turn_cos(double turns)
{
    return cos(2 * PI * turns);
}

static double key_slope(const struct key *keys, int count, int i)
{
    if (i == 0 || i == count - 1)
        return 0;
    double before = (keys[i].value - keys[i - 1].value) / (keys[i].t - keys[i - 1].t);
    double after = (keys[i + 1].value - keys[i].value) / (keys[i + 1].t - keys[i].t);
    return before * after <= 0 ? 0 : 2 * before * after / (before + after);
}

double curve(double t, const struct key *keys, int count)
{
    if (t <= keys[0].t)
        return keys[0].value;
    for (int i = 0; i + 1 < count; i++) {
        if (t >= keys[i + 1].t)
            continue;
        double h = keys[i + 1].t - keys[i].t, x = (t - keys[i].t) / h, x2 = x * x, x3 = x2 * x;
        return (2 * x3 - 3 * x2 + 1) * keys[i].value + (x3 - 2 * x2 + x) * h * key_slope(keys, count, i) +
               (3 * x2 - 2 * x3) * keys[i + 1].value + (x3 - x2) * h * key_slope(keys, count, i + 1);
    }
    return keys[count - 1].value;
}

void stance_turn_side(struct stance *pose, int left, int side, double about_x, double about_y, double about_z)
{
    stance_turn(pose, side > 0 ? left : left + 1, side * about_x, about_y, side * about_z);
}

static double motion_time(const struct motion *motion, double frame)
{
    if (!motion->loops)
        return fmax(frame, 0) / motion->rate_hz;
    double turns = frame / motion->frame_count;
    return turns - floor(turns);
}

void motion_record(const struct motion *motion, const void *who, const struct rig *rig,
                   const struct dangle *dangles, int dangle_count, struct stance *frames)
{
    struct dangle_state states[MOTION_MAX_DANGLES];
    int warm_up = motion->loops ? WARM_UP_LOOPS * motion->frame_count : (int)(WARM_UP_S * motion->rate_hz);
    double dt = 1 / (motion->rate_hz * STEPS_PER_FRAME);
    assert(dangle_count <= MOTION_MAX_DANGLES);
    for (int step = -warm_up * STEPS_PER_FRAME; step < motion->frame_count * STEPS_PER_FRAME; step++) {
        struct stance pose;
        stance_init(&pose, rig);
        motion->pose(who, rig, motion_time(motion, (double)step / STEPS_PER_FRAME), &pose);
        for (int i = 0; i < dangle_count; i++) {
            if (step == -warm_up * STEPS_PER_FRAME)
                dangle_init(&states[i], &dangles[i], &pose, rig);
            dangle_step(&states[i], &dangles[i], &pose, rig, dt);
        }
        if (step >= 0 && step % STEPS_PER_FRAME == 0)
            frames[step / STEPS_PER_FRAME] = pose;
    }
}
