#include "plum.h"

static const struct v3 FORWARD = {1, 0, 0};

struct step {
    double x, lift, pitch, out;
};

/* Where the ankle is over a foot that stands flat, and how far in front of it the foot bends. */
static const double ANKLE_X = -2, ANKLE_Y = 9.8, ANKLE_Z = 3.8, BALL = 7;

static void put_foot(const struct plum *plum, const struct rig *rig, struct stance *pose, int side,
                     const struct step *step)
{
    int twin = side < 0, foot = plum->joints.foot + twin;
    double pivot = step->pitch > 0 ? BALL : -2;
    struct quat pitch = quat_turn(v3(0, 1, 0), step->pitch), out = quat_turn(v3(0, 0, 1), side * step->out);
    struct v3 ankle = quat_rotate(pitch, v3(-pivot, 0, ANKLE_Z));
    ankle = quat_rotate(out, v3(ankle.x + pivot, 0, ankle.z));
    ankle = v3_add(ankle, v3(ANKLE_X + step->x, side * ANKLE_Y, step->lift));
    stance_build(pose, rig);
    stance_reach(pose, rig, plum->joints.thigh + twin, plum->joints.shin + twin, foot, ankle,
                 v3_add(FORWARD, v3(0, side * 0.4, 0)));
    stance_place(pose, rig, foot, quat_mul(out, pitch));
    stance_turn_side(pose, plum->joints.toes, side, 0, -fmax(step->pitch, 0) * 0.9 * smooth(5, 0.5, step->lift),
                     0);
    stance_build(pose, rig);
}

static void stand_on(const struct plum *plum, const struct rig *rig, struct stance *pose, double lift,
                     double pitch)
{
    for (int side = -1; side <= 1; side += 2) {
        struct step step = {.lift = lift, .pitch = pitch, .out = 8};
        put_foot(plum, rig, pose, side, &step);
    }
}

/* 0 open, 1 shut: the ball turns its painted lid to the front. */
static void eyes(const struct plum *plum, struct stance *pose, double shut)
{
    for (int side = -1; side <= 1; side += 2)
        pose->turn[plum->joints.eye + (side < 0)] = quat_turn(v3(-side * PLUM_GAZE.y, PLUM_GAZE.x, 0), 88 * shut);
}

/* `spread` lifts both wings, `fold` swings them back. */
static void wings(const struct plum *plum, struct stance *pose, double spread, double tip, double fold)
{
    for (int side = -1; side <= 1; side += 2) {
        stance_turn_side(pose, plum->joints.wing, side, spread, 0, fold);
        stance_turn_side(pose, plum->joints.wing_tip, side, tip, 0, fold * 0.5);
    }
}

static void tail(const struct plum *plum, struct stance *pose, double aside, double up)
{
    for (int i = 0; i < PLUM_TAIL_JOINTS; i++)
        stance_turn(pose, plum->joints.tail + i, 0, up, aside);
}

static void arms(const struct plum *plum, struct stance *pose, int side, double swing, double raise, double bend)
{
    stance_turn_side(pose, plum->joints.upper_arm, side, raise, -swing, 0);
    stance_turn_side(pose, plum->joints.forearm, side, 0, -bend, 0);
    stance_turn_side(pose, plum->joints.hand, side, 0, -bend * 0.3, 0);
}

static void stand(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct plum *plum = who;
    const struct plum_joints *j = &plum->joints;
    double breath = turn_sin(2 * t), late = turn_sin(2 * t - 0.13), sway = turn_sin(t);
    double tilt = CURVE(t, {0.1, 0}, {0.2, 1}, {0.5, 1}, {0.6, 0});
    pose->shift[j->hips] = v3(0, 0.5 * sway, -0.5 + 0.3 * breath);
    stance_turn(pose, j->hips, sway, -0.5 * breath, 0);
    stance_turn(pose, j->chest, -sway, -1.8 * late, 0);
    pose->shift[j->chest] = v3(0.2 * late, 0, 0.25 * late);
    stance_turn(pose, j->neck, 0, 1.5 * late, 5 * tilt);
    stance_turn(pose, j->head, 9 * tilt, 1.8 * turn_sin(2 * t - 0.2), 8 * tilt);
    stance_turn(pose, j->jaw, 0, 2 + 2 * fmax(late, 0), 0);
    for (int side = -1; side <= 1; side += 2) {
        arms(plum, pose, side, -4 + 3 * turn_sin(2 * t - 0.2), -4 + 2 * breath, 6 + 4 * late);
        stance_turn_side(pose, j->fin, side, 4 * turn_sin(2 * t - 0.3), 0, 8 * side * tilt);
    }
    wings(plum, pose, 4 + 5 * late, 8 * turn_sin(2 * t - 0.3), -6);
    tail(plum, pose, 7 * turn_sin(t + 0.2), 2 * breath);
    eyes(plum, pose, CURVE(t, {0.70, 0}, {0.75, 1}, {0.80, 1}, {0.85, 0}));
    stand_on(plum, rig, pose, 0, 0);
    stance_build(pose, rig);
}

static struct step run_step(double q)
{
    struct step step = {.out = 4};
    q -= floor(q);
    if (q < 0.42) {
        step.x = mix(7.5, -8, q / 0.42);
    } else {
        double swing = (q - 0.42) / 0.58;
        step.x = CURVE(swing, {0, -8}, {0.15, -8.5}, {0.85, 8.5}, {1, 7.5});
        step.lift = CURVE(swing, {0, 0}, {0.35, 6.0}, {0.7, 4.6}, {1, 0});
    }
    step.pitch = CURVE(q, {0, -14}, {0.08, 0}, {0.25, 0}, {0.42, 38}, {0.58, 50}, {0.8, 0}, {0.93, -16}, {1, -14});
    return step;
}

/* A waddling gallop on two legs, the wings helping along. */
static void run(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct plum *plum = who;
    const struct plum_joints *j = &plum->joints;
    double sway = turn_sin(t + 0.04), stride = turn_cos(t), bounce = -turn_cos(2 * (t - 0.1));
    double late = -turn_cos(2 * (t - 0.18));
    pose->shift[j->hips] = v3(0.5, 1.5 * sway, 0.2 + 1.6 * bounce);
    stance_turn(pose, j->hips, 7 * sway, 11, -9 * stride);
    stance_turn(pose, j->chest, -8 * sway, 4 + 2 * late, 13 * stride);
    stance_turn(pose, j->neck, 0, -6 - 2 * late, -4 * stride);
    stance_turn(pose, j->head, 3 * turn_sin(t - 0.06), -8 - 3 * late, -3 * stride);
    stance_turn(pose, j->jaw, 0, 10 + 5 * late, 0);
    for (int side = -1; side <= 1; side += 2) {
        double swing = -side * turn_cos(t - 0.02);
        arms(plum, pose, side, 4 + 30 * swing, 2, 12 + 16 * swing);
        stance_turn_side(pose, j->fin, side, -8 + 8 * late, 0, 14);
        struct step step = run_step(side > 0 ? t : t + 0.5);
        put_foot(plum, rig, pose, side, &step);
    }
    wings(plum, pose, 10 + 24 * turn_sin(2 * t + 0.1), 20 * turn_sin(2 * t - 0.05), -14);
    tail(plum, pose, -9 * turn_cos(t - 0.2), -3 + 4 * late);
    stance_build(pose, rig);
}

/* Rears back with a breath, lunges and snaps, and gathers itself. */
static void attack(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct plum *plum = who;
    const struct plum_joints *j = &plum->joints;
    double lunge = CURVE(t, {0, 0}, {0.3, -1}, {0.4, -1.05}, {0.55, 1.1}, {0.65, 1}, {0.95, 0.1}, {1.1, 0});
    double back = fmax(-lunge, 0), on = fmax(lunge, 0);
    double gape = CURVE(t, {0.1, 3}, {0.38, 20}, {0.5, 48}, {0.58, 46}, {0.66, 0}, {0.76, 10}, {1.0, 3});
    pose->shift[j->hips] = v3(-3.5 * back + 6.5 * on, 0, -0.5 - 0.2 * back - 2.2 * on);
    stance_turn(pose, j->hips, 0, -9 * back + 15 * on, 0);
    stance_turn(pose, j->chest, 0, -12 * back + 13 * on, 0);
    stance_turn(pose, j->neck, 0, -14 * back + 6 * on, 0);
    stance_turn(pose, j->head, 0, 4 * back - 22 * on, 0);
    stance_turn(pose, j->jaw, 0, gape, 0);
    for (int side = -1; side <= 1; side += 2) {
        arms(plum, pose, side, 12 * back + 22 * on, 30 * back - 4 * on, 30 * back - 18 * on);
        stance_turn_side(pose, j->fin, side, 16 * back + 10 * on, 0, -20 * back + 16 * on);
        struct step step = {.x = side > 0 ? 6.5 * on : -2 * on, .out = 8};
        step.lift = side > 0 ? CURVE(t, {0.36, 0}, {0.46, 3.5}, {0.55, 0}, {0.68, 0}, {0.82, 2}, {1.0, 0}) : 0;
        step.pitch = side < 0 ? 22 * on : 0;
        put_foot(plum, rig, pose, side, &step);
    }
    wings(plum, pose, 4 + 34 * back + 12 * on, 14 * back - 12 * on, -6 + 20 * back - 28 * on);
    tail(plum, pose, 0, -10 * back + 9 * on);
    eyes(plum, pose, 0.25 * on);
    stance_build(pose, rig);
}

/* A hop that the wings make longer than it should be. */
static void jump(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct plum *plum = who;
    const struct plum_joints *j = &plum->joints;
    double height = CURVE(t, {0.3, 0}, {0.4, 5}, {0.62, 17}, {0.8, 18}, {0.95, 12}, {1.1, 0});
    double hips = CURVE(t, {0, -0.5}, {0.2, -3.2}, {0.26, -3.2}, {0.38, 1.5}, {0.9, 0.5}, {1.08, 0}, {1.2, -3.4},
                        {1.4, 0.4}, {1.5, -0.5});
    double lean = CURVE(t, {0, 0}, {0.22, 16}, {0.4, -12}, {0.75, 2}, {1.05, 4}, {1.2, 15}, {1.4, -2}, {1.5, 0});
    double in_air = smooth(0.3, 0.42, t) * smooth(1.12, 1.04, t);
    double flap = in_air * turn_sin((t - 0.36) / 0.3);
    double tuck = CURVE(t, {0.36, 0}, {0.5, 0.5}, {0.75, 4}, {0.95, 2}, {1.1, 0});
    double point = CURVE(t, {0.26, 0}, {0.36, 34}, {0.5, 44}, {0.8, 24}, {1.0, -6}, {1.1, 0});
    pose->shift[j->hips] = v3(-0.12 * lean, 0, height + hips + 0.9 * flap);
    stance_turn(pose, j->hips, 0, lean * 0.6, 0);
    stance_turn(pose, j->chest, 0, lean * 0.5, 0);
    stance_turn(pose, j->neck, 0, -lean * 0.4, 0);
    stance_turn(pose, j->head, 0, -lean * 0.5 - 6 * in_air, 0);
    stance_turn(pose, j->jaw, 0, 3 + 16 * in_air, 0);
    for (int side = -1; side <= 1; side += 2) {
        arms(plum, pose, side, CURVE(t, {0, -4}, {0.22, -40}, {0.42, 40}, {0.9, 24}, {1.2, -10}, {1.5, -4}),
             26 * in_air, 8 + 14 * in_air);
        stance_turn_side(pose, j->fin, side, 10 * flap, 0, 10 * in_air);
        struct step step = {.x = -tuck * 0.4, .lift = height + tuck, .pitch = point, .out = 8 + 8 * in_air};
        put_foot(plum, rig, pose, side, &step);
    }
    double ready = CURVE(t, {0, 4}, {0.22, 40}, {0.36, 34}, {0.45, 6}, {1.1, 14}, {1.2, -10}, {1.5, 4});
    wings(plum, pose, ready - 42 * flap, -30 * in_air * turn_sin((t - 0.43) / 0.3), -6 + 4 * in_air);
    tail(plum, pose, 0, CURVE(t, {0, 0}, {0.2, 6}, {0.42, 12}, {0.75, -6}, {1.1, -8}, {1.22, 6}, {1.5, 0}));
    eyes(plum, pose, CURVE(t, {1.08, 0}, {1.18, 0.8}, {1.28, 0.8}, {1.4, 0}));
    stance_build(pose, rig);
}

static void taunt(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct plum *plum = who;
    const struct plum_joints *j = &plum->joints;
    double bob = fabs(turn_sin(1.5 * t)), sway = turn_sin(1.5 * t);
    pose->shift[j->hips] = v3(0, 2.2 * sway, -1.8 + 1.8 * bob);
    stance_turn(pose, j->hips, 6 * sway, -4, -6 * sway);
    stance_turn(pose, j->chest, -4 * sway, -6, 12 * sway);
    stance_turn(pose, j->neck, 0, -4, 4 * sway);
    stance_turn(pose, j->head, 14 * turn_sin(1.5 * t - 0.08), -6 + 6 * bob, 0);
    stance_turn(pose, j->jaw, 0, 18 + 8 * bob, 0);
    for (int side = -1; side <= 1; side += 2) {
        arms(plum, pose, side, 40 + 20 * side * sway, 48, 24 + 14 * turn_sin(3 * t));
        stance_turn_side(pose, j->fin, side, 14 * bob, 0, 8);
    }
    wings(plum, pose, 22 + 20 * bob, 10 - 14 * bob, 0);
    tail(plum, pose, -15 * turn_sin(1.5 * t - 0.1), -4);
    eyes(plum, pose, 0.35 + 0.3 * (1 - bob));
    stand_on(plum, rig, pose, 0, 0);
    stance_build(pose, rig);
}

static void pain(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct plum *plum = who;
    const struct plum_joints *j = &plum->joints;
    double hit = CURVE(t, {0, 0.5}, {0.1, 1}, {0.3, -0.15}, {0.4, 0});
    pose->shift[j->hips] = v3(-3.2 * hit, 0.8 * hit, -0.5 - 0.2 * fabs(hit));
    stance_turn(pose, j->hips, -4 * hit, -8 * hit, 6 * hit);
    stance_turn(pose, j->chest, -4 * hit, -12 * hit, 10 * hit);
    stance_turn(pose, j->head, -12 * hit, -14 * hit, 12 * hit);
    stance_turn(pose, j->jaw, 0, 3 + 26 * fabs(hit), 0);
    for (int side = -1; side <= 1; side += 2)
        arms(plum, pose, side, 24 * hit, 30 * hit, 30 * hit);
    wings(plum, pose, 4 + 30 * hit, -20 * hit, -6);
    tail(plum, pose, 6 * hit, -8 * hit);
    eyes(plum, pose, fmin(1, 1.4 * fabs(hit)));
    stand_on(plum, rig, pose, 0, 0);
    stance_build(pose, rig);
}

/* Staggers, tips over to its left, bounces once and lies still. */
static void death(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct plum *plum = who;
    const struct plum_joints *j = &plum->joints;
    double reel = CURVE(t, {0, 0}, {0.15, 1}, {0.35, -0.6}, {0.5, 0.4}, {0.7, 0});
    double fall = CURVE(t, {0.4, 0}, {0.6, -6}, {0.95, 84}, {1.05, 78}, {1.2, 86}, {1.4, 85});
    double down = smooth(0, 84, fall), limp = smooth(0.8, 1.2, t);
    double z = CURVE(t, {0, -0.5}, {0.15, -1}, {0.35, -1}, {0.55, 0}, {0.78, 5}, {0.95, -1.8}, {1.05, -1},
                     {1.2, -2.6}, {1.4, -2.6});
    pose->shift[j->hips] = v3(-2.5 * reel, 2 * down + 1.5 * reel, z);
    stance_turn(pose, j->hips, -6 * reel, -9 * reel, 4 * reel);
    stance_turn(pose, j->hips, -fall, 0, 0);
    stance_turn(pose, j->chest, 4 * down, -10 * reel + 8 * limp, 8 * reel);
    stance_turn(pose, j->neck, 8 * limp, -6 * reel + 8 * limp, 0);
    stance_turn(pose, j->head, 10 * limp - 10 * reel, -16 * reel + 6 * limp, 8 * reel);
    stance_turn(pose, j->jaw, 0, CURVE(t, {0, 4}, {0.15, 30}, {0.4, 12}, {0.9, 34}, {1.1, 14}, {1.4, 16}), 0);
    for (int side = -1; side <= 1; side += 2) {
        double up = side < 0;
        arms(plum, pose, side, 26 * reel + 16 * limp, 24 * reel + 22 * down * up - 26 * limp, 20 * down);
        stance_turn_side(pose, j->fin, side, -24 * limp * up, 0, 18 * limp);
        if (down > 0.02) {
            double kick = CURVE(t, {0.5, 0}, {0.85, 1}, {1.0, 0.5}, {1.15, 0.9}, {1.4, 0.55});
            stance_turn_side(pose, j->thigh, side, -26 * down * (1 - up), -34 * kick * (0.7 + 0.3 * up), 0);
            stance_turn_side(pose, j->shin, side, 0, 40 * kick, 0);
        }
    }
    stance_build(pose, rig);
    for (int side = -1; side <= 1 && down <= 0.02; side += 2) {
        struct step step = {.x = 2 * reel * side, .out = 8};
        put_foot(plum, rig, pose, side, &step);
    }
    stance_turn_side(pose, j->wing, 1, mix(4 + 24 * reel, 62, down), 0, 20 * limp);
    stance_turn_side(pose, j->wing, -1, mix(4 + 24 * reel, -6, limp), 0, -24 * limp);
    stance_turn_side(pose, j->wing_tip, -1, -26 * limp, 0, 0);
    tail(plum, pose, 3 * limp - 8 * reel, 3 * limp);
    eyes(plum, pose, CURVE(t, {0, 0.1}, {0.15, 0.7}, {0.4, 0.3}, {0.9, 0.4}, {1.2, 1}));
    stance_build(pose, rig);
}

const struct motion plum_motions[PLUM_MOTIONS] = {
    {"stand", 20, 10, true, stand},  {"run", 8, 10, true, run},      {"attack", 12, 10, false, attack},
    {"jump", 16, 10, false, jump},   {"taunt", 14, 10, true, taunt}, {"pain", 5, 10, false, pain},
    {"death", 16, 10, false, death},
};

void plum_record(const struct plum *plum, const struct motion *motion, struct stance *frames)
{
    const struct dangle dangles[] = {
        {.first = plum->joints.tail,
         .count = PLUM_TAIL_JOINTS,
         .tip = {-36, 0, 13},
         .stiffness = 240,
         .damping = 15,
         .ground = 3},
    };
    motion_record(motion, plum, &plum->figure.rig, dangles, 1, frames);
}
