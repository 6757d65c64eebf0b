/* Each model is a few boxes or plates; what is told apart is which of their sides is chosen. */

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/camera.h"
#include "test.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

enum { MOST_POINTS = 64, MOST_INDICES = 256 };

/* A model without a file: each vertex is a point. */
struct shape {
    struct model model;
    struct mesh mesh;
    vec3 positions[MOST_POINTS];
    uint32_t identity[MOST_POINTS], indices[MOST_INDICES];
};

static void add_triangle(struct shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = &shape->indices[shape->model.index_count];
    to[0] = a;
    to[1] = b;
    to[2] = c;
    shape->model.index_count += 3;
}

/* A quad whose corners run clockwise as seen from where it faces. */
static void add_quad(struct shape *shape, const uint32_t corners[4])
{
    add_triangle(shape, corners[0], corners[1], corners[2]);
    add_triangle(shape, corners[0], corners[2], corners[3]);
}

static void add_point(struct shape *shape, float x, float y, float z)
{
    float *position = shape->positions[shape->model.point_count];
    position[0] = x;
    position[1] = y;
    position[2] = z;
    shape->identity[shape->model.point_count] = shape->model.point_count;
    shape->model.point_count++;
}

/* Corner number x + 2 y + 4 z, with 0 for the lesser of each. */
static void add_box(struct shape *shape, const float least[3], const float most[3])
{
    static const uint32_t sides[6][4] = {
        {1, 5, 7, 3}, {0, 2, 6, 4}, /* +x, -x */
        {3, 7, 6, 2}, {0, 4, 5, 1}, /* +y, -y */
        {4, 6, 7, 5}, {0, 1, 3, 2}, /* +z, -z */
    };
    uint32_t first = shape->model.point_count;
    for (int i = 0; i < 8; i++)
        add_point(shape, (i & 1 ? most : least)[0], (i & 2 ? most : least)[1], (i & 4 ? most : least)[2]);
    for (int s = 0; s < 6; s++) {
        uint32_t corners[4];
        for (int k = 0; k < 4; k++)
            corners[k] = first + sides[s][k];
        add_quad(shape, corners);
    }
}

static struct camera side_of(struct shape *shape)
{
    shape->model.used_points = shape->model.vertex_points = shape->identity;
    shape->model.used_point_count = shape->model.vertex_count = shape->model.point_count;
    shape->model.indices = shape->indices;
    shape->mesh.positions = shape->positions;
    shape->mesh.point_count = shape->model.point_count;
    struct camera camera = {.yaw_deg = -1, .pitch_deg = -1, .roll_deg = -1};
    camera_choose_side(&shape->model, &shape->mesh, &camera);
    assert_true(camera.roll_deg == 0);
    return camera;
}

static struct camera side_of_box(float x, float y, float z)
{
    struct shape shape = {0};
    add_box(&shape, (const float[3]){-x / 2, -y / 2, -z / 2}, (const float[3]){x / 2, y / 2, z / 2});
    return side_of(&shape);
}

static void expect_camera(const struct camera *camera, float yaw_deg, float pitch_deg)
{
    assert_float_equal(camera->yaw_deg, yaw_deg, 0);
    assert_float_equal(camera->pitch_deg, pitch_deg, 0);
}

/* -- Sides ------------------------------------------------------------------------------------------------- */

/* Two triangles that face one way only. */
static struct camera side_of_quad(const uint32_t corners[4])
{
    struct shape shape = {0};
    add_point(&shape, 0, -1, -1);
    add_point(&shape, 0, 1, -1);
    add_point(&shape, 0, 1, 1);
    add_point(&shape, 0, -1, 1);
    add_quad(&shape, corners);
    return side_of(&shape);
}

/* Plates before the right side of a wall, parallel to it and facing away from it: nothing turns, but depth steps. */
TEST(side_with_more_steps_is_chosen)
{
    struct shape shape = {0};
    add_box(&shape, (const float[3]){-5, 0, -5}, (const float[3]){5, 1, 5});
    for (int i = 0; i < 4; i++) {
        const float low = -4.8f + 2.5f * (float)i, high = low + 1.3f;
        const uint32_t first = shape.model.point_count;
        add_point(&shape, -4.8f, -3, low);
        add_point(&shape, -4.8f, -3, high);
        add_point(&shape, 4.8f, -3, high);
        add_point(&shape, 4.8f, -3, low);
        add_quad(&shape, (const uint32_t[4]){first, first + 1, first + 2, first + 3});
    }
    struct camera camera = side_of(&shape);
    assert_true(camera.yaw_deg > 180);
}

TEST(the_side_with_the_most_to_see_is_chosen)
{
    fact("cube is seen three quarter from the front");
    struct camera camera = side_of_box(1, 1, 1);
    expect_camera(&camera, 30, 20);
    fact("long box is seen from its side");
    camera = side_of_box(10, 1, 1); /* a barrel that points forwards */
    expect_camera(&camera, 60, 20);
    fact("wide box is seen from the front");
    camera = side_of_box(1, 10, 1);
    expect_camera(&camera, 30, 20);
    fact("lying plate is seen from above");
    camera = side_of_box(10, 10, 0.1f);
    assert_true(camera.pitch_deg >= 50);
    fact("standing plate is seen on its face");
    camera = side_of_box(10, 0.1f, 10);
    expect_camera(&camera, 60, 20);
    fact("one sided plate is seen from the side it has");
    struct camera front = side_of_quad((const uint32_t[4]){0, 3, 2, 1});
    struct camera back = side_of_quad((const uint32_t[4]){0, 1, 2, 3});
    expect_camera(&front, 0, 15);
    expect_camera(&back, 180, 15);
    /* A wall whose right side has boxes on it. The left one shows a bare face. */
    fact("side with more form is chosen");
    struct shape shape = {0};
    add_box(&shape, (const float[3]){-5, 0, -5}, (const float[3]){5, 1, 5});
    for (int i = 0; i < 5; i++)
        add_box(&shape, (const float[3]){-4.5f, -2, -4.8f + 2 * (float)i},
                (const float[3]){4.5f, 0, -3.8f + 2 * (float)i});
    camera = side_of(&shape);
    assert_true(camera.yaw_deg > 180);
    /* A wall whose back has boxes on it, as the cape of a figure has folds. */
    fact("back with more form is not chosen");
    shape = (struct shape){0};
    add_box(&shape, (const float[3]){0, -5, -5}, (const float[3]){1, 5, 5});
    for (int i = 0; i < 3; i++)
        add_box(&shape, (const float[3]){-2, -4.5f, -4.5f + 3 * (float)i},
                (const float[3]){0, 4.5f, -2.5f + 3 * (float)i});
    camera = side_of(&shape);
    expect_camera(&camera, 30, 20);
    fact("back is chosen where the front shows hardly anything");
    shape = (struct shape){0};
    add_box(&shape, (const float[3]){0, -1, -1}, (const float[3]){1, 1, 1});
    add_point(&shape, 0, -5, -5);
    add_point(&shape, 0, 5, -5);
    add_point(&shape, 0, 5, 5);
    add_point(&shape, 0, -5, 5);
    add_quad(&shape, (const uint32_t[4]){8, 9, 10, 11}); /* faces back */
    camera = side_of(&shape);
    assert_true(camera.yaw_deg > 90 && camera.yaw_deg < 270);
    fact("same side at any size and place");
    for (float scale = 1e-3f; scale < 1e6f; scale *= 31) {
        shape = (struct shape){0};
        add_box(&shape, (const float[3]){5 * scale, scale, scale},
                (const float[3]){15 * scale, 2 * scale, 2 * scale});
        camera = side_of(&shape);
        expect_camera(&camera, 60, 20);
    }
}

/* -- Nothing to see ---------------------------------------------------------------------------------------- */

TEST(nothing_gives_the_first_candidate)
{
    struct shape empty = {0}, point = {0}, line = {0};
    add_point(&point, 1, 2, 3);
    add_triangle(&point, 0, 0, 0);
    add_point(&line, 0, 0, 0);
    add_point(&line, 0, 0, 5);
    add_triangle(&line, 0, 1, 1);
    struct camera cameras[] = {side_of(&empty), side_of(&point), side_of(&line)};
    for (size_t i = 0; i < 3; i++)
        expect_camera(&cameras[i], 30, 20);
}

TEST(coordinates_without_bounds_are_harmless)
{
    struct camera camera = side_of_box(3e38f, 3e38f, 3e38f);
    assert_true(isfinite(camera.yaw_deg));
}
