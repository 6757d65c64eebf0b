/* Shared by readers of several formats of id Tech: tables of a file, tags, a model's arrays. */
#pragma once

#include "idtech/idtech.h"

/* Reads a struct of uint32_t alone, whose members are in the order of the file. False, with zeros in it: the file ends
 * before. */
bool read_words(struct cursor *cursor, void *out, size_t size);

/* A table that a header speaks of. */
struct file_table {
    const char *items; /* "triangles" */
    size_t count, least, most;
    size_t offset, stride; /* bytes; a stride of 0: its place is not known */
};

/* Fails for a count that is not allowed, and for a table that runs past the end of the file. Exporters write anything
 * into the offset of an empty table. */
int check_tables(struct bytes bytes, const struct file_table *tables, size_t count, struct error *err);

/* The place of a tag in a file: its name, in 64 bytes, and twelve numbers for each keyframe. */
struct tag_place {
    size_t name_at, first_at, stride;
    bool place_is_first; /* before the axes, or after them */
};

/* Reads a tag. *has_axes becomes false where its axes have no direction: then it is not turned. NULL: it fails
 * there. */
int read_tag(struct bytes bytes, const struct tag_place *place, uint32_t frame_count, struct arena *arena,
             struct tag *out, bool *has_axes, struct error *err);

/* Arrays for a reader to fill: as much of each as the model's counts say. */
struct model_arrays {
    struct surface *surfaces;
    uint32_t *indices;
    uint32_t *vertex_points; /* at first each vertex is the point of its number */
    vec2 *uvs;
};

struct model_arrays model_alloc_arrays(struct model *model);

/* Adds clips guessed from model.frame_names of the frames from `first` to before `end`, on animations[0] and at its
 * rate. */
void model_add_sequences(struct model *model, uint32_t first, uint32_t end);
