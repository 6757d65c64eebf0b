/* Looks of a model's surfaces: the textures of their materials, and the files that went into them. */
#include "asset_tree.h"

#include "base/buffer.h"
#include "bake/looks.h"
#include "with_renderer.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

static void add_picture(const struct asset_tree *tree, const char *name)
{
    static const uint8_t tga[] = {[2] = 2, [12] = 1, [14] = 1, [16] = 24, [18] = 1, 2, 3};
    free(temp_folder_write(tree->folder, name, tga, sizeof tga));
}

/* A tree with pictures d, n, s and e, a bad one, and what they are loaded with. */
struct fixture {
    struct asset_tree tree;
    struct textures *textures;
    struct looks looks;
    struct trace trace;
    struct error err;
};

static struct fixture open_fixture(void)
{
    struct fixture f = {.tree = asset_tree_new()};
    static const char *const names[] = {"d.tga", "n.tga", "s.tga", "e.tga"};
    for (size_t i = 0; i < 4; i++)
        add_picture(&f.tree, names[i]);
    asset_tree_add(&f.tree, "bad.png", "\x89PNG\r\n\x1a\n");
    asset_tree_open(&f.tree);
    f.textures = textures_new(renderer, f.tree.assets);
    return f;
}

static void close_fixture(struct fixture *f)
{
    looks_release(&f->looks);
    trace_release(&f->trace);
    textures_free(f->textures);
    asset_tree_free(&f->tree);
}

/* Two surfaces, the second without triangles, of the same material. */
static int load(struct fixture *f, struct material *material)
{
    static const struct surface surfaces[] = {{.name = "a", .index_count = 3}, {.name = "b", .index_count = 0}};
    const struct model model = {.surfaces = surfaces, .surface_count = 2};
    const struct material materials[] = {*material, *material};
    assets_trace(f->tree.assets, &f->trace);
    return looks_load(&f->looks, f->textures, &model, materials, &f->err);
}

/* -- Tests ------------------------------------------------------------------------------------------------- */

static void a_material_becomes_a_look(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    struct material_stage stage = {
        .source = BLEND_ONE,
        .destination = BLEND_DST_COLOR,
        .image = "makeAlpha(e.tga)",
        .alpha_test = 0.25f,
        .color = {1, 0.5f, 0, 1},
    };
    struct material material = {
        .diffuse = "d.tga",
        .normal = "addnormals(n.tga, heightmap(d.tga, 4))",
        .specular = "s.tga",
        .normal_placement.wrap = WRAP_CLAMP,
        .specular_placement.wrap = WRAP_ZERO,
        .back_sided = true,
        .alpha_test = 0.75f,
        .two_sided = true,
        .unsmoothed_tangents = true,
        .stages = &stage,
        .stage_count = 1,
    };
    assert_int_equal(load(&f, &material), 0);
    const struct look *look = &f.looks.items[0];
    assert_true(look->diffuse.id && look->normal.id && look->specular.id);
    assert_true(look->alpha_test == 0.75f && look->two_sided && look->unsmoothed_tangents && !look->stages_only);
    assert_true(look->back_sided && look->diffuse.placement.wrap == WRAP_REPEAT);
    assert_true(look->normal.placement.wrap == WRAP_CLAMP && look->specular.placement.wrap == WRAP_ZERO);
    assert_int_equal(look->stage_count, 1);
    assert_true(look->stages[0].image.id != 0);
    assert_int_equal(look->stages[0].destination, BLEND_DST_COLOR);
    assert_true(look->stages[0].alpha_test == 0.25f && look->stages[0].color[1] == 0.5f);
    assert_traced(&f.trace, LOOK_READ, "d.tga n.tga s.tga e.tga");
    close_fixture(&f);
}

static void a_surface_without_triangles_stays_plain(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    assert_int_equal(load(&f, &(struct material){.diffuse = "d.tga", .alpha_test = 0.5f}), 0);
    assert_int_equal(f.looks.count, 2);
    assert_int_equal(f.looks.items[1].diffuse.id, 0);
    assert_true(f.looks.items[1].alpha_test < 0);
    close_fixture(&f);
}

static void a_picture_as_color_and_as_data_is_two_textures(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    struct material material = {.diffuse = "d.tga", .normal = "d.tga", .specular = "d.tga", .alpha_test = -1};
    assert_int_equal(load(&f, &material), 0);
    assert_int_not_equal(f.looks.items[0].diffuse.id, f.looks.items[0].normal.id);
    assert_int_equal(f.looks.items[0].diffuse.id, f.looks.items[0].specular.id);
    assert_traced(&f.trace, LOOK_READ, "d.tga");
    close_fixture(&f);
}

static void without_a_picture_alpha_is_not_tested(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    assert_int_equal(load(&f, &(struct material){.alpha_test = 0.5f}), 0);
    assert_true(f.looks.items[0].alpha_test < 0);
    close_fixture(&f);
}

static void a_broken_picture_fails_all(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    struct material_stage stage = {.image = "add(e.tga, bad.png)", .alpha_test = -1};
    struct material material = {.diffuse = "d.tga", .alpha_test = -1, .stages = &stage, .stage_count = 1};
    assert_int_equal(load(&f, &material), -1);
    assert_says(f.err.text, "bad.png: PNG");
    assert_null(f.looks.items);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_material_becomes_a_look),
        cmocka_unit_test(a_surface_without_triangles_stays_plain),
        cmocka_unit_test(a_picture_as_color_and_as_data_is_two_textures),
        cmocka_unit_test(without_a_picture_alpha_is_not_tested),
        cmocka_unit_test(a_broken_picture_fails_all),
    };
    return cmocka_run_group_tests_name("looks", tests, open_renderer, close_renderer);
}
