#include "md5_samples.h"
#include "test.h"

#include "base/buffer.h"
#include "model/model.h"

static struct buffer save(const char *text)
{
    struct buffer out = {0};
    struct model *model = load(text);
    struct mesh mesh;
    struct error err;
    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    model_pose(model, &(struct pose){.animation = -1}, &mesh);
    mesh_save_obj(model, &mesh, &out);
    mesh_release(&mesh);
    model_free(model);
    return out;
}

static const char two_meshes[] =
    "MD5Version 10 numJoints 1 numMeshes 2 joints { a -1(0 0 0)(0 0 0) }"
    "mesh { shader \"skins/left\nboot\" numverts 3 vert 0(0 0)0 1 vert 1(0 -1.5)1 1 vert 2(0.1 0)2 1 numtris 2"
    " tri 0 0 1 2 tri 1 2 1 0 numweights 3 weight 0 0 1(0 0 0) weight 1 0 1(0 0.1 0) weight 2 0 1(1e-7 0 0) }"
    "mesh { }"
    "mesh { shader hat numverts 3 vert 0(0 0)0 1 vert 1(0 1)1 1 vert 2(1 0)2 1 numtris 1 tri 0 0 1 2"
    " numweights 3 weight 0 0 1(0 0 0) weight 1 0 1(0 0 123456.789) weight 2 0 1(0 1 0) }";

TEST(an_obj_lists_points_vertices_and_surfaces_in_file_order)
{
    struct buffer out = save(two_meshes);
    assert_string_equal(out.text, "# Z up, X forward; t as stored, down from the top-left; front faces clockwise\n"
                                  "v 0 0 0\n"
                                  "v 0 0.100000001 0\n"
                                  "v 1.00000001e-07 0 0\n"
                                  "v 0 0 0\n"
                                  "v 0 0 123456.789\n"
                                  "v 0 1 0\n"
                                  "vt 0 0\n"
                                  "vt 0 -1.5\n"
                                  "vt 0.100000001 0\n"
                                  "vt 0 0\n"
                                  "vt 0 1\n"
                                  "vt 1 0\n"
                                  "vn 0 0 1\n"
                                  "vn 0 0 1\n"
                                  "vn 0 0 1\n"
                                  "vn 1 0 0\n"
                                  "vn 1 0 0\n"
                                  "vn 1 0 0\n"
                                  "o left_boot\n"
                                  "usemtl skins/left_boot\n"
                                  "f 1/1/1 2/2/2 3/3/3\n"
                                  "f 3/3/3 2/2/2 1/1/1\n"
                                  "o mesh2\n"
                                  "o hat\n"
                                  "usemtl hat\n"
                                  "f 4/4/4 5/5/5 6/6/6\n");
    buffer_release(&out);
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
    struct mesh mesh;
    struct error err;
    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    model_pose(model, &(struct pose){.animation = -1}, &mesh);
    const char *line = strstr(out.text, "\nv ");
    for (uint32_t i = 0; i < mesh.point_count; i++, line = strstr(line + 1, "\nv ")) {
        char *at = (char *)line + 3;
        for (int k = 0; k < 3; k++)
            assert_true(strtof(at, &at) == mesh.positions[i][k]);
    }
    mesh_release(&mesh);
    model_free(model);
    buffer_release(&out);
}
