/* A GLB file while it is put together: its numbers and pictures, and what the JSON says of them. Starts zeroed; the
 * functions return the number of the view or accessor they add. */
#ifndef GENERATOR_GLB_H
#define GENERATOR_GLB_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum { GLB_UNSIGNED_BYTE = 5121, GLB_UNSIGNED_SHORT = 5123, GLB_FLOAT = 5126 };

struct glb {
    struct buffer binary, views, accessors;
    int view_count, accessor_count;
};

int glb_add_view(struct glb *glb, const void *data, size_t size);

/* `more` is added to the text of the accessor. */
int glb_add_accessor(struct glb *glb, const void *data, size_t size, int component, const char *type, size_t count,
                     const char *more);

/* `count` times `width` numbers: 1 to 4, or 16. */
int glb_add_floats(struct glb *glb, const float *values, int width, size_t count);

/* The format wants the box of positions and the span of times. */
int glb_add_positions(struct glb *glb, float (*points)[3], size_t count);
int glb_add_times(struct glb *glb, const float *times_s, size_t count);
int glb_add_indices(struct glb *glb, const uint16_t *indices, size_t count);

/* Writes the file, and releases `glb` and `json`: the object as far as to what the functions above have added. */
void glb_save(struct glb *glb, struct buffer *json, struct buffer *out);

#endif
