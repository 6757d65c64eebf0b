/* What each pass writes, on quads whose every pixel can be told beforehand. */
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "test.h"

#define RED 0xFF0000FFu
#define WHITE 0xFFFFFFFFu
#define NORMAL(x, y, z)                                                                                           \
    ((uint32_t)(128.5 + 127 * (x)) << 24 | (uint32_t)(128.5 + 127 * (y)) << 16 |                                  \
     (uint32_t)(128.5 + 127 * (z)) << 8 | 255)

static void check_pass(struct picture *picture, enum pass pass, uint32_t wanted)
{
    draw_pass(picture, pass);
    EXPECT_PIXELS(picture, wanted);
}

static void set_normals(struct picture *picture, const vec3 normal)
{
    for (uint32_t i = 0; i < 4; i++)
        glm_vec3_copy((float *)normal, picture->scene.normals[i]);
}

/* A code that a driver may round either way. */
static void check_near(struct picture *picture, enum pass pass, uint32_t wanted)
{
    draw_pass(picture, pass);
    for (int i = 0; i < 4; i++)
        if (abs(picture->pixels[i] - (int)(wanted >> (24 - 8 * i) & 255)) > 1)
            fail_msg("the pixel is %08x, not %08x", pixel_of(picture, 0), wanted);
}

/* -- Normals ----------------------------------------------------------------------------------------------- */

TEST(normals_are_drawn)
{
    fact("normals are as the viewer sees them");
    struct picture picture;
    picture_of_quad(&picture, 1, 1);
    check_pass(&picture, PASS_NORMAL, 0x8080FFFF); /* towards him */
    set_normals(&picture, (vec3){0, 1, 0});
    check_pass(&picture, PASS_NORMAL, 0xFF8080FF); /* to his right */
    set_normals(&picture, (vec3){0, 0, 1});
    check_pass(&picture, PASS_NORMAL, 0x80FF80FF); /* up */
    set_normals(&picture, (vec3){0.8f, -0.6f, 0});
    check_near(&picture, PASS_NORMAL, NORMAL(-0.6, 0, 0.8));
    fact("normals have the normal map in them");
    picture_of_quad(&picture, 1, 1);
    picture.looks[0].pictures[PICTURE_NORMAL] =
        add_picture(1, 1, (const uint32_t[]){NORMAL(0.36, -0.48, 0.8)}, false, MIPMAP_DATA);
    check_near(&picture, PASS_NORMAL, NORMAL(0.36, 0.48, 0.8));
    fact("samples of normals are averaged as vectors");
    picture_init(&picture, 1, 1);
    scene_add_quad(&picture.scene, -1, -1, 0, 1, 0);
    scene_add_quad(&picture.scene, 0, -1, 1, 1, 0);
    set_normals(&picture, (vec3){0, 1, 0});
    picture.supersample = 2;
    check_pass(&picture, PASS_NORMAL, NORMAL(0.7071, 0, 0.7071));
    fact("backs of two sided surfaces face the viewer");
    picture_of_quad(&picture, 1, 1);
    for (uint32_t i = 0; i < 6; i += 3) {
        uint32_t kept = picture.scene.indices[i];
        picture.scene.indices[i] = picture.scene.indices[i + 1];
        picture.scene.indices[i + 1] = kept;
    }
    set_normals(&picture, (vec3){-1, 0, 0});
    picture.looks[0].two_sided = true;
    check_pass(&picture, PASS_NORMAL, 0x8080FFFF);
    fact("nothing is transparent in every pass");
    for (int pass = 0; pass < PASS_COUNT; pass++) {
        picture_init(&picture, 1, 1);
        if (pass != PASS_DEPTH)
            check_pass(&picture, (enum pass)pass, 0);
    }
}

TEST(holes_are_holes_in_every_pass)
{
    const struct texture texture = add_texture(2, 1, (const uint32_t[]){0xFF000000, RED}, true);
    for (int pass = 0; pass < PASS_COUNT; pass++) {
        struct picture picture;
        picture_of_quad(&picture, 2, 1);
        picture.looks[0] =
            (struct look){.pictures[PICTURE_DIFFUSE] = texture, .alpha_test = 0.5f, .is_team = true};
        if (pass == PASS_DEPTH || pass == PASS_SHADOW || pass == PASS_OUTLINE)
            continue;
        draw_pass(&picture, (enum pass)pass);
        assert_int_equal(picture.pixels[3], 0);
        assert_int_equal(picture.pixels[7], 255);
    }
}

/* -- Depth ------------------------------------------------------------------------------------------------- */

static void read_depth(struct picture *picture, float near, float far, uint16_t *codes)
{
    struct error err = {""};
    picture->view.nearest = near;
    picture->view.farthest = far;
    struct drawable *drawable = draw_unread(picture, PASS_DEPTH);
    if (renderer_read(renderer, codes, (size_t)picture->cell_px[0] * 2, &err) < 0)
        fail_msg("%s", err.text);
    drawable_free(drawable);
}

/* Quads 1, 0.5, 0 and -1 towards the viewer: -1 to 1 away from his plane. */
static void steps(struct picture *picture)
{
    picture_init(picture, 5, 1);
    const float places[] = {1, 0.5f, 0, -1};
    for (int i = 0; i < 4; i++)
        scene_add_quad(&picture->scene, -1 + 0.4f * (float)i, -1, -0.6f + 0.4f * (float)i, 1, places[i]);
}

static void assert_depths(const uint16_t *codes, const uint16_t *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (abs(codes[i] - wanted[i]) > 1)
            fail_msg("pixel %zu is %u, not %u", i, codes[i], wanted[i]);
}

TEST(depth_is_linear_from_near_to_far_held_beyond_and_0_where_nothing_is)
{
    static const struct {
        float near, far;
        uint16_t codes[5];
    } ranges[] = {
        {-1, 1, {65535, 49152, 32768, 1, 0}},
        {-0.5f, 0.5f, {65535, 65535, 32768, 1, 0}},
        {0, 0, {65535, 65535, 65535, 65535, 0}}, /* a range of nothing is all near */
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct picture picture;
        uint16_t codes[5];
        steps(&picture);
        read_depth(&picture, ranges[i].near, ranges[i].far, codes);
        assert_depths(codes, ranges[i].codes, 5);
        assert_true(codes[3] > 0 && codes[4] == 0);
    }
}

TEST(depth_is_linear_in_perspective_too)
{
    struct picture picture;
    uint16_t codes[5];
    picture_init(&picture, 5, 1);
    glm_perspective(2 * atanf(0.5f), 5, 1, 20, picture.view.view_to_clip);
    for (int i = 0; i < 5; i++) { /* at distances 4, 5, 6, 7, 8, each where its pixel looks */
        float distance = 4 + (float)i, slope = 2.5f * (-0.8f + 0.4f * (float)i);
        scene_add_quad(&picture.scene, (slope - 0.45f) * distance, -1, (slope + 0.45f) * distance, 1, -distance);
    }
    read_depth(&picture, 4, 8, codes);
    assert_depths(codes, (const uint16_t[]){65535, 49152, 32768, 16385, 1}, 5);
}

TEST(of_supersampled_depth_the_nearest_counts)
{
    struct picture picture;
    uint16_t codes[2];
    picture_init(&picture, 1, 2);
    picture.supersample = 2;
    scene_add_quad(&picture.scene, -1, 0, 0, 1, 1);
    scene_add_quad(&picture.scene, 0, 0, 1, 1, 0);
    read_depth(&picture, -1, 1, codes);
    assert_depths(codes, (const uint16_t[]){65535, 0}, 2);
}

/* -- Masks, texture coordinates ---------------------------------------------------------------------------- */

static uint32_t color_of(uint32_t id)
{
    uint8_t c[4];
    mask_color(id, c);
    return (uint32_t)c[0] << 24 | (uint32_t)c[1] << 16 | (uint32_t)c[2] << 8 | c[3];
}

TEST(masks_are_flat_and_never_mixed)
{
    for (uint32_t supersample = 1; supersample <= 4; supersample++) {
        struct picture picture;
        picture_init(&picture, 4, 1);
        picture.supersample = supersample;
        picture.light = (struct light_rig){0};
        scene_add_quad(&picture.scene, -1, -1, -0.1f, 1, 0);
        scene_add_quad(&picture.scene, -0.1f, -1, 0.6f, 1, 0);
        picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(RED);
        draw_pass(&picture, PASS_MASK);
        EXPECT_PIXELS(&picture, color_of(1), color_of(1), color_of(2),
                      supersample == 2 ? 0 : pixel_of(&picture, 3));
    }
}

TEST(mask_colours_differ_and_stay)
{
    enum { IDS = 65536 };
    static uint8_t seen[1 << 21];
    memset(seen, 0, sizeof seen);
    for (uint32_t id = 1; id < IDS; id++) {
        uint32_t code = color_of(id) >> 8;
        if (seen[code >> 3] & 1u << (code & 7))
            fail_msg("id %u has the colour of another", id);
        seen[code >> 3] |= (uint8_t)(1u << (code & 7));
    }
    assert_int_equal(color_of(0), 0);
    assert_int_equal(color_of(1) & 255, 255);
}

TEST(the_first_mask_colours_are_far_apart)
{
    for (uint32_t a = 1; a < 12; a++)
        for (uint32_t b = a + 1; b < 12; b++) {
            int apart = 0;
            for (int shift = 8; shift < 32; shift += 8)
                apart += abs((int)(color_of(a) >> shift & 255) - (int)(color_of(b) >> shift & 255));
            assert_true(apart > 60);
        }
}

TEST(texture_coordinates_are_written_as_codes)
{
    struct picture picture;
    picture_of_quad(&picture, 2, 2);
    draw_pass(&picture, PASS_UV); /* at 0.25 and 0.75; t runs down */
    EXPECT_PIXELS(&picture, 0x404000FF, 0xBF4000FF, 0x40BF00FF, 0xBFBF00FF);
    for (uint32_t i = 0; i < 4; i++) {
        picture.scene.uvs[i][0] += 3;
        picture.scene.uvs[i][1] -= 2;
    }
    draw_pass(&picture, PASS_UV);
    EXPECT_PIXELS(&picture, 0x404000FF, 0xBF4000FF, 0x40BF00FF, 0xBFBF00FF);
}

/* -- Clay, lines ------------------------------------------------------------------------------------------- */

TEST(clay_has_no_textures_but_light)
{
    struct picture picture;
    picture_of_quad(&picture, 1, 1);
    picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(RED);
    check_near(&picture, PASS_CLAY, 0xC4BEB6FF);
    picture.light = (struct light_rig){0};
    check_pass(&picture, PASS_CLAY, 0x000000FF);
}

TEST(wireframes_show_edges_and_hide_what_is_behind)
{
    struct picture picture;
    picture_of_quad(&picture, 8, 8);
    scene_add_quad(&picture.scene, -0.5f, -0.5f, 0.5f, 0.5f, -1); /* hidden */
    draw_pass(&picture, PASS_WIREFRAME);
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++) {
            /* the sides, and the diagonal from the lower left to the upper right */
            bool is_edge = x == 0 || x == 7 || y == 0 || y == 7 || x + y == 7;
            bool is_far = !is_edge && x != 1 && x != 6 && y != 1 && y != 6 && abs((int)(x + y) - 7) > 1;
            uint8_t red = picture.pixels[4 * (8 * y + x)];
            if (is_edge ? red > 150 : is_far && red < 180)
                fail_msg("pixel %u,%u is %u", x, y, red);
        }
}

static const vec3 across[1][2] = {{{-5, -0.9f, 0}, {-5, 0.9f, 0}}};

TEST(lines_are_drawn_over_everything_in_their_passes_alone)
{
    for (int pass = 0; pass < PASS_COUNT; pass++) {
        struct picture picture;
        if (pass == PASS_DEPTH)
            continue;
        picture_of_quad(&picture, 1, 8);
        picture.shot.lines = across;
        picture.shot.line_count = 1;
        picture.supersample = 4;
        draw_pass(&picture, PASS_CLAY);
        uint32_t clay = pixel_of(&picture, 3);
        draw_pass(&picture, (enum pass)pass);
        bool has_lines = pass == PASS_SKELETON || pass == PASS_BOUNDS;
        if (has_lines || pass == PASS_CLAY)
            assert_int_equal(pixel_of(&picture, 3) != clay, has_lines);
        if (has_lines)
            assert_int_equal(pixel_of(&picture, 0), clay); /* far from the line */
    }
}

TEST(a_line_behind_the_viewer_is_cut_off_or_left_out)
{
    static const vec3 behind[1][2] = {{{5, 0, 0}, {6, 1, 0}}}, through[1][2] = {{{-5, 0, 0}, {5, 0.5f, 0}}};
    struct picture picture;
    picture_init(&picture, 8, 8);
    glm_perspective(1, 1, 1, 10, picture.view.view_to_clip);
    picture.shot.line_count = 1;
    picture.shot.lines = behind;
    draw_pass(&picture, PASS_BOUNDS);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(pixel_of(&picture, i), 0);
    picture.shot.lines = through;
    draw_pass(&picture, PASS_BOUNDS);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 64; i++)
        count += pixel_of(&picture, i) != 0;
    assert_true(count > 4 && count < 40);
}

/* -- What is not solid ------------------------------------------------------------------------------------- */

TEST(layers_alone_show_in_colour_only_where_there_are_solids)
{
    struct picture picture;
    struct look_layer glow = {.image = add_color(RED),
                              .source = BLEND_ONE,
                              .destination = BLEND_ONE,
                              .alpha_test = -1,
                              .color = {1, 1, 1, 1}};
    picture_init(&picture, 2, 1);
    scene_add_quad(&picture.scene, -1, -1, 0, 1, 0);
    scene_add_quad(&picture.scene, 0, -1, 1, 1, 0);
    picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(WHITE);
    picture.looks[1] = (struct look){.layers_only = true, .layers = &glow, .layer_count = 1};
    draw(&picture);
    EXPECT_PIXELS(&picture, WHITE, RED);
    draw_pass(&picture, PASS_MASK);
    EXPECT_PIXELS(&picture, color_of(1), 0);
    picture.looks[0] = picture.looks[1]; /* nothing solid: all count as such */
    draw_pass(&picture, PASS_MASK);
    EXPECT_PIXELS(&picture, color_of(1), color_of(2));
}

TEST(a_layer_that_covers_is_solid)
{
    const uint32_t half[] = {0xFF0000FF, 0xFF000000};
    struct look_layer cover = {.image = add_texture(2, 1, half, true),
                               .source = BLEND_ONE,
                               .destination = BLEND_ZERO,
                               .alpha_test = 0.5f,
                               .color = {1, 1, 1, 1}};
    struct picture picture;
    picture_init(&picture, 2, 1);
    scene_add_quad(&picture.scene, -1, -1, 1, 1, 0);
    scene_add_quad(&picture.scene, -1, -1, 1, 1, -0.5f);
    picture.looks[0] = (struct look){.layers_only = true, .layers = &cover, .layer_count = 1, .alpha_test = -1};
    picture.looks[1].pictures[PICTURE_DIFFUSE] = add_color(WHITE);
    draw_pass(&picture, PASS_MASK);
    EXPECT_PIXELS(&picture, color_of(1), color_of(2));
    draw(&picture);
    EXPECT_PIXELS(&picture, RED, WHITE);
}

/* Two faces of one surface: the one that leans hides the other on its side, though the middle of each of its triangles
 * is farther away. */
TEST(a_layer_that_covers_hides_by_depth)
{
    const uint32_t texels[] = {0xFF0000FF, 0xFFFFFFFF};
    struct look_layer cover = {.image = add_texture(2, 1, texels, true),
                               .source = BLEND_ONE,
                               .destination = BLEND_ZERO,
                               .alpha_test = -1,
                               .color = {1, 1, 1, 1}};
    struct picture picture;
    picture_init(&picture, 2, 1);
    scene_add_quad(&picture.scene, -1, -1, 1, 1, 0); /* red */
    scene_add_quad(&picture.scene, -1, -1, 1, 1, 0); /* white, leans through it */
    for (uint32_t i = 0; i < 8; i++)
        picture.scene.uvs[i][0] = i < 4 ? 0.25f : 0.75f;
    for (uint32_t i = 4; i < 8; i++)
        picture.scene.positions[i][0] = picture.scene.positions[i][1] > 0 ? 0.4f : -0.9f;
    picture.scene.model.surface_count = 1;
    picture.scene.surfaces[0].index_count = 12;
    picture.looks[0] = (struct look){.layers_only = true, .layers = &cover, .layer_count = 1, .alpha_test = -1};
    draw(&picture);
    EXPECT_PIXELS(&picture, RED, WHITE);
}

TEST(without_any_layer_it_is_invisible_in_every_pass)
{
    for (int pass = 0; pass < PASS_COUNT; pass++) {
        struct picture picture;
        picture_of_quad(&picture, 1, 1);
        picture.looks[0] = (struct look){.layers_only = true, .alpha_test = -1};
        check_pass(&picture, (enum pass)pass, 0);
    }
}

TEST(what_lacks_its_picture_is_solid_under_its_layers)
{
    struct look_layer glow = {.image = add_color(0x400000FF),
                              .source = BLEND_ONE,
                              .destination = BLEND_ONE,
                              .alpha_test = -1,
                              .color = {1, 1, 1, 1}};
    struct picture picture;
    picture_of_quad(&picture, 1, 1);
    picture.looks[0] = (struct look){.layers = &glow, .layer_count = 1, .alpha_test = -1};
    draw(&picture);
    assert_true(picture.pixels[0] > 0xC4 && picture.pixels[1] == 0xBE && picture.pixels[2] == 0xB6);
    check_pass(&picture, PASS_MASK, color_of(1));
}

TEST(a_pass_leaves_nothing_to_the_next)
{
    for (int pass = 0; pass < PASS_COUNT; pass++) {
        struct picture picture;
        picture_of_quad(&picture, 1, 1);
        picture.shot.lines = across;
        picture.shot.line_count = 1;
        picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(0x804020FF);
        drawable_free(draw_unread(&picture, (enum pass)pass));
        check_pass(&picture, PASS_COLOR, 0x804020FF);
    }
}

TEST_GROUP(open_osmesa, close_renderer)
