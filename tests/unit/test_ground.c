/* Ground under a model: shadows of a quad that floats above the plane, seen straight from above or from the side.
 */
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "render/ground.h"
#include "test.h"

enum { SIDE = 64 };

static const struct ground contact = {.kind = GROUND_CONTACT, .strength = 1, .color = {0, 0, 0, 255}};
static const struct ground thrown = {.kind = GROUND_SHADOW, .strength = 1, .color = {0, 0, 0, 255}};
static const struct ground grid = {.kind = GROUND_GRID, .strength = 1, .spacing = 0.5f, .color = {9, 8, 7, 255}};

/* A cell of x and y from -1 to 1 seen from above: x to the right, y up, z towards the viewer. */
struct scene_from_above {
    struct scene scene;
    struct view view;
    struct light_rig light;
    struct look look;
    struct ground ground;
    struct outline outline;
    float height; /* of the ground */
    int hidden;   /* the first quad that is not seen; 0: all are */
    uint8_t pixels[SIDE][SIDE][4];
};

static void from_above(struct scene_from_above *cell, const struct ground *ground)
{
    *cell = (struct scene_from_above){.ground = *ground};
    scene_init(&cell->scene);
    glm_mat4_identity(cell->view.world_to_view);
    glm_ortho(-1, 1, -1, 1, -10, 10, cell->view.view_to_clip);
    cell->view.pixels_per_unit = SIDE / 2;
    cell->light = (struct light_rig){.key = {{0, 0, 1}, {1, 1, 1}}};
}

/* A level quad at that height. Its front is below, so that from above only its shadow is seen. */
static void add_floater(struct scene_from_above *cell, float left, float bottom, float right, float top, float z)
{
    scene_add_quad(&cell->scene, left, bottom, right, top, 0);
    uint32_t first = cell->scene.model.vertex_count - 4;
    const float places[4][2] = {{left, bottom}, {right, bottom}, {right, top}, {left, top}};
    for (uint32_t i = 0; i < 4; i++)
        glm_vec3_copy((vec3){places[i][0], places[i][1], z}, cell->scene.positions[first + i]);
}

static void draw_cell(struct scene_from_above *cell)
{
    struct drawable *drawable;
    struct error err = {""};
    if (drawable_new(renderer, &cell->scene.model, &drawable, &err) < 0 ||
        renderer_set_target(renderer, (const uint32_t[2]){SIDE, SIDE}, 1, &err) < 0)
        fail_msg("%s", err.text);
    drawable_set_pose(drawable, &cell->scene.mesh);
    struct look looks[SCENE_QUADS];
    for (int i = 0; i < SCENE_QUADS; i++)
        looks[i] = cell->hidden && i >= cell->hidden ? (struct look){.layers_only = true} : cell->look;
    struct shot_part part = {drawable, looks, GLM_MAT4_IDENTITY_INIT, 1};
    struct shot shot = {.parts = &part,
                        .part_count = 1,
                        .light = &cell->light,
                        .view = &cell->view,
                        .ground = &cell->ground,
                        .ground_height = cell->height,
                        .outline = &cell->outline};
    renderer_draw(renderer, &shot, PASS_COLOR);
    if (renderer_read(renderer, cell->pixels[0][0], sizeof cell->pixels[0], &err) < 0)
        fail_msg("%s", err.text);
    drawable_free(drawable);
}

/* Alpha at a place of the plane, as seen from above. */
static int alpha_at(const struct scene_from_above *cell, float x, float y)
{
    return cell->pixels[(int)((1 - y) / 2 * SIDE)][(int)((x + 1) / 2 * SIDE)][3];
}

TEST(near_things_darken_the_ground_more)
{
    int before = 256;
    for (int height = 0; height < 4; height++) {
        struct scene_from_above cell;
        from_above(&cell, &contact);
        add_floater(&cell, -0.3f, -0.3f, 0.3f, 0.3f, 0.2f * (float)height);
        draw_cell(&cell);
        assert_true(alpha_at(&cell, 0, 0) < before);
        before = alpha_at(&cell, 0, 0);
        assert_true(height > 0 || before == 255);
        assert_int_equal(alpha_at(&cell, 0.8f, 0.8f), 0);
    }
    assert_true(before < 80);
}

TEST(shadows_have_soft_edges)
{
    struct scene_from_above cell;
    from_above(&cell, &thrown);
    add_floater(&cell, -0.3f, -0.3f, 0.3f, 0.3f, 0.5f);
    draw_cell(&cell);
    int steps = 0;
    for (int x = SIDE / 2; x < SIDE - 1; x++) {
        int step = cell.pixels[SIDE / 2][x][3] - cell.pixels[SIDE / 2][x + 1][3];
        assert_true(step >= -1 && step < 120);
        steps += step > 0;
    }
    assert_true(steps >= 3);
}

TEST(the_grid_runs_through_the_origin_as_far_apart_as_asked)
{
    struct scene_from_above cell;
    from_above(&cell, &grid);
    draw_cell(&cell);
    for (int y = 20; y < 44; y++)
        for (int x = 20; x < 44; x++) {
            bool is_line =
                x % 16 == 0 || x % 16 == 15 || y % 16 == 0 || y % 16 == 15; /* 0.5 units are 16 pixels */
            assert_int_equal(cell.pixels[y][x][3] > 0, is_line);
        }
    assert_true(cell.pixels[32][20][3] > 100);
    assert_true(cell.pixels[1][32][3] < 30); /* faded */
}

static bool has_ground(struct scene_from_above *cell)
{
    draw_cell(cell);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (cell->pixels[i / SIDE][i % SIDE][3])
            return true;
    return false;
}

TEST(from_below_or_edge_on_there_is_no_ground)
{
    for (int kind = GROUND_CONTACT; kind <= GROUND_GRID; kind++) {
        struct scene_from_above cell;
        from_above(&cell, &grid);
        cell.ground.kind = (enum ground_kind)kind;
        add_floater(&cell, -0.5f, -0.5f, 0.5f, 0.5f, 0);
        cell.look = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(0), .alpha_test = -1};
        assert_true(has_ground(&cell));
        glm_rotate(cell.view.world_to_view, -(float)M_PI / 2, (vec3){1, 0, 0});
        assert_false(has_ground(&cell));
        cell.scene.model.surface_count = 0;
        glm_rotate(cell.view.world_to_view, -0.5f, (vec3){1, 0, 0});
        assert_false(has_ground(&cell));
    }
}

/* In perspective the plane ends at the horizon, and nearer lines are farther apart. */
TEST(a_grid_in_perspective_ends_at_the_horizon)
{
    struct scene_from_above cell;
    from_above(&cell, &grid);
    glm_perspective(1, 1, 0.1f, 10, cell.view.view_to_clip);
    glm_lookat((vec3){-2, 0, 0.5f}, (vec3){0, 0, 0.5f}, (vec3){0, 0, 1}, cell.view.world_to_view);
    draw_cell(&cell);
    bool any = false;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            any = any || cell.pixels[y][x][3];
            if (y < SIDE / 2)
                assert_int_equal(cell.pixels[y][x][3], 0);
        }
    assert_true(any);
}

TEST(shadows_and_the_grid_are_drawn)
{
    fact("the shadow lies opposite the light");
    struct scene_from_above cell;
    from_above(&cell, &thrown);
    add_floater(&cell, -0.2f, -0.2f, 0.2f, 0.2f, 0.4f);
    glm_vec3_copy((vec3){-1, 0, 1}, cell.light.key.direction); /* from the left, at 45 degrees */
    draw_cell(&cell);
    assert_true(alpha_at(&cell, 0.4f, 0) > 230);
    assert_int_equal(alpha_at(&cell, -0.2f, 0), 0);
    assert_int_equal(alpha_at(&cell, 0.4f, 0.5f), 0);
    assert_int_equal(cell.pixels[SIDE / 2][45][0], 0); /* black */
    fact("the light turns with the view");
    from_above(&cell, &thrown);
    add_floater(&cell, -0.2f, -0.2f, 0.2f, 0.2f, 0.4f);
    glm_vec3_copy((vec3){-1, 0, 1}, cell.light.key.direction);
    glm_rotate(cell.view.world_to_view, 1.0f, (vec3){0, 0, 1});
    draw_cell(&cell);
    assert_true(alpha_at(&cell, 0.4f, 0) > 230); /* still to the right in the picture */
    assert_int_equal(alpha_at(&cell, -0.4f, 0), 0);
    fact("the ground may lie at any height");
    from_above(&cell, &thrown);
    add_floater(&cell, -0.2f, -0.2f, 0.2f, 0.2f, 0.4f);
    glm_vec3_copy((vec3){-1, 0, 1}, cell.light.key.direction);
    cell.height = 0.2f;
    draw_cell(&cell);
    assert_true(alpha_at(&cell, 0.2f, 0) > 230);
    assert_int_equal(alpha_at(&cell, 0.55f, 0), 0);
    fact("a low light throws no shadow without end");
    from_above(&cell, &thrown);
    add_floater(&cell, -0.2f, -0.2f, 0.2f, 0.2f, 0.2f);
    glm_vec3_copy((vec3){-1, 0, -0.5f}, cell.light.key.direction); /* from below */
    draw_cell(&cell);
    assert_true(alpha_at(&cell, 0.2f / 0.35f * 0.894f, 0) > 200);
    fact("strength and colour are those of the ground");
    from_above(&cell, &thrown);
    cell.ground.strength = 0.5f;
    memcpy(cell.ground.color, (const uint8_t[4]){10, 20, 40, 128}, 4);
    add_floater(&cell, -0.4f, -0.4f, 0.4f, 0.4f, 0.01f);
    draw_cell(&cell);
    assert_memory_equal(cell.pixels[SIDE / 2][SIDE / 2], ((const uint8_t[4]){10, 20, 40, 64}), 4);
    /* A hole of the texture lets light through. */
    fact("holes throw no shadow");
    from_above(&cell, &thrown);
    add_floater(&cell, -0.5f, -0.5f, 0.5f, 0.5f, 0.01f);
    cell.look = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(0xFFFFFF00), .alpha_test = 0.5f};
    draw_cell(&cell);
    assert_int_equal(alpha_at(&cell, 0, 0), 0);
    fact("ground fades at the edges of the cell");
    from_above(&cell, &thrown);
    add_floater(&cell, -3, -3, 3, 3, 0.01f);
    draw_cell(&cell);
    assert_int_equal(alpha_at(&cell, 0, 0), 255);
    for (int i = 0; i < SIDE; i++)
        assert_true(cell.pixels[0][i][3] < 30 && cell.pixels[i][0][3] < 30 && cell.pixels[i][SIDE - 1][3] < 30);
    /* The outline goes around the model, not around its shadow. */
    fact("the model and its outline are over the ground");
    from_above(&cell, &contact);
    add_floater(&cell, -0.25f, -0.25f, 0.25f, 0.25f, 0.15f);
    cell.look = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(0xFF0000FF), .two_sided = true};
    cell.light = (struct light_rig){.ambient = {1, 1, 1}};
    cell.outline = (struct outline){.width_px = 2, .color = {0, 255, 0, 255}};
    draw_cell(&cell);
    assert_memory_equal(cell.pixels[32][32], ((const uint8_t[4]){255, 0, 0, 255}), 4);
    assert_memory_equal(cell.pixels[32][41], ((const uint8_t[4]){0, 255, 0, 255}), 4);
    assert_true(cell.pixels[32][43][1] == 0 && cell.pixels[32][43][3] > 0); /* shadow */
    fact("what is not seen throws none, and takes no room from the others");
    struct scene_from_above other;
    for (int i = 0; i < 2; i++) {
        struct scene_from_above *shown = i ? &other : &cell;
        from_above(shown, &thrown);
        add_floater(shown, -0.3f, -0.3f, 0.3f, 0.3f, 0.1f);
        if (i > 0)
            add_floater(shown, 10, 10, 11, 11, 5);
        shown->hidden = i;
        draw_cell(shown);
    }
    assert_memory_equal(cell.pixels, other.pixels, sizeof cell.pixels);
    fact("no model has no shadow");
    from_above(&cell, &thrown);
    assert_false(has_ground(&cell));
    cell.ground.kind = GROUND_CONTACT;
    assert_false(has_ground(&cell));
}

TEST(other_passes_have_no_ground_and_no_outline)
{
    struct picture picture;
    struct outline outline = {.width_px = 3, .color = {1, 2, 3, 255}};
    picture_init(&picture, 8, 8);
    scene_add_quad(&picture.scene, -0.5f, -0.5f, 0.5f, 0.5f, 0);
    picture.shot = (struct shot){.ground = &grid, .outline = &outline};
    draw_pass(&picture, PASS_CLAY);
    assert_int_equal(pixel_of(&picture, 8 * 4 + 1), 0);
    draw(&picture);
    assert_int_equal(pixel_of(&picture, 8 * 4 + 1), 0x010203FF);
}

TEST_GROUP(open_osmesa, close_renderer)
