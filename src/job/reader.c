#include "job/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

enum { SHOWN_LENGTH = 64 }; /* of a text that a message quotes, in bytes */

/* The bytes of a text that a message shows: no character is cut in two. */
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
static void list_words(struct buffer *out, const void *items, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        buffer_printf(out, "%s'%s'", i == 0 ? "" : i + 1 == count ? " or " : ", ", named_at(items, i, size));
}

/* Of names without a near one, at most so many are shown, unless the name has homes. */
static void add_unknown(const struct reader *reader, const struct node *node, const char *complaint,
                        const void *items, size_t count, size_t size, size_t most_shown,
                        char *(*find_homes)(const char *key))
{
    /* Looking for a near name is slow, and past the limit nobody would see it. */
    bool is_shown = reader->problems->count < PROBLEM_LIMIT;
    const char *nearest = is_shown ? named_nearest(node->text, items, count, size) : NULL;
    SCOPED char *homes = is_shown && !nearest && find_homes ? find_homes(node->text) : NULL;
    SCOPED_BY(buffer_release) struct buffer text = {0};
    buffer_printf(&text, "%s", complaint);
    if (nearest) {
        buffer_printf(&text, "; did you mean '%s'?", nearest);
    } else if (homes) {
        buffer_printf(&text, "; it belongs in %s", homes);
    } else if (is_shown && count > 0 && count <= most_shown) {
        buffer_printf(&text, "; allowed %s ", count == 1 ? "is" : "are");
        list_words(&text, items, count, size);
    }
    problems_add(reader->problems, node->mark, "%s", text.text);
}

void reader_unknown_named(const struct reader *reader, const struct node *node, const char *what,
                          const void *items, size_t count, size_t size)
{
    enum { FEW = 16 };
    double number;
    bool is_camera = !strcmp(what, "camera");
    SCOPED char *complaint = must_printf(
        "no %s is called '%.*s'%s", what, shown_length(node->text), node->text,
        is_camera && node_is_number(node, &number) ? "; '{name: compass, directions: 8}' looks from 8 sides"
        : is_camera && node_is_word(node, "iso")
            ? "; 'dimetric' fits tiles twice as wide as high, 'isometric' is steeper"
            : "");
    add_unknown(reader, node, complaint, items, count, size, FEW, NULL);
}

#define TURN "'transform: {rotation: [0, 0, 90]}' turns a model, 'yaw' of a camera looks from another side"

/* Keys that people look for, in jobs above all, and the keys that do it. */
static const struct wanted_key {
    const char *key, *instead;
} wanted_keys[] = {
    {"scale", "'transform: {scale: 2}' changes a model's size, 'fit: {pixels_per_unit: 2}' that of its picture"},
    {"size", "'cell: 64' is the size of a picture, 'transform: {scale: 2}' changes that of a model"},
    {"fps", "'sampling: {fps: 12}' draws 12 moments of a second, 'rate' of an animation has keyframes per second"},
    {"rotation", TURN},
    {"rotate", TURN},
    {"yaw", TURN},
    {"directions", "'cameras: [{name: compass, directions: 8}]' looks from 8 sides"},
    {"pivot", "'fit: {origin: auto}' shows the model's origin at one pixel of all cells"},
    {"palette", "'pixel: {palette: 16}' makes pictures of 16 colours"},
    {"colors", "'pixel: {palette: 16}' makes pictures of 16 colours"},
    {"elevation", "'pitch' of a camera looks from so far above"},
    {"clips", "'animations' names the clips that are drawn"},
    {"texture", "'skin' names another picture for a model"},
    {"resolution", "'cell: 64' is the size of a picture"},
    {"frame_size", "'cell: 64' is the size of a picture"},
    {"shadow", "'ground: shadow' paints one, 'passes: [shadow]' makes a picture of it"},
};

bool read_keys(const struct reader *reader, const struct node *node, const char *what, const char *const *keys,
               size_t key_count)
{
    if (node->kind != NODE_MAPPING) {
        reader_expected(reader, node, "%s must be a mapping (key: value)", what);
        return false;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->keys[i];
        if (named_find(keys, key_count, sizeof *keys, key->text, false))
            continue;
        const struct wanted_key *wanted =
            named_find(wanted_keys, COUNT(wanted_keys), sizeof *wanted, key->text, false);
        if (wanted) {
            problems_add(reader->problems, key->mark, "unknown key '%s' in %s: %s", key->text, what,
                         wanted->instead);
            continue;
        }
        SCOPED char *complaint = must_printf("unknown key '%.*s' in %s", shown_length(key->text), key->text, what);
        add_unknown(reader, key, complaint, keys, key_count, sizeof *keys, key_count, reader->homes);
    }
    return true;
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

/* Limits read better as 65536 than as 6.5536e+04. */
static void add_out_of_range(const struct reader *reader, const struct node *node, const char *name,
                             const char *kind, struct range range)
{
    reader_expected(reader, node, "%s must be %s from %.7g to %.7g", name, kind, range.least, range.most);
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

bool node_is_word(const struct node *node, const char *word)
{
    return node->kind == NODE_SCALAR && !strcmp(node->text, word);
}

static bool find_word(const struct node *node, const char *const *words, size_t word_count, unsigned *out)
{
    const char *const *found =
        node->kind == NODE_SCALAR ? named_find(words, word_count, sizeof *words, node->text, false) : NULL;
    if (found)
        *out = (unsigned)(found - words);
    return found;
}

bool read_one_word(const struct reader *reader, const struct node *node, const char *name,
                   const char *const *words, size_t word_count, unsigned *out)
{
    if (find_word(node, words, word_count, out))
        return true;
    SCOPED_BY(buffer_release) struct buffer allowed = {0};
    list_words(&allowed, words, word_count, sizeof *words);
    reader_expected(reader, node, "%s must be %s", name, allowed.text);
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

bool read_bool(const struct reader *reader, const struct node *node, const char *name, bool *out)
{
    if (!node->is_plain || (!node_is_word(node, "true") && !node_is_word(node, "false"))) {
        reader_expected(reader, node, "%s must be true or false", name);
        return false;
    }
    *out = node->text[0] == 't';
    return true;
}

static bool parse_hexadecimal(const char *text, size_t most_channels, uint8_t out[4])
{
    size_t length = strlen(text);
    if (text[0] != '#' || (length != 7 && length != 9) || length > 1 + 2 * most_channels ||
        strspn(text + 1, "0123456789abcdefABCDEF") != length - 1)
        return false;
    for (size_t i = 0; i < (length - 1) / 2; i++)
        out[i] = (uint8_t)strtoul((char[]){text[1 + 2 * i], text[2 + 2 * i], '\0'}, NULL, 16);
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
