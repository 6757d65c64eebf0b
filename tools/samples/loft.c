#include "loft.h"

#include <assert.h>
#include <stddef.h>

void loft_ring(struct loft *loft, struct v3 centre, double side, double up, double power)
{
    assert(loft->ring_count < LOFT_MAX_RINGS);
    loft->rings[loft->ring_count++] = (struct ring){centre, side, up, power};
}

static struct v3 end_axis(const struct loft *loft, int from, int to)
{
    if (v3_length(loft->axis) > 0)
        return v3_unit(loft->axis);
    return v3_unit(v3_sub(loft->rings[to].centre, loft->rings[from].centre));
}

/* Row i of a cap: how far towards the pole, and how wide there. */
static struct ring cap_ring(const struct ring *edge, struct v3 outwards, double depth, double roundness, double t)
{
    double along = pow(sin(t * PI / 2), 2 / roundness), across = pow(cos(t * PI / 2), 2 / roundness);
    if (t >= 1)
        across = 0;
    return (struct ring){v3_add_scaled(edge->centre, outwards, depth * along), edge->side * across,
                         edge->up * across, mix(2, edge->power, across)};
}

void loft_cap_start(struct loft *loft, double depth, double roundness, int rows)
{
    struct ring edge = loft->rings[0];
    struct v3 outwards = v3_scale(end_axis(loft, 0, loft->ring_count > 1 ? 1 : 0), -1);
    assert(loft->ring_count + rows <= LOFT_MAX_RINGS);
    for (int i = loft->ring_count - 1; i >= 0; i--)
        loft->rings[i + rows] = loft->rings[i];
    for (int i = 0; i < rows; i++)
        loft->rings[i] = cap_ring(&edge, outwards, depth, roundness, (double)(rows - i) / rows);
    loft->ring_count += rows;
}

void loft_cap_end(struct loft *loft, double depth, double roundness, int rows)
{
    struct ring edge = loft->rings[loft->ring_count - 1];
    struct v3 outwards = end_axis(loft, loft->ring_count > 1 ? loft->ring_count - 2 : 0, loft->ring_count - 1);
    assert(loft->ring_count + rows <= LOFT_MAX_RINGS);
    for (int i = 1; i <= rows; i++)
        loft->rings[loft->ring_count++] = cap_ring(&edge, outwards, depth, roundness, (double)i / rows);
}

double loft_length(const struct loft *loft)
{
    double length = 0;
    for (int i = 1; i < loft->ring_count; i++) {
        const struct ring *a = &loft->rings[i - 1], *b = &loft->rings[i];
        double wider = (fabs(b->side - a->side) + fabs(b->up - a->up)) / 2;
        length += hypot(v3_distance(a->centre, b->centre), wider);
    }
    return length;
}

double loft_girth(const struct loft *loft)
{
    double girth = 0;
    for (int i = 0; i < loft->ring_count; i++)
        girth = fmax(girth, PI * (loft->rings[i].side + loft->rings[i].up));
    return girth;
}

void loft_finish(struct loft *loft)
{
    double total = loft_length(loft);
    struct loft part = *loft;
    for (int i = 0; i < loft->ring_count; i++) {
        part.ring_count = i + 1;
        loft->at[i] = loft_length(&part) / total;
    }
    loft->at[loft->ring_count - 1] = 1;
}

/* The component `which` of ring i: centre x, y, z, half widths, power. */
static double ring_value(const struct ring *ring, int which)
{
    const double values[6] = {ring->centre.x, ring->centre.y, ring->centre.z, ring->side, ring->up, ring->power};
    return values[which];
}

/* The slope at ring i of a curve that overshoots none of the rings (Fritsch and Carlson's harmonic mean). */
static double slope(const struct loft *loft, int i, int which)
{
    if (i == 0 || i == loft->ring_count - 1) {
        int a = i == 0 ? 0 : i - 1;
        return (ring_value(&loft->rings[a + 1], which) - ring_value(&loft->rings[a], which)) /
               (loft->at[a + 1] - loft->at[a]);
    }
    double h0 = loft->at[i] - loft->at[i - 1], h1 = loft->at[i + 1] - loft->at[i];
    double d0 = (ring_value(&loft->rings[i], which) - ring_value(&loft->rings[i - 1], which)) / h0;
    double d1 = (ring_value(&loft->rings[i + 1], which) - ring_value(&loft->rings[i], which)) / h1;
    if (d0 * d1 <= 0)
        return 0;
    return 3 * (h0 + h1) / ((2 * h1 + h0) / d0 + (h1 + 2 * h0) / d1);
}

static double between(const struct loft *loft, int i, double v, int which)
{
    double h = loft->at[i + 1] - loft->at[i], t = (v - loft->at[i]) / h;
    double a = ring_value(&loft->rings[i], which), b = ring_value(&loft->rings[i + 1], which);
    double m0 = slope(loft, i, which) * h, m1 = slope(loft, i + 1, which) * h;
    double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a + (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * b + (t3 - t2) * m1;
}

static int segment(const struct loft *loft, double v)
{
    int i = 0;
    while (i < loft->ring_count - 2 && v > loft->at[i + 1])
        i++;
    return i;
}

static struct ring ring_at(const struct loft *loft, double v)
{
    int i = segment(loft, v);
    return (struct ring){v3(between(loft, i, v, 0), between(loft, i, v, 1), between(loft, i, v, 2)),
                         between(loft, i, v, 3), between(loft, i, v, 4), between(loft, i, v, 5)};
}

static struct v3 axis_at(const struct loft *loft, double v)
{
    if (v3_length(loft->axis) > 0)
        return v3_unit(loft->axis);
    double step = 0.02;
    struct ring a = ring_at(loft, fmax(v - step, 0)), b = ring_at(loft, fmin(v + step, 1));
    return v3_unit(v3_sub(b.centre, a.centre));
}

struct v3 loft_point(const struct loft *loft, double u, double v)
{
    struct ring ring = ring_at(loft, clamp(v, 0, 1));
    struct v3 axis = axis_at(loft, clamp(v, 0, 1));
    struct v3 side = v3_unit(v3_add_scaled(loft->side, axis, -v3_dot(loft->side, axis)));
    struct v3 up = v3_cross(axis, side);
    double angle = radians(loft->seam_deg) - 2 * PI * u, c = cos(angle), s = sin(angle);
    double r = pow(pow(fabs(c), ring.power) + pow(fabs(s), ring.power), -1 / ring.power);
    struct v3 point = v3_add_scaled(ring.centre, side, ring.side * r * c);
    point = v3_add_scaled(point, up, ring.up * r * s);
    if (loft->shape)
        loft->shape(&point, u, v);
    return point;
}

struct v3 loft_normal(const struct loft *loft, double u, double v)
{
    /* A pole has no direction around: stay a little away from both. */
    double du = 1e-4, dv = 1e-4, w = clamp(v, 2e-3, 1 - 2e-3);
    struct v3 along = v3_sub(loft_point(loft, u, w + dv), loft_point(loft, u, w - dv));
    struct v3 around = v3_sub(loft_point(loft, u + du, w), loft_point(loft, u - du, w));
    return v3_unit(v3_cross(along, around));
}
