/* Tangents from triangles: which way a picture lies on a surface, for normal maps.
 *
 * The directions of s and t are summed over the triangles around a vertex, each of unit length, and made perpendicular
 * to the vertex's normal, as Doom 3 does. A mesh that shows one picture on both sides of a seam in mirror image has
 * vertices where the two directions cancel out; the drawable splits those first (triangle_handedness).
 *
 * A tangent has unit length, runs along +s and is perpendicular to the normal. Its w is the sign that makes w *
 * cross(normal, tangent) run along +t. Where the triangles give no direction, it is any such vector. */
#pragma once

#include <cglm/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct tangent_sum {
    vec3 along_s, along_t;
};

/* Triangles of `index_count` / 3 over vertices with these texture coordinates, places and unit normals. `sums` is
 * scratch for `vertex_count` vertices. */
void tangents_from_triangles(const uint32_t *indices, size_t index_count, const vec2 *uvs, const vec3 *positions,
                             const vec3 *normals, size_t vertex_count, struct tangent_sum *sums, vec4 *tangents);

/* Finds the largest triangle of each vertex, as the number of its first index; of equally large ones the last. Numbers
 * of vertices without triangles do not change. */
int dominant_triangles(const uint32_t *indices, size_t index_count, const vec3 *positions, size_t vertex_count,
                       uint32_t *first_indices, struct error *err);

/* Normals and tangents for materials with `unsmoothedTangents`: each vertex takes those of its dominant triangle. */
void dominant_bases(const uint32_t *indices, const vec2 *uvs, const vec3 *positions, const uint32_t *first_indices,
                    size_t vertex_count, vec3 *normals, vec4 *tangents);

/* The normal of a triangle, outwards and of unit length: front faces are clockwise. False, with *out undefined, where
 * its corners lie on a line but for rounding errors. */
bool triangle_normal(const uint32_t corners[3], const vec3 *positions, vec3 out);

/* Of unit normals; `a` alone where they are opposite, so that rounding would choose the direction. */
void normals_blend(const vec3 a, const vec3 b, float blend, vec3 out);

/* 1 when s, t run around the triangle one way, -1 when they run the other way (one of the two is a mirror image),
 * 0 when the triangle covers nothing of the picture. */
int triangle_handedness(const uint32_t corners[3], const vec2 *uvs);
