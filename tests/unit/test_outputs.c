#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "out/outputs.h"
#include "temp_folder.h"

static const struct job orc = {.name = "orc"}, imp = {.name = "imp"};
static const struct job_list list = {.output = "/sheets/one"}, other_list = {.output = "/sheets/two"};

static void a_page_belongs_to_the_first_job_that_claims_it(void **state)
{
    (void)state;
    struct outputs *outputs = outputs_new(0);
    assert_null(outputs_claim(outputs, &list, &orc, "orc-1.png"));
    assert_ptr_equal(outputs_claim(outputs, &list, &imp, "orc-1.png"), &orc);
    assert_ptr_equal(outputs_claim(outputs, &list, &imp, "orc-1.png"), &orc);
    outputs_free(outputs);
}

static void a_job_may_claim_its_pages_again(void **state)
{
    (void)state;
    struct outputs *outputs = outputs_new(0);
    assert_null(outputs_claim(outputs, &list, &orc, "orc.png"));
    assert_null(outputs_claim(outputs, &list, &orc, "orc.png"));
    outputs_free(outputs);
}

static void names_are_kept_apart(void **state)
{
    (void)state;
    struct outputs *outputs = outputs_new(0);
    assert_null(outputs_claim(outputs, &list, &orc, "orc.png"));
    assert_null(outputs_claim(outputs, &list, &imp, "orc-1.png"));
    assert_null(outputs_claim(outputs, &list, &imp, "folder/orc.png"));
    outputs_free(outputs);
}

static void folders_of_lists_are_kept_apart(void **state)
{
    (void)state;
    struct outputs *outputs = outputs_new(0);
    assert_null(outputs_claim(outputs, &list, &orc, "a.png"));
    assert_null(outputs_claim(outputs, &other_list, &imp, "a.png"));
    assert_ptr_equal(outputs_claim(outputs, &list, &imp, "a.png"), &orc);
    assert_ptr_equal(outputs_claim(outputs, &other_list, &orc, "a.png"), &imp);
    outputs_free(outputs);
}

static void a_folder_is_the_same_however_it_is_spelled(void **state)
{
    (void)state;
    char *folder = temp_folder_new();
    char *around = must_printf("%s/./sub/..//out", folder), *link = must_printf("%s/link", folder);
    char *real = must_printf("%s/out", folder), *through = must_printf("%s/link/out", folder);
    temp_folder_add(folder, "sub/file", "");
    assert_int_equal(symlink(folder, link), 0);

    const struct job_list lists[] = {{.output = real}, {.output = around}, {.output = through}};
    struct outputs *outputs = outputs_new(0);
    assert_null(outputs_claim(outputs, &lists[0], &orc, "a.png"));
    assert_ptr_equal(outputs_claim(outputs, &lists[1], &imp, "a.png"), &orc);
    assert_ptr_equal(outputs_claim(outputs, &lists[2], &imp, "a.png"), &orc);
    outputs_free(outputs);
    free(around);
    free(link);
    free(real);
    free(through);
    temp_folder_free(folder);
}

static void a_name_is_copied(void **state)
{
    (void)state;
    struct outputs *outputs = outputs_new(0);
    char name[] = "a.png";
    assert_null(outputs_claim(outputs, &list, &orc, name));
    name[0] = 'b';
    assert_null(outputs_claim(outputs, &list, &imp, name));
    outputs_free(outputs);
}

static void claims_are_kept_however_many_there_are(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    struct outputs *outputs = outputs_new(100);
    char name[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "sheet-%d.png", i);
        assert_null(outputs_claim(outputs, &list, i % 2 ? &orc : &imp, name));
    }
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "sheet-%d.png", i);
        assert_ptr_equal(outputs_claim(outputs, &list, i % 2 ? &imp : &orc, name), i % 2 ? &orc : &imp);
    }
    outputs_free(outputs);
}

static void freeing_nothing_is_fine(void **state)
{
    (void)state;
    outputs_free(NULL);
    outputs_free(outputs_new(0));
}

static void a_page_claims_all_of_its_files(void **state)
{
    (void)state;
    static const struct job shaded = {.name = "orc",
                                      .passes = 1 << PASS_COLOR | 1 << PASS_NORMAL,
                                      .metadata = 1 << METADATA_JSON | 1 << METADATA_ASEPRITE};
    static const struct job plain = {.name = "imp", .passes = 1 << PASS_COLOR, .metadata = 1 << METADATA_JSON};
    static const char *const taken[] = {"orc", "orc.normal", "orc.aseprite"}, *const others[] = {"orc.depth",
                                                                                                 "orc-1"};
    for (size_t i = 0; i < 3; i++) {
        struct outputs *outputs = outputs_new(0);
        assert_null(outputs_claim_page(outputs, &list, &shaded, "orc"));
        assert_null(outputs_claim_page(outputs, &list, &shaded, "orc"));
        assert_ptr_equal(outputs_claim_page(outputs, &list, &plain, taken[i]), &shaded);
        outputs_free(outputs);
    }
    struct outputs *outputs = outputs_new(0);
    assert_null(outputs_claim_page(outputs, &list, &shaded, "orc"));
    for (size_t i = 0; i < 2; i++)
        assert_null(outputs_claim_page(outputs, &list, &plain, others[i]));
    outputs_free(outputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_belongs_to_the_first_job_that_claims_it),
        cmocka_unit_test(a_job_may_claim_its_pages_again),
        cmocka_unit_test(names_are_kept_apart),
        cmocka_unit_test(folders_of_lists_are_kept_apart),
        cmocka_unit_test(a_folder_is_the_same_however_it_is_spelled),
        cmocka_unit_test(a_name_is_copied),
        cmocka_unit_test(claims_are_kept_however_many_there_are),
        cmocka_unit_test(freeing_nothing_is_fine),
        cmocka_unit_test(a_page_claims_all_of_its_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
