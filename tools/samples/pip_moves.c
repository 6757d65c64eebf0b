#include "pip.h"

static const struct v3 FORWARD = {1, 0, 0};
static const double EYE_TOP = 57, EYE_BOTTOM = 48, EYE_CENTRE = 52.8;

/* 1 open, 0.1 shut, above 1 wide; gaze in units to the left and up. */
static void eyes(const struct pip *pip, struct stance *pose, double open, double left, double up)
{
    pose->shift[pip->joints.eye_top] = v3(0, left, up + (EYE_CENTRE - EYE_TOP) * (1 - open));
    pose->shift[pip->joints.eye_bottom] = v3(0, left, up + (EYE_CENTRE - EYE_BOTTOM) * (1 - open));
}

/* 1, but for a quick blink at `when`; all in seconds. */
static double blink(double t, double when)
{
    return CURVE(t, {when, 1}, {when + 0.07, 0.1}, {when + 0.13, 0.1}, {when + 0.24, 1});
}

/* A foot on or over the floor: where the middle of its ankle would be if it stood flat, and its pitch: above 0 it
 * stands on the ball, below on the heel. */
struct step {
    double x, y, lift, pitch, out;
};

static const double BALL = 7, HEEL = -6.6, ANKLE = 6.5;

static void put_foot(const struct pip *pip, const struct rig *rig, struct stance *pose, int side,
                     const struct step *step)
{
    int twin = side < 0, thigh = pip->joints.thigh + twin, foot = pip->joints.foot + twin;
    double pivot = step->pitch > 0 ? BALL : HEEL;
    struct quat pitch = quat_turn(v3(0, 1, 0), step->pitch), out = quat_turn(v3(0, 0, 1), side * step->out);
    struct v3 ankle = quat_rotate(pitch, v3(-pivot, 0, ANKLE));
    ankle = quat_rotate(out, v3(ankle.x + pivot, 0, ankle.z));
    ankle = v3_add(ankle, v3(step->x, side * step->y, step->lift));
    stance_build(pose, rig);
    stance_reach(pose, rig, thigh, pip->joints.shin + twin, foot, ankle, v3_add(FORWARD, v3(0, side * 0.15, 0)));
    stance_place(pose, rig, foot, quat_mul(out, pitch));
    stance_turn_side(pose, pip->joints.toes, side, 0, -fmax(step->pitch, 0) * 0.9 * smooth(4, 0.5, step->lift), 0);
    stance_build(pose, rig);
}

static void stand(const struct pip *pip, const struct rig *rig, struct stance *pose, double lift, double heels)
{
    for (int side = -1; side <= 1; side += 2) {
        struct step step = {.x = -0.5, .y = 7.4, .lift = lift, .pitch = heels, .out = 9};
        put_foot(pip, rig, pose, side, &step);
    }
}

/* The arm from hanging: `raise` sideways, `swing` forwards, and the bend of the elbow. */
static void arm(const struct pip *pip, struct stance *pose, int side, double raise, double swing, double bend)
{
    const struct pip_joints *j = &pip->joints;
    stance_turn_side(pose, j->upper_arm, side, raise - 38, 0, 0);
    stance_turn_side(pose, j->upper_arm, side, 0, -swing, 0);
    stance_turn_side(pose, j->forearm, side, 0, -bend, 0);
}

/* Turns the hand about the length of the forearm, half of it in the forearm itself. */
static void twist(const struct pip *pip, struct stance *pose, int side, double degrees)
{
    const struct rig_joint *joints = pip->figure.rig.joints;
    int forearm = pip->joints.forearm + (side < 0), hand = pip->joints.hand + (side < 0);
    struct quat half = quat_turn(v3_sub(joints[hand].rest, joints[forearm].rest), side * degrees / 2);
    pose->turn[forearm] = quat_mul(pose->turn[forearm], half);
    pose->turn[hand] = quat_mul(pose->turn[hand], half);
}

static void curl(const struct pip *pip, struct stance *pose, int side, double degrees)
{
    stance_turn_side(pose, pip->joints.fingers, side, -degrees, 0, 0);
    stance_turn_side(pose, pip->joints.thumb, side, -degrees * 0.4, 0, -degrees * 0.3);
}

static void idle(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct pip *pip = who;
    const struct pip_joints *j = &pip->joints;
    double breath = turn_sin(2 * t), late = turn_sin(2 * t - 0.12), weight = turn_sin(t), s = t * 3;
    double look = CURVE(t, {0.05, 0}, {0.13, 1}, {0.36, 1}, {0.46, -0.75}, {0.72, -0.75}, {0.82, 0});
    pose->shift[j->hips] = v3(0, 0.9 * weight, -0.7 + 0.25 * breath);
    stance_turn(pose, j->hips, 1.6 * weight, 1, 2 * weight);
    stance_turn(pose, j->spine, -1.5 * weight, -1.5 * breath, 0);
    stance_turn(pose, j->chest, -0.8 * weight, -1.5 * late, -2 * weight + 5 * look);
    pose->shift[j->chest] = v3(0, 0, 0.35 * late);
    stance_turn(pose, j->neck, 0, 1.5 * late, 6 * look);
    stance_turn(pose, j->head, 2.5 * look + 1.5 * weight, 1.0 * late - 2, 14 * look);
    for (int side = -1; side <= 1; side += 2) {
        arm(pip, pose, side, 22 + 2.5 * late + 2 * side * weight, 4 + 3 * turn_sin(t + 0.1 * side), 24 + 4 * late);
        stance_turn_side(pose, j->hand, side, 5 * turn_sin(2 * t - 0.25), 0, 0);
        curl(pip, pose, side, 14 + 8 * turn_sin(t + 0.3 * side));
    }
    stand(pip, rig, pose, 0, 0);
    eyes(pip, pose, fmin(blink(s, 0.22), fmin(blink(s, 1.22), blink(s, 1.5))), 0.9 * look, 0);
    stance_build(pose, rig);
}

/* Half a cycle on the floor, heel first and rolling over the ball, half a cycle through the air. */
static struct step walk_step(double q)
{
    const double stride = 8.6;
    struct step step = {.y = 6.6, .out = 5};
    q -= floor(q);
    if (q < 0.5) {
        step.x = mix(stride, -stride, q / 0.5);
    } else {
        double swing = (q - 0.5) / 0.5;
        step.x = mix(-stride, stride, swing * swing * (3 - 2 * swing));
        step.lift = CURVE(swing, {0, 0}, {0.35, 5.0}, {0.7, 3.6}, {1, 0});
    }
    step.pitch = CURVE(q, {0, -22}, {0.09, 0}, {0.3, 0}, {0.5, 34}, {0.6, 44}, {0.78, 6}, {0.9, -20}, {1, -22});
    return step;
}

static void walk(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct pip *pip = who;
    const struct pip_joints *j = &pip->joints;
    double sway = turn_sin(t), stride = turn_cos(t);
    double bounce = -turn_cos(2 * (t - 0.09)), late = -turn_cos(2 * (t - 0.15));
    pose->shift[j->hips] = v3(0.4, 1.3 * sway, -1.5 + 1.25 * bounce);
    stance_turn(pose, j->hips, 5 * sway, 4, -9 * stride);
    stance_turn(pose, j->spine, -4 * sway, 2, 8 * stride);
    stance_turn(pose, j->chest, -4 * sway, -1 + 2 * late, 12 * stride);
    stance_turn(pose, j->neck, 1 * sway, -2 - 1.5 * late, -6 * stride);
    stance_turn(pose, j->head, 4.5 * turn_sin(t - 0.08), -3 - 2.5 * late, -5 * stride);
    for (int side = -1; side <= 1; side += 2) {
        double swing = -side * turn_cos(t - 0.03), drag = -side * turn_cos(t - 0.11);
        arm(pip, pose, side, 20 + 3 * bounce, 8 + 36 * swing, 34 + 20 * drag);
        stance_turn_side(pose, j->forearm, side, -6 - 6 * drag, 0, 0);
        stance_turn_side(pose, j->hand, side, 0, -14 * (-side * turn_cos(t - 0.2)), 0);
        curl(pip, pose, side, 30);
        struct step step = walk_step(side > 0 ? t : t + 0.5);
        put_foot(pip, rig, pose, side, &step);
    }
    eyes(pip, pose, blink(t, 0.6), 0, 0);
    stance_build(pose, rig);
}

/* Crouch, leave the floor at 0.42 s, be back at 1.0 s, and catch the weight. */
static void jump(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct pip *pip = who;
    const struct pip_joints *j = &pip->joints;
    const double off = 0.42, on = 1.0, apex = 27;
    double air = clamp((t - off) / (on - off), 0, 1), height = 4 * apex * air * (1 - air);
    double hips = CURVE(t, {0, -0.7}, {0.24, -7.4}, {0.3, -7.2}, {off, 2.0}, {0.6, 0}, {0.85, 0.4}, {on, 0.4},
                        {1.1, -8.2}, {1.16, -7.8}, {1.34, 0.8}, {1.5, -0.7});
    double lean =
        CURVE(t, {0, 1}, {0.24, 24}, {0.3, 22}, {off, -5}, {0.7, 2}, {on, 6}, {1.11, 25}, {1.34, -2}, {1.5, 1});
    double arms = CURVE(t, {0, 4}, {0.26, -62}, {0.42, 120}, {0.6, 150}, {0.85, 120}, {on, 70}, {1.13, -30},
                        {1.36, 14}, {1.5, 4});
    double raise =
        CURVE(t, {0, 22}, {0.26, 34}, {0.42, 30}, {0.7, 52}, {on, 62}, {1.13, 48}, {1.36, 18}, {1.5, 22});
    double tuck = CURVE(t, {off, 0}, {0.52, 0}, {0.72, 5.0}, {0.92, 0.6}, {on, 0});
    double point = CURVE(t, {0, 0}, {0.3, 0}, {off, 34}, {0.55, 48}, {0.75, 20}, {0.95, -8}, {on, -4}, {1.03, 0});
    double open = CURVE(t, {0, 1}, {0.2, 0.55}, {0.32, 0.55}, {0.45, 1.12}, {0.9, 1.12}, {1.04, 0.35}, {1.2, 0.3},
                        {1.36, 1});
    pose->shift[j->hips] = v3(-0.10 * lean, 0, height + hips);
    stance_turn(pose, j->hips, 0, lean * 0.55, 0);
    stance_turn(pose, j->spine, 0, lean * 0.35, 0);
    stance_turn(pose, j->chest, 0, lean * 0.35, 0);
    stance_turn(pose, j->neck, 0, -lean * 0.45, 0);
    stance_turn(pose, j->head, 0, -lean * 0.4 - 10 * air * (1 - air) * 4 * 0.6, 0);
    for (int side = -1; side <= 1; side += 2) {
        arm(pip, pose, side, raise, arms,
            CURVE(t, {0, 26}, {0.26, 12}, {0.45, 8}, {0.8, 30}, {1.13, 30}, {1.5, 26}));
        curl(pip, pose, side, CURVE(t, {0, 16}, {0.26, 50}, {0.45, 0}, {0.9, -6}, {1.13, 20}, {1.5, 16}));
        struct step step = {.x = -0.5 - tuck * 0.5, .y = 7.4, .out = 9, .pitch = point};
        step.lift = height + (side > 0 ? tuck : tuck * 0.72);
        step.x += side * tuck * 0.5;
        put_foot(pip, rig, pose, side, &step);
    }
    eyes(pip, pose, open, 0, 0.5 * air * (1 - air) * 4);
    stance_build(pose, rig);
}

static void wave(const void *who, const struct rig *rig, double t, struct stance *pose)
{
    const struct pip *pip = who;
    const struct pip_joints *j = &pip->joints;
    double sway = turn_sin(t), beat = turn_sin(3 * t), late = turn_sin(3 * t - 0.1), bob = turn_cos(2 * t);
    pose->shift[j->hips] = v3(0, 0.8 + 0.5 * sway, -0.9 + 0.3 * bob);
    stance_turn(pose, j->hips, 3 + sway, 0, 2);
    stance_turn(pose, j->spine, -1 - sway, -1, 0);
    stance_turn(pose, j->chest, 5 + 1.5 * sway, -2, 3 + 2 * sway);
    stance_turn(pose, j->neck, 2, 0, -2);
    stance_turn(pose, j->head, -9 - 2.5 * turn_sin(t - 0.1), -3 + 1.5 * bob, -3);
    arm(pip, pose, 1, 24 + 2 * sway, 2, 28);
    curl(pip, pose, 1, 22);
    /* The right arm is up: the forearm swings from side to side, and the hand drags behind. */
    stance_turn_side(pose, j->upper_arm, -1, 54, 0, 0);
    stance_turn_side(pose, j->upper_arm, -1, 0, -18, 0);
    stance_turn_side(pose, j->forearm, -1, 54 + 24 * beat, 0, 0);
    stance_turn_side(pose, j->hand, -1, 4 + 18 * late, 0, 0);
    twist(pip, pose, -1, 80);
    curl(pip, pose, -1, -8);
    stand(pip, rig, pose, 0, 0);
    eyes(pip, pose, CURVE(t, {0, 0.42}, {0.06, 1}, {0.5, 1}, {0.56, 0.42}, {1, 0.42}), 0, 0.2);
    stance_build(pose, rig);
}

const struct motion pip_motions[PIP_MOTIONS] = {
    {"idle", 48, 16, true, idle},
    {"walk", 24, 24, true, walk},
    {"jump", 37, 24, false, jump},
    {"wave", 32, 16, true, wave},
};

void pip_record(const struct pip *pip, const struct motion *motion, struct stance *frames)
{
    double against = motion->pose == walk ? -420 : 60;
    const struct dangle dangles[] = {
        {.first = pip->joints.antenna,
         .count = PIP_ANTENNA_JOINTS,
         .tip = {-7.6, 0, 73},
         .stiffness = 2400,
         .damping = 16,
         .ground = 0},
        {.first = pip->joints.scarf,
         .count = PIP_SCARF_JOINTS,
         .tip = {-22.5, 8, 24},
         .stiffness = 130,
         .damping = 7,
         .wind = {against, 0, -130},
         .ground = 1},
    };
    motion_record(motion, pip, &pip->figure.rig, dangles, 2, frames);
}
