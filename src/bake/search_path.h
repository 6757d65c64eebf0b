/* How the pictures of a plan were found: lines for `-v` of commands. */
#ifndef BAKE_SEARCH_PATH_H
#define BAKE_SEARCH_PATH_H

#include "base/strings.h"
#include "bake/plan.h"

/* "surface 'sword/blade' in skin 'gold'", with the name of the attachment in front of its surface. The caller
 * frees it. */
char *search_path_surface(const struct part *part, const struct outfit *outfit, uint32_t surface);

/* A line for each picture of a surface, with all paths that were tried, in order, and the one that was found. */
void search_path_add(const struct material *material, struct strings *out);

/* Those of all surfaces, each with its name in front. */
void search_path_add_all(const struct plan *plan, struct strings *out);

#endif
