/* Declarations by name, over all files of a tree. */
#include "asset_tree.h"
#include "test.h"

#include "material/declaration_index.h"
#include "base/buffer.h"

/* "path:line" of what is found under the name, or "none". */
static void check_found(const struct asset_tree *tree, const char *name, const char *expected)
{
    const struct declaration_index *index = declaration_index_of(tree->assets, DECLARATION_MATERIAL);
    const struct declaration_entry *entry = declaration_index_find(index, name);
    char *found = entry ? must_printf("%s:%u", entry->file->path, entry->item->line) : must_strdup("none");
    assert_string_equal(found, expected);
    free(found);
}

TEST(the_first_of_several_counts)
{
    struct asset_tree tree = asset_tree_new();
    asset_tree_add(&tree, "materials/b.mtr", "x { 1 }\nX { 2 }\n");
    asset_tree_add(&tree, "materials/a.mtr", "\n\n\nx { 3 }\n");
    asset_tree_open(&tree);
    check_found(&tree, "x", "materials/a.mtr:4");
    const struct declaration_index *index = declaration_index_of(tree.assets, DECLARATION_MATERIAL);
    assert_int_equal(index->entry_count, 1);
    struct strings warnings = {0};
    declaration_entry_warnings(declaration_index_find(index, "x"), &warnings);
    assert_int_equal(warnings.count, 1);
    assert_string_equal(warnings.items[0],
                        "materials/a.mtr:4: 'x' is declared again in materials/b.mtr:1; the first one counts");
    strings_release(&warnings);
}

TEST(other_types_and_folders_do_not_count)
{
    struct asset_tree tree = asset_tree_new();
    asset_tree_add(&tree, "materials/a.mtr", "table t { } skin s { } particle p { } material m { }");
    asset_tree_add(&tree, "materials/below/b.mtr", "x { }");
    asset_tree_add(&tree, "materials/c.txt", "y { }");
    asset_tree_add(&tree, "d.mtr", "z { }");
    asset_tree_open(&tree);
    check_found(&tree, "m", "materials/a.mtr:1");
    static const char *const absent[] = {"t", "s", "p", "x", "y", "z"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        check_found(&tree, absent[i], "none");
}

TEST(names_are_found)
{
    fact("names are found in all files");
    struct asset_tree tree = asset_tree_new();
    asset_tree_add(&tree, "materials/a.mtr", "x { }\ny { }");
    asset_tree_add(&tree, "Materials/B.MTR", "z { }");
    asset_tree_open(&tree);
    check_found(&tree, "y", "materials/a.mtr:2");
    check_found(&tree, "z", "Materials/B.MTR:1");
    check_found(&tree, "w", "none");
    fact("names are compared as the engine does");
    tree = asset_tree_with("materials/a.mtr", "Models\\Imp.v2/Body.tga { }\n");
    check_found(&tree, "models/imp.v2/body", "materials/a.mtr:1");
    check_found(&tree, "MODELS/imp.v2\\BODY.png", "materials/a.mtr:1");
    check_found(&tree, "models/imp", "none");
    fact("models need their type");
    tree = asset_tree_with("def/a.def", "entityDef e { }\nmodel m { }\nn { }\n");
    const struct declaration_index *index = declaration_index_of(tree.assets, DECLARATION_MODEL);
    assert_int_equal(index->entry_count, 1);
    assert_non_null(declaration_index_find(index, "m"));
    fact("an index is made once");
    tree = asset_tree_with("materials/a.mtr", "x { }");
    index = declaration_index_of(tree.assets, DECLARATION_MATERIAL);
    assert_ptr_equal(declaration_index_of(tree.assets, DECLARATION_MATERIAL), index);
    assert_ptr_not_equal(declaration_index_of(tree.assets, DECLARATION_SKIN), index);
    fact("a tree without files has an empty index");
    tree = asset_tree_with("readme.txt", "");
    assert_int_equal(declaration_index_of(tree.assets, DECLARATION_MATERIAL)->file_count, 0);
    check_found(&tree, "x", "none");
    fact("warnings name their file");
    tree = asset_tree_with("materials/a.mtr", "x { }\ny {\n");
    index = declaration_index_of(tree.assets, DECLARATION_MATERIAL);
    assert_int_equal(index->files[0].warnings.count, 1);
    assert_string_equal(index->files[0].warnings.items[0],
                        "materials/a.mtr:2: a block opens that is never closed");
    fact("a file too large is a warning");
    tree = asset_tree_new();
    char *path = temp_folder_write(tree.folder, "materials/huge.mtr", "x { }", 5);
    assert_int_equal(truncate(path, 17 * 1024 * 1024), 0);
    free(path);
    asset_tree_add(&tree, "materials/small.mtr", "y { }");
    asset_tree_open(&tree);
    check_found(&tree, "y", "materials/small.mtr:1");
    index = declaration_index_of(tree.assets, DECLARATION_MATERIAL);
    assert_listed(&index->files[0].warnings, "materials/huge.mtr: 17825792 bytes, at most 16777216");
}

TEST(one_file_can_be_read_alone)
{
    struct error err;
    struct asset_tree tree = asset_tree_with("elsewhere/My.skin", "a { }\nskin b { }\ntable c { }\n");
    struct declaration_index *index;
    assert_int_equal(declaration_index_read(tree.assets, DECLARATION_SKIN, "elsewhere/my.skin", &index, &err), 0);
    assert_int_equal(index->entry_count, 2);
    assert_string_equal(index->files[0].path, "elsewhere/My.skin");
    declaration_index_free(index);
    assert_int_equal(declaration_index_read(tree.assets, DECLARATION_SKIN, "gone.skin", &index, &err), -1);
    assert_says(err.text, "gone.skin");
}

TEST(failing_names_what_is_nearest)
{
    struct error err;
    struct asset_tree tree = asset_tree_with("materials/a.mtr", "models/imp/body { }");
    const struct declaration_index *index = declaration_index_of(tree.assets, DECLARATION_MATERIAL);
    assert_int_equal(declaration_index_fail(index, "material", "models/imp/bdoy", &err), -1);
    assert_says(err.text, "no material 'models/imp/bdoy' is declared, did you mean 'models/imp/body'?");
    declaration_index_fail(index, "material", "x", &err);
    assert_says(err.text, "no material 'x' among the 1 declared");
}

TEST(thousands_are_found)
{
    struct buffer text = {0};
    for (int i = 0; i < 4000; i++)
        buffer_printf(&text, "models/thing%d/body\n{\n\tdiffusemap models/thing%d/body.tga\n}\n", i, i);
    struct asset_tree tree = asset_tree_with("materials/many.mtr", text.text);
    buffer_release(&text);
    check_found(&tree, "models/thing0/body", "materials/many.mtr:1");
    check_found(&tree, "models/thing2345/body", "materials/many.mtr:9381");
    check_found(&tree, "models/thing4000/body", "none");
}
