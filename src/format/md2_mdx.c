#include <stdlib.h>
#include <string.h>

#include "format/md2.h"

/* UFO:AI's .mdx: which corners of an MD2's triangles share a normal. All little-endian.
 *
 *     "UFOMDX"
 *     version      1
 *     num_verts    how many normals there are
 *     num_indices  3 for each triangle of the MD2's table
 *     indices      num_indices numbers below num_verts, in the order of the table
 *
 * The game adds up the unit normals of the triangles that share a normal, at each keyframe, and blends what comes
 * out. It never uses the normals inside an MD2. */
enum { MDX_VERSION = 1 };

static const char magic[] = {'U', 'F', 'O', 'M', 'D', 'X'};

static int read_header(struct cursor *cursor, uint32_t corner_count, uint32_t *group_count, struct error *err)
{
    const uint8_t *start = cursor_take(cursor, sizeof magic);

    if (!start || memcmp(start, magic, sizeof magic) != 0)
        return error_set(err, "not an .mdx file (does not start with \"UFOMDX\")");
    uint32_t version = cursor_u32(cursor), num_verts = cursor_u32(cursor), num_indices = cursor_u32(cursor);
    if (cursor->overrun)
        return error_set(err, "too short for its header");
    if (version != MDX_VERSION)
        return error_set(err, "version %u (only %d is supported)", version, MDX_VERSION);
    if (num_indices != corner_count)
        return error_set(err, "%u corners of triangles, but the model has %u", num_indices, corner_count);
    if (num_verts < 1 || num_verts > corner_count)
        return error_set(err, "%u normals (1 to %u are allowed, the corners of the model's triangles)", num_verts,
                         corner_count);
    *group_count = num_verts;
    return 0;
}

int md2_add_normals(struct model *model, struct bytes bytes, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, 0);
    uint32_t group_count = 0;

    if (read_header(&cursor, model->index_count, &group_count, err) < 0)
        return -1;
    if (cursor_left(&cursor) / sizeof(uint32_t) < model->index_count)
        return error_set(err, "%u indices run past the end of the file (%zu bytes)", model->index_count,
                         bytes.size);
    uint32_t *groups = memory_alloc(model->index_count, sizeof *groups, err);
    if (!groups)
        return -1;
    int result = 0;
    for (uint32_t i = 0; i < model->index_count && result == 0; i++) {
        groups[i] = cursor_u32(&cursor);
        if (groups[i] >= group_count)
            result = error_set(err, "corner %u has normal %u of %u", i, groups[i], group_count);
    }
    if (result == 0)
        result = md2_split_points(model, groups, group_count, err);
    free(groups);
    return result;
}
