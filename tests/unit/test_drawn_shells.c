#include "model/rig.h"
#include "picture.h"
#include "test.h"

/* The cell looks along -x into a box whose front is cut off by the near plane, so that it shows the inside of the back
 * face: where insides are drawn. Light falls on all alike. */

static vec3 bind_positions[SCENE_VERTICES];

static struct rig_part box_part = {.positions = (const vec3 *)bind_positions};
static const struct rig box_rig = {.parts = &box_part, .part_count = 1};

/* A box of one surface from -0.5 to 0.5, with as many of its six faces as wanted. */
static void make_box(struct picture *picture, int faces)
{
    struct scene *scene = &picture->scene;
    picture_init(picture, 1, 1);
    for (int face = 0; face < faces; face++) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        scene_add_quad(scene, 0, 0, 0, 0, 0);
        for (int i = 0; i < 4; i++) { /* clockwise seen from outside */
            int corner = face % 2 ? (4 - i) % 4 : i;
            float *at = scene->positions[4 * face + i];
            at[axis] = face % 2 ? 0.5f : -0.5f;
            at[u] = corner == 1 || corner == 2 ? 0.5f : -0.5f;
            at[v] = corner >= 2 ? 0.5f : -0.5f;
        }
    }
    scene->surfaces[0].index_count = 6 * (uint32_t)faces;
    scene->model.surface_count = 1;
    scene->model.rig = &box_rig;
    box_part.point_count = scene->model.point_count;
    memcpy(bind_positions, scene->positions, sizeof bind_positions);
    glm_ortho(-0.5f, 0.5f, -0.5f, 0.5f, -0.25f, 10, picture->view.view_to_clip);
    picture->looks[0] = (struct look){.alpha_test = -1, .two_sided = true};
}

/* Draws the scene in its pose, where one of two outfits is what shells are looked for in; how many indices are of some. */
static uint32_t draw_box(struct picture *picture, const struct look *other)
{
    struct drawable *drawable = draw_unread(picture, PASS_COLOR);
    const struct look outfits[2] = {picture->looks[0], *other};
    struct error err;
    if (drawable_find_shells(drawable, outfits, 2, &err) < 0)
        fail_msg("%s", err.text);
    drawable_set_pose(drawable, &picture->scene.mesh);
    draw_drawable(drawable, picture, PASS_COLOR);
    read_pixels(picture);
    uint32_t closed = drawable->closed ? drawable->closed[0] : 0;
    drawable_free(drawable);
    return closed;
}

static void check_box(struct picture *picture, uint32_t closed, bool is_inside_drawn)
{
    assert_int_equal(draw_box(picture, &picture->looks[0]), closed);
    assert_int_equal(picture->pixels[3] > 0, is_inside_drawn);
}

TEST(of_a_closed_box_the_insides_are_not_drawn)
{
    struct picture picture;
    make_box(&picture, 6);
    check_box(&picture, 36, false);
    fact("but where the near plane may cut it open");
    picture.view.is_cut = true;
    check_box(&picture, 36, true);
}

TEST(of_an_open_box_the_insides_are_drawn)
{
    struct picture picture;
    make_box(&picture, 5);
    check_box(&picture, 0, true);
}

TEST(of_a_closed_box_beside_open_triangles_only_its_insides_are_left_out)
{
    struct picture picture;
    make_box(&picture, 6);
    struct scene *scene = &picture.scene;
    scene_add_quad(scene, 0, 0, 0, 0, 0); /* they become the first of the box */
    memmove(&scene->indices[6], scene->indices, 36 * sizeof *scene->indices);
    for (uint32_t i = 0; i < 6; i++)
        scene->indices[i] = 24 + (const uint32_t[]){0, 2, 1, 0, 3, 2}[i]; /* it turns its back */
    scene->surfaces[0].index_count += 6;
    scene->model.surface_count = 1;
    for (int i = 0; i < 4; i++)
        glm_vec3_copy((vec3){-2, i == 0 || i == 1 ? -1 : 1, i == 0 || i == 3 ? -1 : 1}, scene->positions[24 + i]);
    memcpy(bind_positions, scene->positions, sizeof bind_positions);
    check_box(&picture, 36, true);
}

TEST(a_pose_that_turns_the_box_inside_out_shows_its_insides)
{
    struct picture picture;
    make_box(&picture, 6);
    for (uint32_t i = 0; i < picture.scene.model.point_count; i++)
        picture.scene.positions[i][1] *= -1;
    check_box(&picture, 0, true);
}

TEST(looks_that_one_sees_through_draw_insides)
{
    static struct look_layer layer = {.source = BLEND_ONE, .destination = BLEND_ONE, .color = {1, 1, 1, 1}};
    struct model_material own = {.base_color_factor = {1, 1, 1, 1}};
    const struct look looks[] = {
        {.alpha_test = 0.5f, .two_sided = true, .own = &own},
        {.alpha_test = -1, .two_sided = true, .own = &own, .blends = true},
        {.alpha_test = -1, .two_sided = true, .layers = &layer, .layer_count = 1},
        {.alpha_test = -1, .two_sided = true, .adds_light = true, .layers_only = true},
        {.alpha_test = -1, .back_sided = true},
    };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct picture picture;
        make_box(&picture, 6);
        const struct look opaque = picture.looks[0];
        picture.looks[0] = looks[i];
        check_box(&picture, 0, true);
        fact("also where another outfit of the surface has shells");
        assert_int_equal(draw_box(&picture, &opaque), 36);
        assert_true(picture.pixels[3] > 0);
    }
}

TEST_GROUP(open_osmesa, close_renderer)
