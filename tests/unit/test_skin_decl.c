/* Skins of Doom 3: found by file and name, and what they put on a model. */
#include "asset_tree.h"
#include "test.h"

#include "material/model_decl.h"
#include "base/buffer.h"

static const char sample[] = "// burnt things\n"
                             "skin skins/burnt\n"
                             "{\n"
                             "\tmodel models/imp.md5mesh\n"
                             "\tmodel \"models/imp two.md5mesh\"\n"
                             "\tmodels/imp/body   models\\imp\\body_burnt\n"
                             "\t*   models/soot\n"
                             "\tmodels/imp/eyes   models/never\n"
                             "}\n"
                             "skins/plain { }\n";

/* "models: a, b; from > to, ..." */
static char *describe(const struct skin_decl *skin)
{
    struct buffer text = {0};
    buffer_printf(&text, "models:");
    for (size_t i = 0; i < skin->model_count; i++)
        buffer_printf(&text, "%s %s", i ? "," : "", skin->models[i]);
    for (size_t i = 0; i < skin->pair_count; i++)
        buffer_printf(&text, "%s %s > %s", i ? "," : ";", skin->pairs[i].from, skin->pairs[i].to);
    return text.text;
}

static void check_warned(const char *text, const char *name, const char *expected, const char *warning)
{
    struct asset_tree tree = asset_tree_with("skins/a.skin", text);
    struct skin_decl skin;
    struct error err;
    if (skin_decl_find(tree.assets, NULL, name, &skin, &err) < 0)
        fail_msg("%s", err.text);
    char *found = describe(&skin);
    assert_string_equal(found, expected);
    assert_int_equal(skin.warnings.count, warning ? 1 : 0);
    if (warning)
        assert_string_equal(skin.warnings.items[0], warning);
    free(found);
    skin_decl_release(&skin);
}

TEST(names_and_places_are_told)
{
    struct asset_tree tree = asset_tree_with("skins/a.skin", sample);
    struct skin_decl skin;
    struct error err;
    assert_int_equal(skin_decl_find(tree.assets, NULL, "skins/Burnt", &skin, &err), 0);
    assert_string_equal(skin.name, "skins/burnt");
    assert_string_equal(skin.declared, "skins/a.skin:2");
    skin_decl_release(&skin);
}

TEST(a_skin_maps_shaders)
{
    struct asset_tree tree = asset_tree_with("skins/a.skin", sample);
    struct skin_decl skin;
    struct error err;
    assert_int_equal(skin_decl_find(tree.assets, NULL, "skins/burnt", &skin, &err), 0);
    assert_string_equal(skin_decl_map(&skin, "Models/imp/BODY.tga"), "models/imp/body_burnt");
    assert_string_equal(skin_decl_map(&skin, "models/imp/eyes"), "models/soot"); /* the first that fits */
    skin_decl_release(&skin);
    assert_int_equal(skin_decl_find(tree.assets, NULL, "skins/plain", &skin, &err), 0);
    assert_string_equal(skin_decl_map(&skin, "models/imp/eyes"), "models/imp/eyes");
    skin_decl_release(&skin);
}

TEST(a_file_is_read_where_it_is)
{
    struct asset_tree tree = asset_tree_new();
    asset_tree_add(&tree, "skins/a.skin", "skin one { a b }");
    asset_tree_add(&tree, "my/own.skin", "skin one { a c }");
    asset_tree_open(&tree);
    struct skin_decl skin;
    struct error err;
    assert_int_equal(skin_decl_find(tree.assets, "my/own.skin", "one", &skin, &err), 0);
    assert_string_equal(skin_decl_map(&skin, "a"), "c");
    assert_string_equal(skin.declared, "my/own.skin:1");
    skin_decl_release(&skin);
}

static void check_missing(const char *file, const char *name, const char *message)
{
    struct asset_tree tree = asset_tree_with("skins/a.skin", sample);
    struct skin_decl skin;
    struct error err;
    assert_int_equal(skin_decl_find(tree.assets, file, name, &skin, &err), -1);
    assert_says(err.text, message);
}

TEST(skins_are_read)
{
    fact("a skin has models and pairs");
    check_warned(sample, "skins/burnt",
                 "models: models/imp.md5mesh, models/imp two.md5mesh; models/imp/body > models/imp/body_burnt, "
                 "* > models/soot, models/imp/eyes > models/never",
                 NULL);
    check_warned(sample, "SKINS/plain", "models:", NULL);
    fact("what is not there is an error");
    check_missing(NULL, "skins/brunt", "no skin 'skins/brunt' is declared");
    check_missing("skins/a.skin", "x", "skins/a.skin: no skin 'x' among the 2 declared");
    check_missing("skins/b.skin", "x", "skins/b.skin: no such file");
    fact("a pair without its half is a warning");
    check_warned("s {\n a\n b c\n}", "s", "models:; b > c", "skins/a.skin:2: nothing follows 'a'");
    check_warned("s { a }", "s", "models:", "skins/a.skin:1: nothing follows 'a'");
    fact("what does not belong is passed over");
    check_warned("s { , ( a b ) { c d } e f }", "s", "models:; a > b, e > f", NULL);
    fact("a broken file warns and gives the rest");
    check_warned("r {\n x y\ns {\n a b\n}\n", "s", "models:; a > b",
                 "skins/a.skin:1: a block opens that is never closed");
}

TEST(a_skin_cut_anywhere_is_read_or_missing)
{
    for (size_t size = 0; size < sizeof sample; size++) {
        struct asset_tree tree = asset_tree_new();
        struct skin_decl skin;
        struct error err = {""};
        free(temp_folder_write(tree.folder, "skins/a.skin", sample, size));
        asset_tree_open(&tree);
        if (skin_decl_find(tree.assets, NULL, "skins/burnt", &skin, &err) == 0)
            skin_decl_release(&skin);
        else
            assert_true(err.text[0] != '\0');
    }
}
