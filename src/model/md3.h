/* Between the files of the MD3 loader; the rest of the program sees only md3_format and md3_player_format. */
#ifndef MODEL_MD3_H
#define MODEL_MD3_H

#include "model/model.h"

/* Reads the .skin files beside the model (md3_skin.c): its skins, and what its surfaces wear in each. A file that cannot
 * be read, or names no surface of the model, is none of its skins. */
void md3_load_skins(const struct model_options *options, struct model *model, struct surface *surfaces);

/* The shader that the text of a .skin file gives each of the surfaces; NULL for those that it does not name. Returns how
 * many it names. */
uint32_t md3_read_skin(struct bytes bytes, const struct surface *surfaces, uint32_t surface_count,
                       struct arena *arena, const char **shaders);

#endif
