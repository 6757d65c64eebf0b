#include "idtech/md2.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* The rule behind id's table: the faces of an icosahedron in the order of the OpenGL programming guide, each
 * split flat into four, twice, its corners before its middle; points are pushed to the unit sphere when they
 * first appear. */
struct sphere {
    double points[MD2_NORMAL_COUNT][3];
    int count;
};

static void sphere_add(struct sphere *sphere, const double point[3])
{
    double length = sqrt(point[0] * point[0] + point[1] * point[1] + point[2] * point[2]);
    double unit[3] = {point[0] / length, point[1] / length, point[2] / length};

    for (int i = 0; i < sphere->count; i++) {
        double *other = sphere->points[i];

        if (unit[0] * other[0] + unit[1] * other[1] + unit[2] * other[2] > 1 - 1e-9)
            return;
    }
    assert_true(sphere->count < MD2_NORMAL_COUNT);
    memcpy(sphere->points[sphere->count++], unit, sizeof unit);
}

static void middle(double out[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (a[i] + b[i]) / 2;
}

static void sphere_split(struct sphere *sphere, const double a[3], const double b[3], const double c[3], int depth)
{
    double ab[3], bc[3], ca[3];

    if (!depth) {
        sphere_add(sphere, a);
        sphere_add(sphere, b);
        sphere_add(sphere, c);
        return;
    }
    middle(ab, a, b);
    middle(bc, b, c);
    middle(ca, c, a);
    sphere_split(sphere, a, ab, ca, depth - 1);
    sphere_split(sphere, b, ab, bc, depth - 1);
    sphere_split(sphere, c, ca, bc, depth - 1);
    sphere_split(sphere, ab, bc, ca, depth - 1);
}

TEST(the_table_is_a_split_icosahedron)
{
    const double x = sqrt((5 - sqrt(5)) / 10), z = sqrt((5 + sqrt(5)) / 10);
    const double corners[12][3] = {{-x, 0, z}, {x, 0, z},   {-x, 0, -z}, {x, 0, -z}, {0, z, x},  {0, z, -x},
                                   {0, -z, x}, {0, -z, -x}, {z, x, 0},   {-z, x, 0}, {z, -x, 0}, {-z, -x, 0}};
    static const int faces[20][3] = {{0, 4, 1},  {0, 9, 4},  {9, 5, 4},  {4, 5, 8},  {4, 8, 1},
                                     {8, 10, 1}, {8, 3, 10}, {5, 3, 8},  {5, 2, 3},  {2, 7, 3},
                                     {7, 10, 3}, {7, 6, 10}, {7, 11, 6}, {11, 0, 6}, {0, 1, 6},
                                     {6, 1, 10}, {9, 0, 11}, {9, 11, 2}, {9, 2, 5},  {7, 2, 11}};
    struct sphere sphere = {.count = 0};

    for (int i = 0; i < 20; i++)
        sphere_split(&sphere, corners[faces[i][0]], corners[faces[i][1]], corners[faces[i][2]], 2);
    assert_int_equal(sphere.count, MD2_NORMAL_COUNT);
    for (int i = 0; i < MD2_NORMAL_COUNT; i++) {
        for (int axis = 0; axis < 3; axis++)
            assert_float_equal(md2_normals[i][axis], sphere.points[i][axis], 1e-7);
    }
}

static void check_normal(int number, float x, float y, float z)
{
    assert_float_equal(md2_normals[number][0], x, 1e-6);
    assert_float_equal(md2_normals[number][1], y, 1e-6);
    assert_float_equal(md2_normals[number][2], z, 1e-6);
}

/* A few figures as published with Quake. */
TEST(the_table_has_the_published_figures)
{
    check_normal(0, -0.525731f, 0, 0.850651f);
    check_normal(1, -0.442863f, 0.238856f, 0.864188f);
    check_normal(5, 0, 0, 1);
    check_normal(52, 1, 0, 0);
    check_normal(66, 0.681718f, -0.147621f, -0.716567f);
    check_normal(100, 0.716567f, -0.681718f, -0.147621f);
    check_normal(130, -0.147621f, -0.716567f, 0.681718f);
    check_normal(144, -0.850651f, 0, 0.525731f);
    check_normal(161, -0.688191f, -0.587785f, -0.425325f);
}

static bool table_has(float x, float y, float z)
{
    for (int i = 0; i < MD2_NORMAL_COUNT; i++) {
        const float *normal = md2_normals[i];

        if (fabsf(normal[0] - x) + fabsf(normal[1] - y) + fabsf(normal[2] - z) < 1e-6f)
            return true;
    }
    return false;
}

TEST(the_table_is_symmetrical)
{
    for (int i = 0; i < MD2_NORMAL_COUNT; i++) {
        const float *n = md2_normals[i];

        assert_float_equal(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-6);
        assert_true(table_has(-n[0], n[1], n[2]));
        assert_true(table_has(n[0], -n[1], n[2]));
        assert_true(table_has(n[0], n[1], -n[2]));
        assert_true(table_has(n[1], n[2], n[0]));
    }
}
