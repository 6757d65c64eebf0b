/* Vectors and quaternions by value, in double precision: results are rounded once, when they are written, so that all
 * compilers give the same bytes. Right-handed, Z up, X forward, Y to the left. */
#ifndef GENERATOR_VEC_H
#define GENERATOR_VEC_H

#include <math.h>

#define PI 3.14159265358979323846

struct v3 {
    double x, y, z;
};

struct quat {
    double x, y, z, w; /* unit length */
};

static inline struct v3 v3(double x, double y, double z)
{
    return (struct v3){x, y, z};
}

static inline struct v3 v3_add(struct v3 a, struct v3 b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct v3 v3_sub(struct v3 a, struct v3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline struct v3 v3_scale(struct v3 a, double s)
{
    return v3(a.x * s, a.y * s, a.z * s);
}

static inline struct v3 v3_add_scaled(struct v3 a, struct v3 b, double s)
{
    return v3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

static inline struct v3 v3_mix(struct v3 a, struct v3 b, double t)
{
    return v3_add_scaled(v3_scale(a, 1 - t), b, t);
}

static inline double v3_dot(struct v3 a, struct v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct v3 v3_cross(struct v3 a, struct v3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double v3_length(struct v3 a)
{
    return sqrt(v3_dot(a, a));
}

static inline double v3_distance(struct v3 a, struct v3 b)
{
    return v3_length(v3_sub(a, b));
}

/* (0, 0, 1) for a vector too short to have a direction. */
static inline struct v3 v3_unit(struct v3 a)
{
    double length = v3_length(a);
    return length > 1e-12 ? v3_scale(a, 1 / length) : v3(0, 0, 1);
}

static inline double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static inline double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

/* 0 up to `from`, 1 beyond `to`, smooth between; `from` may be the larger one. */
static inline double smooth(double from, double to, double x)
{
    double t = clamp((x - from) / (to - from), 0, 1);
    return t * t * (3 - 2 * t);
}

static inline double radians(double degrees)
{
    return degrees * PI / 180;
}

static inline struct quat quat_none(void)
{
    return (struct quat){0, 0, 0, 1};
}

static inline struct quat quat_turn(struct v3 axis, double degrees)
{
    double half = radians(degrees) / 2, s = sin(half);
    struct v3 a = v3_unit(axis);
    return (struct quat){a.x * s, a.y * s, a.z * s, cos(half)};
}

/* First b, then a. */
static inline struct quat quat_mul(struct quat a, struct quat b)
{
    return (struct quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline struct quat quat_back(struct quat q)
{
    return (struct quat){-q.x, -q.y, -q.z, q.w};
}

static inline struct v3 quat_rotate(struct quat q, struct v3 v)
{
    struct v3 axis = v3(q.x, q.y, q.z);
    struct v3 twice = v3_scale(v3_cross(axis, v), 2);
    return v3_add(v3_add_scaled(v, twice, q.w), v3_cross(axis, twice));
}

static inline struct quat quat_unit(struct quat q)
{
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (struct quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

/* The shortest turn that takes direction a to direction b; they must not be opposite. */
static inline struct quat quat_between(struct v3 a, struct v3 b)
{
    struct v3 from = v3_unit(a), to = v3_unit(b), axis = v3_cross(from, to);
    return quat_unit((struct quat){axis.x, axis.y, axis.z, 1 + v3_dot(from, to)});
}

/* Rotation whose axes are x and the part of y that is square to it. */
static inline struct quat quat_from_axes(struct v3 x_axis, struct v3 y_axis)
{
    struct quat first = quat_between(v3(1, 0, 0), x_axis);
    struct v3 x = v3_unit(x_axis), y = v3_unit(v3_add_scaled(y_axis, x, -v3_dot(y_axis, x)));
    struct v3 now = quat_rotate(first, v3(0, 1, 0));
    double angle = atan2(v3_dot(v3_cross(now, y), x), v3_dot(now, y));
    return quat_mul(quat_turn(x, angle * 180 / PI), first);
}

#endif
