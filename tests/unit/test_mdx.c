#include "md2_builder.h"
#include "models.h"
#include "test.h"

#include <math.h>

/* -- Helpers ----------------------------------------------------------------------------------------------- */

enum { CORNERS = 12, MDX_HEADER_SIZE = 18 };

/* Each triangle of the tetrahedron with normals of its own, and all corners of each vertex with one. */
static const uint32_t flat[CORNERS] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
static const uint32_t smooth[CORNERS] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};

static struct blob mdx_build(const uint32_t *groups, uint32_t count)
{
    struct blob blob = {.size = MDX_HEADER_SIZE + 4 * count};
    blob.data = calloc(1, blob.size);
    memcpy(blob.data, "UFOMDX", 6);
    blob_put(&blob, 6, 1, 4);
    blob_put(&blob, 10, 4, 4);
    blob_put(&blob, 14, count, 4);
    for (uint32_t i = 0; i < count; i++)
        blob_put(&blob, MDX_HEADER_SIZE + 4 * i, groups[i], 4);
    return blob;
}

static struct model *load_md2(const struct md2_spec *spec)
{
    struct model *model = NULL;
    struct error err;
    struct blob blob = md2_build(spec);
    if (model_load(blob_bytes(&blob), NULL, &model, &err))
        fail_msg("%s", err.text);
    blob_release(&blob);
    return kept(model);
}

static struct model *load_tetrahedron(void)
{
    struct md2_words words;
    struct md2_spec spec = md2_tetrahedron(&words);
    return load_md2(&spec);
}

static void add_normals(struct model *model, const uint32_t *groups)
{
    struct blob blob = mdx_build(groups, model->index_count);
    struct error err;
    if (md2_add_normals(model, blob_bytes(&blob), &err) < 0)
        fail_msg("%s", err.text);
    blob_release(&blob);
}

static struct mesh pose(const struct model *model, struct moment moment)
{
    return posed(model, (struct pose){.moment = moment});
}

static uint32_t point_of(const struct model *model, uint32_t corner)
{
    return model->vertex_points[model->indices[corner]];
}

/* `wanted` may have any length. */
static void expect_normal(const struct model *model, struct moment moment, uint32_t corner, float x, float y,
                          float z)
{
    struct mesh mesh = pose(model, moment);
    const float *normal = mesh.normals[point_of(model, corner)], length = sqrtf(x * x + y * y + z * z);
    assert_float_equal(normal[0], x / length, 1e-6);
    assert_float_equal(normal[1], y / length, 1e-6);
    assert_float_equal(normal[2], z / length, 1e-6);
}

static const struct moment start = {0, 0, 0};

/* -- Normals ----------------------------------------------------------------------------------------------- */

TEST(triangles_that_share_nothing_are_flat)
{
    static const float normals[4][3] = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {1, 1, 1}};
    struct model *model = load_tetrahedron();
    add_normals(model, flat);
    assert_int_equal(model->point_count, CORNERS);
    for (uint32_t i = 0; i < CORNERS; i++)
        expect_normal(model, start, i, normals[i / 3][0], normals[i / 3][1], normals[i / 3][2]);
}

/* By area the sum at vertex 1 would be (1, 0, 0): the slanted side is the largest. */
TEST(unit_normals_are_added)
{
    const float slanted = 1 / sqrtf(3);
    struct model *model = load_tetrahedron();
    add_normals(model, smooth);
    assert_int_equal(model->point_count, 4);
    expect_normal(model, start, 1, slanted, slanted - 1, slanted - 1);
    expect_normal(model, start, 0, -1, -1, -1);
}

/* The slanted side is (1, 1, 1) in frame 0 and (4, 4, 1) in frame 1, which is four times as high: half way the
 * unit normals are blended, not the shapes, whose normal would be (2.5, 2.5, 1). */
TEST(normals_are_those_of_keyframes_blended)
{
    static const float boxes[][6] = {{1, 1, 1, 0, 0, 0}, {1, 1, 4, 0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    struct md2_words words;
    struct md2_spec spec = md2_tetrahedron(&words);
    spec.boxes = boxes;
    struct model *model = load_md2(&spec);
    add_normals(model, flat);
    expect_normal(model, (struct moment){1, 1, 0}, 9, 4, 4, 1);
    const float a = 1 / sqrtf(3), b = 1 / sqrtf(33);
    expect_normal(model, (struct moment){0, 1, 0.5}, 9, a + 4 * b, a + 4 * b, a + b);
    struct mesh mesh = pose(model, (struct moment){0, 1, 0.5});
    assert_float_equal(mesh.positions[point_of(model, 10)][2], 25, 1e-5);
}

TEST(different_vertices_may_share_a_normal)
{
    static const uint32_t first_two[CORNERS] = {0, 0, 0, 0, 0, 0, 2, 2, 2, 3, 3, 3};
    struct model *model = load_tetrahedron();
    add_normals(model, first_two);
    for (uint32_t i = 0; i < 6; i++)
        expect_normal(model, start, i, 0, -1, -1);
}

/* What is left of such a sum is rounding. */
TEST(a_vertex_keeps_its_own_normal_where_the_sum_is_nothing)
{
    static const uint16_t sheet[][6] = {{0, 1, 2, 0, 1, 2}, {0, 2, 1, 0, 2, 1}};
    static const uint32_t groups[] = {0, 0, 0, 0, 0, 0};
    struct md2_words words;
    struct md2_spec spec = md2_tetrahedron(&words);
    spec.triangles = sheet;
    spec.triangle_count = 2;
    struct model *model = load_md2(&spec);
    add_normals(model, groups);
    for (uint32_t i = 0; i < 3; i++) {
        const float *own = md2_normals[spec.vertices[i][3]];
        expect_normal(model, start, i, own[0], own[1], own[2]);
    }
}

TEST(what_is_drawn_stays_the_same_but_for_normals)
{
    struct model *without = load_tetrahedron(), *with = load_tetrahedron();
    add_normals(with, flat);
    struct mesh mesh_without = pose(without, start), mesh_with = pose(with, start);
    assert_int_equal(with->index_count, without->index_count);
    assert_int_equal(with->used_point_count, with->point_count);
    for (uint32_t i = 0; i < CORNERS; i++) {
        assert_memory_equal(mesh_with.positions[point_of(with, i)], mesh_without.positions[point_of(without, i)],
                            sizeof(vec3));
        assert_memory_equal(with->uvs[with->indices[i]], without->uvs[without->indices[i]], sizeof(vec2));
    }
}

/* -- Bad files --------------------------------------------------------------------------------------------- */

static void expect_rejected(struct blob blob, const char *message)
{
    struct model *model = load_tetrahedron();
    struct error err = {""};
    assert_int_equal(md2_add_normals(model, blob_bytes(&blob), &err), -1);
    if (message)
        assert_string_equal(err.text, message);
    assert_true(err.text[0]);
    assert_int_equal(model->point_count, 4);
    expect_normal(model, start, 3, md2_normals[143][0], md2_normals[143][1], md2_normals[143][2]);
    blob_release(&blob);
}

static struct blob with_field(size_t at, uint32_t value)
{
    struct blob blob = mdx_build(flat, CORNERS);
    blob_put(&blob, at, value, 4);
    return blob;
}

TEST(what_does_not_fit_is_rejected_and_changes_nothing)
{
    expect_rejected(with_field(0, 0), "not an .mdx file (does not start with \"UFOMDX\")");
    expect_rejected(with_field(6, 2), "version 2 (only 1 is supported)");
    expect_rejected(with_field(10, 0), "0 normals (1 to 12 are allowed)");
    expect_rejected(with_field(10, 13), "13 normals (1 to 12 are allowed)");
    expect_rejected(with_field(10, UINT32_MAX), NULL);
    expect_rejected(with_field(14, 0), "0 corners of triangles, but the model has 12");
    expect_rejected(with_field(14, 15), "15 corners of triangles, but the model has 12");
    expect_rejected(with_field(14, UINT32_MAX), NULL);
    expect_rejected(with_field(MDX_HEADER_SIZE + 4 * 5, 4), "corner 5 has normal 4 of 4");
    expect_rejected(with_field(MDX_HEADER_SIZE, UINT32_MAX), "corner 0 has normal 4294967295 of 4");
}

TEST(a_file_cut_anywhere_is_rejected)
{
    for (size_t size = 0; size < MDX_HEADER_SIZE + 4 * CORNERS; size++) {
        struct blob blob = mdx_build(flat, CORNERS), cut = {.data = malloc(size ? size : 1), .size = size};
        memcpy(cut.data, blob.data, size);
        blob_release(&blob);
        expect_rejected(cut, NULL);
    }
}
