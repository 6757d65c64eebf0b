#include "md5_samples.h"
#include "test.h"

#include "base/buffer.h"
#include "model/model.h"

static struct buffer save(const char *text)
{
    struct buffer out = {0};
    struct model *model = load(text);
    struct mesh mesh = posed(model, (struct pose){.animation = -1});
    mesh_save_obj(model, &mesh, &out);
    return out;
}

/* A point with two texture coordinates is two vertices. */
TEST(faces_name_points_and_vertices_apart)
{
    static const uint32_t vertex_points[] = {1, 0, 1, 2}, indices[] = {0, 1, 3, 2, 3, 1};
    static const vec2 uvs[4] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    static const struct surface surface = {.name = "only", .index_count = 6};
    const struct model model = {.point_count = 3,
                                .vertex_count = 4,
                                .index_count = 6,
                                .surface_count = 1,
                                .vertex_points = vertex_points,
                                .uvs = uvs,
                                .indices = indices,
                                .surfaces = &surface};
    vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, normals[3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    const struct mesh mesh = {.point_count = 3, .positions = positions, .normals = normals};
    struct buffer out = {0};
    mesh_save_obj(&model, &mesh, &out);
    assert_non_null(strstr(out.text, "vt 1 1\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\no only\n"
                                     "f 2/1/2 1/2/1 3/4/3\nf 2/3/2 3/4/3 1/2/1\n"));
    buffer_release(&out);
}

TEST(nine_digits_give_back_the_same_floats)
{
    struct buffer out = save(mesh_text);
    struct model *model = load(mesh_text);
    struct mesh mesh = posed(model, (struct pose){.animation = -1});
    const char *line = strstr(out.text, "\nv ");
    for (uint32_t i = 0; i < mesh.point_count; i++, line = strstr(line + 1, "\nv ")) {
        char *at = (char *)line + 3;
        for (int k = 0; k < 3; k++)
            assert_true(strtof(at, &at) == mesh.positions[i][k]);
    }
    buffer_release(&out);
}
