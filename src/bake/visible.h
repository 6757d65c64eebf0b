/* What of a plan's parts can be seen: surfaces with triangles whose material draws something, in any skin of the
 * job. Doom 3 models bring others along, such as those for collisions. They do not count for framing. */
#ifndef BAKE_VISIBLE_H
#define BAKE_VISIBLE_H

#include "bake/plan.h"

/* Finds the visible points of all parts, and warns of parts without any. Materials are resolved. */
int visible_find(struct plan *plan, struct error *err);

bool visible_surface(const struct part *part, uint32_t surface);

#endif
