/* Closed shells: bodies without a hole, such as an arm or a sword. Of these no back face is seen from outside, whatever
 * the material says; exporters say of nearly all that both sides are drawn.
 *
 * Corners that lie together in the bind pose are welded. A shell is a set of triangles, joined by their edges, where each
 * edge runs once one way and once the other; and its front faces look outwards. */
#pragma once

#include "model/model.h"

#define NO_SHELL UINT32_MAX

/* Those of one surface, in the arena of shells_find. */
struct shells {
    const struct model *model; /* borrowed, as the surface */
    const struct surface *surface;
    uint32_t *firsts;        /* for each triangle the first of its shell, or NO_SHELL */
    uint32_t triangle_count; /* of all shells */
    uint32_t *welded;        /* for each corner the point of the first one that lies there */
    double *volumes;         /* by the first triangle; scratch */
};

/* `positions` are those of the model's points in the bind pose. */
void shells_find(struct arena *arena, const struct model *model, const struct surface *surface,
                 const vec3 *positions, struct shells *out);

/* Whether in another pose all are still closed, for no joint or morph target moves welded corners apart, and none is
 * turned inside out. */
bool shells_hold(const struct shells *shells, const vec3 *positions);
