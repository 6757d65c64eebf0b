/* Polygons of more than three corners, cut into triangles. */
#pragma once

#include <cglm/types.h>
#include <stdint.h>

/* Cuts the polygon whose corners are points[corners[i]] into count - 2 triangles of these corners, that turn as it does.
 * A hole hangs on the outline by an edge that goes there and back; corners may lie on a straight line. Polygons need not
 * be plane: they are looked at along their normal. `out` has room for 3 * (count - 2); `count` is 3 or more. */
void polygon_cut(const vec3 *points, const uint32_t *corners, uint32_t count, uint32_t *out);

/* Lets the polygon start at another corner, where the two sides of its first corner do not show which way it faces. */
void polygon_turn(const vec3 *points, uint32_t *corners, uint32_t count);
