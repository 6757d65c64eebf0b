#include <stdio.h>
#include <string.h>

#include "material/material.h"
#include "temp_folder.h"
#include "test.h"

/* The asset tree of each test: the files named in one string, parted by spaces. */
struct fixture {
    char *folder;
    struct assets *assets;
    struct material material;
};

static int set_up(void **state)
{
    struct fixture *f = must_alloc(1, sizeof *f);
    f->folder = temp_folder_new();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    material_release(&f->material);
    assets_close(f->assets);
    temp_folder_free(f->folder);
    free(f);
    return 0;
}

static void with_files(struct fixture *f, const char *names)
{
    char *copy = must_strdup(names), *rest = copy, *name;
    while ((name = strsep(&rest, " ")))
        if (*name)
            temp_folder_add(f->folder, name, "");
    free(copy);
    struct error err = {""};
    const char *root = f->folder;
    if (assets_open(&root, 1, &f->assets, &err) < 0)
        fail_msg("%s", err.text);
}

static void expect_path(const char *found, const char *expected)
{
    assert_string_equal(found ? found : "(none)", expected ? expected : "(none)");
}

static void expect(const struct fixture *f, const char *diffuse, bool guessed)
{
    expect_path(f->material.diffuse, diffuse);
    assert_int_equal(f->material.guessed, guessed);
}

static void expect_tried(const struct fixture *f, const char *const *tried, size_t count)
{
    for (size_t i = 0; i < f->material.tried.count && i < count; i++)
        assert_string_equal(f->material.tried.items[i], tried[i]);
    assert_int_equal(f->material.tried.count, count);
}

#define EXPECT_TRIED(f, ...)                                                                                      \
    expect_tried(f, (const char *const[]){__VA_ARGS__},                                                           \
                 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define ALL_SUFFIXES(stem)                                                                                        \
    stem ".tga", stem ".png", stem ".jpg", stem ".jpeg", stem ".pcx", stem ".dds", stem ".bmp"

static void find_skin(struct fixture *f, const char *model, const char *first, const char *second)
{
    const char *skins[] = {first, second};
    material_from_skins(f->assets, model, skins, second ? 2 : first ? 1 : 0, &f->material);
}

static void find_shader(struct fixture *f, const char *model, const char *shader)
{
    material_from_shader(f->assets, model, shader, false, &f->material);
}

TEST_WITH(skin_is_found_by_its_path, set_up, tear_down)
{
    with_files(*state, "models/a/skin1.pcx models/a/skin1.png");
    find_skin(*state, "models/a/tris.md2", "models/a/skin1.pcx", NULL);
    expect(*state, "models/a/skin1.pcx", false);
}

TEST_WITH(skin_path_ignores_case_and_slashes, set_up, tear_down)
{
    with_files(*state, "Models/a/Skin1.PCX");
    find_skin(*state, "models/a/tris.md2", "models\\a\\skin1.pcx", NULL);
    expect(*state, "Models/a/Skin1.PCX", false);
}

TEST_WITH(skin_may_have_another_suffix, set_up, tear_down)
{
    with_files(*state, "models/a/skin1.jpg models/a/skin1.dds");
    find_skin(*state, "models/a/tris.md2", "models/a/skin1.pcx", NULL);
    expect(*state, "models/a/skin1.jpg", false);
    EXPECT_TRIED((struct fixture *)*state, "models/a/skin1.pcx", "models/a/skin1.tga", "models/a/skin1.png");
}

TEST_WITH(skin_without_suffix_gets_each, set_up, tear_down)
{
    with_files(*state, "models/a/skin1.bmp");
    find_skin(*state, "models/a/tris.md2", "models/a/skin1", NULL);
    expect(*state, "models/a/skin1.bmp", false);
}

TEST_WITH(dots_in_a_name_are_no_suffix, set_up, tear_down)
{
    with_files(*state, "models/a/skin.v2.png models/a/skin.png");
    find_skin(*state, "models/a/tris.md2", "models/a/skin.v2", NULL);
    expect(*state, "models/a/skin.v2.png", false);
}

TEST_WITH(skin_is_guessed_beside_the_model, set_up, tear_down)
{
    with_files(*state, "models/a/skin1.png");
    find_skin(*state, "models/a/tris.md2", "c:\\work\\skin1.pcx", NULL);
    expect(*state, "models/a/skin1.png", true);
}

TEST_WITH(a_picture_alone_beside_the_model_comes_last, set_up, tear_down)
{
    with_files(*state, "models/a/Paint.JPG models/a/tris-thumb.png models/a/read.me models/b/other.png");
    find_skin(*state, "models/a/tris.md2", "gone.pcx", NULL);
    expect(*state, "models/a/Paint.JPG", true);
}

TEST_WITH(several_pictures_beside_the_model_are_none, set_up, tear_down)
{
    with_files(*state, "models/a/one.png models/a/two.png");
    find_skin(*state, "models/a/tris.md2", NULL, NULL);
    assert_null(((struct fixture *)*state)->material.diffuse);
}

TEST_WITH(the_only_shader_of_a_model_may_be_a_picture_alone_beside_it, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "models/a[1]/one.png");
    material_from_shader(f->assets, "models/a[1]/it.md5mesh", "gone", false, &f->material);
    assert_null(f->material.diffuse);
    material_release(&f->material);
    material_from_shader(f->assets, "models/a[1]/it.md5mesh", "gone", true, &f->material);
    expect(f, "models/a[1]/one.png", true);
}

TEST_WITH(skin_of_ufo_ai_is_beside_the_model, set_up, tear_down)
{
    with_files(*state, "models/a/body01.png skin.png");
    find_skin(*state, "models/a/head.md2", ".body01", NULL);
    expect(*state, "models/a/body01.png", false);
}

TEST_WITH(skin_path_may_start_with_dots, set_up, tear_down)
{
    with_files(*state, "skins/red.png a/skins/red.png");
    find_skin(*state, "a/tris.md2", "./skins/red.png", NULL);
    expect(*state, "skins/red.png", false);
}

TEST_WITH(skin_path_up_is_a_guess_beside_the_model, set_up, tear_down)
{
    with_files(*state, "red.png a/red.png");
    find_skin(*state, "a/tris.md2", "../red.png", NULL);
    expect(*state, "a/red.png", true);
}

TEST_WITH(second_skin_serves_when_the_first_is_missing, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "models/a/blue.png models/a/tris.png");
    find_skin(f, "models/a/tris.md2", ".red", ".blue");
    expect(f, "models/a/blue.png", false);
    assert_string_equal(f->material.name, ".blue");
}

TEST_WITH(first_skin_wins, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "models/a/red.png models/a/blue.png");
    find_skin(f, "models/a/tris.md2", ".red", ".blue");
    expect(f, "models/a/red.png", false);
    assert_string_equal(f->material.name, ".red");
    assert_int_equal(f->material.tried.count, 1); /* red.tga */
}

TEST_WITH(skin_named_after_the_model_is_a_guess, set_up, tear_down)
{
    with_files(*state, "models/a/tris.jpg models/a/skin.png");
    find_skin(*state, "models/a/tris.md2", ".red", NULL);
    expect(*state, "models/a/tris.jpg", true);
}

TEST_WITH(file_named_skin_is_the_last_guess, set_up, tear_down)
{
    with_files(*state, "models/a/skin.png skin.tga");
    find_skin(*state, "models/a/tris.md2", NULL, NULL);
    expect(*state, "models/a/skin.png", true);
}

TEST_WITH(model_at_the_top_has_its_skin_there, set_up, tear_down)
{
    with_files(*state, "tris.png");
    find_skin(*state, "tris.md2", NULL, NULL);
    expect(*state, "tris.png", true);
}

TEST_WITH(skin_not_found_lists_all_that_was_tried, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "unrelated.png");
    find_skin(f, "models/a/tris.md2", "players/x.pcx", ".y");
    expect(f, NULL, false);
    assert_string_equal(f->material.name, "players/x.pcx");
    EXPECT_TRIED(f, "players/x.pcx", "players/x.tga", "players/x.png", "players/x.jpg", "players/x.jpeg",
                 "players/x.dds", "players/x.bmp", "models/a/x.pcx", "models/a/x.tga", "models/a/x.png",
                 "models/a/x.jpg", "models/a/x.jpeg", "models/a/x.dds", "models/a/x.bmp",
                 ALL_SUFFIXES("models/a/y"), ALL_SUFFIXES("models/a/tris"), ALL_SUFFIXES("models/a/skin"),
                 "models/a/*");
}

TEST_WITH(skin_path_beside_the_model_is_tried_once, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "");
    find_skin(f, "a/skin.md2", "a/skin", NULL);
    EXPECT_TRIED(f, ALL_SUFFIXES("a/skin"), "a/*");
}

TEST_WITH(empty_skin_names_are_passed_over, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "a/blue.png");
    find_skin(f, "a/tris.md2", "", ".blue");
    expect(f, "a/blue.png", false);
    assert_int_equal(f->material.tried.count, 1);
}

TEST_WITH(skin_never_leaves_the_assets, set_up, tear_down)
{
    with_files(*state, "a/other.png");
    find_skin(*state, "a/b/tris.md2", "/etc/passwd.png", "..\\other");
    expect(*state, NULL, false);
}

TEST_WITH(shader_is_found_by_its_path, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "models/md5/zombie.tga");
    find_shader(f, "models/md5/zombie/zombie.md5mesh", "models/md5/zombie");
    expect(f, "models/md5/zombie.tga", false);
    assert_string_equal(f->material.name, "models/md5/zombie");
}

TEST_WITH(shader_with_d_is_a_guess, set_up, tear_down)
{
    with_files(*state, "models/md5/zombie_d.tga zombie.tga");
    find_shader(*state, "models/md5/zombie.md5mesh", "models/md5/zombie");
    expect(*state, "models/md5/zombie_d.tga", true);
}

TEST_WITH(shader_beside_the_model_is_a_guess, set_up, tear_down)
{
    with_files(*state, "m/zombie.png m/zombie_d.tga");
    find_shader(*state, "m/zombie.md5mesh", "textures/zombie");
    expect(*state, "m/zombie.png", true);
}

TEST_WITH(shader_beside_the_model_may_end_in_d, set_up, tear_down)
{
    with_files(*state, "m/zombie_d.tga");
    find_shader(*state, "m/zombie.md5mesh", "textures/zombie.tga");
    expect(*state, "m/zombie_d.tga", true);
}

TEST_WITH(shader_not_found_lists_all_that_was_tried, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "m/z_local.tga");
    find_shader(f, "m/a.md5mesh", "t/z");
    expect(f, NULL, false);
    expect_path(f->material.normal, NULL);
    EXPECT_TRIED(f, "materials/*.mtr", ALL_SUFFIXES("t/z"), ALL_SUFFIXES("t/z_d"), ALL_SUFFIXES("m/z"),
                 ALL_SUFFIXES("m/z_d"));
}

TEST_WITH(empty_shader_tries_nothing, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "m/.tga m/_d.tga");
    find_shader(f, "m/a.md5mesh", "");
    expect(f, NULL, false);
    assert_int_equal(f->material.tried.count, 0);
    assert_string_equal(f->material.name, "");
}

static void expect_companions(struct fixture *f, const char *files, const char *normal, const char *specular)
{
    with_files(f, files);
    find_shader(f, "m/a.md5mesh", "m/z");
    assert_non_null(f->material.diffuse);
    expect_path(f->material.normal, normal);
    expect_path(f->material.specular, specular);
}

TEST_WITH(companions_of_a_plain_name, set_up, tear_down)
{
    expect_companions(*state, "m/z.tga m/z_local.tga m/z_s.tga", "m/z_local.tga", "m/z_s.tga");
}

TEST_WITH(companions_of_a_name_with_d, set_up, tear_down)
{
    expect_companions(*state, "m/z_d.tga m/z_n.png m/z_s.jpg", "m/z_n.png", "m/z_s.jpg");
}

TEST_WITH(companion_nm_is_a_normal_map, set_up, tear_down)
{
    expect_companions(*state, "m/z.png m/z_nm.dds", "m/z_nm.dds", NULL);
}

TEST_WITH(companion_local_comes_first, set_up, tear_down)
{
    expect_companions(*state, "m/z.png m/z_nm.tga m/z_n.tga m/z_local.bmp", "m/z_local.bmp", NULL);
}

TEST_WITH(companions_are_sought_beside_the_picture, set_up, tear_down)
{
    expect_companions(*state, "m/z.png z_n.png other/z_s.png", NULL, NULL);
}

TEST_WITH(named_file_is_taken_as_named, set_up, tear_down)
{
    with_files(*state, "skins/red.png");
    material_from_path(((struct fixture *)*state)->assets, "m/a.md2", "skins/red.png", true,
                       &((struct fixture *)*state)->material);
    expect(*state, "skins/red.png", false);
}

TEST_WITH(named_file_may_lie_beside_the_model, set_up, tear_down)
{
    with_files(*state, "m/skins/red.png");
    material_from_path(((struct fixture *)*state)->assets, "m/a.md2", "skins/red.png", true,
                       &((struct fixture *)*state)->material);
    expect(*state, "m/skins/red.png", false);
}

TEST_WITH(named_file_has_no_stand_in, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "m/red.tga m/a.tga m/skin.tga red.tga");
    material_from_path(f->assets, "m/a.md2", "red.png", true, &f->material);
    expect(f, NULL, false);
    EXPECT_TRIED(f, "red.png", "m/red.png");
}

/* -- Declared materials ------------------------------------------------------------------------------------ */

/* materials/m.mtr declares `body`, in its second line, as a block of this text. */
static void with_material(struct fixture *f, const char *block, const char *files)
{
    char *text = must_printf("// materials\nbody\n{\n%s\n}\n", block);
    temp_folder_add(f->folder, "materials/m.mtr", text);
    free(text);
    with_files(f, files);
    find_shader(f, "m/a.md5mesh", "body");
}

static void expect_warning(const struct fixture *f, const char *warning)
{
    assert_int_equal(f->material.warnings.count, warning ? 1 : 0);
    if (warning)
        assert_string_equal(f->material.warnings.items[0], warning);
}

TEST_WITH(declaration_says_what_is_drawn, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(
        f,
        "twosided unsmoothedtangents bumpmap addnormals(n, heightmap(h, 4))\n diffusemap x/d.tga\n specularmap s",
        "x/d.png n.tga h.tga s.dds body.tga");
    expect(f, "x/d.png", false);
    expect_path(f->material.normal, "addnormals(n.tga, heightmap(h.tga, 4))");
    expect_path(f->material.specular, "s.dds");
    expect_path(f->material.declared, "materials/m.mtr:2");
    assert_true(f->material.two_sided && f->material.unsmoothed_tangents);
    assert_true(f->material.alpha_test < 0);
    assert_false(f->material.stages_only);
    assert_int_equal(f->material.stage_count, 0);
    expect_warning(f, NULL);
}

TEST_WITH(maps_lie_as_their_stages_say, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f,
                  "{ blend diffusemap\n map d\n scale 2, 1 }\n { blend bumpmap\n map n\n scale 3, 1 }\n"
                  "{ blend specularmap\n map s\n scale 4, 1 }",
                  "d.tga n.tga s.tga");
    assert_true(f->material.diffuse_placement.matrix[0][0] == 2);
    assert_true(f->material.normal_placement.matrix[0][0] == 3);
    assert_true(f->material.specular_placement.matrix[0][0] == 4);
}

TEST_WITH(declaration_has_no_companions, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap d", "d.tga d_local.tga d_s.tga");
    expect_path(f->material.normal, NULL);
    expect_path(f->material.specular, NULL);
}

TEST_WITH(declaration_may_test_alpha, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "{ blend diffusemap\n map d\n alphaTest 0.25 }", "d.tga");
    assert_true(f->material.alpha_test == 0.25f);
}

TEST_WITH(stage_that_only_cuts_gives_its_alpha_test, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap d\n { blend gl_zero, gl_one\n map D\n alphaTest 0.75 }", "d.tga");
    assert_true(f->material.alpha_test == 0.75f);
    assert_int_equal(f->material.stage_count, 0);
}

TEST_WITH(stage_that_cuts_another_picture_does_not, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap d\n { blend none\n map e\n alphaTest 0.75 }", "d.tga e.tga");
    assert_true(f->material.alpha_test < 0);
}

TEST_WITH(stages_come_in_order, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap d\n { blend add\n map e\n rgb 0.5\n alphaTest 0.1 }\n { blend filter\n map d }",
                  "d.tga e.tga");
    assert_int_equal(f->material.stage_count, 2);
    const struct material_stage *stages = f->material.stages;
    assert_string_equal(stages[0].image, "e.tga");
    assert_int_equal(stages[0].source, BLEND_ONE);
    assert_int_equal(stages[0].destination, BLEND_ONE);
    assert_true(stages[0].color[0] == 0.5f && stages[0].color[3] == 1);
    assert_true(stages[0].alpha_test == 0.1f);
    assert_string_equal(stages[1].image, "d.tga");
    assert_int_equal(stages[1].source, BLEND_DST_COLOR);
}

TEST_WITH(color_of_a_map_becomes_a_scale, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "{ blend diffusemap\n map d\n rgb 0.5 }\n { blend specularmap\n map s\n red 0 }",
                  "d.tga s.tga");
    expect(f, "scale(d.tga, 0.5, 0.5, 0.5, 1)", false);
    expect_path(f->material.specular, "scale(s.tga, 0, 1, 1, 1)");
}

TEST_WITH(material_without_lit_stage_is_its_stages, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "{ blend add\n map e }", "e.tga body.tga");
    expect(f, NULL, false);
    assert_true(f->material.stages_only);
    assert_int_equal(f->material.stage_count, 1);
    assert_int_equal(f->material.tried.count, 0);
}

static void expect_light(struct fixture *f, const char *block, bool stages_only, bool adds_light,
                         size_t stage_count)
{
    with_material(f, block, "d.tga n.tga s.tga e.tga");
    assert_int_equal(f->material.stages_only, stages_only);
    assert_int_equal(f->material.adds_light, adds_light);
    assert_int_equal(f->material.stage_count, stage_count);
}

TEST_WITH(translucent_maps_add_their_light, set_up, tear_down)
{
    expect_light(*state, "translucent bumpmap n\n specularmap s\n { blend add\n map e }", true, true, 1);
    expect(*state, "_black", false);
}

TEST_WITH(translucent_bump_map_adds_white_light, set_up, tear_down)
{
    expect_light(*state, "translucent bumpmap n", true, true, 0);
    expect(*state, "_white", false);
}

TEST_WITH(translucent_material_without_light_is_its_stages, set_up, tear_down)
{
    expect_light(*state, "translucent { blend add\n map e }", true, false, 1);
}

TEST_WITH(translucent_reflection_adds_no_light, set_up, tear_down)
{
    expect_light(*state, "translucent bumpmap n\n { cubeMap env/x\n texGen reflect }", true, false, 0);
}

TEST_WITH(opaque_maps_are_solid, set_up, tear_down)
{
    expect_light(*state, "translucent diffusemap d\n forceOpaque", false, false, 0);
}

/* The factors, picture and mask of each stage. */
static void expect_stages(const struct fixture *f, const char *expected)
{
    char text[1024] = "";
    for (size_t i = 0; i < f->material.stage_count; i++) {
        const struct material_stage *stage = &f->material.stages[i];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %s %s, mask %s", i ? "; " : "",
                 stage->image, blend_factor_names[stage->source], blend_factor_names[stage->destination],
                 stage->mask ? stage->mask : "none");
    }
    assert_string_equal(text, expected);
}

TEST_WITH(mask_goes_to_the_stages_after_it, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(
        f,
        "diffusemap d\n { blend gl_dst_alpha, gl_one\n map d }\n { maskColor\n map makeAlpha(e)\n scale 2, 2 }\n"
        "{ blend gl_dst_alpha, gl_one\n map d }\n { blend add\n map d }\n"
        "{ map d\n maskColor\n alpha 0.5 }\n { blend gl_one, gl_one_minus_dst_alpha\n maskAlpha\n map e }",
        "d.tga e.tga");
    expect_stages(
        f, "d.tga dst_alpha one, mask none; d.tga dst_alpha one, mask makeAlpha(e.tga); d.tga one one, mask none; "
           "e.tga one one_minus_dst_alpha, mask scale(d.tga, 1, 1, 1, 0.5)");
    assert_true(f->material.stages[1].mask_placement.matrix[0][0] == 2);
    assert_false(f->material.stages[1].placement.has_matrix);
    assert_true(f->material.stages[3].masked == 0);
}

TEST_WITH(mask_without_its_picture_leaves_its_stages_out, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap d\n { maskColor\n map gone }\n { blend gl_dst_alpha, gl_one\n map d }", "d.tga");
    expect_stages(f, "");
    expect_warning(f, "materials/m.mtr:6: a mask of 'body': no picture 'gone'");
}

TEST_WITH(masks_of_an_opaque_surface_are_over_black, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "{ maskColor\n map e }\n { blend gl_dst_alpha, gl_one_minus_dst_alpha\n map d }",
                  "d.tga e.tga");
    expect_stages(f, "_black one zero, mask none; d.tga dst_alpha one_minus_dst_alpha, mask e.tga");
}

TEST_WITH(masks_of_a_translucent_surface_are_over_nothing, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "translucent { maskColor\n map e }\n { blend gl_dst_alpha, gl_one\n map d }", "d.tga e.tga");
    expect_stages(f, "d.tga dst_alpha one, mask e.tga");
}

TEST_WITH(material_without_stages_is_invisible, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "qer_editorimage e.tga\n noshadows", "e.tga");
    expect(f, NULL, false);
    assert_true(f->material.stages_only);
    assert_int_equal(f->material.stage_count, 0);
}

TEST_WITH(lit_material_without_diffuse_is_black, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "bumpmap n\n specularmap s", "n.tga s.tga");
    expect(f, "_black", false);
    assert_false(f->material.stages_only);
}

TEST_WITH(material_with_a_bump_map_alone_is_white, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "bumpmap n\n { blend add\n map e }", "n.tga e.tga");
    expect(f, "_white", false);
    assert_int_equal(f->material.stage_count, 1);
}

TEST_WITH(reflections_on_a_bump_map_have_no_white, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "bumpmap n\n { cubeMap env/x\n texGen reflect }", "n.tga");
    expect(f, "_black", false);
}

TEST_WITH(missing_diffuse_lists_what_was_tried, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap x/d.tga", "body.tga");
    expect(f, NULL, false);
    assert_false(f->material.stages_only);
    EXPECT_TRIED(f, ALL_SUFFIXES("x/d"), "dds/x/d.dds");
    expect_warning(f, NULL);
}

TEST_WITH(other_missing_pictures_are_warnings, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap d\n bumpmap n", "d.tga");
    expect_path(f->material.normal, NULL);
    expect_warning(f, "materials/m.mtr:5: the normal map of 'body': no picture 'n'");
}

TEST_WITH(stage_without_its_picture_is_left_out, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap d\n { blend add\n map e }\n { blend add\n map d }", "d.tga");
    assert_int_equal(f->material.stage_count, 1);
    expect_warning(f, "materials/m.mtr:6: a stage of 'body': no picture 'e'");
}

TEST_WITH(program_nested_too_deep_is_a_warning, set_up, tear_down)
{
    struct fixture *f = *state;
    char deep[5 * 1000 + 16] = "diffusemap ";
    for (int i = 0; i < 1000; i++)
        memcpy(deep + 11 + 4 * i, "add(", 5);
    with_material(f, deep, "");
    expect(f, NULL, false);
    assert_int_equal(f->material.tried.count, 0);
    expect_warning(f, "materials/m.mtr:4: the diffuse map of 'body': image functions nested more than 16 deep");
}

TEST_WITH(warnings_about_the_block_have_their_line, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap d\n { blend gl_what, gl_one\n map d }", "d.tga");
    expect_warning(f, "materials/m.mtr:5: unknown blend 'gl_what', its stage is left out");
}

TEST_WITH(declared_name_ignores_case_and_suffix, set_up, tear_down)
{
    struct fixture *f = *state;
    temp_folder_add(f->folder, "materials/m.mtr", "models/Body { diffusemap d }");
    with_files(f, "d.tga");
    find_shader(f, "m/a.md5mesh", "Models\\BODY.tga");
    expect(f, "d.tga", false);
    assert_string_equal(f->material.name, "Models\\BODY.tga");
}

TEST_WITH(undeclared_shader_is_searched_as_ever, set_up, tear_down)
{
    struct fixture *f = *state;
    temp_folder_add(f->folder, "materials/m.mtr", "other { }");
    with_files(f, "m/body.tga");
    find_shader(f, "m/a.md5mesh", "t/body");
    expect(f, "m/body.tga", true);
    expect_path(f->material.declared, NULL);
    assert_true(f->material.alpha_test < 0);
    assert_string_equal(f->material.tried.items[0], "materials/*.mtr");
}

TEST_WITH(undeclared_shader_tells_of_broken_files, set_up, tear_down)
{
    struct fixture *f = *state;
    temp_folder_add(f->folder, "materials/a.mtr", "other {\n");
    temp_folder_add(f->folder, "materials/b.mtr", "body { diffusemap d }");
    with_files(f, "d.tga");
    find_shader(f, "m/a.md5mesh", "gone");
    expect_warning(f, "materials/a.mtr:1: a block opens that is never closed");
    material_release(&f->material);
    find_shader(f, "m/a.md5mesh", "body"); /* of a file that is whole */
    expect_warning(f, NULL);
}

TEST_WITH(skins_test_alpha, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "a/tris.png");
    find_skin(f, "a/tris.md2", NULL, NULL);
    assert_true(f->material.alpha_test == MATERIAL_SKIN_ALPHA_TEST);
}

TEST_WITH(named_file_tests_alpha_for_a_skin, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "red.png");
    material_from_path(f->assets, "a.md2", "red.png", true, &f->material);
    assert_true(f->material.alpha_test == MATERIAL_SKIN_ALPHA_TEST);
    material_release(&f->material);
    material_from_path(f->assets, "a.md5mesh", "red.png", false, &f->material);
    assert_true(f->material.alpha_test < 0);
}
