/* Between the files of the MD3 loader; the rest of the program sees only md3_format and md3_player_format. */
#pragma once

#include "idtech/tables.h"

enum { MD3_MOST_RANGES = 31, MD3_LARGEST_RANGES = 1 << 16 /* bytes; real files have up to 3 KB */ };

/* A line of an animation.cfg (md3_player.c). */
struct md3_range {
    uint32_t first, frame_count; /* at least 1 */
    bool is_reversed, loops;
    float rate_hz;
};

/* Returns how many it has; 0: the text is not an animation.cfg. */
uint32_t md3_read_ranges(struct bytes bytes, struct md3_range ranges[MD3_MOST_RANGES]);

/* Reads the .skin files beside the model (md3_skin.c): its skins, and what its surfaces wear in each. A file that cannot
 * be read, or names no surface of the model, is not one of its skins. */
void md3_load_skins(const struct model_options *options, struct model *model, struct surface *surfaces);

/* The shader that the text of a .skin file gives each of the surfaces; NULL for those that it does not name. Returns how
 * many it names. */
uint32_t md3_read_skin(struct bytes bytes, const struct surface *surfaces, uint32_t surface_count,
                       struct arena *arena, const char **shaders);
