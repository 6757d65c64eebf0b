/* A model on the GL side.
 *
 * Callers make one for each model, and pose it. The rest, and the struct's members, are for the files of this folder. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "model/shells.h"
#include "model/tangents.h"
#include "render/gl.h"

struct look;
struct renderer;

/* Where normals and tangents come from (model/tangents.h). */
enum basis {
    BASIS_SMOOTH,   /* the normals of the pose, with tangents from all triangles at a vertex */
    BASIS_DOMINANT, /* each vertex's largest triangle at bind pose */
    BASIS_COUNT,
};

/* Vertices on the GL side with normals and tangents of one kind. */
struct gl_vertex_array {
    GLuint id, normal_buffer, tangent_buffer;
    bool has_tangents; /* of this pose */
};

/* The model's vertices in its pose, in memory, too: sorting, shadows and tangents need them. */
struct drawable {
    struct arena arena;
    const struct gl *gl;
    const struct model *model;

    uint32_t vertex_count;
    /* Of the model, by ours: its own, then second copies of those on the line of a mirror image. */
    uint32_t *vertices;
    uint32_t *indices; /* model.index_count, of our vertices; front faces of the pose are clockwise */
    bool *is_turned;   /* by surface: so its indices run the other way than the model's */
    vec2 *uvs;
    vec3 *positions, *normals;
    vec4 *tangents;
    struct tangent_sum *tangent_sums;
    uint32_t *dominant; /* first indices of triangles, by vertex; NULL until BASIS_DOMINANT is wanted */
    vec3 *dominant_normals;
    struct shells *shells; /* by surface; NULL until drawable_find_shells */
    uint32_t *closed; /* by surface: so many of its indices, on the GL side the first, are of closed shells now */

    GLuint index_buffer, uv_buffer, position_buffer;
    GLuint more_uv_buffer, color_buffer; /* 0 where the model has none */
    GLuint sorted_buffer;                /* indices in another order, for surfaces that let others through */
    struct gl_vertex_array arrays[BASIS_COUNT]; /* that of BASIS_DOMINANT is made when first wanted */
};

int drawable_new(struct renderer *renderer, const struct model *model, struct drawable **out, struct error *err);
void drawable_free(struct drawable *drawable); /* NULL is fine */

/* Looks for closed shells in the surfaces that have a look, in one of these outfits, that would show both sides and need
 * not. Each pose set from then on is judged. On the GL side the triangles of shells come first. */
int drawable_find_shells(struct drawable *drawable, const struct look *looks, size_t outfit_count,
                         struct error *err);

void drawable_set_pose(struct drawable *drawable, const struct mesh *mesh);

/* Makes sure that the tangents of the pose, and with BASIS_DOMINANT its normals, are on the GL side. Only normal
 * maps need them. */
int drawable_use_tangents(struct drawable *drawable, enum basis basis, struct error *err);

/* Draws triangles of the bound program. */
void drawable_draw(const struct drawable *drawable, const struct surface *surface, enum basis basis);

/* The same in the order given: `indices` are as many as the surface has. */
void drawable_draw_sorted(struct drawable *drawable, const uint32_t *indices, uint32_t count);
