/* FBX, the file: a tree of nodes with values.
 *
 * Binary: "Kaydara FBX Binary  ", NUL, 0x1a, a byte that is 1 in big-endian files, a version of 32 bits. Then nodes: where
 * it ends, how many values and how many bytes these have (32 bits each, from 7.5 on 64), the length of its name (a byte), its
 * name, the values, the nodes below it, and after these zeros in the place of a header. A value begins with its type.
 *
 * ASCII: `Name: value, value { nodes }`, comments after `;`. What has no comma before it begins the next node. */
#include "fbx/fbx.h"

#include <libdeflate.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"

#define MAGIC "Kaydara FBX Binary  "

enum {
    HEADER_SIZE = 27,
    ENDIAN_AT = 22,
    VERSION_AT = 23,
    MOST_DEPTH = 48,
    MOST_VALUES = 8, /* of a node in ASCII that are kept as values */
    LARGEST_RATIO = 1032,
    MOST_UNPACKED = 1 << 27, /* numbers of all packed arrays */
    LONGEST_NUMBER = 63,
    LEAST_VERSION = 6000
};

/* Of KTime, since FBX 3, and of what may come after version 7. */
static const double TICKS_PER_S = 46186158000, NEW_TICKS_PER_S = 141120000;

int fbx_fail(struct fbx *fbx, const char *format, ...)
{
    char text[512];
    va_list args;
    if (fbx->has_failed)
        return -1;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fbx->has_failed = true;
    return error_set(fbx->err, "%s", text);
}

void fbx_note(struct fbx *fbx, bool is_warning, const char *text, const char *name)
{
    for (size_t i = 0; i < fbx->note_count; i++)
        if (fbx->notes[i].text == text) {
            fbx->notes[i].count++;
            return;
        }
    *MUST_ADD(fbx->notes, fbx->note_count, fbx->note_capacity) =
        (struct fbx_note){text, name ? arena_strdup(fbx->arena, name) : "", 1, is_warning};
}

bool fbx_is(struct bytes text, const char *word)
{
    return text.size == strlen(word) && !memcmp(text.data, word, text.size);
}

/* -- Binary ------------------------------------------------------------------------------------------------- */

static uint64_t read_whole(const struct fbx *fbx, const uint8_t *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)at[fbx->is_big_endian ? size - 1 - i : i] << (8 * i);
    return value;
}

static double read_real(const struct fbx *fbx, const uint8_t *at, size_t size)
{
    uint64_t bits = read_whole(fbx, at, size);
    uint32_t half = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &half, sizeof single);
    memcpy(&value, &bits, sizeof value);
    return size == sizeof single ? (double)single : value;
}

static int64_t read_signed(const struct fbx *fbx, const uint8_t *at, size_t size)
{
    const uint64_t value = read_whole(fbx, at, size), sign = (uint64_t)1 << (8 * size - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* Of a number of that type; 0: there is none such. */
static size_t size_of_number(char type)
{
    return type == 'B' || type == 'C' || type == 'b' || type == 'c'   ? 1
           : type == 'Y'                                              ? 2
           : type == 'I' || type == 'F' || type == 'i' || type == 'f' ? 4
           : type == 'L' || type == 'D' || type == 'l' || type == 'd' ? 8
                                                                      : 0;
}

/* False: it runs past the end, or is of no type that is known. */
static bool read_value(const struct fbx *fbx, size_t *at, size_t end, struct fbx_value *out)
{
    const uint8_t *from = fbx->bytes.data + *at;
    if (end - *at < 1)
        return false;
    const char type = (char)*from;
    const size_t left = end - *at - 1, size = size_of_number(type);
    size_t taken = size;
    if (type == 'S' || type == 'R' || (size && type >= 'a')) {
        const size_t head = size ? 12 : 4; /* of arrays: count, whether they are packed, bytes */
        if (left < head)
            return false;
        const size_t bytes = (size_t)read_whole(fbx, from + 1 + head - 4, 4);
        if (left - head < bytes)
            return false;
        taken = head + bytes;
        *out = (struct fbx_value){.type = size ? type : 'S', .bytes = {from + 1 + head, bytes}};
        if (size) {
            out->count = (uint32_t)read_whole(fbx, from + 1, 4);
            out->is_packed = read_whole(fbx, from + 5, 4) != 0;
            if (!out->is_packed && bytes / size < out->count)
                return false;
        } else {
            out->number = bytes == 1 ? from[1 + head] : NAN;
        }
    } else if (!size || left < size) {
        return false;
    } else if (type == 'F' || type == 'D') {
        *out = (struct fbx_value){.type = 'D', .number = read_real(fbx, from + 1, size)};
        out->whole = fabs(out->number) < 9e18 ? (int64_t)out->number : 0;
    } else {
        *out = (struct fbx_value){.type = 'I', .whole = read_signed(fbx, from + 1, size)};
        out->number = (double)out->whole;
    }
    *at += 1 + taken;
    return true;
}

/* All nodes until zeros or the end. */
static const struct fbx_node *read_binary(struct fbx *fbx, size_t at, size_t end, int depth)
{
    const size_t word = fbx->version >= 7500 ? 8 : 4, head = 3 * word + 1;
    const struct fbx_node *first = NULL, **last = &first;
    while (at < end && !fbx->has_failed) {
        const uint8_t *from = fbx->bytes.data + at;
        if (end - at < head) {
            fbx_fail(fbx, "a node at byte %zu runs past the end, at byte %zu", at, end);
            break;
        }
        const uint64_t past = read_whole(fbx, from, word), count = read_whole(fbx, from + word, word),
                       size = read_whole(fbx, from + 2 * word, word);
        size_t value_at = at + head + from[3 * word];
        if (past == 0)
            break;
        if (depth > MOST_DEPTH)
            fbx_fail(fbx, "nodes are more than %d deep", MOST_DEPTH);
        if (past > end || value_at > past || size > past - value_at || count > size)
            fbx_fail(fbx, "the node at byte %zu does not fit in what holds it", at);
        if (fbx->has_failed)
            break;
        struct fbx_node *node = arena_must_alloc(&fbx->scratch, 1, sizeof *node);
        struct fbx_value *values = arena_must_alloc(&fbx->scratch, count, sizeof *values);
        const size_t below_at = value_at + size;
        for (uint64_t i = 0; i < count && !fbx->has_failed; i++)
            if (!read_value(fbx, &value_at, below_at, &values[i]))
                fbx_fail(fbx, "value %ju of the node at byte %zu is damaged", (uintmax_t)i, at);
        *node = (struct fbx_node){.name = {from + head, from[3 * word]},
                                  .values = values,
                                  .value_count = (uint32_t)count,
                                  .first = read_binary(fbx, below_at, past, depth + 1)};
        *last = node;
        last = &node->next;
        at = past;
    }
    return first;
}

/* -- ASCII -------------------------------------------------------------------------------------------------- */

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_of_word(uint8_t c)
{
    return !is_space(c) && c != ',' && c != ':' && c != '{' && c != '}' && c != '"' && c != ';';
}

/* A text that is read from its begin on. */
struct text {
    struct fbx *fbx;
    struct bytes bytes;
    size_t at;
};

/* The next character after white space and comments, or -1. */
static int peek(struct text *text)
{
    const uint8_t *data = text->bytes.data;
    for (; text->at < text->bytes.size && (is_space(data[text->at]) || data[text->at] == ';'); text->at++)
        if (data[text->at] == ';') {
            const uint8_t *line = memchr(data + text->at, '\n', text->bytes.size - text->at);
            text->at = line ? (size_t)(line - data) : text->bytes.size - 1;
        }
    return text->at < text->bytes.size ? data[text->at] : -1;
}

static bool take(struct text *text, char c)
{
    const bool is_there = peek(text) == c;
    text->at += is_there;
    return is_there;
}

/* A text without its quotes, or a word, which may be empty; white space before it is skipped already. */
static struct bytes take_value(struct text *text)
{
    const uint8_t *data = text->bytes.data, *end = data + text->bytes.size, *from = data + text->at, *to = from;
    if (from < end && *from == '"') {
        from++;
        to = memchr(from, '"', (size_t)(end - from));
        if (!to)
            fbx_fail(text->fbx, "a text that begins at byte %zu has no end", text->at);
        text->at = to ? (size_t)(to - data) + 1 : text->bytes.size;
        return (struct bytes){from, to ? (size_t)(to - from) : 0};
    }
    while (to < end && is_of_word(*to))
        to++;
    text->at = (size_t)(to - data);
    return (struct bytes){from, (size_t)(to - from)};
}

/* Its number is NaN for what is none, and of a letter its code. */
static struct fbx_value read_word(struct bytes word)
{
    struct fbx_value value = {'S', .number = NAN, .bytes = word};
    char copy[LONGEST_NUMBER + 1], *end;
    if (word.size == 0 || word.size > LONGEST_NUMBER)
        return value;
    memcpy(copy, word.data, word.size);
    copy[word.size] = 0;
    const double number = strtod(copy, &end);
    if (word.size == 1 && (copy[0] | 32) >= 'a' && (copy[0] | 32) <= 'z')
        value.number = copy[0];
    if (*end || number != number)
        return value;
    value = (struct fbx_value){'D', .number = number, .whole = fabs(number) < 9e18 ? (int64_t)number : 0};
    if (!copy[strspn(copy, "+-0123456789")]) {
        value.type = 'I';
        if (fabs(number) > 9e15) /* more than a double has */
            value.whole = strtoll(copy, NULL, 10);
    }
    return value;
}

/* The values of a node, whose name is read: texts, words, or the '*' and count of an array, whose numbers are in a node below. */
static void read_ascii_values(struct text *text, struct fbx_node *node)
{
    struct fbx_value values[MOST_VALUES];
    take(text, ',');
    int c = peek(text);
    const size_t begin = text->at;
    size_t past = begin;
    for (; (c == '"' || (c >= 0 && is_of_word((uint8_t)c))) && !text->fbx->has_failed; c = peek(text)) {
        const struct bytes value = take_value(text);
        if (c != '"' && text->at < text->bytes.size && text->bytes.data[text->at] == ':') {
            text->at -= value.size; /* after a comma that has no value */
            break;
        }
        if (node->value_count < MOST_VALUES)
            values[node->value_count++] =
                c == '"' ? (struct fbx_value){'S', .number = NAN, .bytes = value} : read_word(value);
        past = text->at;
        if (!take(text, ','))
            break;
    }
    node->values = arena_copy(&text->fbx->scratch, values, node->value_count, sizeof *values);
    node->text = (struct bytes){text->bytes.data + begin, past - begin};
}

/* All nodes until a '}' or the end. */
static const struct fbx_node *read_ascii(struct text *text, int depth)
{
    struct fbx *fbx = text->fbx;
    const struct fbx_node *first = NULL, **last = &first;
    if (depth > MOST_DEPTH)
        fbx_fail(fbx, "nodes are more than %d deep", MOST_DEPTH);
    for (int c = peek(text); c >= 0 && c != '}' && !fbx->has_failed; c = peek(text)) {
        const size_t begin = text->at;
        struct fbx_node *node = arena_must_alloc(&fbx->scratch, 1, sizeof *node);
        node->name = take_value(text);
        if (c == '"' || node->name.size == 0 || !take(text, ':')) {
            fbx_fail(fbx, "byte %zu is not the name of a node, with ':' after it", begin);
            break;
        }
        read_ascii_values(text, node);
        if (take(text, '{')) {
            node->first = read_ascii(text, depth + 1);
            if (!take(text, '}'))
                fbx_fail(fbx, "the file ends within a node");
        }
        *last = node;
        last = &node->next;
    }
    return first;
}

/* -- Nodes -------------------------------------------------------------------------------------------------- */

static const struct fbx_node *find_name(const struct fbx_node *node, const char *name)
{
    while (node && !fbx_is(node->name, name))
        node = node->next;
    return node;
}

const struct fbx_node *fbx_child(const struct fbx_node *parent, const char *name)
{
    return parent ? find_name(parent->first, name) : NULL;
}

const struct fbx_node *fbx_next(const struct fbx_node *node, const char *name)
{
    return find_name(node->next, name);
}

double fbx_number(const struct fbx_node *node, uint32_t index, double otherwise)
{
    const struct fbx_value *value = node && index < node->value_count ? &node->values[index] : NULL;
    return value && fabs(value->number) < INFINITY ? value->number : otherwise;
}

struct bytes fbx_bytes(const struct fbx_node *node, uint32_t index)
{
    const struct fbx_value *value = node && index < node->value_count ? &node->values[index] : NULL;
    return value && value->type == 'S' ? value->bytes : (struct bytes){(const uint8_t *)"", 0};
}

const char *fbx_text(struct fbx *fbx, const struct fbx_node *node, uint32_t index)
{
    static const char quote[] = "&quot;";
    const struct bytes bytes = fbx_bytes(node, index);
    const size_t length = strnlen((const char *)bytes.data, bytes.size);
    char *text = arena_strndup(fbx->arena, (const char *)bytes.data,
                               length < MODEL_LONGEST_NAME ? length : MODEL_LONGEST_NAME),
         *at = text;
    while (!fbx->is_binary && (at = strstr(at, quote))) {
        *at++ = '"';
        memmove(at, at + strlen(quote) - 1, strlen(at + strlen(quote) - 1) + 1);
    }
    utf8_mask(text);
    return text;
}

static const double *parse_numbers(struct fbx *fbx, struct bytes bytes, size_t *count)
{
    size_t commas = 1;
    for (size_t i = 0; i < bytes.size; i++)
        commas += bytes.data[i] == ',';
    double *numbers = arena_must_alloc(&fbx->scratch, bytes.size ? commas : 0, sizeof *numbers);
    struct text text = {fbx, bytes, 0};
    *count = 0;
    while (*count < commas && peek(&text) >= 0) {
        numbers[(*count)++] = read_word(take_value(&text)).number;
        take(&text, ',');
    }
    return numbers;
}

static const double *unpack_numbers(struct fbx *fbx, const struct fbx_value *value)
{
    const size_t size = size_of_number(value->type), count = value->count;
    const uint8_t *from = value->bytes.data;
    struct blob unpacked = {0};
    if (value->is_packed) {
        fbx->unpacked_count += count;
        if (count * size / LARGEST_RATIO > value->bytes.size)
            fbx_fail(fbx, "an array of %zu bytes in %zu packed ones", count * size, value->bytes.size);
        else if (fbx->unpacked_count > MOST_UNPACKED)
            fbx_fail(fbx, "packed arrays have more than %d numbers", MOST_UNPACKED);
        else if (!(unpacked.data = memory_alloc(count, size, fbx->err)))
            fbx->has_failed = true;
        if (fbx->has_failed)
            return NULL;
        struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
        if (!inflater || libdeflate_zlib_decompress(inflater, from, value->bytes.size, unpacked.data, count * size,
                                                    NULL) != LIBDEFLATE_SUCCESS)
            fbx_fail(fbx, "a packed array of %zu bytes is damaged", value->bytes.size);
        libdeflate_free_decompressor(inflater);
        from = unpacked.data;
    }
    const bool is_real = value->type == 'f' || value->type == 'd';
    double *numbers = fbx->has_failed ? NULL : arena_alloc(&fbx->scratch, count, sizeof *numbers, fbx->err);
    fbx->has_failed |= !numbers;
    for (size_t i = 0; i < count && numbers; i++)
        numbers[i] =
            is_real ? read_real(fbx, from + i * size, size) : (double)read_signed(fbx, from + i * size, size);
    blob_release(&unpacked);
    return numbers;
}

const double *fbx_numbers(struct fbx *fbx, const struct fbx_node *node, size_t *count)
{
    *count = 0;
    if (!node || fbx->has_failed)
        return NULL;
    if (!fbx->is_binary) {
        const struct fbx_node *array = fbx_child(node, "a");
        return parse_numbers(fbx, array ? array->text : node->text, count);
    }
    if (node->value_count > 0 && node->values->type >= 'a') {
        const double *numbers = unpack_numbers(fbx, node->values);
        *count = numbers ? node->values->count : 0;
        return numbers;
    }
    double *numbers = arena_must_alloc(&fbx->scratch, node->value_count, sizeof *numbers);
    for (uint32_t i = 0; i < node->value_count; i++)
        numbers[i] = node->values[i].number;
    *count = node->value_count;
    return numbers;
}

int fbx_read_content(struct fbx *fbx, const struct fbx_node *content, struct blob *out)
{
    const struct bytes from = fbx->is_binary ? fbx_bytes(content, 0) : content->text;
    *out = (struct blob){memory_alloc(from.size + 1, 1, fbx->err), 0};
    if (!out->data)
        return -1;
    if (fbx->is_binary)
        memcpy(out->data, from.data, out->size = from.size);
    for (size_t i = 0, read; i < from.size && !fbx->is_binary; i += read + 1) /* each text begins with a byte */
        out->size += bytes_of_base64((struct bytes){from.data + i, from.size - i}, out->data + out->size, &read);
    return 0;
}

/* -- Objects ------------------------------------------------------------------------------------------------ */

static enum fbx_kind kind_of(struct bytes name, struct bytes sub)
{
#define X(kind, name, sub) {name, sub},
    static const char *const names[][2] = {FBX_KINDS(X)};
#undef X
    enum fbx_kind kind = FBX_MODEL;
    while (kind < FBX_OTHER && !(fbx_is(name, names[kind][0]) && (!names[kind][1] || fbx_is(sub, names[kind][1]))))
        kind++;
    return kind;
}

static uint64_t id_of(const struct fbx_value *value)
{
    return value->type == 'S' ? hash_number(value->bytes) : (uint64_t)value->whole;
}

static const struct fbx_node *properties_of(const struct fbx_node *node)
{
    const struct fbx_node *newer = fbx_child(node, "Properties70");
    return newer ? newer : fbx_child(node, "Properties60");
}

struct fbx_object fbx_find_properties(const struct fbx *fbx, const struct fbx_node *parent, const char *name)
{
    const struct fbx_node *node = fbx_child(parent, name), *all = fbx_child(fbx->root, "Objects");
    return (struct fbx_object){.kind = FBX_OTHER, .properties = properties_of(node ? node : fbx_child(all, name))};
}

/* "Model::hips" in ASCII; in binary files "hips", NUL, 1, "Model". */
static const char *name_of(struct fbx *fbx, const struct fbx_node *node, uint32_t index)
{
    const char *name = fbx_text(fbx, node, index), *colons = fbx->is_binary ? NULL : strstr(name, "::");
    return colons ? colons + 2 : name;
}

static int compare_ids(const void *a, const void *b)
{
    const struct fbx_id *left = a, *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->object > right->object) - (left->object < right->object);
}

static void read_objects(struct fbx *fbx)
{
    const struct fbx_node *all = fbx_child(fbx->root, "Objects");
    size_t count = 0;
    for (const struct fbx_node *node = all ? all->first : NULL; node; node = node->next)
        count += node->value_count > 0;
    fbx->objects = arena_must_alloc(&fbx->scratch, count, sizeof *fbx->objects);
    fbx->ids = arena_must_alloc(&fbx->scratch, 2 * count, sizeof *fbx->ids);
    for (const struct fbx_node *node = all ? all->first : NULL; node; node = node->next) {
        if (node->value_count == 0)
            continue;
        const uint32_t name = node->values->type == 'S' ? 0 : 1;
        const struct fbx_node *geometry = fbx_child(node, "NodeAttributeName");
        fbx->ids[fbx->id_count++] = (struct fbx_id){id_of(node->values), fbx->object_count};
        if (geometry && geometry->value_count)
            fbx->ids[fbx->id_count++] = (struct fbx_id){id_of(geometry->values), fbx->object_count};
        fbx->objects[fbx->object_count++] =
            (struct fbx_object){.kind = kind_of(node->name, fbx_bytes(node, name + 1)),
                                .name = name_of(fbx, node, name),
                                .node = node,
                                .properties = properties_of(node)};
    }
    SORT(fbx->ids, fbx->id_count, compare_ids);
    const struct fbx_node *definitions = fbx_child(fbx->root, "Definitions");
    for (const struct fbx_node *type = fbx_child(definitions, "ObjectType"); type;
         type = fbx_next(type, "ObjectType")) {
        const enum fbx_kind kind = kind_of(fbx_bytes(type, 0), (struct bytes){0});
        if (!fbx->templates[kind] && kind != FBX_OTHER)
            fbx->templates[kind] = properties_of(fbx_child(type, "PropertyTemplate"));
    }
}

uint32_t fbx_find_object(const struct fbx *fbx, const struct fbx_value *value)
{
    const struct fbx_id key = {id_of(value), 0};
    const size_t at = sorted_place(fbx->ids, fbx->id_count, sizeof key, &key, compare_ids);
    return at < fbx->id_count && fbx->ids[at].id == key.id ? fbx->ids[at].object : FBX_ROOT;
}

static int compare_links(const void *a, const void *b)
{
    const struct fbx_link *left = a, *right = b;
    const uintptr_t before = (uintptr_t)left->property.data, after = (uintptr_t)right->property.data;
    return left->of != right->of       ? (left->of > right->of) - (left->of < right->of)
           : left->kind != right->kind ? (left->kind > right->kind) - (left->kind < right->kind)
                                       : (before > after) - (before < after);
}

/* `C: "OO", from, to` and `C: "OP", from, to, property`. */
static void read_links(struct fbx *fbx)
{
    const char *name = fbx->version >= 7000 ? "C" : "Connect";
    const struct fbx_node *all = fbx_child(fbx->root, "Connections");
    size_t count = 0;
    for (const struct fbx_node *node = fbx_child(all, name); node; node = fbx_next(node, name))
        count++;
    fbx->links = arena_must_alloc(&fbx->scratch, 2 * count, sizeof *fbx->links);
    for (const struct fbx_node *node = fbx_child(all, name); node; node = fbx_next(node, name)) {
        if (node->value_count < 3)
            continue;
        const struct fbx_value *from = &node->values[1], *to = &node->values[2];
        const uint32_t carried = fbx_find_object(fbx, from), carrier = fbx_find_object(fbx, to);
        if (carried == FBX_ROOT || (carrier == FBX_ROOT && to->type != 'S' && to->whole != 0))
            continue;
        struct bytes property = fbx_bytes(node, 3);
        if (property.size == 0) /* so that what is sorted stays in the order of the file */
            property.data = node->name.data;
        fbx->links[fbx->link_count++] = (struct fbx_link){carrier, carried, fbx->objects[carried].kind, property};
        fbx->links[fbx->link_count++] = (struct fbx_link){carried, carrier, FBX_CARRIER, property};
    }
    SORT(fbx->links, fbx->link_count, compare_links);
}

struct fbx_links fbx_links_of(const struct fbx *fbx, uint32_t object, enum fbx_kind kind)
{
    struct fbx_link key = {.of = object, .kind = kind};
    const size_t first = sorted_place(fbx->links, fbx->link_count, sizeof key, &key, compare_links);
    key.property.data = (const uint8_t *)UINTPTR_MAX;
    const size_t past = sorted_place(fbx->links, fbx->link_count, sizeof key, &key, compare_links);
    return (struct fbx_links){&fbx->links[first], (uint32_t)(past - first)};
}

/* -- Properties --------------------------------------------------------------------------------------------- */

/* The number of the value that comes first. */
static uint32_t first_value(const struct fbx_node *property)
{
    return fbx_is(property->name, "P") ? 4 : 3;
}

static const struct fbx_node *find_property(const struct fbx_node *properties, const char *name)
{
    for (const struct fbx_node *node = properties ? properties->first : NULL; node; node = node->next)
        if (fbx_is(fbx_bytes(node, 0), name))
            return node;
    return NULL;
}

/* Of an object, or of its kind; NULL: it has none. */
static const struct fbx_node *property_of(const struct fbx *fbx, const struct fbx_object *object, const char *name)
{
    const struct fbx_node *own = find_property(object->properties, name);
    return own ? own : find_property(fbx->templates[object->kind], name);
}

double fbx_property_number(const struct fbx *fbx, const struct fbx_object *object, const char *name,
                           double otherwise)
{
    const struct fbx_node *property = property_of(fbx, object, name);
    return property ? fbx_number(property, first_value(property), otherwise) : otherwise;
}

bool fbx_property_vector(const struct fbx *fbx, const struct fbx_object *object, const char *name, double out[3])
{
    const struct fbx_node *property = property_of(fbx, object, name);
    for (uint32_t i = 0; i < 3 && property; i++) {
        const double number = fbx_number(property, first_value(property) + i, out[i]);
        out[i] = fabs(number) < MODEL_LARGEST_NUMBER ? number : out[i];
    }
    return property && property->value_count >= first_value(property) + 3;
}

const char *fbx_property_text(struct fbx *fbx, const struct fbx_object *object, const char *name)
{
    const struct fbx_node *property = property_of(fbx, object, name);
    return property ? fbx_text(fbx, property, first_value(property)) : "";
}

/* -- The file ----------------------------------------------------------------------------------------------- */

bool fbx_matches(struct bytes bytes)
{
    static const char extension[] = "FBXHeaderExtension:";
    return bytes_start_with(bytes, MAGIC) || bytes_start_with(bytes, "; FBX ") ||
           memmem(bytes.data, bytes.size < 4096 ? bytes.size : 4096, extension, strlen(extension));
}

/* As the file says, or where it does not, as its first line does: "; FBX 6.1.0 project file". */
static uint32_t ascii_version(const struct fbx *fbx)
{
    char line[32] = "";
    memcpy(line, fbx->bytes.data, fbx->bytes.size < sizeof line ? fbx->bytes.size : sizeof line - 1);
    unsigned numbers[3] = {0};
    if (sscanf(line, "; FBX %u.%u.%u", &numbers[0], &numbers[1], &numbers[2]) < 2 || numbers[0] > 99)
        numbers[0] = 7;
    const uint32_t told = numbers[0] * 1000 + numbers[1] % 10 * 100;
    const double own = fbx_number(fbx_child(fbx_child(fbx->root, "FBXHeaderExtension"), "FBXVersion"), 0, told);
    return own >= 1000 && own < 100000 ? (uint32_t)own : told;
}

int fbx_open(struct fbx *fbx, struct bytes bytes)
{
    struct fbx_node *root = arena_must_alloc(&fbx->scratch, 1, sizeof *root);
    fbx->bytes = bytes;
    fbx->root = root;
    fbx->is_binary = bytes.size >= HEADER_SIZE && bytes_start_with(bytes, MAGIC);
    if (fbx->is_binary) {
        fbx->is_big_endian = bytes.data[ENDIAN_AT] == 1;
        fbx->version = (uint32_t)read_whole(fbx, bytes.data + VERSION_AT, 4);
        if (fbx->version >= LEAST_VERSION)
            root->first = read_binary(fbx, HEADER_SIZE, bytes.size, 0);
    } else {
        struct text text = {fbx, bytes, 0};
        fbx->version = ascii_version(fbx);
        if (fbx->version >= LEAST_VERSION)
            root->first = read_ascii(&text, 0);
        fbx->version = ascii_version(fbx);
    }
    if (fbx->version < LEAST_VERSION)
        return error_set(fbx->err, "an FBX older than version 6.0: save it as FBX 2014 or GLB");
    if (fbx->has_failed)
        return -1;
    const struct fbx_node *header = fbx_child(fbx->root, "FBXHeaderExtension");
    const struct fbx_node *told = fbx_child(fbx_child(header, "OtherFlags"), "TCDefinition");
    bool is_new = fbx->version >= 8000;
    if (told && fbx_number(fbx_child(header, "FBXHeaderVersion"), 0, 0) >= 1004)
        is_new = fbx_number(told, 0, 127) != 127;
    fbx->ticks_per_s = is_new ? NEW_TICKS_PER_S : TICKS_PER_S;
    fbx->is_of_blender = bytes_start_with(fbx_bytes(fbx_child(header, "Creator"), 0), "Blender ");
    const struct fbx_object scene = fbx_find_properties(fbx, header, "SceneInfo");
    fbx->is_of_maya = !strcmp(fbx_property_text(fbx, &scene, "Original|ApplicationName"), "Maya");
    read_objects(fbx);
    read_links(fbx);
    return 0;
}

void fbx_close(struct fbx *fbx)
{
    free(fbx->notes);
    arena_release(&fbx->scratch);
}
