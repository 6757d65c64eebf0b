#include <stdio.h>
#include <string.h>

#include "material/material.h"
#include "temp_folder.h"
#include "test.h"

/* The asset tree of each test: the files named in one string, parted by spaces. */
struct fixture {
    char *folder;
    struct assets *assets;
    struct look material;
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

/* An empty tree, where a test has had one before. */
static void renew(struct fixture *f)
{
    material_release(&f->material);
    assets_close(f->assets);
    temp_folder_free(f->folder);
    *f = (struct fixture){.folder = temp_folder_new()};
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

static void expect(const struct fixture *f, const char *diffuse, enum picture_guess guess)
{
    expect_path(f->material.pictures[PICTURE_DIFFUSE].program, diffuse);
    assert_int_equal(f->material.guess, guess);
}

static void expect_tried(const struct fixture *f, const char *const *tried, size_t count)
{
    for (size_t i = 0; i < f->material.pictures[PICTURE_DIFFUSE].tried.count && i < count; i++)
        assert_string_equal(f->material.pictures[PICTURE_DIFFUSE].tried.items[i], tried[i]);
    assert_int_equal(f->material.pictures[PICTURE_DIFFUSE].tried.count, count);
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

/* -- The searches of the games ----------------------------------------------------------------------------- */

struct search {
    const char *fact, *files, *model, *first, *second, *diffuse;
    enum picture_guess guess;
    const char *name;
    size_t tried;
};

static const struct search skin_searches[] = {
    {"skin is found by its path", "a/skin1.pcx a/skin1.png", "a/tris.md2", "a/skin1.pcx", NULL, "a/skin1.pcx",
     GUESS_NONE},
    {"skin path ignores case and slashes", "a/Skin1.PCX", "a/tris.md2", "A\\skin1.pcx", NULL, "a/Skin1.PCX",
     GUESS_NONE},
    {"skin without suffix gets each", "a/skin1.bmp", "a/tris.md2", "a/skin1", NULL, "a/skin1.bmp", GUESS_NONE},
    {"dots in a name are not a suffix", "a/skin.v2.png a/skin.png", "a/tris.md2", "a/skin.v2", NULL,
     "a/skin.v2.png", GUESS_NONE},
    {"skin is guessed beside the model", "a/skin1.png", "a/tris.md2", "c:\\work\\skin1.pcx", NULL, "a/skin1.png",
     GUESS_PLACE},
    {"a picture alone beside the model comes last", "a/Paint.JPG a/tris-thumb.png a/read.me models/b/other.png",
     "a/tris.md2", "gone.pcx", NULL, "a/Paint.JPG", GUESS_PICTURE},
    {"skin of ufo ai is beside the model", "a/body01.png skin.png", "a/head.md2", ".body01", NULL, "a/body01.png",
     GUESS_NONE},
    {"skin path may start with dots", "skins/red.png a/skins/red.png", "a/tris.md2", "./skins/red.png", NULL,
     "skins/red.png", GUESS_NONE},
    {"skin path up is a guess beside the model", "red.png a/red.png", "a/tris.md2", "../red.png", NULL,
     "a/red.png", GUESS_PLACE},
    {"second skin serves when the first is missing", "a/blue.png a/tris.png", "a/tris.md2", ".red", ".blue",
     "a/blue.png", GUESS_PICTURE, .name = ".blue"},
    {"skin named after the model is a guess", "a/tris.jpg a/skin.png", "a/tris.md2", ".red", NULL, "a/tris.jpg",
     GUESS_PICTURE},
    {"file named skin is the last guess", "a/skin.png skin.tga", "a/tris.md2", NULL, NULL, "a/skin.png",
     GUESS_PICTURE},
    {"model at the top has its skin there", "tris.png", "tris.md2", NULL, NULL, "tris.png", GUESS_PICTURE},
    {"empty skin names are passed over", "a/blue.png", "a/tris.md2", "", ".blue", "a/blue.png", GUESS_NONE,
     .tried = 1},
    {"skin never leaves the assets", "a/other.png", "a/b/tris.md2", "/etc/passwd.png", "..\\other", NULL,
     GUESS_NONE},
    {"the first skin wins", "a/red.png a/blue.png", "a/tris.md2", ".red", ".blue", "a/red.png", GUESS_NONE,
     .name = ".red", .tried = 1}, /* red.tga */
    {"pictures that accompany another are not alone", "a/body_nm.png a/body_S.png", "a/tris.md2", ".body", NULL,
     NULL, GUESS_NONE},
    {"and are not counted", "a/one.png a/one_n.png a/one_gm.png", "a/tris.md2", NULL, NULL, "a/one.png",
     GUESS_PICTURE},
    {"several pictures beside the model are none", "a/one.png a/two.png", "a/tris.md2", NULL, NULL, NULL,
     GUESS_NONE},
};

static const struct search shader_searches[] = {
    {"shader is found by its path", "m/zombie.tga", "m/zombie/zombie.md5mesh", "m/zombie", NULL, "m/zombie.tga",
     GUESS_NONE, .name = "m/zombie"},
    {"shader with d is a guess", "m/zombie_d.tga zombie.tga", "m/zombie.md5mesh", "m/zombie", NULL,
     "m/zombie_d.tga", GUESS_PLACE},
    {"shader beside the model is a guess", "m/zombie.png m/zombie_d.tga", "m/zombie.md5mesh", "textures/zombie",
     NULL, "m/zombie.png", GUESS_PLACE},
    {"shader beside the model may end in d", "m/zombie_d.tga", "m/zombie.md5mesh", "textures/zombie.tga", NULL,
     "m/zombie_d.tga", GUESS_PLACE},
};

static const struct search named_files[] = {
    {"as named", "skins/red.png", "m/a.md2", "skins/red.png", NULL, "skins/red.png", GUESS_NONE},
    {"beside the model", "m/skins/red.png", "m/a.md2", "skins/red.png", NULL, "m/skins/red.png", GUESS_NONE},
};

static void expect_search(struct fixture *f, const struct search *row)
{
    expect(f, row->diffuse, row->guess);
    if (row->name)
        assert_string_equal(f->material.name, row->name);
    if (row->tried)
        assert_int_equal(f->material.pictures[PICTURE_DIFFUSE].tried.count, row->tried);
}

TEST_WITH(skins_are_searched, set_up, tear_down)
{
    for (size_t i = 0; i < sizeof skin_searches / sizeof *skin_searches; i++) {
        const struct search *row = &skin_searches[i];
        fact(row->fact);
        renew(*state);
        with_files(*state, row->files);
        find_skin(*state, row->model, row->first, row->second);
        expect_search(*state, row);
        assert_true(((struct fixture *)*state)->material.alpha_test == MATERIAL_SKIN_ALPHA_TEST);
    }
}

TEST_WITH(shaders_are_searched, set_up, tear_down)
{
    for (size_t i = 0; i < sizeof shader_searches / sizeof *shader_searches; i++) {
        const struct search *row = &shader_searches[i];
        fact(row->fact);
        renew(*state);
        with_files(*state, row->files);
        find_shader(*state, row->model, row->first);
        expect_search(*state, row);
    }
}

TEST_WITH(named_files_are_searched, set_up, tear_down)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof named_files / sizeof *named_files; i++) {
        const struct search *row = &named_files[i];
        fact(row->fact);
        renew(f);
        with_files(f, row->files);
        material_from_path(f->assets, row->model, row->first, true, &f->material);
        expect_search(f, row);
    }
}

TEST_WITH(skin_may_have_another_suffix, set_up, tear_down)
{
    with_files(*state, "models/a/skin1.jpg models/a/skin1.dds");
    find_skin(*state, "models/a/tris.md2", "models/a/skin1.pcx", NULL);
    expect(*state, "models/a/skin1.jpg", GUESS_NONE);
    EXPECT_TRIED((struct fixture *)*state, "models/a/skin1.pcx", "models/a/skin1.tga", "models/a/skin1.png");
}

TEST_WITH(the_only_shader_of_a_model_may_be_a_picture_alone_beside_it, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "models/a[1]/one.png");
    material_from_shader(f->assets, "models/a[1]/it.md5mesh", "gone", false, &f->material);
    assert_null(f->material.pictures[PICTURE_DIFFUSE].program);
    material_release(&f->material);
    material_from_shader(f->assets, "models/a[1]/it.md5mesh", "gone", true, &f->material);
    expect(f, "models/a[1]/one.png", GUESS_PICTURE);
}

TEST_WITH(skin_not_found_lists_all_that_was_tried, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "unrelated.png");
    find_skin(f, "models/a/tris.md2", "players/x.pcx", ".y");
    expect(f, NULL, GUESS_NONE);
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

TEST_WITH(shader_not_found_lists_all_that_was_tried, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "m/z_local.tga");
    find_shader(f, "m/a.md5mesh", "t/z");
    expect(f, NULL, GUESS_NONE);
    expect_path(f->material.pictures[PICTURE_NORMAL].program, NULL);
    EXPECT_TRIED(f, "materials/*.mtr", ALL_SUFFIXES("t/z"), ALL_SUFFIXES("t/z_d"), "t/z_00_00.lmp",
                 ALL_SUFFIXES("m/z"), ALL_SUFFIXES("m/z_d"), "m/z_00_00.lmp");
}

TEST_WITH(empty_shader_tries_nothing, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "m/.tga m/_d.tga");
    find_shader(f, "m/a.md5mesh", "");
    expect(f, NULL, GUESS_NONE);
    assert_int_equal(f->material.pictures[PICTURE_DIFFUSE].tried.count, 0);
    assert_string_equal(f->material.name, "");
}

TEST_WITH(named_file_has_no_stand_in, set_up, tear_down)
{
    struct fixture *f = *state;
    with_files(f, "m/red.tga m/a.tga m/skin.tga red.tga");
    material_from_path(f->assets, "m/a.md2", "red.png", true, &f->material);
    expect(f, NULL, GUESS_NONE);
    EXPECT_TRIED(f, "red.png", "m/red.png");
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

TEST_WITH(surface_that_names_nothing_is_plain_or_wears_what_a_job_chooses, set_up, tear_down)
{
    struct fixture *f = *state;
    const struct surface surface = {.name = "mesh"};
    const struct model model = {.format_name = "TRI", .surface_count = 1, .surfaces = &surface};
    with_files(f, "m/red.png");
    for (int i = 0; i < 2; i++) {
        const struct material_choice choice = {.path = i ? "red.png" : NULL};
        material_of_surface(f->assets, "m/a.tri", &model, &surface, NULL, 0, &choice, &f->material);
        expect(f, i ? "m/red.png" : NULL, GUESS_NONE);
        assert_true(f->material.alpha_test < 0 && !f->material.own && f->material.layer_count == 0);
        if (i == 0)
            material_release(&f->material);
    }
}

TEST_WITH(companions_lie_beside_the_picture, set_up, tear_down)
{
    static const struct {
        const char *fact, *files, *normal, *specular;
    } rows[] = {
        {"companions of a plain name", "m/z.tga m/z_local.tga m/z_s.tga", "m/z_local.tga", "m/z_s.tga"},
        {"companions of a name with d", "m/z_d.tga m/z_n.png m/z_s.jpg", "m/z_n.png", "m/z_s.jpg"},
        {"companion nm is a normal map", "m/z.png m/z_nm.dds", "m/z_nm.dds", NULL},
        {"companion local comes first", "m/z.png m/z_nm.tga m/z_n.tga m/z_local.bmp", "m/z_local.bmp", NULL},
        {"companions are sought beside the picture", "m/z.png z_n.png other/z_s.png", NULL, NULL},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fact(rows[i].fact);
        renew(f);
        with_files(f, rows[i].files);
        find_shader(f, "m/a.md5mesh", "m/z");
        assert_non_null(f->material.pictures[PICTURE_DIFFUSE].program);
        expect_path(f->material.pictures[PICTURE_NORMAL].program, rows[i].normal);
        expect_path(f->material.pictures[PICTURE_SPECULAR].program, rows[i].specular);
    }
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
    expect(f, "x/d.png", GUESS_NONE);
    expect_path(f->material.pictures[PICTURE_NORMAL].program, "addnormals(n.tga, heightmap(h.tga, 4))");
    expect_path(f->material.pictures[PICTURE_SPECULAR].program, "s.dds");
    expect_path(f->material.declared, "materials/m.mtr:2");
    assert_true(f->material.two_sided && f->material.unsmoothed_tangents);
    assert_true(f->material.alpha_test < 0);
    assert_false(f->material.layers_only);
    assert_int_equal(f->material.layer_count, 0);
    expect_warning(f, NULL);
}

TEST_WITH(maps_lie_as_their_stages_say, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f,
                  "{ blend diffusemap\n map d\n scale 2, 1 }\n { blend bumpmap\n map n\n scale 3, 1 }\n"
                  "{ blend specularmap\n map s\n scale 4, 1 }",
                  "d.tga n.tga s.tga");
    assert_true(f->material.pictures[PICTURE_DIFFUSE].placement.matrix[0][0] == 2);
    assert_true(f->material.pictures[PICTURE_NORMAL].placement.matrix[0][0] == 3);
    assert_true(f->material.pictures[PICTURE_SPECULAR].placement.matrix[0][0] == 4);
}

TEST_WITH(stages_come_in_order, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap d\n { blend add\n map e\n rgb 0.5\n alphaTest 0.1 }\n { blend filter\n map d }",
                  "d.tga e.tga");
    assert_int_equal(f->material.layer_count, 2);
    const struct look_layer *stages = f->material.layers;
    assert_string_equal(stages[0].image.program, "e.tga");
    assert_int_equal(stages[0].source, BLEND_ONE);
    assert_int_equal(stages[0].destination, BLEND_ONE);
    assert_true(stages[0].color[0] == 0.5f && stages[0].color[3] == 1);
    assert_true(stages[0].alpha_test == 0.1f);
    assert_string_equal(stages[1].image.program, "d.tga");
    assert_int_equal(stages[1].source, BLEND_DST_COLOR);
}

/* The factors, picture and mask of each stage. */
static void expect_stages(const struct fixture *f, const char *expected)
{
    char text[1024] = "";
    for (size_t i = 0; i < f->material.layer_count; i++) {
        const struct look_layer *stage = &f->material.layers[i];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %s %s, mask %s", i ? "; " : "",
                 stage->image.program, blend_factor_names[stage->source], blend_factor_names[stage->destination],
                 stage->mask.program ? stage->mask.program : "none");
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
    assert_true(f->material.layers[1].mask.placement.matrix[0][0] == 2);
    assert_false(f->material.layers[1].image.placement.has_matrix);
    assert_true(f->material.layers[3].masked == 0);
}

static const struct {
    const char *fact, *block, *diffuse, *normal, *specular, *stages, *warning;
    bool stages_only, adds_light;
    float alpha_test; /* 0: none */
} declarations[] = {
    {"no companions are sought", "diffusemap c", .diffuse = "c.tga"},
    {"alpha may be tested", "{ blend diffusemap\n map d\n alphaTest 0.25 }", .diffuse = "d.tga",
     .alpha_test = 0.25f},
    {"a stage that only cuts gives its alpha test",
     "diffusemap d\n { blend gl_zero, gl_one\n map D\n alphaTest 0.75 }", .diffuse = "d.tga", .alpha_test = 0.75f},
    {"a stage that cuts another picture does not", "diffusemap d\n { blend none\n map e\n alphaTest 0.75 }",
     .diffuse = "d.tga"},
    {"the color of a map becomes a scale",
     "{ blend diffusemap\n map d\n rgb 0.5 }\n { blend specularmap\n map s\n red 0 }",
     .diffuse = "scale(d.tga, 0.5, 0.5, 0.5, 1)", .specular = "scale(s.tga, 0, 1, 1, 1)"},
    {"diffuse stages after the first are added before all layers",
     "{ blend filter\n map e }\n diffusemap d\n { blend diffusemap\n map e }\n diffusemap s", .diffuse = "d.tga",
     .stages = "e.tga one one, mask none; s.tga one one, mask none; e.tga dst_color zero, mask none"},
    {"without a lit stage a material is its stages", "{ blend add\n map e }", .stages_only = true,
     .stages = "e.tga one one, mask none"},
    {"translucent maps add their light", "translucent bumpmap n\n specularmap s\n { blend add\n map e }",
     .diffuse = "_black", .normal = "n.tga", .specular = "s.tga", .stages = "e.tga one one, mask none",
     .stages_only = true, .adds_light = true},
    {"a translucent bump map adds white light", "translucent bumpmap n", .diffuse = "_white", .normal = "n.tga",
     .stages_only = true, .adds_light = true},
    {"a translucent material without light is its stages", "translucent { blend add\n map e }",
     .stages = "e.tga one one, mask none", .stages_only = true},
    {"a translucent reflection adds no light", "translucent bumpmap n\n { cubeMap env/x\n texGen reflect }",
     .stages_only = true, .diffuse = "_black", .normal = "n.tga"},
    {"opaque maps are solid", "translucent diffusemap d\n forceOpaque", .diffuse = "d.tga"},
    {"a mask without its picture leaves its stages out",
     "diffusemap d\n { maskColor\n map gone }\n { blend gl_dst_alpha, gl_one\n map d }", .diffuse = "d.tga",
     .warning = "materials/m.mtr:6: a mask of 'body': no picture 'gone'"},
    {"masks of an opaque surface are over black",
     "{ maskColor\n map e }\n { blend gl_dst_alpha, gl_one_minus_dst_alpha\n map d }", .stages_only = true,
     .stages = "_black one zero, mask none; d.tga dst_alpha one_minus_dst_alpha, mask e.tga"},
    {"masks of a translucent surface are over nothing",
     "translucent { maskColor\n map e }\n { blend gl_dst_alpha, gl_one\n map d }", .stages_only = true,
     .stages = "d.tga dst_alpha one, mask e.tga"},
    {"without stages a material is invisible", "qer_editorimage e.tga\n noshadows", .stages_only = true},
    {"a lit material without a diffuse map is black", "bumpmap n\n specularmap s", .diffuse = "_black",
     .normal = "n.tga", .specular = "s.tga"},
    {"with a bump map alone it is white", "bumpmap n\n { blend add\n map e }", .diffuse = "_white",
     .normal = "n.tga", .stages = "e.tga one one, mask none"},
    {"reflections on a bump map have no white", "bumpmap n\n { cubeMap env/x\n texGen reflect }",
     .diffuse = "_black", .normal = "n.tga"},
    {"a missing normal map is a warning", "diffusemap d\n bumpmap gone", .diffuse = "d.tga",
     .warning = "materials/m.mtr:5: the normal map of 'body': no picture 'gone'"},
    {"a stage without its picture is left out", "diffusemap d\n { blend add\n map gone }\n { blend add\n map d }",
     .diffuse = "d.tga", .stages = "d.tga one one, mask none",
     .warning = "materials/m.mtr:6: a stage of 'body': no picture 'gone'"},
    {"a warning about the block has its line", "diffusemap d\n { blend gl_what, gl_one\n map d }",
     .diffuse = "d.tga", .warning = "materials/m.mtr:5: unknown blend 'gl_what', its stage is left out"},
};

TEST_WITH(declarations_say_what_is_drawn, set_up, tear_down)
{
    struct fixture *f = *state;
    const struct look *material = &f->material;
    for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++) {
        fact(declarations[i].fact);
        renew(f);
        with_material(f, declarations[i].block, "c.tga c_local.tga c_s.tga d.tga e.tga n.tga s.tga body.tga");
        expect(f, declarations[i].diffuse, GUESS_NONE);
        expect_path(material->pictures[PICTURE_NORMAL].program, declarations[i].normal);
        expect_path(material->pictures[PICTURE_SPECULAR].program, declarations[i].specular);
        expect_stages(f, declarations[i].stages ? declarations[i].stages : "");
        expect_warning(f, declarations[i].warning);
        assert_int_equal(material->layers_only, declarations[i].stages_only);
        assert_int_equal(material->adds_light, declarations[i].adds_light);
        assert_true(declarations[i].alpha_test == 0 ? material->alpha_test < 0
                                                    : material->alpha_test == declarations[i].alpha_test);
        assert_int_equal(material->pictures[PICTURE_DIFFUSE].tried.count, 0);
    }
}

TEST_WITH(missing_diffuse_lists_what_was_tried, set_up, tear_down)
{
    struct fixture *f = *state;
    with_material(f, "diffusemap x/d.tga", "body.tga");
    expect(f, NULL, GUESS_NONE);
    assert_false(f->material.layers_only);
    EXPECT_TRIED(f, ALL_SUFFIXES("x/d"), "dds/x/d.dds");
    expect_warning(f, NULL);
}

TEST_WITH(program_nested_too_deep_is_a_warning, set_up, tear_down)
{
    struct fixture *f = *state;
    char deep[5 * 1000 + 16] = "diffusemap ";
    for (int i = 0; i < 1000; i++)
        memcpy(deep + 11 + 4 * i, "add(", 5);
    with_material(f, deep, "");
    expect(f, NULL, GUESS_NONE);
    assert_int_equal(f->material.pictures[PICTURE_DIFFUSE].tried.count, 0);
    expect_warning(f, "materials/m.mtr:4: the diffuse map of 'body': image functions nested more than 16 deep");
}

TEST_WITH(declared_name_ignores_case_and_suffix, set_up, tear_down)
{
    struct fixture *f = *state;
    temp_folder_add(f->folder, "materials/m.mtr", "models/Body { diffusemap d }");
    with_files(f, "d.tga");
    find_shader(f, "m/a.md5mesh", "Models\\BODY.tga");
    expect(f, "d.tga", GUESS_NONE);
    assert_string_equal(f->material.name, "Models\\BODY.tga");
}

TEST_WITH(undeclared_shader_is_searched_as_ever, set_up, tear_down)
{
    struct fixture *f = *state;
    temp_folder_add(f->folder, "materials/m.mtr", "other { }");
    with_files(f, "m/body.tga");
    find_shader(f, "m/a.md5mesh", "t/body");
    expect(f, "m/body.tga", GUESS_PLACE);
    expect_path(f->material.declared, NULL);
    assert_true(f->material.alpha_test < 0);
    assert_string_equal(f->material.pictures[PICTURE_DIFFUSE].tried.items[0], "materials/*.mtr");
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
