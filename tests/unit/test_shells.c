#include <cglm/cglm.h>

#include "model/shells.h"
#include "test.h"

enum { MOST_POINTS = 128, MOST_TRIANGLES = 64 };

/* A model of one surface; its vertices are its points. */
struct body {
    struct model model;
    struct surface surface;
    vec3 positions[MOST_POINTS];
    uint32_t points[MOST_POINTS], indices[3 * MOST_TRIANGLES];
};

static struct body body;

static void clear_body(void)
{
    body = (struct body){.model = {.vertex_points = body.points, .indices = body.indices}};
    for (uint32_t i = 0; i < MOST_POINTS; i++)
        body.points[i] = i;
}

static uint32_t add_point(float x, float y, float z)
{
    glm_vec3_copy((vec3){x, y, z}, body.positions[body.model.point_count]);
    return body.model.point_count++;
}

static void add_triangle(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++)
        body.indices[body.surface.index_count++] = corners[k];
}

/* A cube whose corner next to the origin lies at x, as exporters make them: each face has four points of its own.
 * `faces` are drawn, bit by bit; front faces are clockwise seen from outside, or from inside where it is `inside_out`. */
static void add_cube(float x, unsigned faces, bool inside_out)
{
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        bool is_high = face % 2;
        uint32_t corners[4];
        for (int i = 0; i < 4; i++) {
            float at[3];
            at[axis] = is_high;
            at[u] = i == 1 || i == 2;
            at[v] = i >= 2;
            corners[i] = add_point(at[0] + x, at[1], at[2]);
        }
        if (!(faces & 1u << face))
            continue;
        uint32_t second = is_high != inside_out ? 3 : 1;
        add_triangle(corners[0], corners[second], corners[2]);
        add_triangle(corners[0], corners[2], corners[4 - second]);
    }
}

enum { ALL_FACES = 63 };

static uint32_t closed_triangles(void)
{
    struct arena arena = {0};
    struct shells shells;
    shells_find(&arena, &body.model, &body.surface, (const vec3 *)body.positions, &shells);
    uint32_t count = shells.triangle_count;
    if (!shells_hold(&shells, (const vec3 *)body.positions))
        fail_msg("shells do not hold in the pose that they were found in");
    arena_release(&arena);
    return count;
}

TEST(a_cube_is_closed)
{
    clear_body();
    add_cube(0, ALL_FACES, false);
    assert_int_equal(closed_triangles(), 12);
    fact("far from the origin, too");
    clear_body();
    add_cube(1000, ALL_FACES, false);
    assert_int_equal(closed_triangles(), 12);
}

TEST(front_faces_of_the_cube_are_clockwise_seen_from_outside)
{
    vec3 along, across, normal;
    clear_body();
    add_cube(0, ALL_FACES, false);
    for (uint32_t i = 0; i < body.surface.index_count; i += 3) {
        const uint32_t *corners = &body.indices[i];
        glm_vec3_sub(body.positions[corners[1]], body.positions[corners[0]], along);
        glm_vec3_sub(body.positions[corners[2]], body.positions[corners[0]], across);
        glm_vec3_cross(across, along, normal);
        vec3 outwards;
        glm_vec3_sub(body.positions[corners[0]], (vec3){0.5f, 0.5f, 0.5f}, outwards);
        assert_true(glm_vec3_dot(normal, outwards) > 0);
    }
}

TEST(a_cube_without_a_face_is_open)
{
    for (unsigned face = 0; face < 6; face++) {
        clear_body();
        add_cube(0, ALL_FACES & ~(1u << face), false);
        assert_int_equal(closed_triangles(), 0);
    }
}

TEST(a_cube_that_is_inside_out_stays_two_sided)
{
    clear_body();
    add_cube(0, ALL_FACES, true);
    assert_int_equal(closed_triangles(), 0);
}

TEST(each_shell_is_judged_alone)
{
    clear_body();
    add_cube(0, ALL_FACES, false);
    add_cube(3, ALL_FACES & ~1u, false);
    add_cube(6, ALL_FACES, true);
    add_cube(-2, ALL_FACES, false);
    struct arena arena = {0};
    struct shells shells;
    shells_find(&arena, &body.model, &body.surface, (const vec3 *)body.positions, &shells);
    assert_int_equal(shells.triangle_count, 24);
    for (uint32_t t = 0; t < body.surface.index_count / 3; t++)
        assert_int_equal(shells.firsts[t], t < 12 ? 0 : t < 34 ? NO_SHELL : 34);
    arena_release(&arena);
}

TEST(an_edge_of_four_triangles_opens_both_bodies)
{
    clear_body();
    add_cube(0, ALL_FACES, false);
    add_cube(1, ALL_FACES, false); /* they share a face's edges */
    assert_int_equal(closed_triangles(), 0);
}

TEST(bodies_that_touch_in_a_point_are_closed)
{
    clear_body();
    add_cube(0, ALL_FACES, false);
    uint32_t first = body.model.point_count;
    add_cube(1, ALL_FACES, false);
    for (uint32_t i = first; i < body.model.point_count; i++)
        glm_vec3_add(body.positions[i], (vec3){0, 1, 1}, body.positions[i]);
    assert_int_equal(closed_triangles(), 24);
}

TEST(a_face_that_is_there_twice_opens_the_body)
{
    clear_body();
    add_cube(0, ALL_FACES, false);
    add_triangle(body.indices[0], body.indices[1], body.indices[2]);
    assert_int_equal(closed_triangles(), 0);
    fact("and so does one that is turned round");
    clear_body();
    add_cube(0, ALL_FACES, false);
    uint32_t kept = body.indices[1];
    body.indices[1] = body.indices[2];
    body.indices[2] = kept;
    assert_int_equal(closed_triangles(), 0);
}

TEST(triangles_without_area_close_nothing_and_open_nothing)
{
    clear_body();
    add_triangle(add_point(0, 0, 0), add_point(0, 0, 0), add_point(1, 0, 0));
    add_cube(0, ALL_FACES, false);
    add_triangle(body.indices[3], body.indices[3], body.indices[4]);
    assert_int_equal(closed_triangles(), 12);
    fact("all in one point");
    clear_body();
    add_cube(0, ALL_FACES, false);
    memset(body.positions, 0, sizeof body.positions);
    assert_int_equal(closed_triangles(), 0);
    fact("no triangles");
    clear_body();
    assert_int_equal(closed_triangles(), 0);
}

TEST(a_sheet_that_has_both_sides_has_no_inside)
{
    clear_body();
    uint32_t a = add_point(0, 0, 0), b = add_point(1, 0, 0), c = add_point(0, 1, 0);
    add_triangle(a, b, c);
    add_triangle(a, c, b);
    assert_int_equal(closed_triangles(), 0);
}

TEST(minus_zero_is_zero)
{
    clear_body();
    add_cube(0, ALL_FACES, false);
    for (uint32_t i = 0; i < 4; i++)
        body.positions[i][0] = -0.0f;
    assert_int_equal(closed_triangles(), 12);
}

/* -- Other poses ------------------------------------------------------------------------------------------- */

static bool holds_after(void (*change)(vec3 position, uint32_t point))
{
    struct arena arena = {0};
    struct shells shells;
    clear_body();
    add_cube(0, ALL_FACES, false);
    add_cube(3, ALL_FACES, false);
    add_cube(6, ALL_FACES & ~1u, false);
    shells_find(&arena, &body.model, &body.surface, (const vec3 *)body.positions, &shells);
    assert_int_equal(shells.triangle_count, 24);
    for (uint32_t i = 0; i < body.model.point_count; i++)
        change(body.positions[i], i);
    bool holds = shells_hold(&shells, (const vec3 *)body.positions);
    arena_release(&arena);
    return holds;
}

static void bend(vec3 position, uint32_t point)
{
    (void)point;
    position[1] += 0.25f * position[0] * position[0];
}

/* As points with equal positions and different weights, or unlike offsets of a morph target. */
static void part(vec3 position, uint32_t point)
{
    position[2] += point == 5 ? 0.25f : 0;
}

static void part_the_open_one(vec3 position, uint32_t point)
{
    position[2] += point >= 48 && point < 52 ? 0.25f : 0;
}

static void mirror_one(vec3 position, uint32_t point)
{
    position[1] *= point >= 24 && point < 48 ? -1 : 1;
}

static void shrink_one(vec3 position, uint32_t point)
{
    glm_vec3_scale(position, point >= 24 && point < 48 ? 0 : 1, position);
}

TEST(a_pose_may_bend_shells_and_not_tear_or_mirror_them)
{
    assert_true(holds_after(bend));
    assert_true(holds_after(part_the_open_one));
    assert_false(holds_after(part));
    assert_false(holds_after(mirror_one));
    assert_false(holds_after(shrink_one));
}
