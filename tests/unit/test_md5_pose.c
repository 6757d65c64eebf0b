#include "md5_samples.h"
#include "test.h"

#include <math.h>

/* The same mathematics a second time, in double, along another way: vectors are turned by q v q*, and a blend of
 * orientations goes through the axis and the angle between them. */

struct place {
    double position[3], orientation[4];
};

struct pull {
    int joint;
    double bias, position[3];
};

static void multiply(const double a[4], const double b[4], double out[4])
{
    double r[4];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = a[3] * b[i] + b[3] * a[i] + a[j] * b[k] - a[k] * b[j];
    }
    r[3] = a[3] * b[3] - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    memcpy(out, r, sizeof r);
}

static void conjugate(const double q[4], double out[4])
{
    for (int i = 0; i < 3; i++)
        out[i] = -q[i];
    out[3] = q[3];
}

static void turn(const double q[4], const double v[3], double out[3])
{
    double pure[4] = {v[0], v[1], v[2], 0}, back[4], r[4];
    conjugate(q, back);
    multiply(q, pure, r);
    multiply(r, back, r);
    memcpy(out, r, 3 * sizeof *out);
}

static struct place place(double x, double y, double z, double qx, double qy, double qz)
{
    double rest = 1 - qx * qx - qy * qy - qz * qz;
    return (struct place){{x, y, z}, {qx, qy, qz, -sqrt(rest > 0 ? rest : 0)}};
}

static struct place child_of(struct place parent, struct place child)
{
    struct place out;
    turn(parent.orientation, child.position, out.position);
    for (int i = 0; i < 3; i++)
        out.position[i] += parent.position[i];
    multiply(parent.orientation, child.orientation, out.orientation);
    return out;
}

static struct place between(struct place a, struct place b, double blend)
{
    struct place out;
    double back[4], way[4];
    for (int i = 0; i < 3; i++)
        out.position[i] = (1 - blend) * a.position[i] + blend * b.position[i];
    conjugate(a.orientation, back);
    multiply(back, b.orientation, way);
    double sign = way[3] < 0 ? -1 : 1;
    double sine = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    double half_angle = atan2(sine, sign * way[3]);
    double step[4] = {0, 0, 0, cos(blend * half_angle)};
    for (int i = 0; i < 3 && sine > 0; i++)
        step[i] = sign * way[i] / sine * sin(blend * half_angle);
    multiply(a.orientation, step, out.orientation);
    return out;
}

/* The sample's numbers. */
static const struct pull pulls[4][2] = {
    {{0, 1, {0, 0, 0}}},
    {{0, 1, {4, 0.25, 0}}},
    {{0, 0.75, {4, 5, 1}}, {1, 0.25, {4, 5, -9}}},
    {{1, 1, {0, 5, -10}}},
};

static void bind_joints(struct place out[2])
{
    out[0] = place(1, 2, 3, 0, 0, 0.5);
    out[1] = place(1, 2, 13, 0.3, -0.2, 0.1);
}

/* Relative to the parent. */
static void frame_joints(int frame, struct place out[2])
{
    static const double x[3] = {1, 3, -2}, qz[3] = {0.5, -0.7, 0.999};
    static const double q[3][3] = {{0.1, 0.2, 0.3}, {-0.8, 0.2, 0.1}, {0.8, -0.2, -0.1}};
    out[0] = place(x[frame], 2, 3, 0, 0, qz[frame]);
    out[1] = place(0, 0, 10, q[frame][0], q[frame][1], q[frame][2]);
}

static void joints_at(const struct pose *pose, struct place out[2])
{
    struct place a[2], b[2];
    if (pose->animation < 0) {
        bind_joints(out);
        return;
    }
    frame_joints((int)pose->moment.frame_a, a);
    frame_joints((int)pose->moment.frame_b, b);
    bool is_object = pose->interpolation == INTERPOLATION_OBJECT;
    if (is_object) {
        a[1] = child_of(a[0], a[1]);
        b[1] = child_of(b[0], b[1]);
    }
    for (int j = 0; j < 2; j++)
        out[j] = between(a[j], b[j], pose->moment.blend);
    if (!is_object)
        out[1] = child_of(out[0], out[1]);
}

static void assert_near(const float *found, const double *expected, double tolerance)
{
    for (int i = 0; i < 3; i++)
        if (!(fabs(found[i] - expected[i]) <= tolerance))
            fail_msg("(%.9g %.9g %.9g) is not (%.9g %.9g %.9g)", found[0], found[1], found[2], expected[0],
                     expected[1], expected[2]);
}

static void assert_near3(const float *found, double x, double y, double z)
{
    assert_near(found, (double[]){x, y, z}, 1e-5);
}

static void assert_unit(const float *v)
{
    assert_true(fabs(sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]) - 1) < 1e-5);
}

static struct mesh pose_mesh(const struct model *model, struct pose pose)
{
    struct mesh mesh = posed(model, pose);
    for (uint32_t i = 0; i < mesh.point_count; i++)
        assert_unit(mesh.normals[i]);
    return mesh;
}

static void expected_point(const struct place joints[2], int point, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int w = 0; w < 2; w++) {
        const struct pull *pull = &pulls[point][w];
        double at[3];
        turn(joints[pull->joint].orientation, pull->position, at);
        for (int i = 0; i < 3; i++)
            out[i] += pull->bias * (joints[pull->joint].position[i] + at[i]);
    }
}

/* The plate's two triangles share the corners 0 and 2; both count the same, whatever their size. */
static void expected_normals(const struct place joints[2], double out[4][3])
{
    double points[4][3], triangles[2][3];
    for (int i = 0; i < 4; i++)
        expected_point(joints, i, points[i]);
    for (int t = 0; t < 2; t++) { /* (0, 1, 2) and (0, 2, 3) */
        double *n = triangles[t], length = 0;
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = (points[t + 2][j] - points[0][j]) * (points[t + 1][k] - points[0][k]) -
                   (points[t + 2][k] - points[0][k]) * (points[t + 1][j] - points[0][j]);
            length += n[i] * n[i];
        }
        for (int i = 0; i < 3; i++)
            n[i] /= sqrt(length);
    }
    for (int p = 0; p < 4; p++) {
        double length = 0;
        for (int i = 0; i < 3; i++) {
            out[p][i] = (p != 3) * triangles[0][i] + (p != 1) * triangles[1][i];
            length += out[p][i] * out[p][i];
        }
        for (int i = 0; i < 3; i++)
            out[p][i] /= sqrt(length);
    }
}

/* Each joint's matrix takes points of its space to where the joint holds them in the model. */
static void assert_joints(const struct model *model, const struct pose *pose, const struct place joints[2])
{
    static const double point[3] = {1, -2, 3};
    mat4 matrices[2];
    model_pose_joints(model, pose, matrices);
    for (int j = 0; j < 2; j++) {
        double expected[3];
        float found[3];
        turn(joints[j].orientation, point, expected);
        for (int i = 0; i < 3; i++) {
            expected[i] += joints[j].position[i];
            found[i] = (float)(matrices[j][0][i] * point[0] + matrices[j][1][i] * point[1] +
                               matrices[j][2][i] * point[2] + matrices[j][3][i]);
            assert_true(matrices[j][i][3] == 0);
        }
        assert_near(found, expected, 1e-5);
        assert_true(matrices[j][3][3] == 1);
    }
}

static void assert_pose(struct pose pose)
{
    struct model *model = load(mesh_text);
    animate(model, anim_text);
    struct mesh mesh = pose_mesh(model, pose);
    struct place joints[2];
    double expected[3], normals[4][3];
    joints_at(&pose, joints);
    assert_joints(model, &pose, joints);
    expected_normals(joints, normals);
    for (int i = 0; i < 4; i++) {
        expected_point(joints, i, expected);
        assert_near(mesh.positions[i], expected, 1e-5);
        assert_near(mesh.normals[i], normals[i], 1e-5);
    }
}

static struct pose at(uint32_t a, uint32_t b, double blend, enum interpolation interpolation)
{
    return (struct pose){0, {a, b, blend}, interpolation};
}

TEST(the_bind_pose_is_the_weights_at_the_stored_joints)
{
    assert_pose((struct pose){.animation = -1});
}

TEST(keyframes_are_the_files_numbers)
{
    for (uint32_t frame = 0; frame < 3; frame++) {
        assert_pose(at(frame, frame, 0, INTERPOLATION_LOCAL));
        assert_pose(at(frame, (frame + 1) % 3, 0, INTERPOLATION_LOCAL));
        assert_pose(at(frame, (frame + 1) % 3, 0, INTERPOLATION_OBJECT));
    }
}

TEST(local_blends_joints_before_the_skeleton_is_built)
{
    for (int step = 1; step < 10; step++) {
        assert_pose(at(0, 1, step / 10.0, INTERPOLATION_LOCAL));
        assert_pose(at(2, 0, step / 10.0, INTERPOLATION_LOCAL));
    }
}

TEST(object_blends_built_skeletons)
{
    for (int step = 1; step < 10; step++) {
        assert_pose(at(0, 1, step / 10.0, INTERPOLATION_OBJECT));
        assert_pose(at(2, 0, step / 10.0, INTERPOLATION_OBJECT));
    }
}

/* From frame 1 to 2 both joints' quaternions lie more than a quarter turn apart, so the plain blend would go
 * the long way round. */
TEST(orientations_take_the_shortest_arc)
{
    struct place a[2], b[2];
    frame_joints(1, a);
    frame_joints(2, b);
    for (int j = 0; j < 2; j++) {
        double cosine = 0;
        for (int i = 0; i < 4; i++)
            cosine += a[j].orientation[i] * b[j].orientation[i];
        assert_true(cosine < 0);
    }
    for (int step = 1; step < 10; step++) {
        assert_pose(at(1, 2, step / 10.0, INTERPOLATION_LOCAL));
        assert_pose(at(1, 2, step / 10.0, INTERPOLATION_OBJECT));
    }
}

TEST(keyframes_are_the_same_bytes_both_ways)
{
    struct model *model = load(mesh_text);
    animate(model, anim_text);
    for (uint32_t frame = 0; frame < 3; frame++) {
        struct mesh local = pose_mesh(model, at(frame, (frame + 1) % 3, 0, INTERPOLATION_LOCAL));
        struct mesh object = pose_mesh(model, at(frame, frame, 0, INTERPOLATION_OBJECT));
        assert_memory_equal(local.positions, object.positions, 4 * sizeof(vec3));
        assert_memory_equal(local.normals, object.normals, 4 * sizeof(vec3));
    }
}

static double distance_between_joints(const struct model *model, enum interpolation interpolation)
{
    struct mesh mesh = pose_mesh(model, at(0, 1, 0.5, interpolation));
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double d = (double)mesh.positions[0][i] - mesh.positions[1][i];
        sum += d * d;
    }
    return sqrt(sum);
}

/* An upper arm swings by a right angle; vertex 1 sits on a forearm that hangs on it. */
TEST(object_shrinks_limbs_and_local_does_not)
{
    struct model *model =
        load("MD5Version 10 numJoints 2 numMeshes 1 joints { a -1(0 0 0)(0 0 0) b 0(10 0 0)(0 0 0) }"
             "mesh { numverts 2 vert 0(0 0)0 1 vert 1(0 0)1 1 numweights 2 weight 0 0 1(0 0 0)"
             "weight 1 1 1(0 0 0) }");
    animate(model, "MD5Version 10 numFrames 2 numJoints 2 frameRate 10 numAnimatedComponents 1"
                   " hierarchy { a -1 32 0 b 0 0 0 } baseframe { (0 0 0)(0 0 0) (10 0 0)(0 0 0) }"
                   " frame 0 { 0 } frame 1 { 0.70710678118654752 }");
    assert_true(fabs(distance_between_joints(model, INTERPOLATION_LOCAL) - 10) < 1e-5);
    assert_true(fabs(distance_between_joints(model, INTERPOLATION_OBJECT) - 10 * sqrt(0.5)) < 1e-5);
}

/* A quarter of the way from qz0 to qz1, seen at a point 100 along x. */
static void assert_quarter_turn(double qz0, double qz1)
{
    struct model *model = load("MD5Version 10 numJoints 1 numMeshes 1 joints { a -1(0 0 0)(0 0 0) } mesh {"
                               "numverts 1 vert 0(0 0)0 1 numweights 1 weight 0 0 1(100 0 0) }");
    char *text = must_printf("MD5Version 10 numFrames 2 numJoints 1 frameRate 10 numAnimatedComponents 1"
                             " hierarchy { a -1 32 0 } baseframe { (0 0 0)(0 0 0) }"
                             " frame 0 { %.17g } frame 1 { %.17g }",
                             qz0, qz1);
    animate(model, text);
    struct mesh mesh = pose_mesh(model, at(0, 1, 0.25, INTERPOLATION_LOCAL));
    struct place blended = between(place(0, 0, 0, 0, 0, qz0), place(0, 0, 0, 0, 0, qz1), 0.25);
    double expected[3];
    turn(blended.orientation, (double[]){100, 0, 0}, expected);
    assert_near(mesh.positions[0], expected, 2e-5);
    free(text);
}

TEST(small_and_large_angles_blend_evenly)
{
    assert_quarter_turn(0.3, 0.3);
    assert_quarter_turn(0.3, 0.3 + 1e-12);
    assert_quarter_turn(0.3, 0.3 + 1e-6);
    assert_quarter_turn(0.3, 0.3 + 1e-4);
    assert_quarter_turn(0.3, 0.31);
    assert_quarter_turn(0.3, 0.6);
    assert_quarter_turn(0, 0.999);
    assert_quarter_turn(-0.9, 0.9);
    assert_quarter_turn(1, -1);
    assert_quarter_turn(0.2, 1);
}

/* In single precision 0.99999999 is 1, w is 0 and the point is off by 0.28. */
TEST(w_is_computed_in_double)
{
    struct model *model =
        load("MD5Version 10 numJoints 1 numMeshes 1 joints { a -1(0 0 0)(0 0 0.99999999) } mesh {"
             "numverts 1 vert 0(0 0)0 1 numweights 1 weight 0 0 1(1000 0 0) }");
    struct mesh mesh = pose_mesh(model, (struct pose){.animation = -1});
    double expected[3];
    turn(place(0, 0, 0, 0, 0, 0.99999999).orientation, (double[]){1000, 0, 0}, expected);
    assert_true(expected[1] < -0.28);
    assert_near(mesh.positions[0], expected, 1e-4);
}

TEST(an_orientation_longer_than_1_is_a_turn_all_the_same)
{
    struct model *model = load("MD5Version 10 numJoints 1 numMeshes 1 joints { a -1(0 0 0)(0 0 3) } mesh {"
                               "numverts 1 vert 0(0 0)0 1 numweights 1 weight 0 0 1(10 0 1) }");
    struct mesh mesh = pose_mesh(model, (struct pose){.animation = -1});
    assert_near3(mesh.positions[0], -10, 0, 1);
}

TEST(biases_are_not_made_to_add_up)
{
    struct model *model = load("MD5Version 10 numJoints 1 numMeshes 1 joints { a -1(1 2 3)(0 0 0) } mesh {"
                               "numverts 2 vert 0(0 0)0 2 vert 1(0 0)1 2 numweights 3 weight 0 0 0.5(10 0 0)"
                               "weight 1 0 0.75(0 10 0) weight 2 0 -0.25(0 0 4) }");
    struct mesh mesh = pose_mesh(model, (struct pose){.animation = -1});
    assert_near3(mesh.positions[0], 1.25 + 5, 2.5 + 7.5, 3.75);
    assert_near3(mesh.positions[1], 0.5, 1 + 7.5, 1.5 - 1); /* which shares weight 1 */
    assert_near3(mesh.normals[0], 0, 0, 1);
}

/* Four vertices on one joint at the origin, and these triangles. */
static struct mesh plate(const char *places[4], const char *tris, int tri_count)
{
    char *text =
        must_printf("MD5Version 10 numJoints 1 numMeshes 1 joints { a -1(0 0 0)(0 0 0) } mesh { numverts 4"
                    " vert 0(0 0)0 1 vert 1(1 0)1 1 vert 2(1 1)2 1 vert 3(0 1)3 1 numtris %d %s numweights 4"
                    " weight 0 0 1(%s) weight 1 0 1(%s) weight 2 0 1(%s) weight 3 0 1(%s) }",
                    tri_count, tris, places[0], places[1], places[2], places[3]);
    struct model *model = load(text);
    struct mesh mesh = pose_mesh(model, (struct pose){.animation = -1});
    free(text);
    return mesh;
}

/* Seen from above: 0 top left, 1 top right, 2 bottom right, 3 bottom left. */
static const char *square[4] = {"0 1 0", "1 1 0", "1 0 0", "0 0 0"};
static const char clockwise[] = "tri 0 0 1 2 tri 1 0 2 3";

static void assert_plate(const char *places[4], const char *tris, double x, double y, double z)
{
    struct mesh mesh = plate(places, tris, 2);
    for (int i = 0; i < 4; i++)
        assert_near3(mesh.normals[i], x, y, z);
}

TEST(normals_point_to_where_triangles_are_clockwise)
{
    assert_plate(square, clockwise, 0, 0, 1);
    assert_plate(square, "tri 0 0 2 1 tri 1 0 3 2", 0, 0, -1);
}

TEST(triangles_count_the_same_whatever_their_size)
{
    /* Around the edge from 0 to 1: one triangle of area 4 faces up, one of area 1/2 faces -y. */
    const char *places[4] = {"0 0 0", "1 0 0", "0 8 0", "0 0 -1"};
    struct mesh mesh = plate(places, "tri 0 0 2 1 tri 1 0 1 3", 2);
    assert_near3(mesh.normals[0], 0, -sqrt(0.5), sqrt(0.5));
    assert_near3(mesh.normals[2], 0, 0, 1);
    assert_near3(mesh.normals[3], 0, -1, 0);
}

TEST(points_without_an_area_face_up)
{
    assert_plate(square, "tri 0 0 1 1 tri 1 2 2 2", 0, 0, 1);
}

/* The third corner lies between the others, but for rounding. */
TEST(triangles_that_are_lines_do_not_count)
{
    const char *places[4] = {"0 0.1 0.3", "3 0.1 0.3", "1 4 0.3", "1 0.1 0.3000001"};
    assert_plate(places, "tri 0 0 2 1 tri 1 0 3 1", 0, 0, 1);
}

/* Two triangles of a roof whose ridge, from (0, 0, 0) to (0, 8, 0), has two points at each end: 0 and 1 of the
 * left, 3 and 4 of the right. All hang on the first joint but the lower corner of the right side. */
static struct model *load_roof(const char *right_ridge)
{
    char *text =
        must_printf("MD5Version 10 numJoints 2 numMeshes 1 joints { a -1(0 0 0)(0 0 0) b -1(0 0 0)(0 0 0) }"
                    "mesh { numverts 6 vert 0(0 0)0 1 vert 1(0 1)1 1 vert 2(1 0)2 1"
                    " vert 3(0 0)3 1 vert 4(0 1)4 1 vert 5(1 0)5 1 numtris 2 tri 0 0 2 1 tri 1 3 4 5"
                    " numweights 6 weight 0 0 1(0 0 0) weight 1 0 1(0 8 0) weight 2 0 1(-1 0 -1)"
                    " weight 3 0 1(%s) weight 4 0 1(-0 8 0) weight 5 1 1(3 0 -3) }",
                    right_ridge);
    struct model *model = load(text);
    free(text);
    return model;
}

TEST(points_at_one_place_share_their_normal)
{
    struct model *model = load_roof("0 0 0");
    struct mesh mesh = pose_mesh(model, (struct pose){.animation = -1});
    for (int i = 0; i < 2; i++) {
        assert_near3(mesh.normals[i], 0, 0, 1);
        assert_memory_equal(mesh.normals[3 + i], mesh.normals[i], sizeof(vec3));
    }
    assert_near3(mesh.normals[2], -sqrt(0.5), 0, sqrt(0.5));
    assert_near3(mesh.normals[5], sqrt(0.5), 0, sqrt(0.5));
}

TEST(points_nearly_at_one_place_do_not)
{
    struct model *model = load_roof("0 0 0.0000001");
    struct mesh mesh = pose_mesh(model, (struct pose){.animation = -1});
    assert_near3(mesh.normals[0], -sqrt(0.5), 0, sqrt(0.5));
    assert_near3(mesh.normals[3], sqrt(0.5), 0, sqrt(0.5));
}

/* The second joint takes the corner of the right side up to (3, 0, 0): the sides are those of the pose. */
TEST(normals_are_of_the_pose)
{
    struct model *model = load_roof("0 0 0");
    animate(model, "MD5Version 10 numFrames 1 numJoints 2 frameRate 10 numAnimatedComponents 1"
                   " hierarchy { a -1 0 0 b -1 4 0 } baseframe { (0 0 0)(0 0 0) (0 0 0)(0 0 0) } frame 0 { 3 }");
    struct mesh mesh = pose_mesh(model, at(0, 0, 0, INTERPOLATION_LOCAL));
    double half = sqrt(0.5), length = sqrt(half * half + (1 + half) * (1 + half));
    assert_near3(mesh.normals[5], 0, 0, 1);
    assert_near3(mesh.normals[4], -half / length, 0, (1 + half) / length);
}

/* The sides of a sheet with points of their own: their normals cancel, and each side keeps its own. */
TEST(sides_of_a_sheet_keep_their_normals)
{
    struct model *model =
        load("MD5Version 10 numJoints 1 numMeshes 1 joints { a -1(0 0 0)(0 0 0) }"
             "mesh { numverts 6 vert 0(0 0)0 1 vert 1(0 1)1 1 vert 2(1 0)2 1 vert 3(0 0)0 1 vert 4(0 1)1 1"
             " vert 5(1 0)2 1 numtris 2 tri 0 0 1 2 tri 1 3 5 4"
             " numweights 3 weight 0 0 1(0 0 0) weight 1 0 1(0 1 0) weight 2 0 1(1 0 0) }");
    struct mesh mesh = pose_mesh(model, (struct pose){.animation = -1});
    for (int i = 0; i < 3; i++) {
        assert_near3(mesh.normals[i], 0, 0, 1);
        assert_near3(mesh.normals[3 + i], 0, 0, -1);
    }
}

TEST(meshes_are_not_welded)
{
    struct model *model =
        load("MD5Version 10 numJoints 1 numMeshes 2 joints { a -1(0 0 0)(0 0 0) }"
             "mesh { numverts 3 vert 0(0 0)0 1 vert 1(0 1)1 1 vert 2(1 0)2 1 numtris 1 tri 0 0 1 2"
             " numweights 3 weight 0 0 1(0 0 0) weight 1 0 1(0 1 0) weight 2 0 1(1 0 0) }"
             "mesh { numverts 3 vert 0(0 0)0 1 vert 1(0 1)1 1 vert 2(1 0)2 1 numtris 1 tri 0 0 1 2"
             " numweights 3 weight 0 0 1(0 0 0) weight 1 0 1(0 0 1) weight 2 0 1(0 1 0) }");
    struct mesh mesh = pose_mesh(model, (struct pose){.animation = -1});
    assert_near3(mesh.normals[0], 0, 0, 1);
    assert_near3(mesh.normals[3], 1, 0, 0);
}
