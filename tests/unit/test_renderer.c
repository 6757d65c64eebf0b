/* Pictures of a few quads (scene.h) whose every pixel can be told beforehand. Opens a real context, once. */
#include "picture.h"
#include "test.h"

/* -- What is drawn ----------------------------------------------------------------------------------------- */

TEST(the_pose_is_the_one_set_last)
{
    struct picture picture;
    struct drawable *drawable;
    struct error err;
    picture_of_quad(&picture, 1, 1);
    assert_int_equal(drawable_new(renderer, &picture.scene.model, &drawable, &err), 0);
    assert_int_equal(renderer_set_target(renderer, picture.cell_px, 1, &err), 0);
    for (int i = 0; i < 2; i++) {
        drawable_set_pose(drawable, &picture.scene.mesh);
        draw_drawable(drawable, &picture, PASS_COLOR);
        assert_int_equal(renderer_read(renderer, picture.pixels, 4, &err), 0);
        EXPECT_PIXELS(&picture, i ? 0 : PLAIN);
        for (uint32_t j = 0; j < 4; j++)
            picture.scene.positions[j][1] += 2; /* out of the cell, to the right */
    }
    drawable_free(drawable);
}

TEST(surfaces_are_drawn)
{
    fact("what was drawn before is gone");
    struct picture picture;
    picture_of_quad(&picture, 1, 1);
    draw(&picture);
    picture_init(&picture, 1, 1);
    draw(&picture);
    EXPECT_PIXELS(&picture, 0);
    fact("right and up are as in the picture");
    picture_init(&picture, 3, 2);
    scene_add_quad(&picture.scene, 1 / 3.0f, 0, 1, 1, 0);
    draw(&picture);
    EXPECT_PIXELS(&picture, 0, 0, PLAIN, 0, 0, 0);
    fact("triangles are drawn from their clockwise side alone");
    picture_of_quad(&picture, 1, 1);
    check_pixel(&picture, PLAIN);
    for (uint32_t i = 0; i < 6; i += 3) {
        uint32_t kept = picture.scene.indices[i];
        picture.scene.indices[i] = picture.scene.indices[i + 1];
        picture.scene.indices[i + 1] = kept;
    }
    check_pixel(&picture, 0);
    fact("what is nearer covers what is farther in either order");
    const struct texture red = add_color(RED), green = add_color(GREEN);
    for (int first = 0; first < 2; first++) {
        picture_init(&picture, 1, 1);
        scene_add_quad(&picture.scene, -1, -1, 1, 1, first ? 0.5f : 0.4f);
        scene_add_quad(&picture.scene, -1, -1, 1, 1, first ? 0.4f : 0.5f);
        picture.looks[0].pictures[PICTURE_DIFFUSE] = first ? red : green;
        picture.looks[1].pictures[PICTURE_DIFFUSE] = first ? green : red;
        check_pixel(&picture, RED);
    }
    fact("each surface has its own look");
    picture_init(&picture, 3, 1);
    scene_add_quad(&picture.scene, -1, -1, -1 / 3.0f, 1, 0);
    scene_add_quad(&picture.scene, -1 / 3.0f, -1, 1 / 3.0f, 1, 0);
    scene_add_quad(&picture.scene, 1 / 3.0f, -1, 1, 1, 0);
    picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(RED);
    picture.looks[2].pictures[PICTURE_DIFFUSE] = add_color(BLUE);
    draw(&picture);
    EXPECT_PIXELS(&picture, RED, PLAIN, BLUE);
    fact("an empty surface is passed over");
    picture_of_quad(&picture, 1, 1);
    scene_add_quad(&picture.scene, -1, -1, 1, 1, 0.5f);
    picture.scene.surfaces[1].index_count = 0;
    picture.looks[1].pictures[PICTURE_DIFFUSE] = add_color(RED);
    check_pixel(&picture, PLAIN);
    fact("vertices take the place of their points");
    picture_init(&picture, 2, 1);
    scene_add_quad(&picture.scene, -1, -1, 0, 1, 0);
    scene_add_quad(&picture.scene, 0, -1, 1, 1, 0);
    for (uint32_t i = 0; i < 4; i++) /* the first quad goes where the second is */
        picture.scene.points[i] = i + 4;
    draw(&picture);
    EXPECT_PIXELS(&picture, 0, PLAIN);
}

/* -- Textures ---------------------------------------------------------------------------------------------- */

TEST(textures_repeat_outside_0_to_1)
{
    const struct texture texture = add_texture(2, 2, (const uint32_t[]){RED, GREEN, BLUE, WHITE}, false);
    for (int shift = -3; shift <= 3; shift++) {
        struct picture picture;
        picture_of_quad(&picture, 4, 3);
        picture.looks[0].pictures[PICTURE_DIFFUSE] = texture;
        for (uint32_t i = 0; i < 4; i++) {
            picture.scene.uvs[i][0] = 2 * picture.scene.uvs[i][0] + (float)shift;
            picture.scene.uvs[i][1] = 1.5f * picture.scene.uvs[i][1] - (float)shift;
        }
        draw(&picture);
        EXPECT_PIXELS(&picture, RED, GREEN, RED, GREEN, BLUE, WHITE, BLUE, WHITE, RED, GREEN, RED, GREEN);
    }
}

TEST(textures_are_drawn)
{
    fact("a texture starts at the top left with rows of any length");
    struct picture picture;
    picture_of_quad(&picture, 3, 2);
    const uint32_t texels[] = {RED, GREEN, BLUE, WHITE, BLACK, RED};
    picture.looks[0].pictures[PICTURE_DIFFUSE] = add_texture(3, 2, texels, false);
    draw(&picture);
    expect_pixels(&picture, texels);
    fact("a texture seen from afar is averaged in linear light");
    picture_of_quad(&picture, 1, 1);
    picture.looks[0].pictures[PICTURE_DIFFUSE] =
        add_texture(2, 2, (const uint32_t[]){WHITE, BLACK, BLACK, WHITE}, false);
    check_pixel(&picture, grey(0.5));
    fact("every code of a texture comes out as it went in");
    for (uint32_t code = 0; code < 256; code++) {
        picture_of_quad(&picture, 1, 1);
        struct texture texture = add_color(code << 24 | (255 - code) << 16 | 0x40FF);
        picture.looks[0].pictures[PICTURE_DIFFUSE] = texture;
        check_pixel(&picture, code << 24 | (255 - code) << 16 | 0x40FF);
        renderer_drop_texture(renderer, &texture);
        assert_int_equal(texture.id, 0);
    }
    fact("alpha is ignored where nothing is tested");
    picture_of_quad(&picture, 1, 1);
    picture.looks[0] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(0xFF000000), .alpha_test = -1};
    check_pixel(&picture, RED);
    fact("through a hole one sees what is behind");
    picture_of_quad(&picture, 1, 1);
    scene_add_quad(&picture.scene, -1, -1, 1, 1, 0.5f);
    scene_add_quad(&picture.scene, -1, -1, 1, 1, -0.5f);
    picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(BLUE);
    picture.looks[1] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(0xFF000000), .alpha_test = 0.5f};
    check_pixel(&picture, BLUE);
    fact("a cut out does not leak to the next surface");
    picture_init(&picture, 2, 1);
    scene_add_quad(&picture.scene, -1, -1, 0, 1, 0);
    scene_add_quad(&picture.scene, 0, -1, 1, 1, 0);
    picture.looks[0] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(0xFF000000), .alpha_test = 0.5f};
    picture.looks[1].pictures[PICTURE_DIFFUSE] = picture.looks[0].pictures[PICTURE_DIFFUSE];
    draw(&picture);
    EXPECT_PIXELS(&picture, 0, RED);
}

/* -- Supersampling ----------------------------------------------------------------------------------------- */

/* A quad over the left 0.4 of a single pixel. */
static void check_coverage(uint32_t supersample, uint32_t alpha)
{
    struct picture picture;
    picture_init(&picture, 1, 1);
    scene_add_quad(&picture.scene, -1, -1, -0.2f, 1, 0);
    picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(0xFF8010FF);
    picture.supersample = supersample;
    check_pixel(&picture, alpha ? 0xFF801000 | alpha : 0);
}

TEST(edges_get_the_alpha_of_what_they_cover_and_its_pure_colour)
{
    check_coverage(1, 0);
    check_coverage(2, 128); /* samples at 1/4 */
    check_coverage(3, 85);  /* 1/6 */
    check_coverage(4, 128); /* 1/8 and 3/8 */
}

TEST(samples_of_one_pixel_are_averaged_in_linear_light)
{
    struct picture picture;
    picture_init(&picture, 1, 1);
    scene_add_quad(&picture.scene, -1, -1, 0, 1, 0);
    scene_add_quad(&picture.scene, 0, -1, 1, 1, 0);
    picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(WHITE);
    picture.looks[1].pictures[PICTURE_DIFFUSE] = add_color(BLACK);
    picture.supersample = 2;
    check_pixel(&picture, grey(0.5));
}

TEST(cells_may_be_wider_than_high_at_any_supersampling)
{
    for (uint32_t supersample = 1; supersample <= 4; supersample++) {
        struct picture picture;
        picture_init(&picture, 5, 2);
        scene_add_quad(&picture.scene, 0.6f, -1, 1, 0, 0);
        picture.supersample = supersample;
        draw(&picture);
        EXPECT_PIXELS(&picture, 0, 0, 0, 0, 0, 0, 0, 0, 0, PLAIN);
    }
}

/* -- Light ------------------------------------------------------------------------------------------------- */

static void white_on(struct picture *picture, uint32_t width, uint32_t height)
{
    picture_of_quad(picture, width, height);
    picture->looks[0].pictures[PICTURE_DIFFUSE] = add_color(WHITE);
    picture->light = (struct light_rig){0};
}

static void set_normal(struct picture *picture, float x, float y, float z)
{
    for (uint32_t i = 0; i < 4; i++)
        glm_vec3_copy((vec3){x, y, z}, picture->scene.normals[i]);
}

static void check_key(float x, float y, float z, double wanted)
{
    struct picture picture;
    white_on(&picture, 1, 1);
    picture.light.key = (struct directional_light){{x, y, z}, {1, 1, 1}};
    check_lit_pixel(&picture, grey(wanted));
}

TEST(light_falls_on_surfaces)
{
    /* Light of strength 1, straight from where the surface faces. */
    fact("full light shows the texture itself");
    struct picture picture;
    white_on(&picture, 1, 1);
    check_pixel(&picture, BLACK); /* no light: opaque all the same */
    picture.light.key = (struct directional_light){{0, 0, 3}, {1, 1, 1}};
    check_pixel(&picture, WHITE);
    picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(0x80604020 | 255);
    check_pixel(&picture, 0x80604020 | 255);
    fact("light is linear and stops at white");
    white_on(&picture, 1, 1);
    picture.light.key = (struct directional_light){{0, 0, 1}, {0.5f, 0.25f, 7}};
    check_lit_pixel(&picture, (grey(0.5) & 0xFF000000) | (grey(0.25) & 0xFF0000) | 0xFFFF);
    fact("the key light reaches a little around the form");
    check_key(0, 0, 1, 1);
    check_key(0.6f, 0, 0.8f, (0.8 + 0.15) / 1.15);
    check_key(0, 2, 0, 0.15 / 1.15);
    check_key(0, 0.99f, -0.1410673f, (0.15 - 0.1410673) / 1.15);
    check_key(0, 0, -1, 0);
    fact("the fill light does not");
    white_on(&picture, 1, 1);
    picture.light.fill = (struct directional_light){{0, 0.8f, 0.6f}, {1, 1, 1}};
    check_lit_pixel(&picture, grey(0.6));
    picture.light.fill.direction[2] = -0.1f;
    check_pixel(&picture, BLACK);
    fact("the sky is above and the ground below");
    white_on(&picture, 1, 1);
    glm_vec3_copy((vec3){1, 0, 0}, picture.light.sky);
    glm_vec3_copy((vec3){0, 0, 1}, picture.light.ground);
    set_normal(&picture, 0, 0, 1);
    check_pixel(&picture, RED);
    set_normal(&picture, 0, 0, -1);
    check_pixel(&picture, BLUE);
    set_normal(&picture, 1, 0, 0);
    check_lit_pixel(&picture, (grey(0.5) & 0xFF000000) | (grey(0.5) & 0xFF00) | 255);
    fact("lights add up");
    white_on(&picture, 1, 1);
    picture.light = (struct light_rig){
        .key = {{0, 0, 1}, {0.1f, 0.1f, 0.1f}},
        .fill = {{0, 0, 1}, {0.2f, 0.2f, 0.2f}},
        .sky = {0.1f, 0.1f, 0.1f},
        .ground = {0.3f, 0.3f, 0.3f},
    };
    check_lit_pixel(&picture, grey(0.1 + 0.2 + 0.2));
    fact("key and fill turn with the camera but the sky does not");
    white_on(&picture, 1, 1);
    set_normal(&picture, 0, 1, 0); /* faces right in the picture ... */
    glm_vec3_copy((vec3){0, 1, 0}, picture.light.sky);
    picture.light.key = (struct directional_light){{0, 1, 0}, {1, 0, 0}};
    static const float turned[3][3] = {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}; /* ... and up, when the camera lies */
    for (int column = 0; column < 3; column++)
        for (int row = 0; row < 3; row++)
            picture.view.world_to_view[column][row] = turned[row][column];
    check_lit_pixel(&picture, 0xFF000000 | (grey(0.5) & 0xFF0000) | 255);
    fact("normals are made unit between corners");
    white_on(&picture, 1, 1);
    const float s = 0.70710678f; /* left corners face left, right ones right, the middle faces us */
    for (uint32_t i = 0; i < 4; i++)
        glm_vec3_copy((vec3){s, i < 2 ? -s : s, 0}, picture.scene.normals[i]);
    picture.light.key = (struct directional_light){{0, 0, 1}, {1, 1, 1}};
    check_pixel(&picture, WHITE);
}

/* -- Targets and limits ------------------------------------------------------------------------------------ */

TEST(targets_have_limits)
{
    fact("a cell above the limit fails and the next is fine");
    struct error err = {""};
    const uint32_t sizes[][2] = {{1u << 20, 1}, {1, 1u << 20}, {UINT32_MAX / 2, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(renderer_set_target(renderer, sizes[i], 4, &err), -1);
        assert_non_null(strstr(err.text, "a cell is drawn at "));
        struct picture picture;
        picture_of_quad(&picture, 1, 1);
        check_pixel(&picture, PLAIN);
    }
    fact("only the pixels of the cell are written");
    struct picture picture;
    picture_of_quad(&picture, 2, 2);
    draw(&picture);
    uint8_t rows[2][16];
    memset(rows, 0xAB, sizeof rows);
    assert_int_equal(renderer_read(renderer, &rows[0][4], sizeof rows[0], &err), 0);
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 16; x++)
            assert_int_equal(rows[y][x] == 0xAB, x < 4 || x >= 12);
    fact("the description names back end and driver");
    const char *text = context_description(context);
    assert_int_equal(strncmp(text, "OSMesa ", 7), 0);
    assert_non_null(strstr(text, ", "));
    fact("freeing nothing is fine");
    renderer_free(NULL);
    drawable_free(NULL);
    context_close(NULL);
}

TEST_GROUP(open_osmesa, close_renderer)
