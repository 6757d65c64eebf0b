#include "job/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

enum { SHOWN_LENGTH = 64 }; /* of a text that a message quotes, in bytes */

/* How much of a text a message shows, not cutting a character in two. */
static int shown_length(const char *text)
{
    size_t length = strnlen(text, SHOWN_LENGTH + 1);
    if (length <= SHOWN_LENGTH)
        return (int)length;
    length = SHOWN_LENGTH;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return (int)length;
}

void reader_expected(const struct reader *reader, const struct node *node, const char *format, ...)
{
    char found[SHOWN_LENGTH + 32], expectation[512];
    const size_t size = sizeof found;
    double number;
    if (node->kind != NODE_SCALAR)
        snprintf(found, size, "%s", node->kind == NODE_SEQUENCE ? "a list" : "a mapping");
    else if (node_is_null(node))
        snprintf(found, size, "nothing");
    else if (node_is_number(node, &number))
        snprintf(found, size, "%.*s", shown_length(node->text), node->text);
    else
        snprintf(found, size, "%s'%.*s'", node->is_plain ? "" : "the text ", shown_length(node->text), node->text);

    va_list args;
    va_start(args, format);
    vsnprintf(expectation, sizeof expectation, format, args);
    va_end(args);
    problems_add(reader->problems, node->mark, "%s, found %s", expectation, found);
}

/* "'a', 'b' or 'c'" */
static void list_words(struct buffer *out, const char *last, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buffer_printf(out, "%s'%s'", i == 0 ? "" : i + 1 == count ? last : ", ", words[i]);
}

void reader_unknown(const struct reader *reader, const struct node *node, const char *what,
                    const char *const *names, size_t name_count)
{
    enum { FEW = 12 };
    if (reader->problems->count >= PROBLEM_LIMIT) { /* it would not be shown, and looking for a near one is slow */
        problems_add(reader->problems, node->mark, "no such name");
        return;
    }
    const char *nearest = strings_nearest(node->text, names, name_count);
    struct buffer hint = {0};
    if (nearest) {
        buffer_printf(&hint, ", did you mean '%s'?", nearest);
    } else if (name_count > 0 && name_count <= FEW) {
        buffer_printf(&hint, "; there %s ", name_count == 1 ? "is" : "are");
        list_words(&hint, " and ", names, name_count);
    }
    problems_add(reader->problems, node->mark, "no %s is called '%.*s'%s", what, shown_length(node->text),
                 node->text, hint.text ? hint.text : "");
    buffer_release(&hint);
}

static void add_unknown_key(const struct reader *reader, const struct node *key, const char *what,
                            const char *const *keys, size_t key_count)
{
    if (reader->problems->count >= PROBLEM_LIMIT) { /* it would not be shown, and looking for a near one is slow */
        problems_add(reader->problems, key->mark, "unknown key");
        return;
    }
    const char *nearest = strings_nearest(key->text, keys, key_count);
    struct buffer allowed = {0};
    if (nearest)
        buffer_printf(&allowed, "did you mean '%s'?", nearest);
    else {
        buffer_printf(&allowed, "allowed are ");
        list_words(&allowed, " or ", keys, key_count);
    }
    problems_add(reader->problems, key->mark, "unknown key '%.*s' in %s; %s", shown_length(key->text), key->text,
                 what, allowed.text);
    buffer_release(&allowed);
}

bool read_keys(const struct reader *reader, const struct node *node, const char *what, const char *const *keys,
               size_t key_count)
{
    if (node->kind != NODE_MAPPING) {
        reader_expected(reader, node, "%s must be a mapping (key: value)", what);
        return false;
    }
    for (size_t i = 0; i < node->count; i++) {
        size_t k = 0;
        while (k < key_count && strcmp(node->keys[i]->text, keys[k]))
            k++;
        if (k == key_count)
            add_unknown_key(reader, node->keys[i], what, keys, key_count);
    }
    return true;
}

bool read_needed(const struct reader *reader, const struct node *map, const char *what, const char *key)
{
    if (node_get(map, key))
        return true;
    for (size_t i = 0; i < map->count; i++)
        if (strings_nearest(map->keys[i]->text, &key, 1))
            return false;
    problems_add(reader->problems, map->mark, "%s must have a '%s'", what, key);
    return false;
}

struct node_list node_one_or_many(const struct node *const *value)
{
    if ((*value)->kind == NODE_SEQUENCE)
        return (struct node_list){(*value)->values, (*value)->count};
    return (struct node_list){value, 1};
}

/* Decimal alone: no hexadecimal, infinity, nan or the 1:30 of YAML 1.1. */
bool node_is_number(const struct node *node, double *out)
{
    if (node->kind != NODE_SCALAR || !node->is_plain || !*node->text ||
        node->text[strspn(node->text, "+-.0123456789eE")])
        return false;
    char *end;
    double number = strtod(node->text, &end);
    if (*end || !isfinite(number))
        return false;
    *out = number;
    return true;
}

/* Plain notation as long as it is short: a limit reads better as 65536 than as 6.5536e+04. */
static const char *show_number(double number, char out[32])
{
    snprintf(out, 32, "%.7g", number);
    return out;
}

static void add_out_of_range(const struct reader *reader, const struct node *node, const char *name,
                             const char *kind, struct range range)
{
    char least[32], most[32];
    reader_expected(reader, node, "%s must be %s from %s to %s", name, kind, show_number(range.least, least),
                    show_number(range.most, most));
}

bool read_number(const struct reader *reader, const struct node *node, const char *name, struct range range,
                 double *out)
{
    double number;
    if (!node_is_number(node, &number) || number < range.least || number > range.most) {
        add_out_of_range(reader, node, name, "a number", range);
        return false;
    }
    *out = number;
    return true;
}

bool read_integer(const struct reader *reader, const struct node *node, const char *name, struct range range,
                  uint32_t *out)
{
    double number;
    if (!node_is_number(node, &number) || strpbrk(node->text, ".eE") || number < range.least ||
        number > range.most) {
        add_out_of_range(reader, node, name, "a whole number", range);
        return false;
    }
    *out = (uint32_t)number;
    return true;
}

bool read_text(const struct reader *reader, const struct node *node, const char *name, const char **out)
{
    if (node->kind != NODE_SCALAR || node_is_null(node) || !*node->text) {
        reader_expected(reader, node, "%s must be text", name);
        return false;
    }
    *out = node->text;
    return true;
}

static bool find_word(const struct node *node, const char *const *words, size_t word_count, unsigned *out)
{
    for (unsigned i = 0; i < word_count; i++) {
        if (node->kind == NODE_SCALAR && !strcmp(node->text, words[i])) {
            *out = i;
            return true;
        }
    }
    return false;
}

bool read_one_word(const struct reader *reader, const struct node *node, const char *name,
                   const char *const *words, size_t word_count, unsigned *out)
{
    if (find_word(node, words, word_count, out))
        return true;
    struct buffer allowed = {0};
    list_words(&allowed, " or ", words, word_count);
    reader_expected(reader, node, "%s must be %s", name, allowed.text);
    buffer_release(&allowed);
    return false;
}

bool read_flags(const struct reader *reader, const struct node *node, const char *what, const char *const *words,
                size_t word_count, uint32_t *out)
{
    struct node_list entries = node_one_or_many(&node);
    size_t problems_before = reader->problems->count;
    uint32_t bits = 0;
    for (size_t i = 0; i < entries.count; i++) {
        const struct node *entry = entries.items[i];
        unsigned word;
        if (entry->kind != NODE_SCALAR || node_is_null(entry))
            reader_expected(reader, entry, "a %s must be a word", what);
        else if (!find_word(entry, words, word_count, &word))
            reader_unknown(reader, entry, what, words, word_count);
        else if (bits & 1u << word)
            problems_add(reader->problems, entry->mark, "'%s' is twice in this list", words[word]);
        else
            bits |= 1u << word;
    }
    if (reader->problems->count > problems_before)
        return false;
    *out = bits;
    return true;
}

struct quoted {
    char text[SHOWN_LENGTH];
};

static struct quoted quote(const char *key)
{
    struct quoted quoted;
    snprintf(quoted.text, sizeof quoted.text, "'%s'", key);
    return quoted;
}

bool read_f32(const struct reader *reader, const struct node *map, const char *key, struct range range, float *out)
{
    const struct node *node = node_get(map, key);
    double number;
    if (!node || !read_number(reader, node, quote(key).text, range, &number))
        return false;
    *out = (float)number;
    return true;
}

bool read_u32(const struct reader *reader, const struct node *map, const char *key, struct range range,
              uint32_t *out)
{
    const struct node *node = node_get(map, key);
    return node && read_integer(reader, node, quote(key).text, range, out);
}

bool read_bool(const struct reader *reader, const struct node *map, const char *key, bool *out)
{
    const struct node *node = node_get(map, key);
    if (!node)
        return false;
    bool is_plain = node->kind == NODE_SCALAR && node->is_plain;
    if (!is_plain || (strcmp(node->text, "true") && strcmp(node->text, "false"))) {
        reader_expected(reader, node, "'%s' must be true or false", key);
        return false;
    }
    *out = node->text[0] == 't';
    return true;
}

bool read_string(const struct reader *reader, const struct node *map, const char *key, const char **out)
{
    const struct node *node = node_get(map, key);
    return node && read_text(reader, node, quote(key).text, out);
}

bool read_vec3(const struct reader *reader, const struct node *map, const char *key, struct range range,
               float out[3])
{
    const struct node *node = node_get(map, key);
    if (!node)
        return false;
    if (node->kind != NODE_SEQUENCE || node->count != 3) {
        reader_expected(reader, node, "'%s' must be a list of three numbers", key);
        return false;
    }
    double numbers[3];
    for (int i = 0; i < 3; i++)
        if (!read_number(reader, node->values[i], quote(key).text, range, &numbers[i]))
            return false;
    for (int i = 0; i < 3; i++)
        out[i] = (float)numbers[i];
    return true;
}

bool read_word(const struct reader *reader, const struct node *map, const char *key, const char *const *words,
               size_t word_count, unsigned *out)
{
    const struct node *node = node_get(map, key);
    return node && read_one_word(reader, node, quote(key).text, words, word_count, out);
}

static int hexadecimal(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static bool parse_hexadecimal(const char *text, size_t most_channels, uint8_t out[4])
{
    size_t length = strlen(text);
    if (text[0] != '#' || (length != 7 && length != 9) || length > 1 + 2 * most_channels)
        return false;
    for (size_t i = 0; i < (length - 1) / 2; i++) {
        int high = hexadecimal(text[1 + 2 * i]), low = hexadecimal(text[2 + 2 * i]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

static bool parse_list(const struct node *node, size_t most_channels, uint8_t out[4])
{
    if (node->count < 3 || node->count > most_channels)
        return false;
    for (size_t i = 0; i < node->count; i++) {
        double channel;
        if (!node_is_number(node->values[i], &channel) || channel < 0 || channel > 255 ||
            channel != (uint8_t)channel)
            return false;
        out[i] = (uint8_t)channel;
    }
    return true;
}

bool read_color(const struct reader *reader, const struct node *node, const char *name, bool with_alpha,
                uint8_t out[4])
{
    uint8_t color[4] = {0, 0, 0, 255};
    size_t most_channels = with_alpha ? 4 : 3;
    bool is_good = node->kind == NODE_SEQUENCE
                       ? parse_list(node, most_channels, color)
                       : node->kind == NODE_SCALAR && parse_hexadecimal(node->text, most_channels, color);
    if (is_good) {
        memcpy(out, color, sizeof color);
        return true;
    }
    const char *forms = with_alpha ? "'#rrggbb', '#rrggbbaa' or a list of 3 or 4 whole numbers from 0 to 255"
                                   : "'#rrggbb' or a list of 3 whole numbers from 0 to 255";
    bool is_comment = node_is_null(node);
    reader_expected(reader, node, "%s must be %s%s", name, forms,
                    is_comment ? " (without quotes, # starts a comment)" : "");
    return false;
}
