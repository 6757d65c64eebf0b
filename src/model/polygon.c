#include "model/polygon.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Of its sides: a corner whose sine is below this is straight, but for rounding. */
static const double STRAIGHT = 1e-6;

/* To look for ears takes the square of the corners, and in odd shapes their cube. */
enum { MOST_CORNERS = 1 << 14 };

/* Corners that may be cut off, from the best on. */
enum pass { THERE_AND_BACK, CLEAR, FLAT, TOUCHED, ROUGH, ANY };

struct corner {
    double x, y; /* in the plane of the polygon, in which it turns left */
    uint32_t point;
};

/* Twice the area; above 0 where it turns left. */
static double area_of(const struct corner *a, const struct corner *b, const struct corner *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static bool is_same_place(const struct corner *a, const struct corner *b)
{
    return a->x == b->x && a->y == b->y;
}

/* The corners as they are seen along the normal of all of them. */
static struct corner *look_along_normal(const vec3 *points, const uint32_t *corners, uint32_t count)
{
    struct corner *seen = must_alloc(count, sizeof *seen);
    const float *first = points[corners[0]];
    double normal[3] = {0};
    for (uint32_t i = 1; i + 1 < count; i++)
        for (int k = 0; k < 3; k++) {
            const float *a = points[corners[i]], *b = points[corners[i + 1]];
            int u = (k + 1) % 3, v = (k + 2) % 3;
            normal[k] += ((double)a[u] - first[u]) * ((double)b[v] - first[v]) -
                         ((double)a[v] - first[v]) * ((double)b[u] - first[u]);
        }
    int axis = fabs(normal[1]) > fabs(normal[0]) ? 1 : 0;
    axis = fabs(normal[2]) > fabs(normal[axis]) ? 2 : axis;
    for (uint32_t i = 0; i < count; i++) {
        const float *at = points[corners[i]];
        double side = normal[axis] < 0 ? -1 : 1;
        seen[i] = (struct corner){side * at[(axis + 1) % 3], at[(axis + 2) % 3], corners[i]};
    }
    return seen;
}

/* Whether the way to `to` goes into the triangle at its corner a. */
static bool goes_into(const struct corner *a, const struct corner *b, const struct corner *c,
                      const struct corner *to)
{
    return area_of(a, b, to) > 0 && area_of(a, to, c) > 0;
}

/* Whether the corner k of the polygon, or a side there, lies in the triangle. Where a hole hangs on the outline, corners
 * share a place. */
static bool is_in_way(const struct corner *all, uint32_t count, uint32_t k, const struct corner *const tip[3],
                      enum pass pass)
{
    const struct corner *p = &all[k];
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const struct corner *a = tip[i], *b = tip[(i + 1) % 3], *c = tip[(i + 2) % 3];
        if (is_same_place(p, a))
            return goes_into(a, b, c, &all[(k + count - 1) % count]) || goes_into(a, b, c, &all[(k + 1) % count]);
        least = fmin(least, area_of(a, b, p));
    }
    return pass == CLEAR ? least >= 0 : least > 0;
}

/* The turn of the way at b. */
enum turn { LEFT, RIGHT, ON, BACK };

static enum turn turn_at(const struct corner *a, const struct corner *b, const struct corner *c)
{
    double sides = hypot(b->x - a->x, b->y - a->y) * hypot(c->x - b->x, c->y - b->y), area = area_of(a, b, c);
    if (fabs(area) > STRAIGHT * sides)
        return area > 0 ? LEFT : RIGHT;
    return (b->x - a->x) * (c->x - b->x) + (b->y - a->y) * (c->y - b->y) > 0 ? ON : BACK;
}

static bool is_ear(const struct corner *all, uint32_t count, uint32_t i, enum pass pass)
{
    const struct corner *const tip[3] = {&all[(i + count - 1) % count], &all[i], &all[(i + 1) % count]};
    enum turn turn = turn_at(tip[0], tip[1], tip[2]);
    if (pass == THERE_AND_BACK || pass == FLAT)
        return turn == (pass == FLAT ? ON : BACK);
    if (turn != LEFT)
        return false;
    for (uint32_t k = 0; k < count && pass != ROUGH; k++)
        if (is_in_way(all, count, k, tip, pass))
            return false;
    return true;
}

static uint32_t find_ear(const struct corner *all, uint32_t count, uint32_t from)
{
    for (int pass = count > MOST_CORNERS ? ANY : THERE_AND_BACK; pass < ANY; pass++)
        for (uint32_t n = 0; n < count; n++)
            if (is_ear(all, count, (from + n) % count, (enum pass)pass))
                return (from + n) % count;
    return from % count;
}

void polygon_cut(const vec3 *points, const uint32_t *corners, uint32_t count, uint32_t *out)
{
    SCOPED struct corner *all = look_along_normal(points, corners, count);
    for (uint32_t from = 1; count > 3; from++) {
        uint32_t ear = find_ear(all, count, from);
        *out++ = all[(ear + count - 1) % count].point;
        *out++ = all[ear].point;
        *out++ = all[(ear + 1) % count].point;
        memmove(&all[ear], &all[ear + 1], (--count - ear) * sizeof *all);
        from = ear; /* the next but one: fewer thin triangles */
    }
    for (uint32_t i = 0; i < 3; i++)
        *out++ = all[i].point;
}

void polygon_turn(const vec3 *points, uint32_t *corners, uint32_t count)
{
    SCOPED struct corner *all = look_along_normal(points, corners, count);
    double most = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; i++) {
        double area = area_of(&all[(i + count - 1) % count], &all[i], &all[(i + 1) % count]);
        if (area > most * 100) /* a smaller one tells the side as well */
            most = area, best = i;
    }
    for (uint32_t i = 0; i < count; i++)
        corners[i] = all[(best + i) % count].point;
}
