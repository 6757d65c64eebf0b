/* Vectors of three doubles, for sums whose rounding would show in single precision. cglm has only floats. */
#pragma once

#include <math.h>
#include <stdbool.h>

static inline void dvec_subtract(const float a[3], const float b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)a[i] - b[i];
}

static inline double dvec_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double dvec_length(const double v[3])
{
    return sqrt(dvec_dot(v, v));
}

/* `out` is another vector than `a` and `b`. */
static inline void dvec_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* False, with `v` unchanged, where it is too short to have a direction, or too long. */
static inline bool dvec_normalise(double v[3])
{
    double length = dvec_length(v);
    if (!(length > 1e-150 && length < 1e150))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] /= length;
    return true;
}
