/* Tangents from triangles: which way a picture lies on a surface, for normal maps.
 *
 * The directions of s and t are summed over the triangles around a vertex, each by its area, and made square to
 * the vertex's normal. A mesh that shows one picture on both sides of a seam in mirror image has vertices where
 * the two directions cancel out; whoever draws it splits those first (triangle_handedness). */
#ifndef MODEL_TANGENTS_H
#define MODEL_TANGENTS_H

#include <cglm/types.h>
#include <stddef.h>
#include <stdint.h>

struct tangent_sum {
    double along_s[3], along_t[3];
};

/* Triangles of `index_count` / 3 over vertices with these texture coordinates, places and unit normals. `sums` is
 * scratch for `vertex_count` vertices. Tangents come out as in struct mesh: of unit length, square to the normal;
 * any such where the triangles say nothing. */
void tangents_from_triangles(const uint32_t *indices, size_t index_count, const vec2 *uvs, const vec3 *positions,
                             const vec3 *normals, size_t vertex_count, struct tangent_sum *sums, vec4 *tangents);

/* 1 when s, t run around the triangle one way, -1 when they run the other way (one of the two is a mirror image),
 * 0 when the triangle covers nothing of the picture. */
int triangle_handedness(const uint32_t corners[3], const vec2 *uvs);

#endif
