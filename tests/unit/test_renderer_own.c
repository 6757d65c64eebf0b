/* Materials that model files bring, on a few quads whose every pixel can be told beforehand. */
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "test.h"

/* A quad over the whole cell with a material of its own; it points to itself, so it stays where it is. */
struct own_picture_of {
    struct picture picture;
    struct model_material material;
};

static void own_quad(struct own_picture_of *own, uint32_t width, uint32_t height)
{
    picture_of_quad(&own->picture, width, height);
    own->material = (struct model_material){.name = "own",
                                            .base_color_factor = {1, 1, 1, 1},
                                            .roughness = 1,
                                            .normal_scale = 1,
                                            .occlusion_strength = 1,
                                            .specular_factor = 1,
                                            .specular_color_factor = {1, 1, 1}};
    own->picture.looks[0] = (struct look){.own = &own->material, .alpha_test = -1};
}

static uint8_t channel(const struct own_picture_of *own, uint32_t pixel, int i)
{
    return own->picture.pixels[(size_t)4 * pixel + (size_t)i];
}

/* -- Light ------------------------------------------------------------------------------------------------- */

/* What comes in goes out, however rough a surface is and however it is turned, if it takes nothing. */
TEST(in_even_light_what_is_white_is_white)
{
    for (int metallic = 0; metallic < 2; metallic++)
        for (int rough = 0; rough <= 4; rough++)
            for (int turn = 0; turn < 4; turn++) {
                struct own_picture_of own;
                own_quad(&own, 1, 1);
                own.material.metallic = (float)metallic;
                own.material.roughness = (float)rough / 4;
                for (int i = 0; i < 4; i++)
                    glm_vec3_normalize_to((vec3){1, (float)turn, 0}, own.picture.scene.normals[i]);
                own.picture.light = (struct light_rig){.sky = {0.5f, 0.5f, 0.5f}, .ground = {0.5f, 0.5f, 0.5f}};
                check_lit_pixel(&own.picture, grey(0.5));
            }
}

TEST(metal_reflects_in_its_colour)
{
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    own.material.metallic = 1;
    own.material.roughness = 0;
    own.material.base_color_factor[1] = 0.5f;
    own.material.base_color_factor[2] = 0;
    draw(&own.picture);
    assert_int_equal(channel(&own, 0, 0), 255);
    assert_true(abs(channel(&own, 0, 1) - (int)(grey(0.5) >> 24)) <= 3);
    assert_true(channel(&own, 0, 2) < 30);
}

TEST(a_white_surface_is_about_as_bright_as_that_of_any_other_material)
{
    static const struct light_rig studio = {.key = {{-0.5f, 0.75f, 0.7f}, {0.6f, 0.6f, 0.6f}},
                                            .fill = {{0.9f, 0.1f, 0.5f}, {0.15f, 0.15f, 0.15f}},
                                            .sky = {0.2f, 0.2f, 0.2f},
                                            .ground = {0.05f, 0.05f, 0.05f}};
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    own.picture.light = studio;
    draw(&own.picture);
    int shown = channel(&own, 0, 0);
    own.picture.looks[0] = (struct look){.pictures[PICTURE_DIFFUSE] = add_color(WHITE)};
    draw(&own.picture);
    assert_true(abs(shown - channel(&own, 0, 0)) <= 6);
}

TEST(light_from_everywhere_alike_and_none_at_all)
{
    struct own_picture_of own;
    fact("ambient light shows the base colour, whatever else the material says");
    own_quad(&own, 1, 1);
    own.picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(0x80604020 | 255);
    own.picture.light = (struct light_rig){.ambient = {1, 1, 1}};
    own.material.metallic = 1;
    own.material.roughness = 0.3f;
    check_lit_pixel(&own.picture, 0x80604020 | 255);
    fact("an unlit material needs no light");
    own.material.is_unlit = true;
    own.picture.light = (struct light_rig){0};
    check_lit_pixel(&own.picture, 0x80604020 | 255);
    fact("others are black, but for what they emit");
    own.material.is_unlit = false;
    check_pixel(&own.picture, BLACK);
    own.material.emissive_factor[0] = 0.5f;
    own.picture.looks[0].pictures[PICTURE_EMISSIVE] = add_color(0xBCFFFFFF);
    check_lit_pixel(&own.picture, (grey(0.251) & 0xFF000000) | 255);
    fact("what emits more than there is of a channel fills it");
    own.material.emissive_factor[0] = 8;
    check_pixel(&own.picture, RED);
}

TEST(a_toon_has_its_base_colour_in_the_light_and_its_shade_elsewhere)
{
    struct own_picture_of own;
    own_quad(&own, 2, 1);
    own.material.has_shade = true;
    memcpy(own.material.shade_factor, (float[3]){0.5f, 0, 0}, sizeof own.material.shade_factor);
    memcpy(own.material.shade_range, (float[2]){0.4f, 0.6f}, sizeof own.material.shade_range);
    struct texture *pictures = own.picture.looks[0].pictures;
    pictures[PICTURE_DIFFUSE] = add_color(0x80604020 | 255);
    own.picture.light = (struct light_rig){.key = {{0, 0, 1}, {1, 1, 1}}};
    for (int turn = 0; turn < 3; turn++) {
        static const float cosines[] = {0.7f, 0.5f, 0.3f};
        static const uint32_t colors[] = {0x806040FF, 0xA1452CFF, 0xBC0000FF};
        for (int i = 0; i < 4; i++)
            glm_vec3_copy((vec3){cosines[turn], 0, sqrtf(1 - cosines[turn] * cosines[turn])},
                          own.picture.scene.normals[i]);
        check_lit_pixel(&own.picture, colors[turn]);
    }
    fact("a picture of the shade multiplies it");
    pictures[PICTURE_SHADE] = add_color(0xBCFFFFFF);
    check_lit_pixel(&own.picture, 0x890000FF);
    fact("light from around falls on both steps, and the whole of it shows the base colour, however bright");
    own.picture.light.sky[0] = own.picture.light.ground[0] = 1;
    check_lit_pixel(&own.picture, 0x850000FF);
    own.picture.light = (struct light_rig){.key = {{0, 0, 1}, {8, 8, 8}}, .ambient = {2, 2, 2}};
    for (int i = 0; i < 4; i++)
        glm_vec3_copy((vec3){1, 0, 0}, own.picture.scene.normals[i]);
    check_lit_pixel(&own.picture, 0x806040FF);
    fact("a key that is less bright makes it less bright");
    own.picture.light = (struct light_rig){.key = {{0, 0, 1}, {0.5f, 0.5f, 0.5f}}};
    check_lit_pixel(&own.picture, 0x5C442CFF);
    fact("in even light there is no shade");
    own.picture.light = (struct light_rig){.ambient = {1, 1, 1}};
    check_lit_pixel(&own.picture, 0x806040FF);
}

/* The codes of a colour of linear light, opaque. */
static uint32_t codes(double red, double green, double blue)
{
    return (grey(red) & 0xFF000000) | (grey(green) & 0xFF0000) | (grey(blue) & 0xFF00) | 255;
}

TEST(what_emits_more_than_white_keeps_its_hue)
{
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    own.picture.light = (struct light_rig){0};
    glm_vec3_copy((vec3){5, 1.5f, 0.25f}, own.material.emissive_factor);
    check_lit_pixel(&own.picture, codes(1, 0.3, 0.05));
    fact("and what it reflects is dimmed with it");
    own.picture.light.ambient[2] = 0.5f;
    check_lit_pixel(&own.picture, codes(1, 0.3, 0.15));
    fact("up to white all is as it was");
    glm_vec3_copy((vec3){1, 0.3f, 0.05f}, own.material.emissive_factor);
    check_lit_pixel(&own.picture, codes(1, 0.3, 0.55));
    fact("what blends may emit more, as it covers less");
    own.picture.light.ambient[2] = 0;
    glm_vec3_copy((vec3){5, 1.5f, 0.25f}, own.material.emissive_factor);
    own.picture.looks[0].blends = true;
    own.material.base_color_factor[3] = 0.5f;
    own.picture.shot.background = &(struct background){.kind = BACKGROUND_COLOR, .colors = {{0, 0, 0, 255}}};
    check_lit_pixel(&own.picture, codes(1, 0.3, 0.05));
}

TEST(occlusion_keeps_ambient_light_out)
{
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    own.picture.looks[0].pictures[PICTURE_OCCLUSION] = add_picture(1, 1, &(uint32_t){BLACK}, false, MIPMAP_DATA);
    own.picture.light = (struct light_rig){.sky = {0.5f, 0.5f, 0.5f}, .ground = {0.5f, 0.5f, 0.5f}};
    check_pixel(&own.picture, BLACK);
    own.material.occlusion_strength = 0.5f;
    check_lit_pixel(&own.picture, grey(0.25));
    fact("and no other");
    own.material.occlusion_strength = 1;
    own.picture.light = (struct light_rig){.key = {{1, 0, 1}, {1, 1, 1}}};
    draw(&own.picture);
    assert_true(channel(&own, 0, 0) > 150);
}

/* From rough to smooth along s, each with its own picture of what is rough, in light from where the viewer is. */
TEST(roughness_is_green_and_metal_is_blue)
{
    struct own_picture_of own;
    own_quad(&own, 4, 1);
    own.picture.looks[0].pictures[PICTURE_DIFFUSE] = add_color(0x803020FF);
    own.picture.looks[0].pictures[PICTURE_METALLIC_ROUGHNESS] =
        add_picture(4, 1, (const uint32_t[]){0x00FF00FF, 0xFF4000FF, 0x00FFFFFF, 0xFF40FFFF}, false, MIPMAP_DATA);
    own.material.metallic = 1;
    own.picture.light = (struct light_rig){.key = {{0, 0, 1}, {0.4f, 0.4f, 0.4f}}};
    draw(&own.picture);
    int rough = channel(&own, 0, 2), smooth = channel(&own, 1, 2), rough_metal = channel(&own, 2, 2),
        smooth_metal = channel(&own, 3, 2);
    assert_true(smooth > rough + 20); /* a white highlight on what is not metal */
    assert_true(channel(&own, 3, 0) > channel(&own, 2, 0) + 40);
    assert_true(smooth_metal < 2 * rough_metal + 60 &&
                smooth_metal < channel(&own, 3, 0)); /* a red one on metal */
}

TEST(specular_strength_and_colour_tell_how_plain_surfaces_shine)
{
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    memcpy(own.material.base_color_factor, (float[]){0, 0, 0, 1}, sizeof own.material.base_color_factor);
    own.material.roughness = 0.2f;
    own.picture.light = (struct light_rig){.key = {{0, 0, 1}, {1, 1, 1}}};
    draw(&own.picture);
    int shown = channel(&own, 0, 1);
    assert_true(shown > 60);
    own.material.specular_factor = 0;
    check_pixel(&own.picture, BLACK);
    own.material.specular_factor = 1;
    own.picture.looks[0].pictures[PICTURE_SPECULAR_STRENGTH] =
        add_picture(1, 1, (const uint32_t[]){0xFFFFFF00}, true, MIPMAP_DATA);
    check_pixel(&own.picture, BLACK);
    own.picture.looks[0].pictures[PICTURE_SPECULAR_STRENGTH].id = 0;
    own.picture.looks[0].pictures[PICTURE_SPECULAR] = add_color(RED);
    draw(&own.picture);
    assert_true(channel(&own, 0, 0) == shown && channel(&own, 0, 1) < 30);
}

/* Each is drawn by another program. */
TEST(a_plain_surface_looks_as_one_that_says_so)
{
    static const vec4 white[4] = {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    memcpy(own.material.base_color_factor, (float[]){0.6f, 0.3f, 0.1f, 1}, sizeof own.material.base_color_factor);
    own.material.roughness = 0.3f;
    own.picture.light = (struct light_rig){.key = {{0, 0.4f, 1}, {0.6f, 0.5f, 0.4f}}, .sky = {0.2f, 0.2f, 0.3f}};
    draw(&own.picture);
    uint32_t wanted = pixel_of(&own.picture, 0);
    own.picture.scene.model.colors = white;
    check_pixel(&own.picture, wanted);
    own.picture.looks[0].pictures[PICTURE_SPECULAR] = add_color(WHITE);
    check_pixel(&own.picture, wanted);
    own.picture.scene.model.colors = NULL;
    check_pixel(&own.picture, wanted);
    fact("and a picture of what is metal makes none of what is not");
    own.picture.looks[0].pictures[PICTURE_SPECULAR].id = 0;
    own.picture.looks[0].pictures[PICTURE_METALLIC_ROUGHNESS] = add_color(WHITE);
    check_pixel(&own.picture, wanted);
    fact("but metal, gloss and another colour show");
    own.material.metallic = 1;
    draw(&own.picture);
    assert_true(pixel_of(&own.picture, 0) != wanted);
    own.material.metallic = 0;
    own.material.is_specular_glossiness = true;
    draw(&own.picture);
    assert_true(pixel_of(&own.picture, 0) != wanted);
    own.material.is_specular_glossiness = false;
    own.material.specular_color_factor[0] = 0;
    draw(&own.picture);
    assert_true(pixel_of(&own.picture, 0) != wanted);
}

TEST(specular_and_glossiness_give_the_same_metal)
{
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    own.picture.light = (struct light_rig){.key = {{0, 0, 1}, {0.3f, 0.3f, 0.3f}}, .sky = {0.2f, 0.2f, 0.2f}};
    memcpy(own.material.base_color_factor, (float[]){1, 0.5f, 0.25f, 1}, sizeof own.material.base_color_factor);
    own.material.metallic = 1;
    own.material.roughness = 0.4f;
    draw(&own.picture);
    uint32_t wanted = pixel_of(&own.picture, 0);
    memcpy(own.material.specular_color_factor, own.material.base_color_factor, 3 * sizeof(float));
    memset(own.material.base_color_factor, 0, 3 * sizeof(float));
    own.material.metallic = 0;
    own.material.is_specular_glossiness = true;
    check_lit_pixel(&own.picture, wanted);
    fact("its picture has glossiness in alpha");
    own.material.roughness = 0.25f; /* 0.75 * 0.8 */
    own.picture.looks[0].pictures[PICTURE_METALLIC_ROUGHNESS] =
        add_picture(1, 1, (const uint32_t[]){0xFFFFFFCC}, true, MIPMAP_OPAQUE);
    check_lit_pixel(&own.picture, wanted);
}

/* A bump as glTF has it: green grows up the picture. */
TEST(normal_maps_have_green_up)
{
    const uint32_t bump[] = {0x40C0D0FF, 0xC0C0D0FF, 0x4040D0FF, 0xC040D0FF};
    struct own_picture_of own;
    own_quad(&own, 2, 2);
    own.picture.looks[0].pictures[PICTURE_NORMAL] = add_picture(2, 2, bump, false, MIPMAP_DATA);
    own.picture.light = (struct light_rig){.key = {{0, 1, 0.3f}, {0.6f, 0.6f, 0.6f}}};
    draw(&own.picture);
    int bright = channel(&own, 0, 0), dark = channel(&own, 2, 0);
    assert_true(bright > dark + 40);
    fact("also where a matrix turns the picture over");
    own.picture.looks[0].pictures[PICTURE_NORMAL].placement =
        (struct texture_placement){.has_matrix = true, .matrix = {{1, 0, 0}, {0, -1, 1}}};
    draw(&own.picture);
    assert_true(channel(&own, 0, 0) > channel(&own, 2, 0) + 40);
    fact("their scale flattens them");
    own.material.normal_scale = 0;
    draw(&own.picture);
    assert_int_equal(channel(&own, 0, 0), channel(&own, 2, 0));
}

TEST(a_normal_map_without_a_direction_is_flat)
{
    const uint32_t bump = 0xC040D0FF, grey_bump = 0x808080FF;
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    own.picture.light = (struct light_rig){.key = {{0, 1, 0.3f}, {0.6f, 0.6f, 0.6f}}};
    draw(&own.picture);
    const int flat = channel(&own, 0, 0);
    assert_true(flat > 20);
    fact("a matrix of zeros shows one texel everywhere, whose slope has no side to lean to");
    own.picture.looks[0].pictures[PICTURE_NORMAL] = add_picture(1, 1, &bump, false, MIPMAP_DATA);
    own.picture.looks[0].pictures[PICTURE_NORMAL].placement = (struct texture_placement){.has_matrix = true};
    draw(&own.picture);
    assert_true(abs(channel(&own, 0, 0) - flat) <= 1);
    fact("a row of zeros leaves the other one");
    own.picture.looks[0].pictures[PICTURE_NORMAL].placement.matrix[1][1] = 1;
    draw(&own.picture);
    assert_true(abs(channel(&own, 0, 0) - flat) > 20);
    fact("a grey texel");
    own.picture.looks[0].pictures[PICTURE_NORMAL] = add_picture(1, 1, &grey_bump, false, MIPMAP_DATA);
    draw(&own.picture);
    assert_true(abs(channel(&own, 0, 0) - flat) <= 1);
}

/* -- Vertices ---------------------------------------------------------------------------------------------- */

TEST(colours_at_the_vertices_are_mixed_in_linear_light)
{
    const vec4 colors[4] = {{1, 0, 0, 1}, {1, 0, 0, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}};
    struct own_picture_of own;
    own_quad(&own, 2, 1);
    own.picture.scene.model.colors = colors;
    own.material.is_unlit = true;
    draw(&own.picture);
    assert_true(abs(channel(&own, 0, 0) - (int)(grey(0.75) >> 24)) <= 1);
    assert_true(abs(channel(&own, 0, 2) - (int)(grey(0.25) >> 24)) <= 1);
    fact("a model without them is white, whatever was drawn before");
    own.picture.scene.model.colors = NULL;
    check_lit_pixel(&own.picture, WHITE);
}

TEST(a_picture_may_lie_by_the_second_set_of_coordinates)
{
    const vec2 uvs[4] = {{1, 1}, {1, 0}, {0, 0}, {0, 1}}; /* the other way round */
    struct own_picture_of own;
    own_quad(&own, 2, 1);
    own.picture.scene.model.more_uvs = uvs;
    own.material.is_unlit = true;
    own.picture.looks[0].pictures[PICTURE_DIFFUSE] = add_texture(2, 1, (const uint32_t[]){RED, GREEN}, false);
    draw(&own.picture);
    EXPECT_PIXELS(&own.picture, RED, GREEN);
    own.picture.looks[0].pictures[PICTURE_DIFFUSE].placement.is_second_set = true;
    draw(&own.picture);
    EXPECT_PIXELS(&own.picture, GREEN, RED);
    fact("which a matrix may change");
    own.picture.looks[0].pictures[PICTURE_DIFFUSE].placement.has_matrix = true;
    memcpy(own.picture.looks[0].pictures[PICTURE_DIFFUSE].placement.matrix, (float[2][3]){{1, 0, 0.5f}, {0, 1, 0}},
           6 * sizeof(float));
    draw(&own.picture);
    EXPECT_PIXELS(&own.picture, RED, GREEN);
}

/* -- Pictures ---------------------------------------------------------------------------------------------- */

/* Three times as large: from -1 to 2 along both sides. */
TEST(pictures_are_wrapped_along_each_side_by_itself)
{
    const uint32_t texels[] = {RED, GREEN, BLUE, WHITE};
    struct own_picture_of own;
    own_quad(&own, 4, 2);
    own.material.is_unlit = true;
    own.picture.looks[0].pictures[PICTURE_DIFFUSE] = add_texture(2, 2, texels, false);
    struct texture_placement *placement = &own.picture.looks[0].pictures[PICTURE_DIFFUSE].placement;
    *placement = (struct texture_placement){
        .wrap = {WRAP_MIRROR, WRAP_REPEAT}, .has_matrix = true, .matrix = {{2, 0, 0}, {0, 1, 0}}};
    draw(&own.picture);
    EXPECT_PIXELS(&own.picture, RED, GREEN, GREEN, RED, BLUE, WHITE, WHITE, BLUE);
    placement->wrap[0] = WRAP_REPEAT;
    placement->wrap[1] = WRAP_CLAMP;
    placement->matrix[1][2] = 1;
    draw(&own.picture);
    EXPECT_PIXELS(&own.picture, BLUE, WHITE, BLUE, WHITE, BLUE, WHITE, BLUE, WHITE);
}

TEST(pictures_of_large_texels_keep_their_edges)
{
    struct own_picture_of own;
    own_quad(&own, 8, 1);
    own.material.is_unlit = true;
    own.picture.looks[0].pictures[PICTURE_DIFFUSE] = add_texture(2, 1, (const uint32_t[]){RED, GREEN}, false);
    own.picture.looks[0].pictures[PICTURE_DIFFUSE].placement.is_nearest = true;
    draw(&own.picture);
    EXPECT_PIXELS(&own.picture, RED, RED, RED, RED, GREEN, GREEN, GREEN, GREEN);
    own.picture.looks[0].pictures[PICTURE_DIFFUSE].placement.is_nearest = false;
    draw(&own.picture);
    assert_true(pixel_of(&own.picture, 3) != RED && pixel_of(&own.picture, 4) != GREEN);
}

/* -- Alpha ------------------------------------------------------------------------------------------------- */

TEST(masks_have_holes_in_every_pass)
{
    const vec4 colors[4] = {{1, 1, 1, 0.5f}, {1, 1, 1, 0.5f}, {1, 1, 1, 0.5f}, {1, 1, 1, 0.5f}};
    static const enum pass passes[] = {PASS_COLOR, PASS_NORMAL, PASS_MASK, PASS_UV, PASS_WIREFRAME, PASS_CLAY};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        struct own_picture_of own;
        own_quad(&own, 2, 1);
        own.picture.looks[0].pictures[PICTURE_DIFFUSE] =
            add_texture(2, 1, (const uint32_t[]){0xFFFFFF50, 0xFFFFFFB0}, true);
        own.picture.looks[0].alpha_test = 0.5f;
        draw_pass(&own.picture, passes[i]);
        assert_int_equal(channel(&own, 0, 3), 0);
        assert_int_equal(channel(&own, 1, 3), 255);
        own.material.base_color_factor[3] = 0.5f;
        draw_pass(&own.picture, passes[i]);
        assert_int_equal(channel(&own, 1, 3), 0);
        own.material.base_color_factor[3] = 1;
        own.picture.scene.model.colors = colors;
        draw_pass(&own.picture, passes[i]);
        assert_int_equal(channel(&own, 1, 3), 0);
    }
}

TEST(what_blends_keeps_its_colour_and_alpha_over_nothing)
{
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    own.material.is_unlit = true;
    own.picture.looks[0].blends = true;
    own.picture.looks[0].pictures[PICTURE_DIFFUSE] = add_texture(1, 1, (const uint32_t[]){0xC0804080}, true);
    draw(&own.picture);
    static const int wanted[4] = {0xC0, 0x80, 0x40, 0x80};
    for (int i = 0; i < 4; i++)
        assert_true(abs(channel(&own, 0, i) - wanted[i]) <= 1);
    fact("and is mixed with what is behind, in linear light");
    scene_add_quad(&own.picture.scene, -1, -1, 1, 1, -0.5f);
    own.picture.looks[1].pictures[PICTURE_DIFFUSE] = add_color(BLACK);
    draw(&own.picture);
    assert_true(abs(channel(&own, 0, 0) - (int)(grey(0.5 * (double)srgb_to_linear[0xC0] * 256 / 255) >> 24)) <= 1);
    assert_int_equal(channel(&own, 0, 3), 255);
    fact("but by codes where the shot has a layer, here one that adds nothing");
    struct look_layer nothing = {.image = add_color(BLACK), .alpha_test = -1, .color = {1, 1, 1, 1}};
    own.picture.looks[1].layers = &nothing;
    own.picture.looks[1].layer_count = 1;
    draw(&own.picture);
    for (int i = 0; i < 3; i++)
        assert_true(abs(channel(&own, 0, i) - wanted[i] * 0x80 / 255) <= 1);
}

/* Red and blue panes that let half through; `nearer` is the first one drawn. */
TEST(what_blends_is_drawn_farthest_first)
{
    for (int nearer = 0; nearer < 2; nearer++) {
        struct own_picture_of own;
        struct model_material blue;
        own_quad(&own, 1, 1);
        for (int i = 0; i < 4; i++)
            own.picture.scene.positions[i][0] = nearer == 0 ? 0.5f : -0.5f;
        scene_add_quad(&own.picture.scene, -1, -1, 1, 1, 0);
        own.material.is_unlit = true;
        memcpy(own.material.base_color_factor, (float[]){1, 0, 0, 0.5f}, sizeof own.material.base_color_factor);
        blue = own.material;
        memcpy(blue.base_color_factor, (float[]){0, 0, 1, 0.5f}, sizeof blue.base_color_factor);
        own.picture.looks[0].blends = true;
        own.picture.looks[1] = (struct look){.own = &blue, .blends = true, .alpha_test = -1};
        draw(&own.picture);
        int red = channel(&own, 0, 0), over = channel(&own, 0, 2);
        assert_true(nearer == 0 ? red > over + 30 : red + 30 < over);
        assert_true(abs(channel(&own, 0, 3) - 191) <= 1);
    }
}

/* A red pane seen from behind lies behind a blue one, though its middle is in front of it. */
TEST(of_a_two_sided_pane_the_back_faces_are_drawn_first)
{
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    scene_add_quad(&own.picture.scene, -1, -1, 1, 1, 0.5f);
    own.picture.scene.model.surface_count = 1;
    own.picture.scene.surfaces[0].index_count = 12;
    for (uint32_t i = 0; i < 6; i += 3) {
        uint32_t kept = own.picture.scene.indices[i];
        own.picture.scene.indices[i] = own.picture.scene.indices[i + 1];
        own.picture.scene.indices[i + 1] = kept;
    }
    own.picture.scene.positions[0][0] = own.picture.scene.positions[2][0] = 3;
    own.picture.scene.positions[0][1] = own.picture.scene.positions[0][2] = -9;
    own.picture.scene.positions[2][1] = own.picture.scene.positions[2][2] = 9;
    own.material.is_unlit = true;
    own.material.base_color_factor[3] = 0.5f;
    own.picture.looks[0].blends = own.picture.looks[0].two_sided = true;
    own.picture.looks[0].pictures[PICTURE_DIFFUSE] = add_texture(2, 1, (const uint32_t[]){RED, BLUE}, false);
    for (int i = 0; i < 8; i++)
        own.picture.scene.uvs[i][0] = i < 4 ? 0.25f : 0.75f;
    draw(&own.picture);
    assert_true(channel(&own, 0, 2) > channel(&own, 0, 0) + 30 && channel(&own, 0, 0) > 60);
    own.picture.looks[0].two_sided = false;
    draw(&own.picture);
    assert_true(channel(&own, 0, 0) == 0 && channel(&own, 0, 2) > 60);
}

TEST(what_is_opaque_of_a_blended_surface_hides_what_is_behind_it)
{
    struct own_picture_of own;
    own_quad(&own, 1, 1);
    scene_add_quad(&own.picture.scene, -1, -1, 1, 1, 0.5f);
    own.picture.scene.model.surface_count = 1; /* both in one surface, the nearer one last */
    own.picture.scene.surfaces[0].index_count = 12;
    own.material.is_unlit = true;
    own.picture.looks[0].blends = true;
    own.picture.looks[0].pictures[PICTURE_DIFFUSE] = add_texture(2, 1, (const uint32_t[]){RED, GREEN}, true);
    for (int i = 0; i < 8; i++)
        own.picture.scene.uvs[i][0] = i < 4 ? 0.25f : 0.75f;
    /* The far one has its middle in front of the near one, so that sorting draws it last. */
    own.picture.scene.positions[0][0] = 3;
    own.picture.scene.positions[0][1] = own.picture.scene.positions[0][2] = -9;
    draw(&own.picture);
    EXPECT_PIXELS(&own.picture, GREEN);
}

TEST(what_hides_at_least_half_is_solid_in_other_passes)
{
    static const struct {
        uint32_t alpha, with_others, alone;
    } cases[] = {{0x10, 0, 255}, {0x70, 0, 255}, {0x90, 255, 255}, {0x05, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int alone = 0; alone < 2; alone++) {
            struct own_picture_of own;
            own_quad(&own, 1, 1);
            own.picture.looks[0].blends = true;
            own.picture.looks[0].pictures[PICTURE_DIFFUSE] =
                add_texture(1, 1, &(uint32_t){0xFFFFFF00 | cases[i].alpha}, true);
            if (!alone)
                scene_add_quad(&own.picture.scene, 5, 5, 6, 6, 0);
            draw_pass(&own.picture, PASS_NORMAL);
            assert_int_equal(channel(&own, 0, 3), alone ? cases[i].alone : cases[i].with_others);
        }
}

TEST_GROUP(open_osmesa, close_renderer)
