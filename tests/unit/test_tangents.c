#include "model/tangents.h"
#include "test.h"

#include <cglm/vec3.h>
#include <math.h>

/* A square in the plane of y and z that faces along x, as the viewer of a front camera sees it: y right, z up. */
static const vec3 positions[4] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}};
static const vec3 facing[4] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
static const vec2 upright[4] = {{0, 1}, {0, 0}, {1, 0}, {1, 1}};

static void compute(const vec2 *uvs, const vec3 *normals, vec4 out[4])
{
    struct tangent_sum sums[4];
    tangents_from_triangles(indices, 6, uvs, positions, normals, 4, sums, out);
}

static void assert_all(vec4 tangents[4], float x, float y, float z, float w)
{
    for (int i = 0; i < 4; i++) {
        assert_float_equal(tangents[i][0], x, 1e-6f);
        assert_float_equal(tangents[i][1], y, 1e-6f);
        assert_float_equal(tangents[i][2], z, 1e-6f);
        assert_true(tangents[i][3] == w);
    }
}

TEST(tangents_run_along_s_and_w_makes_t_run_down)
{
    vec4 tangents[4];
    vec3 down;
    compute(upright, facing, tangents);
    assert_all(tangents, 0, 1, 0, -1);
    glm_vec3_cross((float *)facing[0], tangents[0], down);
    assert_float_equal(tangents[0][3] * down[2], -1, 1e-6f);
}

TEST(in_a_mirror_image_they_run_the_other_way)
{
    vec2 mirrored[4];
    vec4 tangents[4];
    for (int i = 0; i < 4; i++) {
        mirrored[i][0] = 1 - upright[i][0];
        mirrored[i][1] = upright[i][1];
    }
    compute((const vec2 *)mirrored, facing, tangents);
    assert_all(tangents, 0, -1, 0, 1);
    assert_int_equal(triangle_handedness(indices, upright), -triangle_handedness(indices, (const vec2 *)mirrored));
}

TEST(they_are_square_to_the_normal)
{
    const vec3 leaning[4] = {{0.8f, 0.6f, 0}, {0.8f, 0.6f, 0}, {0.8f, 0.6f, 0}, {0.8f, 0.6f, 0}};
    vec4 tangents[4];
    compute(upright, leaning, tangents);
    assert_all(tangents, -0.6f, 0.8f, 0, -1);
}

TEST(without_a_picture_any_will_do)
{
    static const vec2 flat[4];
    const vec3 normals[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6f, 0.8f, 0}};
    vec4 tangents[4];
    compute(flat, normals, tangents);
    for (int i = 0; i < 4; i++) {
        assert_float_equal(glm_vec3_norm(tangents[i]), 1, 1e-6f);
        assert_float_equal(glm_vec3_dot(tangents[i], (float *)normals[i]), 0, 1e-6f);
        assert_float_equal(fabsf(tangents[i][3]), 1, 0);
    }
    assert_int_equal(triangle_handedness(indices, flat), 0);
}

/* Two triangles with one corner in common, seen from the front: the first is sixteen times as large and shows its
 * picture upright, the second shows it with s up. */
static const uint32_t fan[6] = {0, 1, 2, 0, 3, 4};
static const vec3 fan_positions[5] = {{0, 0, 0}, {0, 0, 4}, {0, 4, 0}, {0, 0, -1}, {0, -1, 0}};
static const vec2 fan_uvs[5] = {{0, 0}, {0, -1}, {1, 0}, {-1, 0}, {0, -1}};

static void assert_direction(const float *v, float x, float y, float z)
{
    assert_float_equal(v[0], x, 1e-6f);
    assert_float_equal(v[1], y, 1e-6f);
    assert_float_equal(v[2], z, 1e-6f);
}

TEST(triangles_count_the_same_whatever_their_size)
{
    const vec3 normals[5] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    struct tangent_sum sums[5];
    vec4 tangents[5];
    tangents_from_triangles(fan, 6, fan_uvs, fan_positions, normals, 5, sums, tangents);
    assert_direction(tangents[0], 0, sqrtf(0.5f), sqrtf(0.5f));
    assert_direction(tangents[2], 0, 1, 0);
    assert_direction(tangents[3], 0, 0, 1);
}

TEST(the_largest_triangle_dominates_and_of_equals_the_last)
{
    static const uint32_t expected[5] = {0, 0, 0, 3, 3}, of_equals[4] = {3, 0, 3, 3};
    uint32_t dominant[5];
    struct error err;
    assert_int_equal(dominant_triangles(fan, 6, fan_positions, 5, dominant, &err), 0);
    assert_memory_equal(dominant, expected, sizeof expected);
    assert_int_equal(dominant_triangles(indices, 6, positions, 4, dominant, &err), 0);
    assert_memory_equal(dominant, of_equals, sizeof of_equals);
}

/* The first triangle has turned about its upright side, and the second has become the larger one. */
TEST(a_dominant_basis_is_that_of_one_triangle_in_its_pose)
{
    static const uint32_t dominant[5] = {0, 0, 0, 3, 3};
    static const vec3 posed[5] = {{0, 0, 0}, {0, 0, 4}, {-3, 3, 0}, {0, 0, -10}, {0, -10, 0}};
    const float s = sqrtf(0.5f);
    vec3 normals[5];
    vec4 tangents[5];
    dominant_bases(fan, fan_uvs, posed, dominant, 5, normals, tangents);
    for (int i = 0; i < 3; i++) {
        assert_direction(normals[i], s, s, 0);
        assert_direction(tangents[i], -s, s, 0);
    }
    for (int i = 3; i < 5; i++) {
        assert_direction(normals[i], 1, 0, 0);
        assert_direction(tangents[i], 0, 0, 1);
    }
    for (int i = 0; i < 5; i++)
        assert_true(tangents[i][3] == -1);
}
