/* Files of JSON are spelled as the library spells them. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/json_file.h"
#include "sheet/json_value.h"
#include "test.h"

/* Each sign that is escaped, each kind of value, and keys that are not said in their order. */
static void say(struct json_file *json, const char *all)
{
    static const char *const texts[] = {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", ""};
    json_add(json, "{su605bnt[.[]{}{.", "text", all, "whole", 12u, "third", 1. / 3, "great", 1e300, "half", -0.5,
             "is", true, "none", "texts", texts, (size_t)2, "gone", "list", "nothing", "gone too");
    json_add(json, "s[{}[u{u}]6b]", "left out", (const char *)NULL, "b", 7u, "b", 8u, 1e-6, false);
    json_add(json, "us}", all, 1u, "", "first");
}

static json_t *make_value(const char *all)
{
    return json_pack("{s:s, s:i, s:f, s:f, s:f, s:b, s:n, s:[s,s], s:[], s:{}, s:[{},[i,{s:i}],f,b], s:i, s:s}",
                     "text", all, "whole", 12, "third", 0.333333, "great", 1e300, "half", -0.5, "is", 1, "none",
                     "texts", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "", "list", "nothing", "b", 7, "b", 8,
                     1e-6, 0, all, 1, "", "first");
}

static void expect_spelling(bool is_compact, size_t flags)
{
    char all[260] = "";
    for (int i = 1; i < 128; i++)
        all[i - 1] = (char)i;
    struct json_file json = {.is_compact = is_compact};
    struct blob file;
    struct error err;
    json_t *value = make_value(all);
    assert_non_null(value);
    char *wanted = json_dumps(value, JSON_REAL_PRECISION(15) | JSON_SORT_KEYS | flags);
    say(&json, all);
    assert_int_equal(json_finish(&json, &file, &err), 0);
    assert_int_equal(file.data[file.size - 1], '\n');
    file.data[file.size - 1] = '\0';
    assert_string_equal((const char *)file.data, wanted);
    assert_int_equal(file.size, strlen(wanted) + 1);
    free(wanted);
    json_decref(value);
    blob_release(&file);
}

TEST(files_are_spelled_as_the_library_does)
{
    expect_spelling(false, JSON_INDENT(1));
    expect_spelling(true, JSON_COMPACT);
}

TEST(of_two_keys_the_later_counts)
{
    struct json_file json = {.is_compact = true};
    struct blob file;
    struct error err;
    json_add(&json, "{u{u}uuu}", "b", 1u, "a", "z", 2u, "b", 3u, "a", 4u, "c\xff", 5u);
    assert_int_equal(json_finish(&json, &file, &err), 0);
    file.data[file.size - 1] = '\0';
    assert_string_equal((const char *)file.data, "{\"a\":4,\"b\":3,\"c?\":5}");
    blob_release(&file);
}

TEST(a_number_that_is_not_finite_is_no_file)
{
    struct json_file json = {0};
    struct blob file;
    struct error err;
    json_add(&json, "{3}", "a", (double)INFINITY);
    assert_int_equal(json_finish(&json, &file, &err), -1);
    assert_int_equal(json_save(NULL, 0, &file, &err), -1);
}
