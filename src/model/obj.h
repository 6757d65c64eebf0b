/* A posed mesh as Wavefront OBJ text, for people and for other programs to measure.
 *
 * Coordinates are those of the model: Z up, X forward. A `v` and a `vn` per point, a `vt` per vertex with t as
 * stored (down from the top-left, where OBJ readers expect it up), an `o` per surface in file order with its
 * triangles in file order. The stored winding is kept: front faces are clockwise. */
#ifndef MODEL_OBJ_H
#define MODEL_OBJ_H

#include "base/buffer.h"
#include "model/model.h"

/* Adds the text to `out`. Numbers have nine digits: enough to read back the very same floats. Line breaks in
 * names become underscores. */
void obj_save(const struct model *model, const struct mesh *mesh, struct buffer *out);

#endif
