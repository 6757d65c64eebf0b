/* What we read of a JSON and what jansson reads of it are the same, and so is what both refuse: but for bytes that are 0,
 * which jansson skips. */
#include <jansson.h>

#include "base/buffer.h"
#include "blobs.h"
#include "test.h"
#include "format/gltf.h"

static void assert_same(const struct json *ours, const json_t *theirs)
{
    const char *name;
    json_t *value;
    switch (json_typeof(theirs)) {
    case JSON_OBJECT:
        assert_true(gltf_is(ours, GLTF_OBJECT));
        assert_true(ours->count >= json_object_size(theirs)); /* we keep those that later ones replace */
        json_object_foreach((json_t *)theirs, name, value) assert_same(gltf_get(ours, name), value);
        break;
    case JSON_ARRAY:
        assert_true(gltf_is(ours, GLTF_LIST));
        assert_int_equal(gltf_length(ours), json_array_size(theirs));
        for (size_t i = 0; i < json_array_size(theirs); i++)
            assert_same(gltf_at(ours, i), json_array_get(theirs, i));
        break;
    case JSON_STRING:
        assert_true(gltf_is(ours, GLTF_STRING));
        assert_string_equal(ours->text, json_string_value(theirs));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        assert_true(gltf_is(ours, GLTF_NUMBER));
        const double number = json_number_value(theirs);
        assert_memory_equal(&ours->number, &number, sizeof number);
        break;
    case JSON_TRUE:
        assert_true(gltf_is(ours, GLTF_TRUE));
        break;
    default:
        assert_true(gltf_is(ours, GLTF_FALSE_OR_NULL));
    }
}

/* Reads a copy of just that size; returns whether it is well formed. */
static bool agree(const char *text, size_t size)
{
    struct gltf gltf = {0};
    struct bytes bytes = exact_copy(text, size);
    json_error_t problem;
    json_t *theirs = json_loadb((const char *)bytes.data, size, 0, &problem);
    int result = gltf_parse(&gltf, bytes);
    if (memchr(text, '\0', size)) {
        assert_int_equal(result, -1);
        assert_string_equal(gltf.err.text, "the JSON cannot be read: it has a byte that is 0");
    } else if ((result == 0) != json_is_object(theirs))
        fail_msg("'%.*s': we say '%s', jansson says '%s'", (int)size, text, gltf.err.text, problem.text);
    else if (result == 0)
        assert_same(gltf.root, theirs);
    else if (!theirs && !strstr(gltf.err.text, problem.text))
        fail_msg("'%s' is not in '%s'", problem.text, gltf.err.text);
    arena_release(&gltf.scratch);
    json_decref(theirs);
    free((void *)bytes.data);
    return result == 0;
}

static const char sample[] =
    " {\"a\" : [0, 7,-3,12.5e1,1E-3 ],\n\t\"bc\":{\"\":\"\",\"d\\n\\u00e9\\/\":\"\\ud83d\\ude00 \xc3\xa9\"},"
    "\"e\":[[],{},true,false,null,[{\"f\":\"g\"}]],\"a\":123456789012345678}";

TEST(all_kinds_of_values_are_read)
{
    assert_true(agree(sample, strlen(sample)));
}

TEST(what_is_broken_is_refused_wherever_it_is)
{
    static const char bytes[] = "\"\\{}[],: \n09-+.eEu/tnadf\x7f\x1f\x80\xc3\xe2\xed\xf4\xff"; /* and NUL */
    for (size_t i = 0; i < strlen(sample); i++) {
        agree(sample, i);
        for (size_t k = 0; k < sizeof bytes; k++) {
            char text[sizeof sample + 1];
            memcpy(text, sample, sizeof sample);
            text[i] = bytes[k];
            agree(text, strlen(sample)); /* changed */
            memcpy(text + i + 1, sample + i, sizeof sample - i);
            agree(text, strlen(sample) + 1); /* added */
        }
    }
}

TEST(odd_numbers_and_strings_are_as_jansson_has_them)
{
    static const struct {
        const char *value;
        bool is_read;
    } values[] = {
        {"999999999999999", true},
        {"9999999999999999", true},
        {"9223372036854775807", true},
        {"9223372036854775808", false},
        {"-0", true},
        {"-0.0", true},
        {"1e308", true},
        {"1e309", false},
        {"1e-400", true},
        {"00", false},
        {"01", false},
        {"1.", false},
        {".5", false},
        {"+1", false},
        {"0x10", false},
        {"NaN", false},
        {"Infinity", false},
        {"truest", false},
        {"1 2", false},
        {"[1,]", false},
        {"[,1]", false},
        {"[1}", false},
        {"\"\\u0000\"", false},
        {"\"\\ud800\"", false},
        {"\"\\udc00\\ud800\"", false},
        {"\"\xed\xa0\x80\"", false},
        {"\"\xc0\x80\"", false},
        {"\"\xf4\x90\x80\x80\"", false},
        {"\"\x7f\"", true},
        {"\"\t\"", false},
        {"\"\\", false},
        {"{\"\\u0000\":1}", false},
        {"{\"a\":1,\"a\":2,\"\\u0061\":3}", true},
        {"{a:1}", false},
        {"{\"a\":1,}", false},
        {"{1\":1}", false},
        {"{\"a\" 1}", false},
        {"1}}", false},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *text = must_printf("{\"v\":%s}", values[i].value);
        fact(text);
        assert_int_equal(agree(text, strlen(text)), values[i].is_read);
        free(text);
    }
}

TEST(lists_may_be_as_deep_as_jansson_allows)
{
    for (int depth = JSON_PARSER_MAX_DEPTH - 3; depth <= JSON_PARSER_MAX_DEPTH + 1; depth++) {
        for (int has_value = 0; has_value < 2; has_value++) {
            struct buffer text = {0};
            buffer_printf(&text, "{\"v\":");
            for (int i = 0; i < depth; i++)
                buffer_add(&text, "[", 1);
            buffer_add(&text, "1", (size_t)has_value);
            for (int i = 0; i < depth; i++)
                buffer_add(&text, "]", 1);
            buffer_add(&text, "}", 1);
            assert_int_equal(agree(text.text, text.length), 1 + depth + has_value <= JSON_PARSER_MAX_DEPTH);
            buffer_release(&text);
        }
    }
}

TEST(of_members_with_one_name_the_last_counts_in_large_objects_too)
{
    for (int count = 1; count < 200; count += count < 40 ? 1 : 31) {
        struct buffer text = {0};
        for (int i = 0; i < 3 * count; i++)
            buffer_printf(&text, "%c\"n%d\":%d", i ? ',' : '{', i * 7 % count, i);
        buffer_add(&text, "}", 1);
        assert_true(agree(text.text, text.length));
        buffer_release(&text);
    }
}

static size_t allocation_count;

static void *count_and_alloc(size_t size)
{
    allocation_count++;
    return malloc(size);
}

TEST(what_is_plain_is_read_without_jansson)
{
    static const char plain[] = "{\"a\":[{\"b\":1},{\"c\":[2,3,{}]}],\"d\":\"e\"}";
    struct gltf gltf = {0};
    json_malloc_t take;
    json_free_t release;
    json_get_alloc_funcs(&take, &release);
    json_set_alloc_funcs(count_and_alloc, free);
    int result = gltf_parse(&gltf, (struct bytes){(const uint8_t *)plain, strlen(plain)});
    json_set_alloc_funcs(take, release);
    arena_release(&gltf.scratch);
    assert_int_equal(result, 0);
    assert_int_equal(allocation_count, 0);
}

TEST(a_message_names_the_line_and_the_column)
{
    static const char text[] = "{\n \"a\": [1,\n  tru]}";
    struct gltf gltf = {0};
    assert_int_equal(gltf_parse(&gltf, (struct bytes){(const uint8_t *)text, strlen(text)}), -1);
    arena_release(&gltf.scratch);
    assert_string_equal(gltf.err.text, "the JSON cannot be read: line 3, column 5: invalid token near 'tru'");
}

TEST(there_is_a_limit_of_values)
{
    enum { MORE = 9 << 20 };
    struct gltf gltf = {0};
    char *text = malloc(MORE);
    memset(text, ',', MORE);
    assert_int_equal(gltf_parse(&gltf, (struct bytes){(const uint8_t *)text, MORE}), -1);
    assert_string_equal(gltf.err.text, "more than 8388608 values and names in the JSON");
    arena_release(&gltf.scratch);
    free(text);
}
