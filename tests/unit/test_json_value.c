/* Files of JSON are spelled as the library spells them. */
#include <stdlib.h>
#include <string.h>

#include "sheet/json_value.h"
#include "test.h"

/* With each sign that is escaped, each kind of value, and keys that are not set in their order. */
static json_t *make_value(void)
{
    char all[260] = "";
    for (int i = 1; i < 128; i++)
        all[i - 1] = (char)i;
    json_t *value = json_pack("{s:s, s:i, s:f, s:f, s:b, s:n, s:[], s:{}, s:[s,[i,{s:i}],f]}", "text", all,
                              "whole", -12, "third", 1. / 3, "great", 1e300, "is", 1, "none", "empty", "nothing",
                              "list", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 7, "b", 8, 0.5);
    json_object_set_new(value, all, json_string(""));
    json_object_set_new(value, "", json_real(-0.0));
    return value;
}

static void expect_spelling(enum json_style style, size_t flags)
{
    struct blob file;
    struct error err;
    json_t *value = make_value();
    assert_non_null(value);
    char *wanted = json_dumps(value, JSON_REAL_PRECISION(15) | flags);
    assert_int_equal(json_save(value, true, style, &file, &err), 0);
    assert_int_equal(file.size, strlen(wanted) + 1);
    assert_memory_equal(file.data, wanted, strlen(wanted));
    assert_int_equal(file.data[file.size - 1], '\n');
    free(wanted);
    blob_release(&file);
}

TEST(values_are_spelled_as_the_library_does)
{
    expect_spelling(JSON_AS_SET, JSON_INDENT(1));
    expect_spelling(JSON_SORTED, JSON_INDENT(1) | JSON_SORT_KEYS);
    expect_spelling(JSON_COMPACTED, JSON_COMPACT | JSON_SORT_KEYS);
}

TEST(values_that_were_not_made_are_no_file)
{
    struct blob file;
    struct error err;
    assert_int_equal(json_save(json_object(), false, JSON_SORTED, &file, &err), -1);
}
