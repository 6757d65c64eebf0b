

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/page_worker.h"
#include "test.h"

static struct trace trace_of(const char *model_hash, const char *skin_hash)
{
    struct trace trace = {0};
    trace_note(&trace, LOOK_READ, "a.md2", model_hash);
    trace_note(&trace, LOOK_ABSENT, "a.tga", NULL);
    trace_note(&trace, LOOK_READ, "a.png", skin_hash);
    return trace;
}

static struct error err;

static int check(const struct same_inputs *inputs, struct trace trace)
{
    int result = same_inputs_check(inputs, 1, &trace, "a.md2", &err);
    trace_release(&trace);
    return result;
}

static int claim(struct same_inputs *inputs, struct trace trace)
{
    int result = same_inputs_claim(inputs, 1, &trace, "a.md2", &err);
    trace_release(&trace);
    return result;
}

TEST(file_read_twice_with_other_bytes_fails_the_page)
{
    struct same_inputs *inputs = same_inputs_new(2);
    struct trace mixed = trace_of("1", "2"), group = {0};
    trace_note(&mixed, LOOK_READ, "a.md2", "1");
    assert_null(mixed.changed);
    trace_note(&group, LOOK_READ, "a.md2", "9");
    trace_add(&mixed, &group);
    trace_release(&group);
    assert_string_equal(mixed.changed, "a.md2");
    struct trace job = {0};
    trace_add(&job, &mixed);
    assert_string_equal(job.changed, "a.md2");
    trace_release(&job);
    assert_int_equal(check(inputs, mixed), -1);
    assert_string_equal(err.text, "a.md2 was changed while the sheet was made");
    same_inputs_free(inputs);
}

TEST(pages_are_of_the_same_files)
{
    fact("pages of the same files go");
    struct same_inputs *inputs = same_inputs_new(2);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(check(inputs, trace_of("1", "2")), 0);
        assert_int_equal(claim(inputs, trace_of("1", "2")), 0);
    }
    same_inputs_free(inputs);
    fact("page of another file fails and names the model");
    inputs = same_inputs_new(2);
    assert_int_equal(claim(inputs, trace_of("1", "2")), 0);
    assert_int_equal(check(inputs, trace_of("1", "3")), -1);
    assert_int_equal(claim(inputs, trace_of("1", "3")), -1);
    assert_non_null(strstr(err.text, "a.md2, or another file"));
    assert_int_equal(claim(inputs, trace_of("2", "1")), -1);
    assert_int_equal(claim(inputs, trace_of("1", "2")), 0);
    same_inputs_free(inputs);
    fact("page that was not written claims nothing");
    inputs = same_inputs_new(2);
    assert_int_equal(check(inputs, trace_of("1", "2")), 0);
    assert_int_equal(check(inputs, trace_of("3", "2")), 0);
    assert_int_equal(claim(inputs, trace_of("3", "2")), 0);
    same_inputs_free(inputs);
    fact("order of look ups does not matter");
    inputs = same_inputs_new(2);
    struct trace other = {0};
    trace_note(&other, LOOK_READ, "a.png", "2");
    trace_note(&other, LOOK_READ, "a.md2", "1");
    trace_note(&other, LOOK_ABSENT, "a.tga", NULL);
    assert_int_equal(claim(inputs, trace_of("1", "2")), 0);
    assert_int_equal(claim(inputs, other), 0);
    same_inputs_free(inputs);
    fact("file that turned up is a change");
    inputs = same_inputs_new(2);
    struct trace more = trace_of("1", "2");
    trace_note(&more, LOOK_FOUND, "b", "b.png");
    assert_int_equal(claim(inputs, trace_of("1", "2")), 0);
    assert_int_equal(claim(inputs, more), -1);
    same_inputs_free(inputs);
    fact("other processes know");
    inputs = same_inputs_new(2);
    pid_t child = fork();
    if (child == 0)
        _exit(claim(inputs, trace_of("1", "2")) < 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(check(inputs, trace_of("1", "3")), -1);
    assert_int_equal(check(inputs, trace_of("1", "2")), 0);
    same_inputs_free(inputs);
}
