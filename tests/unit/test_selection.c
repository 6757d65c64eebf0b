

#include "run/selection.h"
#include "test.h"

static struct selection *selection;

static int new_selection(void **state)
{
    (void)state;
    selection = selection_new(3);
    return 0;
}

static int free_selection(void **state)
{
    (void)state;
    selection_free(selection);
    return 0;
}

static bool is_odd(const void *context, size_t job, uint32_t page)
{
    (void)context;
    return (job + page) % 2;
}

TEST_WITH(everything_is_wanted_at_first, new_selection, free_selection)
{
    assert_int_equal(selection_job_count(selection), 3);
    assert_int_equal(selection_pages(selection, 0), 0);
    assert_true(selection_has_job(selection, 0));
    assert_true(selection_has(selection, 2, 1000 * 1000));
}

TEST_WITH(pages_left_out_are_passed_over, new_selection, free_selection)
{
    selection_set_pages(selection, 1, 5);
    selection_leave_page(selection, 1, 0);
    selection_leave_page(selection, 1, 3);
    assert_int_equal(selection_next(selection, 1, 0, 5), 1);
    assert_int_equal(selection_next(selection, 1, 3, 5), 4);
    assert_int_equal(selection_next(selection, 1, 5, 5), 5);
    assert_int_equal(selection_count(selection, 1, 0, 5), 3);
    assert_int_equal(selection_count(selection, 1, 3, 5), 1);
    assert_true(selection_has_job(selection, 1));
    assert_true(selection_has(selection, 0, 3));
}

TEST_WITH(job_with_all_pages_left_out_is_not_opened, new_selection, free_selection)
{
    selection_set_pages(selection, 1, 2);
    selection_leave_page(selection, 1, 0);
    selection_leave_page(selection, 1, 1);
    assert_false(selection_has_job(selection, 1));
    assert_int_equal(selection_next(selection, 1, 0, 2), 2);
}

TEST_WITH(share_leaves_out_what_is_anothers, new_selection, free_selection)
{
    selection_set_share(selection, is_odd, NULL);
    assert_false(selection_has(selection, 0, 0));
    assert_int_equal(selection_next(selection, 0, 0, 4), 1);
    assert_int_equal(selection_count(selection, 1, 0, 3), 2);
}

TEST_WITH(share_and_pages_left_out_are_combined, new_selection, free_selection)
{
    selection_set_share(selection, is_odd, NULL);
    selection_set_pages(selection, 0, 4);
    selection_leave_page(selection, 0, 1);
    assert_int_equal(selection_count(selection, 0, 0, 4), 1);
    selection_leave_page(selection, 0, 3);
    assert_false(selection_has_job(selection, 0));
}

TEST_WITH(job_of_unknown_pages_is_opened_though_the_first_is_anothers, new_selection, free_selection)
{
    selection_set_share(selection, is_odd, NULL);
    assert_false(selection_has(selection, 2, 0));
    assert_true(selection_has_job(selection, 2));
}

TEST_WITH(job_left_out_is_not_opened_whether_its_pages_are_known_or_not, new_selection, free_selection)
{
    selection_leave_job(selection, 2);
    assert_false(selection_has_job(selection, 2));
    assert_false(selection_has(selection, 2, 0));
    selection_set_pages(selection, 0, 4);
    selection_leave_job(selection, 0);
    assert_false(selection_has_job(selection, 0));
    assert_int_equal(selection_count(selection, 0, 0, 4), 0);
}

TEST(nothing_can_be_freed)
{
    selection_free(NULL);
    struct selection *empty = selection_new(0);
    assert_int_equal(selection_job_count(empty), 0);
    selection_free(empty);
}
