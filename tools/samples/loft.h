/* A smooth closed surface: rings lofted along a line, with a rounded cap at each end.
 *
 * A ring is a superellipse (power 2 an ellipse, 4 a rounded box) about a centre. The surface has two parameters,
 * both 0..1: `u` runs around, `v` from the first cap to the last, in proportion to the length along the skin,
 * so that a picture laid over (u, v) is stretched evenly. Seen from outside with v running down, u runs to the
 * right: (u, v) can serve as texture coordinates. */
#ifndef GENERATOR_LOFT_H
#define GENERATOR_LOFT_H

#include "vec.h"

enum { LOFT_MAX_RINGS = 48, LOFT_MAX_ROWS = 96 };

struct ring {
    struct v3 centre;
    double side, up; /* half the width along `side`, and square to it; both 0 only at a pole */
    double power;
};

struct loft {
    struct v3 side;  /* the direction that `ring.side` is measured along */
    struct v3 axis;  /* rings stand square to this; (0, 0, 0): to the line of their centres */
    double seam_deg; /* where u starts: 0 at +side, 90 at +up, with up = axis x side */
    void (*shape)(struct v3 *point, double u, double v); /* a last change to each point, or NULL */
    int ring_count;
    struct ring rings[LOFT_MAX_RINGS];
    double at[LOFT_MAX_RINGS]; /* v of each ring; set by loft_finish */
};

void loft_ring(struct loft *loft, struct v3 centre, double side, double up, double power);

/* Rings from a pole to the first ring, or from the last ring to a pole, `depth` along the axis: a quarter of an
 * ellipse for roundness 2, flatter with a tighter edge above. Needs `axis`, or two rings for its direction. */
void loft_cap_start(struct loft *loft, double depth, double roundness, int rows);
void loft_cap_end(struct loft *loft, double depth, double roundness, int rows);

void loft_finish(struct loft *loft);
struct v3 loft_point(const struct loft *loft, double u, double v);
struct v3 loft_normal(const struct loft *loft, double u, double v); /* outwards */

/* The length of the surface along v at mid-width, and around its widest ring, roughly. */
double loft_length(const struct loft *loft);
double loft_girth(const struct loft *loft);

#endif
