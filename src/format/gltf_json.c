#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/gltf.h"

/* Values and names. A rich character has 300,000, and each takes 16 bytes. */
enum { MOST_VALUES = 8 << 20 };

/* An object with more members has them sorted: hostile files look through a million of them a million times. */
enum { MOST_UNSORTED = 32 };

bool gltf_failed(const struct gltf *gltf)
{
    return *gltf->err.text;
}

int gltf_fail(struct gltf *gltf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!gltf_failed(gltf))
        vsnprintf(gltf->err.text, sizeof gltf->err.text, format, args);
    va_end(args);
    return -1;
}

/* -- Parsing ------------------------------------------------------------------------------------------------ */

/* Jansson's tree takes seven times as long and four times the memory. So jansson reads rare values alone: scalars that are
 * neither whole numbers nor ASCII without escapes; and a text that is broken, to say what is wrong with it.
 *
 * All values are in one array: a stack of the values whose list or object goes on at its front, the others at its end. */
struct parser {
    char *at;            /* in a copy of the text, which ends with NUL; strings become what they mean */
    const char *end;     /* of that text */
    struct json *top;    /* the next one of the stack */
    struct json *bottom; /* the first of the others */
    unsigned depth;
};

/* Signs that have a meaning outside strings. Each value or name but the first comes after one of the upper row. */
enum sign { PLAIN, BEFORE_VALUE, OTHER };
static const uint8_t signs[256] = {
    [','] = BEFORE_VALUE, [':'] = BEFORE_VALUE, ['['] = BEFORE_VALUE, ['{'] = BEFORE_VALUE,
    ['"'] = OTHER,        [']'] = OTHER,        ['}'] = OTHER};

static bool push(struct parser *parser, struct json value)
{
    assert(parser->top < parser->bottom);
    *parser->top++ = value;
    return true;
}

static void skip_space(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\r' || *parser->at == '\n')
        parser->at++;
}

/* Takes a mark with the space around it, if it comes next. */
static bool take(struct parser *parser, char mark)
{
    skip_space(parser);
    if (*parser->at != mark)
        return false;
    parser->at++;
    skip_space(parser);
    return true;
}

/* A scalar of that many bytes. No string is longer than it is written. */
static bool read_scalar(struct parser *parser, size_t length)
{
    json_t *scalar = json_loadb(parser->at, length, JSON_DECODE_ANY, NULL);
    if (!scalar)
        return false;
    struct json value = {.kind = json_is_true(scalar) ? GLTF_TRUE : GLTF_FALSE_OR_NULL};
    if (json_is_string(scalar)) {
        value = (struct json){.kind = GLTF_STRING, .text = parser->at};
        memcpy(parser->at, json_string_value(scalar), json_string_length(scalar) + 1);
    } else if (json_is_number(scalar))
        value = (struct json){.kind = GLTF_NUMBER, .number = json_number_value(scalar)};
    json_decref(scalar);
    parser->at += length;
    return push(parser, value);
}

static bool read_string(struct parser *parser)
{
    char *text = parser->at + 1, *end = text;
    bool is_plain = true;
    for (; *end && *end != '"'; end++) {
        is_plain &= *end >= ' ' && *end <= '~' && *end != '\\';
        end += *end == '\\' && end[1];
    }
    if (!is_plain || !*end)
        return *end && read_scalar(parser, (size_t)(end + 1 - parser->at));
    *end = '\0';
    parser->at = end + 1;
    return push(parser, (struct json){.kind = GLTF_STRING, .text = text});
}

static bool read_number_or_word(struct parser *parser)
{
    enum { MOST_DIGITS = 15 }; /* every such number is a double */
    const char *text = parser->at;
    const size_t length = strcspn(text, ",]} \t\r\n");
    size_t digits = 0;
    double number = 0;
    for (; digits < MOST_DIGITS && text[digits] >= '0' && text[digits] <= '9'; digits++)
        number = number * 10 + (text[digits] - '0');
    if (!digits || digits < length || (digits > 1 && *text == '0'))
        return read_scalar(parser, length);
    parser->at += digits;
    return push(parser, (struct json){.kind = GLTF_NUMBER, .number = number});
}

/* Compares names; members with the same name stay in the order of the file. */
static int compare_members(const void *a, const void *b)
{
    const struct json *left = a, *right = b;
    const int order = strcmp(left->text, right->text);
    return order ? order : (left->text > right->text) - (left->text < right->text);
}

static bool read_value(struct parser *parser);

/* Reads a list or an object. Its items leave the stack once they are read, and it takes their place. */
static bool read_items(struct parser *parser, enum gltf_kind kind)
{
    const bool is_object = kind == GLTF_OBJECT;
    const char end = is_object ? '}' : ']';
    struct json *first = parser->top;
    parser->at++;
    if (!take(parser, end)) {
        do {
            if (is_object && (*parser->at != '"' || !read_string(parser) || !take(parser, ':')))
                return false;
            if (!read_value(parser))
                return false;
        } while (take(parser, ','));
        if (!take(parser, end))
            return false;
    }
    const size_t value_count = (size_t)(parser->top - first), count = value_count / (is_object ? 2 : 1);
    parser->bottom -= value_count;
    memmove(parser->bottom, first, value_count * sizeof *first); /* the two may overlap */
    parser->top = first;
    if (is_object && count > MOST_UNSORTED)
        qsort(parser->bottom, count, 2 * sizeof *first, compare_members);
    return push(parser, (struct json){kind, (uint32_t)count, .items = parser->bottom});
}

static bool read_value(struct parser *parser)
{
    const char c = *parser->at;
    if (++parser->depth > JSON_PARSER_MAX_DEPTH) /* as jansson counts */
        return false;
    bool is_read = c == '{'   ? read_items(parser, GLTF_OBJECT)
                   : c == '[' ? read_items(parser, GLTF_LIST)
                   : c == '"' ? read_string(parser)
                              : read_number_or_word(parser);
    parser->depth--;
    return is_read;
}

/* Copies a text without what pictures do not need: lists at the top with most of a figure's text become empty. Returns how
 * many bytes are left. */
static size_t copy_for_pictures(const char *text, size_t size, char *out)
{
    static const char lists[] = "\"accessors\"\"animations\"\"meshes\"\"nodes\"";
    size_t kept = 0, name = 0, name_end = 0;
    char *end = out;
    int depth = 0;
    for (size_t i = 0; i < size; i++) {
        if (!signs[(uint8_t)text[i]])
            continue;
        if (text[i] == '"') {
            name = i;
            for (i++; i < size && text[i] != '"'; i++)
                i += text[i] == '\\';
            name_end = i + 1;
        } else if (text[i] == '[' && depth++ == 1 && memmem(lists, strlen(lists), text + name, name_end - name)) {
            end = mempcpy(end, text + kept, i + 1 - kept);
            kept = size;
        } else if (text[i] == '{') {
            depth++;
        } else if ((text[i] == ']' || text[i] == '}') && --depth == 1 && kept == size) {
            kept = i;
        }
    }
    return (size_t)((char *)mempcpy(end, text + kept, size - kept) - out);
}

int gltf_parse(struct gltf *gltf, struct bytes json)
{
    const char *written = (const char *)json.data;
    if (memchr(written, '\0', json.size)) /* jansson skips them */
        return gltf_fail(gltf, "the JSON cannot be read: it has a byte that is 0");
    char *text = arena_alloc(&gltf->scratch, json.size + 1, 1, &gltf->err);
    if (!text)
        return -1;
    const size_t size = gltf->for_pictures ? copy_for_pictures(written, json.size, text) : json.size;
    if (!gltf->for_pictures)
        memcpy(text, written, size);
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += signs[(uint8_t)text[i]] == BEFORE_VALUE;
    if (count > MOST_VALUES)
        return gltf_fail(gltf, "more than %d values and names in the JSON", MOST_VALUES);
    struct json *values = arena_alloc(&gltf->scratch, count, sizeof *values, &gltf->err);
    if (!values)
        return -1;
    struct parser parser = {text, text + size, values, values + count, 0};
    skip_space(&parser);
    if (!read_value(&parser) || parser.at < text + size) {
        json_error_t problem;
        json_decref(json_loadb(written, json.size, 0, &problem));
        return gltf_fail(gltf, "the JSON cannot be read: line %d, column %d: %s", problem.line, problem.column,
                         problem.text);
    }
    gltf->root = values;
    return gltf_is(values, GLTF_OBJECT) ? 0 : gltf_fail(gltf, "the JSON is not an object");
}

/* -- Values ------------------------------------------------------------------------------------------------- */

bool gltf_is(const struct json *value, enum gltf_kind kind)
{
    return value && value->kind == kind;
}

const struct json *gltf_get(const struct json *object, const char *name)
{
    if (!gltf_is(object, GLTF_OBJECT))
        return NULL;
    const struct json *members = object->items;
    uint32_t first = 0, end = object->count;
    while (end - first > MOST_UNSORTED) { /* they are sorted */
        const uint32_t middle = first + (end - first) / 2;
        if (strcmp(members[2 * middle].text, name) <= 0)
            first = middle;
        else
            end = middle;
    }
    while (end-- > first) /* most names differ in the first letter */
        if (*members[2 * end].text == *name && !strcmp(members[2 * end].text, name))
            return &members[2 * end + 1];
    return NULL;
}

size_t gltf_length(const struct json *list)
{
    return gltf_is(list, GLTF_LIST) ? list->count : 0;
}

const struct json *gltf_at(const struct json *list, size_t index)
{
    return index < gltf_length(list) ? &list->items[index] : NULL;
}

size_t gltf_count(const struct gltf *gltf, const char *list)
{
    return gltf_length(gltf_get(gltf->root, list));
}

const struct json *gltf_item(const struct gltf *gltf, const char *list, size_t index)
{
    return gltf_at(gltf_get(gltf->root, list), index);
}

size_t gltf_size(struct gltf *gltf, const struct json *object, const char *key, size_t otherwise)
{
    const struct json *value = gltf_get(object, key);
    if (!value)
        return otherwise;
    if (gltf_is(value, GLTF_NUMBER) && value->number >= 0 && value->number <= UINT32_MAX &&
        value->number == floor(value->number))
        return (size_t)value->number;
    gltf_fail(gltf, "%s is not a whole number from 0 to %u", key, UINT32_MAX);
    return otherwise;
}

int32_t gltf_index_of(const struct json *value, size_t count)
{
    double number = gltf_is(value, GLTF_NUMBER) ? value->number : -1;
    return number >= 0 && number < (double)count && number == floor(number) ? (int32_t)number : -1;
}

int32_t gltf_index_below(struct gltf *gltf, const struct json *object, const char *key, size_t count)
{
    size_t index = gltf_size(gltf, object, key, SIZE_MAX);
    if (index < count)
        return (int32_t)index;
    if (index != SIZE_MAX)
        gltf_fail(gltf, "%s is %zu, but there are %zu", key, index, count);
    return -1;
}

int32_t gltf_index(struct gltf *gltf, const struct json *object, const char *key, const char *list)
{
    return gltf_index_below(gltf, object, key, gltf_count(gltf, list));
}

static bool get_number(const struct json *value, double *out)
{
    *out = gltf_is(value, GLTF_NUMBER) ? value->number : INFINITY;
    return fabs(*out) <= MODEL_LARGEST_NUMBER;
}

double gltf_number(struct gltf *gltf, const struct json *object, const char *key, double otherwise)
{
    const struct json *value = gltf_get(object, key);
    double number = otherwise;
    if (value && !get_number(value, &number))
        gltf_fail(gltf, "%s is not a number up to %g", key, MODEL_LARGEST_NUMBER);
    return number;
}

void gltf_numbers(struct gltf *gltf, const struct json *object, const char *key, double *out, size_t count)
{
    const struct json *list = gltf_get(object, key);
    if (list && gltf_length(list) != count)
        gltf_fail(gltf, "%s is not a list of %zu numbers", key, count);
    for (size_t i = 0; i < gltf_length(list) && i < count; i++)
        if (!get_number(gltf_at(list, i), &out[i]))
            gltf_fail(gltf, "%s[%zu] is not a number up to %g", key, i, MODEL_LARGEST_NUMBER);
}

const struct json *gltf_list(struct gltf *gltf, const struct json *object, const char *key)
{
    const struct json *list = gltf_get(object, key);
    if (list && list->kind != GLTF_LIST)
        gltf_fail(gltf, "%s is not a list", key);
    return gltf_is(list, GLTF_LIST) ? list : NULL;
}

const char *gltf_text(const struct json *object, const char *key)
{
    const struct json *value = gltf_get(object, key);
    return gltf_is(value, GLTF_STRING) ? value->text : "";
}

int gltf_word(const char *text, const char *const *words, size_t count)
{
    const char *const *found = named_find(words, count, sizeof *words, text, false);
    return found ? (int)(found - words) : -1;
}

int gltf_choice(struct gltf *gltf, const struct json *object, const char *key, const char *const words[3])
{
    const char *text = gltf_text(object, key);
    const int choice = *text ? gltf_word(text, words, 3) : 0;
    if (choice >= 0)
        return choice;
    gltf_fail(gltf, "%s is '%s' (%s, %s and %s are read)", key, text, words[0], words[1], words[2]);
    return 0;
}

const struct json *gltf_extension(const struct json *object, const char *name)
{
    const struct json *extension = gltf_get(gltf_get(object, "extensions"), name);
    return gltf_is(extension, GLTF_OBJECT) ? extension : NULL;
}
