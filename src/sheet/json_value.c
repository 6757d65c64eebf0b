#include "sheet/json_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/utf8.h"

json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = must_strdup(text);
    utf8_mask(copy);
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *text_or_null(const char *text)
{
    return text ? text_value(text) : json_null();
}

/* Characters of three bytes; FIRST_EXACT + i stands for the byte 0x80 + i. */
enum { FIRST_EXACT = 0xEF80, LAST_EXACT = 0xEFFF };

static bool is_exact(uint32_t character)
{
    return character >= FIRST_EXACT && character <= LAST_EXACT;
}

json_t *exact_value(const char *text)
{
    struct buffer out = {0};
    size_t plain = 0;
    while (text[plain] && !(text[plain] & 0x80))
        plain++;
    if (!text[plain])
        return json_stringn_nocheck(text, plain); /* most are ASCII */
    buffer_add(&out, "", 0);
    for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
        uint32_t character;
        length = utf8_read(text, left, &character);
        bool is_broken = length == 0;
        length += is_broken;
        if (is_broken || is_exact(character)) {
            for (size_t i = 0; i < length; i++) {
                unsigned byte = (unsigned char)text[i];
                buffer_add(
                    &out, (const char[]){(char)0xEE, (char)(0xBC + (byte >> 6)), (char)(0x80 | (byte & 0x3F))}, 3);
            }
        } else
            buffer_add(&out, text, length);
    }
    json_t *value = json_stringn(out.text, out.length);
    buffer_release(&out);
    return value;
}

/* JSON holds nothing but UTF-8. */
char *exact_text(struct arena *arena, const char *value)
{
    char *text = arena_strdup(arena, value), *end = text;
    if (!strchr(value, FIRST_EXACT >> 12 | 0xE0))
        return text; /* no such character: most have none */
    for (size_t left = strlen(value), length; left > 0; value += length, left -= length) {
        uint32_t character = 0;
        length = utf8_read(value, left, &character);
        length += length == 0;
        if (is_exact(character)) {
            *end++ = (char)(character & 0xFF);
        } else {
            memcpy(end, value, length);
            end += length;
        }
    }
    *end = '\0';
    return text;
}

json_t *texts_value(const char *const *texts, size_t count, json_t *(*value)(const char *text))
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, value(texts[i]));
    return array;
}

json_t *whole_value(json_t *value, size_t count)
{
    if (json_array_size(value) + json_object_size(value) == count)
        return value;
    json_decref(value);
    return NULL;
}

json_t *number_value(double number, int decimals)
{
    double scale = pow(10, decimals);
    double rounded = round(number * scale) / scale;
    if (!isfinite(rounded))
        return NULL;
    if (rounded == trunc(rounded) && fabs(rounded) < 1e15)
        return json_integer((json_int_t)rounded);
    return json_real(rounded);
}

json_t *size_value(uint32_t width, uint32_t height)
{
    return json_pack("{s:I, s:I}", "w", (json_int_t)width, "h", (json_int_t)height);
}

json_t *point_value(const double point[2], int decimals)
{
    return json_pack("{s:o, s:o}", "x", number_value(point[0], decimals), "y", number_value(point[1], decimals));
}

json_t *rect_value(const struct rect *rect)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "x", (json_int_t)rect->x, "y", (json_int_t)rect->y, "w",
                     (json_int_t)rect->width, "h", (json_int_t)rect->height);
}

/* Adds what is neither array nor object. The library spells texts sign by sign, so it gets those alone that have a sign to
 * escape. */
static void add_plain(struct buffer *out, json_t *value)
{
    static const char escaped[] =
        "\1\2\3\4\5\6\7\b\t\n\v\f\r\16\17\20\21\22\23\24\25\26\27\30\31\32\33\34\35\36\37\"\\";
    const char *text = json_string_value(value);
    if (text && !text[strcspn(text, escaped)]) {
        buffer_add(out, "\"", 1);
        buffer_add(out, text, json_string_length(value));
        buffer_add(out, "\"", 1);
        return;
    }
    char *spelled = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    if (!spelled)
        abort(); /* out of memory */
    buffer_add(out, spelled, strlen(spelled));
    free(spelled);
}

static void add_line(struct buffer *out, enum json_style style, int depth)
{
    for (int i = 0; i <= depth && style != JSON_COMPACTED; i++)
        buffer_add(out, i ? " " : "\n", 1);
}

/* Adds the value as json_dumps spells it, in a third of the time. */
static void add_value(struct buffer *out, json_t *value, enum json_style style, int depth)
{
    const bool is_array = json_is_array(value);
    const size_t size = json_array_size(value) + json_object_size(value);
    if (!is_array && !json_is_object(value)) {
        add_plain(out, value);
        return;
    }
    const char **keys = must_alloc(json_object_size(value), sizeof *keys);
    size_t count = 0;
    for (void *at = json_object_iter(value); at; at = json_object_iter_next(value, at))
        keys[count++] = json_object_iter_key(at);
    if (style != JSON_AS_SET)
        SORT(keys, count, strings_compare);
    buffer_add(out, is_array ? "[" : "{", 1);
    for (size_t i = 0; i < size; i++) {
        json_t *key = is_array ? NULL : json_string_nocheck(keys[i]);
        buffer_add(out, ",", i > 0);
        add_line(out, style, depth + 1);
        if (key) {
            add_plain(out, key);
            buffer_add(out, ": ", style == JSON_COMPACTED ? 1 : 2);
        }
        add_value(out, is_array ? json_array_get(value, i) : json_object_get(value, keys[i]), style, depth + 1);
        json_decref(key);
    }
    if (size)
        add_line(out, style, depth);
    buffer_add(out, is_array ? "]" : "}", 1);
    free(keys);
}

/* Numbers were rounded to fewer than 15 digits, so that all of them come out as they would be written. */
int json_save(json_t *root, bool is_good, enum json_style style, struct blob *out, struct error *err)
{
    struct buffer text = {0};
    if (is_good)
        add_value(&text, root, style, 0);
    json_decref(root);
    if (!is_good)
        return error_set(err, "cannot make the JSON: a number is not finite, or memory is out");
    buffer_add(&text, "\n", 1);
    *out = (struct blob){(uint8_t *)text.text, text.length};
    return 0;
}

json_t *json_texts(const struct strings *strings, size_t first)
{
    size_t count = strings->count - first;
    return texts_value(count ? (const char *const *)&strings->items[first] : NULL, count, text_value);
}

int json_print(json_t *document, size_t flags, struct error *err)
{
    char *text = document ? json_dumps(document, flags | JSON_SORT_KEYS) : NULL;
    json_decref(document);
    if (!text)
        return error_set(err, "out of memory for the JSON");
    puts(text);
    free(text);
    return 0;
}
