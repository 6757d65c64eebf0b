/* What the assets and the index of declarations note of look-ups. */
#include "asset_tree.h"
#include "test.h"

#include "material/declaration_index.h"
#include "material/material.h"
#include "material/model_decl.h"

#include <time.h>

TEST(a_look_up_is_kept_once)
{
    struct trace trace = {0};
    assert_null(trace_find(&trace, LOOK_READ, "a"));
    trace_note(&trace, LOOK_READ, "a", "1");
    trace_note(&trace, LOOK_READ, "a", "2");
    trace_note(&trace, LOOK_FOUND, "a", "b");
    trace_note(&trace, LOOK_ABSENT, "a", NULL);
    assert_int_equal(trace.count, 3);
    assert_string_equal(trace_find(&trace, LOOK_READ, "a")->value, "1");
    assert_string_equal(trace_find(&trace, LOOK_FOUND, "a")->value, "b");
    assert_null(trace_find(&trace, LOOK_ABSENT, "a")->value);
    assert_null(trace_find(&trace, LOOK_LISTED, "a"));
    trace_release(&trace);
    trace_release(&trace);
}

TEST(another_answer_is_a_change_for_all_that_take_it)
{
    struct trace trace = {0}, group = {0}, job = {0};
    trace_note(&trace, LOOK_READ, "a", "1");
    trace_note(&trace, LOOK_READ, "a", "1");
    assert_null(trace.changed);
    trace_note(&group, LOOK_READ, "a", "9");
    trace_add(&trace, &group);
    trace_release(&group);
    assert_string_equal(trace.changed, "a");
    trace_add(&job, &trace);
    assert_string_equal(job.changed, "a");
    trace_release(&trace);
    trace_release(&job);
}

TEST(a_trace_of_hashes_has_nothing_else)
{
    struct trace trace = {.has_hashes_only = true};
    for (enum look_up_kind kind = LOOK_READ; kind <= LOOK_DECLARED; kind++)
        trace_note(&trace, kind, "a", "1");
    assert_int_equal(trace.count, 2);
    assert_non_null(trace_find(&trace, LOOK_READ, "a"));
    assert_non_null(trace_find(&trace, LOOK_PACKED, "a"));
    trace_note_trouble(&trace, "trouble");
    assert_string_equal(trace.trouble, "trouble");
    trace_release(&trace);
}

TEST(a_trace_holds_many)
{
    struct trace trace = {0}, sum = {0};
    char name[16];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5000; i++) {
            snprintf(name, sizeof name, "%d", i);
            trace_note(&trace, LOOK_ABSENT, name, NULL);
        }
    assert_int_equal(trace.count, 5000);
    trace_note(&sum, LOOK_ABSENT, "17", NULL);
    trace_add(&sum, &trace);
    trace_add(&sum, &trace);
    assert_int_equal(sum.count, 5000);
    assert_non_null(trace_find(&sum, LOOK_ABSENT, "4999"));
    assert_null(trace_find(&sum, LOOK_ABSENT, "5000"));
    trace_release(&trace);
    trace_release(&sum);
}

/* The time to note names of which only those count whose hash has these bits, and the others are passed over. */
static double time_of_names(uint64_t bits)
{
    struct trace trace = {0};
    clock_t time = 0;
    char name[32];
    for (unsigned i = 0; trace.count < 20000; i++) {
        snprintf(name, sizeof name, "textures/%u.png", i);
        if ((hash_number((struct bytes){(const uint8_t *)name, strlen(name)}) & bits) != 0)
            continue;
        clock_t start = clock();
        trace_note(&trace, LOOK_ABSENT, name, NULL);
        time += clock() - start;
    }
    trace_release(&trace);
    return (double)time;
}

TEST(names_chosen_by_their_hash_make_no_trace_slow)
{
    double plain = time_of_names(0), chosen = time_of_names(0xff00);
    if (chosen > 10 * plain)
        fail_msg("%g times as slow as other names", chosen / plain);
}

/* -- Files ------------------------------------------------------------------------------------------------- */

static struct asset_tree open_traced(struct asset_tree tree, struct trace *trace)
{
    asset_tree_open(&tree);
    assets_trace(tree.assets, trace);
    return tree;
}

static struct asset_tree two_files(void)
{
    struct asset_tree tree = asset_tree_new();
    asset_tree_add(&tree, "models/a.txt", "one");
    asset_tree_add(&tree, "models/B.txt", "two");
    return tree;
}

static void read_file(struct assets *assets, const char *path)
{
    struct blob blob;
    struct error err;
    if (assets_read(assets, path, &blob, &err) == 0)
        blob_release(&blob);
}

TEST(finding_is_noted_with_its_end)
{
    struct trace trace = {0};
    struct asset_tree tree = open_traced(two_files(), &trace);
    assets_find(tree.assets, "models/a.txt");
    assets_find(tree.assets, "Models/b.TXT");
    assets_find(tree.assets, "models/c.txt");
    assets_find(tree.assets, "../a.txt");
    assets_find(tree.assets, "models");
    assert_traced(&trace, LOOK_FOUND, "models/a.txt Models/b.TXT=models/B.txt");
    assert_traced(&trace, LOOK_ABSENT, "models/c.txt ../a.txt models");
    assert_traced(&trace, LOOK_READ, "");
    trace_release(&trace);
}

TEST(reading_is_noted_with_the_hash)
{
    struct trace trace = {0};
    struct asset_tree tree = open_traced(two_files(), &trace);
    char hash[HASH_SIZE];
    read_file(tree.assets, "models/a.txt");
    read_file(tree.assets, "models/b.txt");
    read_file(tree.assets, "models/c.txt");
    assert_traced(&trace, LOOK_READ, "models/a.txt models/B.txt");
    assert_traced(&trace, LOOK_FOUND, "models/b.txt=models/B.txt");
    assert_traced(&trace, LOOK_ABSENT, "models/c.txt");
    hash_bytes((struct bytes){(const uint8_t *)"two", 3}, hash);
    assert_string_equal(trace_find(&trace, LOOK_READ, "models/B.txt")->value, hash);
    trace_release(&trace);
}

TEST(a_file_that_cannot_be_read_has_no_hash)
{
    struct trace trace = {0};
    struct asset_tree tree = open_traced(two_files(), &trace);
    char *path = must_printf("%s/models/a.txt", tree.folder);
    assets_find(tree.assets, "models/a.txt");
    unlink(path);
    read_file(tree.assets, "models/a.txt");
    assert_string_equal(trace_find(&trace, LOOK_READ, "models/a.txt")->value, TRACE_UNREADABLE);
    free(path);
    trace_release(&trace);
}

TEST(listing_is_noted_with_what_matched)
{
    struct trace trace = {0};
    struct asset_tree tree = open_traced(two_files(), &trace);
    struct strings names = {0};
    struct error err;
    char hash[HASH_SIZE];
    assets_glob(tree.assets, "models/*.txt", &names, &err);
    assets_hash_list(&names, hash);
    assert_string_equal(trace_find(&trace, LOOK_LISTED, "models/*.txt")->value, hash);
    assets_hash_list(&(struct strings){0}, hash);
    assets_glob(tree.assets, "models/*.md2", &(struct strings){0}, &err);
    assert_string_equal(trace_find(&trace, LOOK_LISTED, "models/*.md2")->value, hash);
    assert_traced(&trace, LOOK_ABSENT, "");
    assets_hash_list(&names, hash);
    names.count--;
    char fewer[HASH_SIZE];
    assets_hash_list(&names, fewer);
    names.count++;
    assert_string_not_equal(hash, fewer);
    strings_release(&names);
    trace_release(&trace);
}

TEST(without_a_trace_nothing_is_noted)
{
    struct trace trace = {0};
    struct asset_tree tree = open_traced(two_files(), &trace);
    assert_ptr_equal(assets_trace(tree.assets, NULL), &trace);
    assets_find(tree.assets, "models/a.txt");
    read_file(tree.assets, "models/a.txt");
    assert_int_equal(trace.count, 0);
    assert_null(assets_trace(tree.assets, &trace));
    trace_release(&trace);
}

/* -- Declarations ------------------------------------------------------------------------------------------ */

static struct asset_tree materials(const char *a, const char *b)
{
    struct asset_tree tree = asset_tree_new();
    asset_tree_add(&tree, "materials/a.mtr", a);
    asset_tree_add(&tree, "materials/b.mtr", b);
    asset_tree_add(&tree, "x.tga", "");
    return tree;
}

static void resolve(struct asset_tree *tree, const char *shader)
{
    struct look material;
    material_from_shader(tree->assets, "models/a.md5mesh", shader, false, &material);
    material_release(&material);
}

TEST(only_the_file_of_the_name_is_read)
{
    struct trace trace = {0};
    struct asset_tree tree = open_traced(materials("a { diffusemap x }", "b { } c {"), &trace);
    resolve(&tree, "A");
    assert_traced(&trace, LOOK_DECLARED, "materials A=materials/a.mtr");
    assert_traced(&trace, LOOK_READ, "materials/a.mtr");
    assert_traced(&trace, LOOK_LISTED, "");
    trace_release(&trace);
}

/* A second job that asks the index, which is there already, is told the same. */
TEST(an_index_is_traced_for_each_that_asks)
{
    struct trace first = {0}, second = {0};
    struct asset_tree tree = open_traced(materials("a { diffusemap x }", "b { diffusemap x }"), &first);
    resolve(&tree, "a");
    assets_trace(tree.assets, &second);
    resolve(&tree, "b");
    assert_traced(&second, LOOK_DECLARED, "materials b=materials/b.mtr");
    assert_traced(&second, LOOK_READ, "materials/b.mtr");
    trace_release(&first);
    trace_release(&second);
}

/* A shader declared nowhere has the warnings of all files. */
TEST(what_is_wrong_with_any_file_is_noted_for_a_name_not_declared)
{
    struct trace sound = {0}, broken = {0};
    struct asset_tree tree = open_traced(materials("a { }", "b { }"), &sound);
    resolve(&tree, "x");
    assert_null(trace_find(&sound, LOOK_DECLARED, "materials x")->value);
    assert_null(trace_find(&sound, LOOK_DECLARED, "materials")->value);
    tree = open_traced(materials("a { }", "b {"), &broken);
    resolve(&tree, "x");
    assert_non_null(trace_find(&broken, LOOK_DECLARED, "materials")->value);
    assert_null(trace_find(&broken, LOOK_READ, "materials/b.mtr"));
    trace_release(&sound);
    trace_release(&broken);
}

TEST(a_skin_file_that_is_named_is_read_and_not_indexed)
{
    struct trace trace = {0};
    struct asset_tree tree = asset_tree_new();
    asset_tree_add(&tree, "a.skin", "skin s { x y }");
    tree = open_traced(tree, &trace);
    struct skin_decl skin;
    struct error err;
    assert_int_equal(skin_decl_find(tree.assets, "a.skin", "s", &skin, &err), 0);
    skin_decl_release(&skin);
    assert_traced(&trace, LOOK_READ, "a.skin");
    assert_traced(&trace, LOOK_DECLARED, "");
    trace_release(&trace);
}

TEST(every_look_up_of_declarations_can_be_repeated)
{
    struct trace trace = {0};
    struct asset_tree tree = open_traced(materials("a { diffusemap x }", "b {"), &trace);
    resolve(&tree, "a");
    resolve(&tree, "nothing");
    assets_trace(tree.assets, NULL);
    for (size_t i = 0; i < trace.count; i++) {
        const struct look_up *item = &trace.items[i];
        char *value = NULL;
        if (item->kind != LOOK_DECLARED)
            continue;
        assert_true(declaration_look_again(tree.assets, item->name, &value));
        assert_int_equal(value == NULL, item->value == NULL);
        if (value)
            assert_string_equal(value, item->value);
        free(value);
    }
    char *value;
    assert_false(declaration_look_again(tree.assets, "sounds x", &value));
    assert_false(declaration_look_again(tree.assets, "", &value));
    trace_release(&trace);
}
