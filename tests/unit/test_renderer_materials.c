/* Materials of a few quads, whose every pixel can be told beforehand: normal and specular maps, holes, two sides,
 * and every way to blend. */
#include <stdlib.h>
#include <string.h>

#include "model/rig.h"
#include "picture.h"
#include "test.h"

static uint8_t red_of(const struct picture *picture, uint32_t i)
{
    return picture->pixels[(size_t)4 * i];
}

/* -- Normal maps ------------------------------------------------------------------------------------------- */

/* A bump that fills the picture, as a normal map of 2x2 texels: each leans out to its own corner. */
static struct texture add_bump(void)
{
    return add_picture(2, 2, (const uint32_t[]){0x4040D0FF, 0xC040D0FF, 0x40C0D0FF, 0xC0C0D0FF}, false,
                       MIPMAP_DATA);
}

static void bump_on(struct picture *picture, float x, float y)
{
    picture_of_quad(picture, 2, 2);
    picture->looks[0] =
        (struct look){.pictures[PICTURE_DIFFUSE] = add_color(WHITE), .pictures[PICTURE_NORMAL] = add_bump()};
    picture->light = (struct light_rig){.key = {{x, y, 0.3f}, {0.6f, 0.6f, 0.6f}}};
}

TEST(a_bump_is_bright_on_the_side_of_the_light_however_its_picture_lies)
{
    static const struct {
        float matrix[2][2]; /* from the quad's coordinates around the middle to the picture's */
    } pictures[] = {{{{1, 0}, {0, 1}}}, {{{-1, 0}, {0, 1}}}, {{{1, 0}, {0, -1}}}, {{{0, 1}, {-1, 0}}}};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        for (int from_above = 0; from_above < 2; from_above++) {
            struct picture picture;
            bump_on(&picture, !from_above, from_above);
            for (uint32_t v = 0; v < 4; v++) {
                float *uv = picture.scene.uvs[v], s = uv[0] - 0.5f, t = uv[1] - 0.5f;
                for (int axis = 0; axis < 2; axis++)
                    uv[axis] = 0.5f + pictures[i].matrix[axis][0] * s + pictures[i].matrix[axis][1] * t;
            }
            draw(&picture);
            uint8_t a = red_of(&picture, 0), b = red_of(&picture, 1), c = red_of(&picture, 2),
                    d = red_of(&picture, 3);
            if (from_above)
                assert_true(a > c + 40 && b > d + 40 && a == b);
            else
                assert_true(b > a + 40 && d > c + 40 && b == d);
        }
}

/* Two halves of a face share the middle line and half a picture: the normal map leans outwards on both. */
TEST(across_a_mirror_line_both_sides_lean_their_own_way)
{
    struct picture picture;
    picture_init(&picture, 4, 1);
    struct scene *scene = &picture.scene;
    scene_add_quad(scene, -1, -1, 0, 1, 0);
    scene_add_quad(scene, 0, -1, 1, 1, 0);
    for (uint32_t i = 0; i < 4; i++) /* s: 1 at the outer edges, 0 in the middle */
        scene->uvs[i][0] = 1 - scene->uvs[i][0];
    for (uint32_t i = 0; i < 6; i++) { /* the right quad's left corners are the left quad's right ones */
        if (scene->indices[6 + i] == 4)
            scene->indices[6 + i] = 3;
        if (scene->indices[6 + i] == 5)
            scene->indices[6 + i] = 2;
    }
    const struct texture leaning = add_picture(1, 1, (const uint32_t[]){0xDB80DBFF}, false, MIPMAP_DATA);
    for (int i = 0; i < 2; i++)
        picture.looks[i] =
            (struct look){.pictures[PICTURE_DIFFUSE] = add_color(WHITE), .pictures[PICTURE_NORMAL] = leaning};
    picture.light = (struct light_rig){.key = {{1, 0, 1}, {1, 1, 1}}};
    draw(&picture);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(red_of(&picture, i) < 120); /* leans left, away from the light */
        assert_int_equal(red_of(&picture, 2 + i), 255);
    }
}

/* A quad with these normals, as a pose may have them, while its triangles face the viewer; the light is on the
 * right. */
static uint32_t red_of_quad(vec3 normal, bool is_unsmoothed, bool with_map, enum pass pass)
{
    struct picture picture;
    picture_of_quad(&picture, 1, 1);
    for (int i = 0; i < 4; i++)
        glm_vec3_copy(normal, picture.scene.normals[i]);
    const struct rig_part part = {.point_count = picture.scene.model.point_count,
                                  .positions = (const vec3 *)picture.scene.positions};
    picture.scene.model.rig = &(struct rig){.parts = &part, .part_count = 1};
    picture.looks[0] =
        (struct look){.pictures[PICTURE_DIFFUSE] = add_color(WHITE), .unsmoothed_tangents = is_unsmoothed};
    if (with_map)
        picture.looks[0].pictures[PICTURE_NORMAL] =
            add_picture(1, 1, (const uint32_t[]){0x8080FFFF}, false, MIPMAP_DATA);
    picture.light = (struct light_rig){.key = {{1, 0, 0}, {1, 1, 1}}};
    draw_pass(&picture, pass);
    return red_of(&picture, 0);
}

TEST(unsmoothed_tangents_count_where_a_normal_map_is_drawn)
{
    vec3 facing = {1, 0, 0}, leaning = {0.6f, 0.8f, 0};
    static const enum pass passes[] = {PASS_COLOR, PASS_NORMAL, PASS_CLAY};
    for (int i = 0; i < 3; i++) {
        enum pass pass = passes[i];
        uint32_t flat = red_of_quad(facing, false, false, pass), smooth = red_of_quad(leaning, false, false, pass);
        assert_true(smooth > flat + 20);
        assert_int_equal(red_of_quad(leaning, false, true, pass), smooth);
        assert_int_equal(red_of_quad(leaning, true, false, pass), smooth);
        assert_int_equal(red_of_quad(leaning, true, true, pass), pass == PASS_CLAY ? smooth : flat);
    }
}

/* -- Specular maps ----------------------------------------------------------------------------------------- */

/* A cushion of black: normals lean to where their corner is. */
static void shiny_cushion(struct picture *picture, uint32_t specular)
{
    picture_of_quad(picture, 5, 1);
    for (uint32_t i = 0; i < 4; i++)
        glm_vec3_normalize_to((vec3){1, picture->scene.positions[i][1], 0}, picture->scene.normals[i]);
    picture->looks[0] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(BLACK),
                                      .pictures[PICTURE_SPECULAR] = add_color(specular)};
}

TEST(the_highlight_is_half_way_between_light_and_viewer)
{
    struct picture picture;
    shiny_cushion(&picture, WHITE);
    picture.light = (struct light_rig){.key = {{0, 0, 1}, {1, 1, 1}}};
    draw(&picture);
    assert_int_equal(red_of(&picture, 2), 255);
    assert_true(red_of(&picture, 1) < 250 && red_of(&picture, 0) < red_of(&picture, 1));
    assert_int_equal(red_of(&picture, 0), red_of(&picture, 4));
    picture.light.key.direction[0] = 0.9f; /* to the right: the middle of it moves there, by half */
    draw(&picture);
    assert_true(red_of(&picture, 3) > red_of(&picture, 2) && red_of(&picture, 3) > red_of(&picture, 4));
}

TEST(the_highlight_has_the_colours_of_map_and_light)
{
    struct picture picture;
    picture_of_quad(&picture, 1, 1);
    picture.looks[0] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(BLACK),
                                     .pictures[PICTURE_SPECULAR] = add_color(0xFF8000FF)};
    picture.light = (struct light_rig){.fill = {{0, 0, 1}, {1, 1, 0.5f}}};
    check_lit_pixel(&picture, 0xFF8000FF);
}

TEST(light_from_behind_makes_no_highlight)
{
    struct picture picture;
    picture_of_quad(&picture, 1, 1);
    picture.looks[0] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(BLACK),
                                     .pictures[PICTURE_SPECULAR] = add_color(WHITE)};
    picture.light = (struct light_rig){.key = {{0.1f, 0, -0.001f}, {1, 1, 1}}};
    check_pixel(&picture, BLACK);
}

/* -- Rim and ambient light --------------------------------------------------------------------------------- */

TEST(the_rim_light_brightens_the_edges_on_its_side)
{
    struct picture picture;
    picture_of_quad(&picture, 5, 1);
    for (uint32_t i = 0; i < 4; i++)
        glm_vec3_normalize_to((vec3){0.2f, picture.scene.positions[i][1], 0}, picture.scene.normals[i]);
    picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(WHITE);
    picture.light = (struct light_rig){.rim = {{1, 0, -1}, {1, 1, 1}}};
    draw(&picture);
    assert_int_equal(red_of(&picture, 2), 0);
    assert_true(red_of(&picture, 4) > 120 && red_of(&picture, 0) < 60);
}

TEST(ambient_light_comes_from_everywhere)
{
    for (int axis = 0; axis < 3; axis++) {
        struct picture picture;
        picture_of_quad(&picture, 1, 1);
        for (uint32_t i = 0; i < 4; i++)
            glm_vec3_copy((vec3){axis == 0, axis == 1, axis == 2}, picture.scene.normals[i]);
        picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(0x80604020 | 255);
        picture.light = (struct light_rig){.ambient = {1, 1, 1}};
        check_pixel(&picture, 0x80604020 | 255);
    }
}

/* -- Holes and two sides ----------------------------------------------------------------------------------- */

static void turn_over(struct picture *picture)
{
    for (uint32_t i = 0; i < 6; i += 3) {
        uint32_t kept = picture->scene.indices[i];
        picture->scene.indices[i] = picture->scene.indices[i + 1];
        picture->scene.indices[i + 1] = kept;
    }
    for (uint32_t i = 0; i < 4; i++)
        glm_vec3_negate(picture->scene.normals[i]);
}

TEST(surfaces_have_sides_and_holes)
{
    fact("texels below the test are holes");
    const uint32_t texels[] = {0xFF000000, 0xFF000032, 0xFF000034, 0xFF0000FF};
    struct picture picture;
    picture_of_quad(&picture, 4, 1);
    picture.looks[0] =
        (struct look){.pictures[PICTURE_DIFFUSE] = add_texture(4, 1, texels, true), .alpha_test = 0.2f};
    draw(&picture);
    EXPECT_PIXELS(&picture, 0, 0, RED, RED);
    fact("the back of a two sided surface is lit as a front");
    picture_of_quad(&picture, 1, 1);
    turn_over(&picture);
    picture.light = (struct light_rig){.key = {{0, 0, 1}, {1, 1, 1}}};
    check_pixel(&picture, 0);
    picture.looks[0].two_sided = true;
    check_pixel(&picture, PLAIN);
    turn_over(&picture);
    check_pixel(&picture, PLAIN);
    fact("only the back of a back sided surface is drawn");
    picture_of_quad(&picture, 1, 1);
    picture.looks[0].back_sided = true;
    check_pixel(&picture, 0);
    turn_over(&picture);
    picture.light = (struct light_rig){.ambient = {1, 1, 1}};
    check_pixel(&picture, PLAIN);
    picture.looks[0].back_sided = false;
    check_pixel(&picture, 0);
    fact("what comes after a two sided surface has one side");
    picture_of_quad(&picture, 1, 1);
    turn_over(&picture);
    scene_add_quad(&picture.scene, 5, 5, 6, 6, 0);
    picture.looks[1].two_sided = true;
    check_pixel(&picture, 0);
}

/* -- Blending ---------------------------------------------------------------------------------------------- */

/* What layers blend: codes. */
static double part_of(uint32_t rgba, int channel)
{
    return (rgba >> (24 - 8 * channel) & 255) / 255.0;
}

static double factor_of(enum blend_factor factor, uint32_t source, const double target[4], int channel)
{
    switch (factor) {
    case BLEND_ONE:
        return 1;
    case BLEND_ZERO:
        return 0;
    case BLEND_SRC_COLOR:
        return part_of(source, channel);
    case BLEND_ONE_MINUS_SRC_COLOR:
        return 1 - part_of(source, channel);
    case BLEND_SRC_ALPHA:
        return part_of(source, 3);
    case BLEND_ONE_MINUS_SRC_ALPHA:
        return 1 - part_of(source, 3);
    case BLEND_DST_COLOR:
        return target[channel];
    case BLEND_ONE_MINUS_DST_COLOR:
        return 1 - target[channel];
    case BLEND_DST_ALPHA:
        return target[3];
    default:
        return 1 - target[3];
    }
}

/* A quad with this layer alone, in front of another of `under` where that is not 0. */
static void layer_over(struct picture *picture, struct look_layer *layer, uint32_t under)
{
    picture_of_quad(picture, 1, 1);
    picture->looks[0] =
        (struct look){.layers_only = true, .layers = layer, .layer_count = layer ? 1 : 0, .alpha_test = -1};
    if (under) {
        scene_add_quad(&picture->scene, -1, -1, 1, 1, -0.5f);
        picture->looks[1].pictures[PICTURE_DIFFUSE] = add_color(under);
    }
}

static struct look_layer layer_of(uint32_t rgba, enum blend_factor source, enum blend_factor destination)
{
    return (struct look_layer){.image = add_color(rgba),
                               .source = source,
                               .destination = destination,
                               .alpha_test = -1,
                               .color = {1, 1, 1, 1}};
}

/* Over what is opaque, every pair of factors does what glBlendFunc says, and leaves it opaque. */
TEST(every_pair_of_factors_blends_as_it_says)
{
    const uint32_t source = 0xC08040A0, under = 0x5090E0FF;
    for (int s = 0; s <= BLEND_ONE_MINUS_DST_ALPHA; s++)
        for (int d = 0; d <= BLEND_ONE_MINUS_DST_ALPHA; d++) {
            struct picture picture;
            struct look_layer layer = layer_of(source, (enum blend_factor)s, (enum blend_factor)d);
            const double target[4] = {part_of(under, 0), part_of(under, 1), part_of(under, 2), 1};
            layer_over(&picture, &layer, under);
            draw(&picture);
            for (int i = 0; i < 3; i++) {
                double wanted = part_of(source, i) * factor_of(layer.source, source, target, i) +
                                target[i] * factor_of(layer.destination, source, target, i);
                int code = (int)(255 * fmin(fmax(wanted, 0), 1) + 0.5);
                if (abs(picture.pixels[i] - code) > 1)
                    fail_msg("factors %d, %d: channel %d is %d, not %d", s, d, i, picture.pixels[i], code);
            }
            assert_int_equal(picture.pixels[3], 255);
            renderer_drop_texture(renderer, &layer.image);
        }
}

/* Two panes that let half through, over each other in either order of surfaces. */
TEST(surfaces_are_layered_farthest_first)
{
    for (int nearer = 0; nearer < 2; nearer++) {
        struct picture picture;
        struct look_layer red = layer_of(0xFF000080, BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA);
        struct look_layer blue = layer_of(0x0000FF80, BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA);
        picture_init(&picture, 1, 1);
        scene_add_quad(&picture.scene, -1, -1, 1, 1, nearer == 0 ? 0.5f : -0.5f);
        scene_add_quad(&picture.scene, -1, -1, 1, 1, 0);
        picture.looks[0] = (struct look){.layers_only = true, .layers = &red, .layer_count = 1};
        picture.looks[1] = (struct look){.layers_only = true, .layers = &blue, .layer_count = 1};
        draw(&picture);
        assert_true(nearer == 0 ? red_of(&picture, 0) > picture.pixels[2] + 30
                                : red_of(&picture, 0) + 30 < picture.pixels[2]);
        assert_true(abs(picture.pixels[3] - 192) <= 1);
    }
}

/* The same within one surface: its two halves stand one before the other. */
TEST(triangles_of_a_pane_are_layered_farthest_first)
{
    const uint32_t texels[] = {0xFF000080, 0x0000FF80};
    struct look_layer layer = layer_of(WHITE, BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA);
    layer.image = add_texture(2, 1, texels, true);
    for (int nearer = 0; nearer < 2; nearer++) {
        struct picture picture;
        picture_init(&picture, 1, 1);
        scene_add_quad(&picture.scene, -1, -1, 1, 1, nearer == 0 ? 0.5f : -0.5f); /* red */
        scene_add_quad(&picture.scene, -1, -1, 1, 1, 0);                          /* blue */
        for (uint32_t i = 0; i < 8; i++)
            picture.scene.uvs[i][0] = i < 4 ? 0.25f : 0.75f;
        picture.scene.model.surface_count = 1;
        picture.scene.surfaces[0].index_count = 12;
        picture.looks[0] = (struct look){.layers_only = true, .layers = &layer, .layer_count = 1};
        draw(&picture);
        assert_true(nearer == 0 ? red_of(&picture, 0) > picture.pixels[2] + 30
                                : red_of(&picture, 0) + 30 < picture.pixels[2]);
    }
}

/* Over nothing and over what is opaque, the factors of DST_ALPHA take the mask's alpha; the alpha of the sheet is
 * none of theirs. */
TEST(dst_alpha_is_that_of_the_mask)
{
    const uint32_t texels[] = {0xFF000000, 0xFF000000, 0xFF0000FF, 0xFF0000FF};
    struct picture picture;
    struct look_layer layer = layer_of(GREEN, BLEND_DST_ALPHA, BLEND_ONE_MINUS_DST_ALPHA);
    layer.mask = add_texture(4, 1, texels, true);
    picture_of_quad(&picture, 4, 1);
    picture.looks[0] = (struct look){.layers_only = true, .layers = &layer, .layer_count = 1};
    draw(&picture);
    EXPECT_PIXELS(&picture, 0, 0, GREEN, GREEN);

    picture.looks[0] =
        (struct look){.pictures[PICTURE_DIFFUSE] = add_color(RED), .layers = &layer, .layer_count = 1};
    draw(&picture);
    EXPECT_PIXELS(&picture, RED, RED, GREEN, GREEN);
    layer.destination = BLEND_ONE;
    draw(&picture);
    EXPECT_PIXELS(&picture, RED, RED, 0xFFFF00FF, 0xFFFF00FF);
    layer.mask.placement = (struct texture_placement){.has_matrix = true, .matrix = {{1, 0, 0.25f}, {0, 1, 0}}};
    draw(&picture);
    EXPECT_PIXELS(&picture, RED, 0xFFFF00FF, 0xFFFF00FF, RED);
}

TEST(layers_are_blended)
{
    fact("a translucent layer alone keeps colour and alpha");
    struct picture picture;
    struct look_layer layer = layer_of(0xC0804080, BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA);
    layer_over(&picture, &layer, 0);
    draw(&picture);
    const int wanted[4] = {0xC0, 0x80, 0x40, 0x80};
    for (int i = 0; i < 4; i++)
        assert_true(abs(picture.pixels[i] - wanted[i]) <= 1);
    /* Straight alpha has no added light; what is there looks right over black. */
    fact("added light alone gets the alpha it needs");
    layer = layer_of(0xBC0000FF, BLEND_ONE, BLEND_ONE); /* half of full red */
    layer_over(&picture, &layer, 0);
    draw(&picture);
    assert_true(red_of(&picture, 0) == 255 && abs(picture.pixels[3] - 128) <= 1);
    assert_true(picture.pixels[1] == 0 && picture.pixels[2] == 0);
    fact("a filter alone darkens what will be behind");
    const enum blend_factor filters[][2] = {{BLEND_DST_COLOR, BLEND_ZERO}, {BLEND_ZERO, BLEND_SRC_COLOR}};
    for (int i = 0; i < 2; i++) {
        layer = layer_of(0xBCBCBCFF, filters[i][0], filters[i][1]); /* lets half through */
        layer_over(&picture, &layer, 0);
        draw(&picture);
        assert_true(red_of(&picture, 0) == 0 && abs(picture.pixels[3] - 128) <= 1);
    }
    fact("layers come in their order over their own surface");
    struct look_layer layers[2] = {layer_of(GREEN, BLEND_ONE, BLEND_ZERO),
                                   layer_of(0x0000BCFF, BLEND_ONE, BLEND_ONE)};
    picture_of_quad(&picture, 1, 1);
    picture.looks[0] =
        (struct look){.pictures[PICTURE_DIFFUSE] = add_color(RED), .layers = layers, .layer_count = 2};
    check_pixel(&picture, 0x00FFBCFF);
    fact("layers are not lit and take their colour");
    layer = (struct look_layer){
        .source = BLEND_ONE, .destination = BLEND_ZERO, .alpha_test = -1, .color = {0, 1, 0, 1}};
    layer_over(&picture, &layer, 0);
    picture.light = (struct light_rig){0};
    check_pixel(&picture, GREEN);
    fact("a layer may have holes");
    layer = layer_of(0xFF000040, BLEND_ONE, BLEND_ZERO);
    layer_over(&picture, &layer, GREEN);
    check_pixel(&picture, RED);
    layer.alpha_test = 0.5f;
    check_pixel(&picture, GREEN);
    fact("the solid hides layers behind it");
    layer = layer_of(RED, BLEND_ONE, BLEND_ONE);
    layer_over(&picture, &layer, GREEN);
    for (uint32_t i = 4; i < 8; i++)
        picture.scene.positions[i][0] = 0.5f; /* now in front */
    check_pixel(&picture, GREEN);
    fact("masked channels are not drawn");
    layer = layer_of(WHITE, BLEND_ONE, BLEND_ZERO);
    picture_of_quad(&picture, 1, 1);
    layer.masked = 1 | 4;
    picture.looks[0] =
        (struct look){.pictures[PICTURE_DIFFUSE] = add_color(BLUE), .layers = &layer, .layer_count = 1};
    check_pixel(&picture, 0x00FFFFFF);
    picture.looks[0] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(WHITE)};
    check_pixel(&picture, WHITE);
}

/* What shines is added; how much of the background shows hangs on what else there is. */
TEST(a_surface_that_adds_light_covers_nothing)
{
    struct picture picture;
    layer_over(&picture, NULL, GREEN);
    picture.looks[0] = (struct look){.layers_only = true,
                                     .adds_light = true,
                                     .alpha_test = -1,
                                     .pictures[PICTURE_DIFFUSE] = add_color(0x000000FF),
                                     .pictures[PICTURE_SPECULAR] = add_color(WHITE)};
    picture.light = (struct light_rig){.key = {{0, 0, 1}, {0.503f, 0.503f, 0.503f}}};
    check_pixel(&picture, 0xBCFFBCFF);
    picture.scene.surfaces[1].index_count = 0;
    draw(&picture);
    assert_true(red_of(&picture, 0) == 255 && abs(picture.pixels[3] - 128) <= 1);
}

/* -- Where pictures lie ------------------------------------------------------------------------------------ */

TEST(pictures_lie_where_their_matrix_says)
{
    const uint32_t texels[] = {RED, GREEN, BLUE, WHITE};
    struct picture picture;
    picture_of_quad(&picture, 4, 1);
    picture.looks[0].pictures[PICTURE_DIFFUSE] = add_texture(4, 1, texels, false);
    picture.looks[0].pictures[PICTURE_DIFFUSE].placement =
        (struct texture_placement){.has_matrix = true, .matrix = {{1, 0, 0.5f}, {0, 1, 0}}};
    draw(&picture);
    EXPECT_PIXELS(&picture, BLUE, WHITE, RED, GREEN);
    picture.looks[0].pictures[PICTURE_DIFFUSE].placement.matrix[0][0] = -1;
    draw(&picture);
    EXPECT_PIXELS(&picture, GREEN, RED, WHITE, BLUE);
    picture.looks[0].pictures[PICTURE_DIFFUSE].placement.has_matrix = false;
    draw(&picture);
    EXPECT_PIXELS(&picture, RED, GREEN, BLUE, WHITE);
}

/* The two halves of such a picture change places. */
static void expect_moved_by_matrix(struct picture *picture, struct texture *moved)
{
    draw(picture);
    uint32_t left = red_of(picture, 0), right = red_of(picture, 1);
    assert_true(left + 20 < right);
    moved->placement = (struct texture_placement){.has_matrix = true, .matrix = {{1, 0, 0.5f}, {0, 1, 0}}};
    draw(picture);
    assert_int_equal(red_of(picture, 0), right);
    assert_int_equal(red_of(picture, 1), left);
}

TEST(normal_and_specular_maps_have_matrices_of_their_own)
{
    const uint32_t slopes[] = {0xDB80DBFF, 0x8080FFFF}, shines[] = {BLACK, WHITE};
    struct picture picture;
    picture_of_quad(&picture, 2, 1);
    picture.light = (struct light_rig){.key = {{0, 0, 1}, {0.5f, 0.5f, 0.5f}}};
    picture.looks[0] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(WHITE),
                                     .pictures[PICTURE_NORMAL] = add_picture(2, 1, slopes, false, MIPMAP_DATA)};
    expect_moved_by_matrix(&picture, &picture.looks[0].pictures[PICTURE_NORMAL]);
    picture.looks[0] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(BLACK),
                                     .pictures[PICTURE_SPECULAR] = add_texture(2, 1, shines, false)};
    expect_moved_by_matrix(&picture, &picture.looks[0].pictures[PICTURE_SPECULAR]);
}

/* Twice as large, so that half of the surface lies outside the picture. */
TEST(pictures_end_as_they_are_wrapped)
{
    const uint32_t texels[] = {RED, GREEN};
    struct picture picture;
    struct look_layer layer = layer_of(WHITE, BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA);
    layer.image = add_texture(2, 1, texels, true);
    layer.image.placement = (struct texture_placement){.has_matrix = true, .matrix = {{2, 0, -0.5f}, {0, 1, 0}}};
    picture_of_quad(&picture, 4, 1);
    picture.looks[0] = (struct look){.layers_only = true, .layers = &layer, .layer_count = 1};
    draw(&picture);
    EXPECT_PIXELS(&picture, GREEN, RED, GREEN, RED);
    layer.image.placement.wrap[0] = layer.image.placement.wrap[1] = WRAP_CLAMP;
    draw(&picture);
    EXPECT_PIXELS(&picture, RED, RED, GREEN, GREEN);
    layer.image.placement.wrap[0] = layer.image.placement.wrap[1] =
        WRAP_REPEAT; /* the same texture, on another surface */
    draw(&picture);
    EXPECT_PIXELS(&picture, GREEN, RED, GREEN, RED);
    layer.image.placement = (struct texture_placement){
        .wrap = {WRAP_ZERO, WRAP_ZERO}, .has_matrix = true, .matrix = {{2, 0, -0.5f}, {0, 0, 0.5f}}};
    draw(&picture);
    EXPECT_PIXELS(&picture, 0x000000FF, RED, GREEN, 0x000000FF);
    layer.image.placement.wrap[0] = layer.image.placement.wrap[1] = WRAP_ZERO_ALPHA;
    draw(&picture);
    EXPECT_PIXELS(&picture, 0, RED, GREEN, 0);
}

/* -- Parts ------------------------------------------------------------------------------------------------- */

/* The same quad twice, red and green, in places of their own. */
TEST(parts_stand_where_they_are_put)
{
    struct picture picture;
    struct drawable *drawable;
    struct error err;
    picture_init(&picture, 4, 1);
    scene_add_quad(&picture.scene, -1, -1, 1, 1, 0);
    assert_int_equal(drawable_new(renderer, &picture.scene.model, &drawable, &err), 0);
    assert_int_equal(renderer_set_target(renderer, picture.cell_px, 1, &err), 0);
    drawable_set_pose(drawable, &picture.scene.mesh);

    struct look red = {.pictures[PICTURE_DIFFUSE] = add_color(RED)},
                green = {.pictures[PICTURE_DIFFUSE] = add_color(GREEN)};
    struct shot_part parts[2] = {{drawable, &red, GLM_MAT4_IDENTITY_INIT, 1},
                                 {drawable, &green, GLM_MAT4_IDENTITY_INIT, 2}};
    for (int i = 0; i < 2; i++) {
        glm_translate(parts[i].model_to_world, (vec3){0, i ? 0.75f : -0.75f, 0});
        glm_scale_uni(parts[i].model_to_world, 0.25f);
    }
    struct shot shot = {.parts = parts, .part_count = 2, .light = &picture.light, .view = &picture.view};
    picture.view.view_to_clip[1][1] *= 4; /* a quarter high */
    renderer_draw(renderer, &shot, PASS_COLOR);
    read_pixels(&picture);
    EXPECT_PIXELS(&picture, RED, 0, 0, GREEN);
    drawable_free(drawable);
}

/* A part that is turned is lit as it stands. */
TEST(normals_turn_with_their_part)
{
    struct picture picture;
    picture_of_quad(&picture, 1, 1);
    picture.looks[0] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(WHITE), .two_sided = true};
    picture.light = (struct light_rig){.sky = {1, 0, 0}, .ground = {0, 0, 1}};
    struct drawable *drawable = draw_unread(&picture, PASS_COLOR);
    struct shot_part part = {drawable, picture.looks, GLM_MAT4_IDENTITY_INIT, 1};
    glm_rotate(part.model_to_world, -0.5f, (vec3){0, 1, 0}); /* its front leans up */
    struct shot shot = {.parts = &part, .part_count = 1, .light = &picture.light, .view = &picture.view};
    renderer_draw(renderer, &shot, PASS_COLOR);
    read_pixels(&picture);
    assert_true(red_of(&picture, 0) > picture.pixels[2] + 40);
    drawable_free(drawable);
}

TEST_GROUP(open_osmesa, close_renderer)
