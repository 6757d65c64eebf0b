/* Drawables from the inside, for the other files of this folder; renderer.h has what callers need. */
#ifndef RENDER_DRAWABLE_H
#define RENDER_DRAWABLE_H

#include "model/tangents.h"
#include "render/gl.h"
#include "render/renderer.h"

/* The model's vertices in its pose, on both sides: GL draws them; sorting, shadows and tangents need them here. */
struct drawable {
    const struct gl *gl;
    const struct model *model;

    uint32_t vertex_count;
    uint32_t
        *vertices; /* of the model, by ours: its own, then second copies of those on the line of a mirror image */
    uint32_t *indices; /* model.index_count, of our vertices */
    vec2 *uvs;
    vec3 *positions, *normals;
    vec4 *tangents;
    struct tangent_sum *tangent_sums;
    bool has_tangents; /* of this pose, here and on the GL side */

    GLuint vertex_array, index_buffer, uv_buffer, position_buffer, normal_buffer, tangent_buffer;
    GLuint sorted_buffer; /* indices in another order, for surfaces that let others through */
};

/* Makes sure that the tangents of the pose are on the GL side. Only normal maps need them. */
void drawable_use_tangents(struct drawable *drawable);

/* Draws triangles of the bound program. */
void drawable_draw(const struct drawable *drawable, const struct surface *surface);

/* The same in the order given: `indices` are as many as the surface has. */
void drawable_draw_sorted(struct drawable *drawable, const uint32_t *indices, uint32_t count);

#endif
