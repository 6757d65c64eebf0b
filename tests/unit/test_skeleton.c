/* Scales, which no MD5 has: test_md5_pose.c and test_exact_pose.c hold the rest. */

#include "model/skeleton.h"
#include "test.h"

/* An arm on a shoulder that is turned a quarter to the left, at x = 1. */
static const struct joint joints[] = {{"shoulder", -1}, {"arm", 0}};
static const struct transform arm[] = {
    {{1, 0, 0}, {0, 0, 0.70710678118654752, 0.70710678118654752}, {2, 2, 2}},
    {{3, 0, 0}, {0, 0, 0, 1}, {1, 4, 1}},
};

/* A point of the arm's own space, in the model's. */
static void expect_point(struct transform *transforms, const double point[3], const vec3 wanted)
{
    const struct skin_weight weight = skin_weight(1, 1, point);
    const struct skin_span span = {0, 1};
    vec3 found;
    transforms_to_model(joints, 2, transforms);
    skin_points(&(struct skin){&weight, &span}, 1, transforms, 2, &found);
    for (int i = 0; i < 3; i++)
        assert_float_equal(found[i], wanted[i], 1e-6);
}

TEST(a_scale_reaches_what_the_joint_carries)
{
    struct transform transforms[] = {arm[0], arm[1]};
    expect_point(transforms, (const double[]){1, 1, 1}, (const vec3){1 - 8, 6 + 2, 2});
}

TEST(scales_are_blended)
{
    struct transform transforms[] = {arm[0], arm[1]}, others[] = {arm[0], arm[1]};
    for (int i = 0; i < 3; i++)
        others[0].scale[i] = 4;
    transforms_blend(transforms, others, 2, 0.5);
    expect_point(transforms, (const double[]){0, 0, 0}, (const vec3){1, 9, 0});
}
