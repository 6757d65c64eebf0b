/* FBX, the file: a tree of nodes with values.
 *
 * Binary: "Kaydara FBX Binary  ", NUL, 0x1a, a byte that is 1 in big-endian files, a version of 32 bits. Then nodes: where
 * it ends, how many values and how many bytes these have (32 bits each, from 7.5 on 64), the length of its name (a byte), its
 * name, the values, the nodes below it, and after these zeros in the place of a header. A value begins with its type.
 *
 * ASCII: `Name: value, value { nodes }`, comments after `;`. What has no comma before it begins the next node. */
#include "fbx/fbx.h"

#include <endian.h>
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
    return text.size == strlen(word) && (text.size == 0 || !memcmp(text.data, word, text.size));
}

/* -- Values ------------------------------------------------------------------------------------------------- */

static void skip(struct bytes *rest, size_t size)
{
    rest->data += size;
    rest->size -= size;
}

/* A number of 1, 2, 4 or 8 bytes, at the top of 64 bits. */
static inline uint64_t read_bits(const struct fbx *fbx, const uint8_t *at, size_t size)
{
    uint64_t bits = 0;
    if (size == 8)
        memcpy(&bits, at, 8);
    else if (size == 4)
        memcpy(&bits, at, 4);
    else
        memcpy(&bits, at, size);
    return fbx->is_big_endian ? be64toh(bits) : le64toh(bits) << (64 - 8 * size);
}

static inline int64_t read_signed(const struct fbx *fbx, const uint8_t *at, size_t size)
{
    return (int64_t)read_bits(fbx, at, size) >> (64 - 8 * size);
}

static uint64_t read_size(const struct fbx *fbx, const uint8_t *at, size_t size)
{
    return read_bits(fbx, at, size) >> (64 - 8 * size);
}

/* Of a number of that type; 0: there is none such. */
static size_t size_of_number(char type)
{
    static const uint8_t sizes[256] = {['B'] = 1, ['C'] = 1, ['b'] = 1, ['c'] = 1, ['Y'] = 2, ['I'] = 4, ['F'] = 4,
                                       ['i'] = 4, ['f'] = 4, ['L'] = 8, ['D'] = 8, ['l'] = 8, ['d'] = 8};
    return sizes[(uint8_t)type];
}

static inline double read_number(const struct fbx *fbx, char type, size_t size, const uint8_t *at)
{
    const int64_t whole = read_signed(fbx, at, size);
    const uint32_t half = (uint32_t)whole;
    double number = (double)whole;
    float single;
    if ((type | 32) == 'd')
        memcpy(&number, &whole, sizeof number);
    if ((type | 32) != 'f')
        return number;
    memcpy(&single, &half, sizeof single);
    return (double)single;
}

/* False: it runs past the end, or is of no type that is known. */
static bool take_binary(const struct fbx *fbx, struct bytes *rest, struct fbx_value *out)
{
    const char type = rest->size ? (char)*rest->data : 0;
    const size_t width = size_of_number(type);
    const bool is_array = width && type >= 'a';
    const size_t head = is_array ? 13 : width ? 1 : 5; /* the type; count, whether they are packed; bytes */
    if ((!width && type != 'S' && type != 'R') || rest->size < head)
        return false;
    const uint8_t *at = rest->data + head;
    const size_t size = head > 1 ? read_size(fbx, at - 4, 4) : width;
    if (rest->size - head < size)
        return false;
    skip(rest, head + size);
    *out = (struct fbx_value){.type = 'S', .bytes = {at, size}, .number = !width && size == 1 ? *at : NAN};
    if (is_array) {
        out->type = type;
        out->count = (uint32_t)read_size(fbx, at - 12, 4);
        out->is_packed = read_size(fbx, at - 8, 4) != 0;
        return out->is_packed || size / width >= out->count;
    }
    if (width)
        *out = (struct fbx_value){
            .type = 'N', .number = read_number(fbx, type, width, at), .whole = read_signed(fbx, at, width)};
    return true;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The bytes of a word, which may be none. */
static size_t word_size(struct bytes text)
{
    const uint8_t *at = text.data, *end = at + text.size;
    while (at < end && !is_space(*at) && *at != ',' && *at != ':' && *at != '{' && *at != '}' && *at != '"' &&
           *at != ';')
        at++;
    return (size_t)(at - text.data);
}

/* The next character after white space and comments, or -1. */
static int peek(struct bytes *rest)
{
    for (; rest->size && (is_space(*rest->data) || *rest->data == ';'); skip(rest, 1))
        if (*rest->data == ';') {
            const uint8_t *line = memchr(rest->data, '\n', rest->size);
            skip(rest, line ? (size_t)(line - rest->data) : rest->size - 1);
        }
    return rest->size ? *rest->data : -1;
}

static bool take(struct bytes *rest, char c)
{
    const bool is_there = peek(rest) == c;
    skip(rest, is_there);
    return is_there;
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
    if (!*end && number == number)
        value = (struct fbx_value){'N', .number = number, .whole = strtoll(copy, NULL, 10)};
    return value;
}

/* Takes a text in quotes or a word, with the comma before it. False: there is none, or it is the name of the next node. */
static bool take_ascii(struct bytes *rest, struct fbx_value *out)
{
    take(rest, ',');
    const bool is_text = peek(rest) == '"';
    const uint8_t *end = is_text ? memchr(rest->data + 1, '"', rest->size - 1) : rest->data + word_size(*rest);
    if (!end || end == rest->data)
        return false;
    const struct bytes value = {rest->data + is_text, (size_t)(end - rest->data) - is_text};
    struct bytes after = *rest;
    skip(&after, value.size + 2 * is_text);
    if (!is_text && peek(&after) == ':')
        return false;
    *rest = after;
    if (out)
        *out = is_text ? (struct fbx_value){'S', .number = NAN, .bytes = value} : read_word(value);
    return true;
}

/* Takes one of the values of a node. */
static bool take_value(const struct fbx *fbx, struct bytes *rest, struct fbx_value *out)
{
    return fbx->is_binary ? take_binary(fbx, rest, out) : take_ascii(rest, out);
}

/* -- Nodes -------------------------------------------------------------------------------------------------- */

/* Takes a node and all that is below it. False: there is none, or it fails. */
static bool take_binary_node(struct fbx *fbx, struct bytes *rest, struct fbx_node *node, struct bytes *below)
{
    const size_t word = fbx->version >= 7500 ? 8 : 4, head = 3 * word + 1,
                 at = (size_t)(rest->data - fbx->bytes.data);
    if (rest->size > 0 && rest->size < head)
        fbx_fail(fbx, "a node at byte %zu runs past the end, at byte %zu", at, at + rest->size);
    if (rest->size < head)
        return false;
    const uint64_t past = read_size(fbx, rest->data, word), all = past - at,
                   count = read_size(fbx, rest->data + word, word),
                   size = read_size(fbx, rest->data + 2 * word, word);
    const size_t name_size = rest->data[3 * word], values_at = head + name_size;
    if (past == 0)
        return false;
    if (all > rest->size || values_at > all || size > all - values_at || count > size)
        return fbx_fail(fbx, "the node at byte %zu does not fit in what holds it", at) == 0;
    node->name = (struct bytes){rest->data + head, name_size};
    node->values = (struct bytes){rest->data + values_at, size};
    node->value_count = (uint32_t)count;
    *below = (struct bytes){node->values.data + size, all - values_at - size};
    skip(rest, all);
    struct bytes values = node->values;
    struct fbx_value value;
    for (uint64_t i = 0; i < count; node->label = i++ == 0 ? value.bytes : node->label)
        if (!take_binary(fbx, &values, &value))
            return fbx_fail(fbx, "value %ju of the node at byte %zu is damaged", (uintmax_t)i, at) == 0;
    return true;
}

/* Takes a node but what is below it. False: there is none, or it fails. */
static bool take_ascii_node(struct fbx *fbx, struct bytes *rest, struct fbx_node *node)
{
    const int c = peek(rest);
    if (c < 0 || c == '}')
        return false;
    node->name = (struct bytes){rest->data, word_size(*rest)};
    skip(rest, node->name.size);
    if (node->name.size == 0 || !take(rest, ':'))
        return fbx_fail(fbx, "byte %zu is not the name of a node, with ':' after it",
                        (size_t)(node->name.data - fbx->bytes.data)) == 0;
    node->values.data = rest->data;
    for (struct fbx_value value; take_ascii(rest, node->value_count ? NULL : &value);) {
        node->label = node->value_count ? node->label : value.bytes;
        node->values.size = (size_t)(rest->data - node->values.data);
        node->value_count++;
    }
    return true;
}

/* Reads all nodes until zeros, a '}' or the end. */
static void read_below(struct fbx *fbx, struct bytes *rest, struct fbx_node *parent, int depth)
{
    const struct fbx_node **last = &parent->first;
    for (;;) {
        struct fbx_node own = {.file = fbx}, *node;
        struct bytes inside, *below = fbx->is_binary ? &inside : rest;
        if (!(fbx->is_binary ? take_binary_node(fbx, rest, &own, &inside) : take_ascii_node(fbx, rest, &own)))
            return;
        if (depth > MOST_DEPTH)
            fbx_fail(fbx, "nodes are more than %d deep", MOST_DEPTH);
        if (fbx->has_failed)
            return;
        *last = node = arena_copy(&fbx->scratch, &own, 1, sizeof own);
        last = &node->next;
        parent->child_count++;
        if (fbx->is_binary || take(rest, '{')) {
            read_below(fbx, below, node, depth + 1);
            if (!fbx->is_binary && !take(rest, '}'))
                fbx_fail(fbx, "the file ends within a node");
        }
    }
}

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

struct fbx_value fbx_value_of(const struct fbx_node *node, uint32_t index)
{
    struct fbx_value value = {.number = NAN};
    struct bytes rest = node ? node->values : (struct bytes){0};
    for (uint32_t i = 0; node && index < node->value_count && i <= index; i++)
        take_value(node->file, &rest, &value);
    return value;
}

double fbx_number(const struct fbx_node *node, uint32_t index, double otherwise)
{
    const double number = fbx_value_of(node, index).number;
    return fabs(number) < INFINITY ? number : otherwise;
}

struct bytes fbx_bytes(const struct fbx_node *node, uint32_t index)
{
    const struct fbx_value value = fbx_value_of(node, index);
    return value.type == 'S' ? value.bytes : (struct bytes){(const uint8_t *)"", 0};
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

static const double *unpack_numbers(struct fbx *fbx, const struct fbx_value *value)
{
    const size_t size = size_of_number(value->type), count = value->count;
    const char type = value->type;
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
    double *numbers = fbx->has_failed ? NULL : arena_alloc(&fbx->scratch, count, sizeof *numbers, fbx->err);
    fbx->has_failed |= !numbers;
    for (size_t i = 0; i < count && numbers; i++)
        numbers[i] = read_number(fbx, type, size, from + i * size);
    blob_release(&unpacked);
    return numbers;
}

const double *fbx_numbers(struct fbx *fbx, const struct fbx_node *node, size_t *count)
{
    *count = 0;
    if (!node || fbx->has_failed)
        return NULL;
    const struct fbx_node *array = fbx->is_binary ? NULL : fbx_child(node, "a");
    struct fbx_value value = fbx_value_of(node, 0);
    if (fbx->is_binary && value.type >= 'a') {
        const double *unpacked = unpack_numbers(fbx, &value);
        *count = unpacked ? value.count : 0;
        return unpacked;
    }
    node = array ? array : node;
    struct bytes rest = node->values;
    double *numbers = arena_must_alloc(&fbx->scratch, node->value_count, sizeof *numbers);
    while (*count < node->value_count && take_value(fbx, &rest, &value))
        numbers[(*count)++] = value.number;
    return numbers;
}

int fbx_read_content(struct fbx *fbx, const struct fbx_node *content, struct blob *out)
{
    const struct bytes from = fbx->is_binary ? fbx_bytes(content, 0) : content->values;
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

static uint64_t id_of(struct fbx_value value)
{
    return value.type == 'S' ? hash_number(value.bytes) : (uint64_t)value.whole;
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
    const size_t most = all ? all->child_count : 0;
    fbx->objects = arena_must_alloc(&fbx->scratch, most, sizeof *fbx->objects);
    fbx->ids = arena_must_alloc(&fbx->scratch, 2 * most, sizeof *fbx->ids);
    for (const struct fbx_node *node = all ? all->first : NULL; node; node = node->next) {
        if (node->value_count == 0)
            continue;
        const struct fbx_value id = fbx_value_of(node, 0);
        const uint32_t name = id.type == 'S' ? 0 : 1;
        const struct fbx_node *geometry = fbx_child(node, "NodeAttributeName");
        fbx->ids[fbx->id_count++] = (struct fbx_id){id_of(id), fbx->object_count};
        if (geometry && geometry->value_count)
            fbx->ids[fbx->id_count++] = (struct fbx_id){id_of(fbx_value_of(geometry, 0)), fbx->object_count};
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

uint32_t fbx_find_object(const struct fbx *fbx, const struct fbx_node *node, uint32_t index)
{
    const struct fbx_id key = {id_of(fbx_value_of(node, index)), 0};
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
    fbx->links = arena_must_alloc(&fbx->scratch, all ? 2 * (size_t)all->child_count : 0, sizeof *fbx->links);
    for (const struct fbx_node *node = fbx_child(all, name); node; node = fbx_next(node, name)) {
        if (node->value_count < 3)
            continue;
        const uint32_t carried = fbx_find_object(fbx, node, 1), carrier = fbx_find_object(fbx, node, 2);
        const struct fbx_value to = fbx_value_of(node, 2);
        if (carried == FBX_ROOT || (carrier == FBX_ROOT && to.type != 'S' && to.whole != 0))
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
        if (fbx_is(node->label, name))
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
    const uint32_t first = property ? first_value(property) : 0;
    struct bytes rest = property ? property->values : (struct bytes){0};
    struct fbx_value value;
    for (uint32_t i = 0; property && i < first + 3 && i < property->value_count; i++)
        if (take_value(fbx, &rest, &value) && i >= first && fabs(value.number) < MODEL_LARGEST_NUMBER)
            out[i - first] = value.number;
    return property && property->value_count >= first + 3;
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
    struct bytes rest = bytes;
    fbx->is_binary = bytes.size >= HEADER_SIZE && bytes_start_with(bytes, MAGIC);
    if (fbx->is_binary) {
        fbx->is_big_endian = bytes.data[ENDIAN_AT] == 1;
        fbx->version = (uint32_t)read_size(fbx, bytes.data + VERSION_AT, 4);
        skip(&rest, HEADER_SIZE);
        if (fbx->version >= LEAST_VERSION)
            read_below(fbx, &rest, root, 0);
    } else {
        fbx->version = ascii_version(fbx);
        if (fbx->version >= LEAST_VERSION)
            read_below(fbx, &rest, root, 0);
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
