/* Lines of any width, as triangles: GL's own are one sample wide. */
#ifndef RENDER_LINES_H
#define RENDER_LINES_H

#include <cglm/types.h>
#include <stddef.h>
#include <stdint.h>

struct line_vertex {
    vec4 clip;
    vec4 color;
};

/* A line makes a stripe of 6 vertices; with dots, each end is a disc of as many. */
enum { LINE_CORNERS = 6, DOT_CORNERS = 3 * 12 };

/* Writes the triangles of a line between two places of the world, `width` samples wide, of a target of `size`
 * samples, and with a dot of `dot` samples across on each end where that is above 0. Returns how many vertices: at
 * most LINE_CORNERS + 2 * DOT_CORNERS, none where the line lies behind the viewer. */
size_t line_triangles(const vec3 ends[2], const mat4 world_to_clip, const uint32_t size[2], float width, float dot,
                      const vec4 color, struct line_vertex *out);

#endif
