#include "sheet/json_value.h"

#include <math.h>
#include <stdio.h>
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

json_t *point_value(const double point[2], int decimals)
{
    return json_pack("{s:o, s:o}", "x", number_value(point[0], decimals), "y", number_value(point[1], decimals));
}

int json_save(json_t *root, size_t flags, struct blob *out, struct error *err)
{
    char *text = root ? json_dumps(root, flags) : NULL;
    json_decref(root);
    if (!text)
        return error_set(err, "cannot make the JSON: a number is not finite, or memory is out");
    const size_t length = strlen(text);
    text[length] = '\n';
    *out = (struct blob){(uint8_t *)text, length + 1};
    return 0;
}

json_t *json_texts(const struct strings *strings, size_t first)
{
    size_t count = strings->count - first;
    return texts_value(count ? (const char *const *)&strings->items[first] : NULL, count, text_value);
}

int json_print(json_t *document, size_t flags, struct error *err)
{
    struct blob text;
    if (json_save(document, flags | JSON_SORT_KEYS, &text, err) < 0)
        return -1;
    fwrite(text.data, 1, text.size, stdout);
    blob_release(&text);
    return 0;
}
