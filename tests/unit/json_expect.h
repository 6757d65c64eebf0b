/* Looks into JSON that was saved. */
#ifndef TESTS_JSON_EXPECT_H
#define TESTS_JSON_EXPECT_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "test.h"

/* The blob is released; the JSON is the caller's. */
static inline json_t *json_of(struct blob blob)
{
    json_error_t error;
    json_t *root = json_loadb((const char *)blob.data, blob.size, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%d: %s", error.line, error.text);
    blob_release(&blob);
    return root;
}

/* The value under keys parted by '>', as compact JSON; "(none)" where there is none. */
static inline void expect(json_t *root, const char *path, const char *expected)
{
    char keys[256];
    snprintf(keys, sizeof keys, "%s", path);
    json_t *value = root;
    char *rest = keys, *key;
    while (value && (key = strsep(&rest, ">")))
        value = json_object_get(value, key);
    char *text = value
                     ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_REAL_PRECISION(15))
                     : NULL;
    assert_string_equal(text ? text : "(none)", expected);
    free(text);
}

#endif
