/* Which real files and folders look-ups in the assets hang on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "out/dependencies.h"
#include "temp_folder.h"

/* Two roots, "first" and "second"; the current folder is the one they are in. */
struct fixture {
    char *folder, **roots; /* two */
    struct assets *assets;
    struct dependencies *dependencies;
};

static struct fixture fixture_new(void)
{
    struct fixture fixture = {.folder = temp_folder_new()};
    temp_folder_add(fixture.folder, "first/models/a.md2", "");
    temp_folder_add(fixture.folder, "second/models/b.md2", "");
    temp_folder_add(fixture.folder, "second/Textures/deep/c.tga", "");
    temp_folder_add(fixture.folder, "second/materials/m.mtr", "");
    temp_folder_add(fixture.folder, "second/materials/n.mtr", "");
    fixture.roots = must_alloc(2, sizeof *fixture.roots);
    fixture.roots[0] = path_join(fixture.folder, "first");
    fixture.roots[1] = path_join(fixture.folder, "second");
    struct error err;
    const char *const *roots = (const char *const *)fixture.roots;
    assert_int_equal(assets_open(roots, 2, &fixture.assets, &err), 0);
    fixture.dependencies = dependencies_new();
    dependencies_set_assets(fixture.dependencies, fixture.assets, roots, 2);
    assert_int_equal(chdir(fixture.folder), 0);
    return fixture;
}

/* Of one look-up. */
static void expect(enum look_up_kind kind, const char *name, const char *wanted)
{
    struct fixture fixture = fixture_new();
    struct trace trace = {0};
    struct strings paths = {0};
    struct buffer text = {0};
    trace_note(&trace, kind, name, NULL);
    dependencies_add_look_ups(fixture.dependencies, &trace);
    dependencies_list(fixture.dependencies, &paths);
    for (size_t i = 0; i < paths.count; i++)
        buffer_printf(&text, "%s%s", i ? " " : "", paths.items[i]);
    assert_string_equal(text.text, wanted);
    buffer_release(&text);
    strings_release(&paths);
    trace_release(&trace);
    dependencies_free(fixture.dependencies);
    assets_close(fixture.assets);
    free(fixture.roots[0]);
    free(fixture.roots[1]);
    free(fixture.roots);
    assert_int_equal(chdir("/"), 0);
    temp_folder_free(fixture.folder);
}

static void a_file_of_the_first_root_is_all(void **state)
{
    (void)state;
    expect(LOOK_READ, "models/a.md2", "first/models/a.md2");
}

static void of_a_file_spelled_otherwise_it_counts_that_none_has_the_very_name(void **state)
{
    (void)state;
    expect(LOOK_FOUND, "Models/A.md2", "first first/models first/models/a.md2 second second/models");
}

static void of_another_root_it_counts_that_none_is_before_it(void **state)
{
    (void)state;
    expect(LOOK_READ, "models/b.md2", "first first/models second/models/b.md2");
    expect(LOOK_READ, "textures/deep/c.tga",
           "first second second/Textures second/Textures/deep second/Textures/deep/c.tga");
}

static void a_file_that_is_not_there_is_the_folders_on_its_way_in_each_root(void **state)
{
    (void)state;
    expect(LOOK_ABSENT, "models/c.md2", "first first/models second second/models");
    expect(LOOK_ABSENT, "textures\\deep/none/d.tga", "first second second/Textures second/Textures/deep");
    expect(LOOK_ABSENT, "d.tga", "first second");
}

static void a_pattern_is_the_folders_it_looks_into(void **state)
{
    (void)state;
    expect(LOOK_LISTED, "models/*.md2", "first first/models second second/models");
    expect(LOOK_LISTED, "models/x*", "first first/models second second/models");
    expect(LOOK_LISTED, "textures/**/c.*", "first second second/Textures second/Textures/deep");
    expect(LOOK_LISTED, "textures/*/c.*", "first second second/Textures second/Textures/deep");
}

static void a_name_that_looks_like_a_pattern_is_none(void **state)
{
    (void)state;
    expect(LOOK_ABSENT, "textures/**/c[1].tga", "first second second/Textures");
}

static void a_declared_name_is_all_files_that_may_declare_it(void **state)
{
    (void)state;
    expect(LOOK_DECLARED, "materials imp",
           "first second second/materials second/materials/m.mtr second/materials/n.mtr");
}

static void an_archive_is_itself(void **state)
{
    (void)state;
    static const uint8_t pak[] = {'P', 'A', 'C', 'K', 12, 0, 0, 0, 0, 0, 0, 0};
    char *folder = temp_folder_new(), *path = temp_folder_write(folder, "a.pak", pak, sizeof pak);
    const char *roots[] = {path};
    struct assets *assets;
    struct error err = {""};
    struct strings paths = {0};
    struct trace trace = {0};
    if (assets_open(roots, 1, &assets, &err) < 0)
        fail_msg("%s", err.text);
    struct dependencies *dependencies = dependencies_new();
    dependencies_set_assets(dependencies, assets, roots, 1);
    trace_note(&trace, LOOK_ABSENT, "models/a.md2", NULL);
    trace_note(&trace, LOOK_LISTED, "models/*.md2", "");
    assert_int_equal(chdir("/usr"), 0); /* not above it */
    dependencies_add_look_ups(dependencies, &trace);
    dependencies_list(dependencies, &paths);
    assert_int_equal(paths.count, 1);
    assert_string_equal(paths.items[0], path);
    strings_release(&paths);
    trace_release(&trace);
    dependencies_free(dependencies);
    assets_close(assets);
    free(path);
    temp_folder_free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_the_first_root_is_all),
        cmocka_unit_test(of_a_file_spelled_otherwise_it_counts_that_none_has_the_very_name),
        cmocka_unit_test(of_another_root_it_counts_that_none_is_before_it),
        cmocka_unit_test(a_file_that_is_not_there_is_the_folders_on_its_way_in_each_root),
        cmocka_unit_test(a_pattern_is_the_folders_it_looks_into),
        cmocka_unit_test(a_name_that_looks_like_a_pattern_is_none),
        cmocka_unit_test(a_declared_name_is_all_files_that_may_declare_it),
        cmocka_unit_test(an_archive_is_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
