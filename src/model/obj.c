/* A posed mesh as Wavefront OBJ text, for people and for other programs to measure.
 *
 * Coordinates are those of the model: Z up, X forward. A `v` and a `vn` per point, a `vt` per vertex with t as
 * stored (down from the top-left, where OBJ readers expect it up), an `o` per surface in file order with its
 * triangles in file order. Front faces are clockwise, as stored. */
#include "base/buffer.h"
#include "model/model.h"

/* A name as the rest of a line. */
static void add_name(struct buffer *out, const char *keyword, const char *name)
{
    buffer_printf(out, "%s ", keyword);
    for (; *name; name++) {
        char c = (unsigned char)*name < ' ' ? '_' : *name;
        buffer_add(out, &c, 1);
    }
    buffer_add(out, "\n", 1);
}

static void add_surface(struct buffer *out, const struct model *model, const struct surface *surface,
                        bool is_turned)
{
    const uint32_t corners[2][3] = {{0, 1, 2}, {0, 2, 1}};
    add_name(out, "o", surface->name);
    if (surface->material.name && *surface->material.name)
        add_name(out, "usemtl", surface->material.name);
    for (uint32_t i = 0; i < surface->index_count; i++) {
        uint32_t vertex = model->indices[surface->first_index + i - i % 3 + corners[is_turned][i % 3]];
        uint32_t point = model->vertex_points[vertex] + 1;
        buffer_printf(out, "%s%u/%u/%u", i % 3 ? " " : i ? "\nf " : "f ", point, vertex + 1, point);
    }
    if (surface->index_count)
        buffer_add(out, "\n", 1);
}

void mesh_save_obj(const struct model *model, const struct mesh *mesh, struct buffer *out)
{
    buffer_printf(out, "# Z up, X forward; t as stored, down from the top-left; front faces clockwise\n");
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        const float *p = mesh->positions[i];
        buffer_printf(out, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (uint32_t i = 0; i < model->vertex_count; i++)
        buffer_printf(out, "vt %.9g %.9g\n", (double)model->uvs[i][0], (double)model->uvs[i][1]);
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        const float *n = mesh->normals[i];
        buffer_printf(out, "vn %.9g %.9g %.9g\n", (double)n[0], (double)n[1], (double)n[2]);
    }
    for (uint32_t i = 0; i < model->surface_count; i++)
        add_surface(out, model, &model->surfaces[i], mesh->is_turned && mesh->is_turned[i]);
}
