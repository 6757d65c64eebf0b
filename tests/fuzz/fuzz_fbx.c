/* Any bytes as an FBX, binary or ASCII (fuzz_file).
 *
 * The mutator reads a file as a tree of nodes, changes a few of these, and writes the tree again, binary or ASCII, whichever
 * the file was: bytes changed at random hardly ever leave lengths and counts that fit. */
#include "fuzz_model.h"

#include <libdeflate.h>
#include <stdio.h>

#include "fbx/fbx.h"

enum { MOST_EDITS = 4, MOST_TO_COPY = 256, DEEP = 60, NO_EDIT = -1 };

/* Of a node, of which one value or array may be changed. */
enum edit { DROP, TWICE, DEEPER, OTHER, RENAME, VALUE, ARRAY = VALUE + 6, LIE = ARRAY + 6, EDITS };

struct writer {
    uint64_t dice;
    struct fbx *fbx;
    const struct fbx_node **nodes; /* all of the file */
    size_t node_count;
    size_t edited[MOST_EDITS]; /* nodes, by number */
    enum edit edits[MOST_EDITS];
    uint8_t *out;
    size_t size, most;
    bool is_binary, is_wide, is_packed;
};

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file(&fbx_format, "a/b.fbx", (struct bytes){data, size});
    return 0;
}

/* -- Bytes ------------------------------------------------------------------------------------------------------ */

/* 0 where the limit is 0. */
static size_t below(struct writer *writer, size_t limit)
{
    writer->dice ^= writer->dice << 13;
    writer->dice ^= writer->dice >> 7;
    writer->dice ^= writer->dice << 17;
    return limit ? (size_t)(writer->dice >> 16) % limit : 0;
}

/* What does not fit is counted, and makes the whole file void. */
static void put(struct writer *writer, const void *data, size_t size)
{
    if (size && writer->size + size <= writer->most)
        memcpy(writer->out + writer->size, data, size);
    writer->size += size;
}

static void put_text(struct writer *writer, const char *text)
{
    put(writer, text, strlen(text));
}

static void encode(const struct writer *writer, uint64_t number, size_t width, uint8_t *out)
{
    for (size_t i = 0; i < width; i++)
        out[writer->fbx->is_big_endian ? width - 1 - i : i] = (uint8_t)(number >> (8 * i));
}

static void put_number(struct writer *writer, uint64_t number, size_t width)
{
    uint8_t bytes[8];
    encode(writer, number, width, bytes);
    put(writer, bytes, width);
}

/* At a place that is behind. */
static void set_number(struct writer *writer, size_t at, uint64_t number, size_t width)
{
    if (at + width <= writer->most)
        encode(writer, number, width, writer->out + at);
}

/* -- Values ----------------------------------------------------------------------------------------------------- */

static double odd_number(struct writer *writer, double old)
{
    static const double odd[] = {
        0,    -1,   1,           NAN,          INFINITY,    -INFINITY, 1e300,        -1e30,
        1e-9, 1e15, 2147483647., -2147483648., 4294967296., 65536,     46186158000., 9e18};
    switch (below(writer, 4)) {
    case 0:
        return -old;
    case 1:
        return old + 1;
    default:
        return odd[below(writer, COUNT(odd))];
    }
}

/* A value of that number of any node, rather of one with the same name: so links go in circles, and to other kinds. */
static struct fbx_value other_value(struct writer *writer, const struct fbx_node *node, size_t number)
{
    struct fbx_value value = fbx_value_of(node, (uint32_t)number);
    for (int tries = 0; tries < 32; tries++) {
        const struct fbx_node *other = writer->nodes[below(writer, writer->node_count)];
        const bool is_twin =
            other->name.size == node->name.size && !memcmp(other->name.data, node->name.data, node->name.size);
        if (other != node && other->value_count > number && (is_twin || tries > 24)) {
            value = fbx_value_of(other, (uint32_t)(below(writer, 4) ? number : below(writer, other->value_count)));
            break;
        }
    }
    return value;
}

static struct fbx_value odd_value(struct writer *writer, const struct fbx_node *node, size_t number)
{
    struct fbx_value value = fbx_value_of(node, (uint32_t)number);
    if (below(writer, 2))
        return other_value(writer, node, number);
    if (value.type == 'S') {
        value.bytes.size = below(writer, value.bytes.size + 1);
        return value;
    }
    value.number = odd_number(writer, value.number);
    value.whole = fabs(value.number) < 9e18 ? (int64_t)value.number : INT64_MIN;
    value.whole = below(writer, 8) ? value.whole : 0;
    return value;
}

static void put_value(struct writer *writer, const struct fbx_value *value)
{
    char text[64];
    uint64_t bits;
    if (writer->is_binary) {
        const bool is_whole = (double)value->whole == value->number;
        const char type = value->type != 'N' ? 'S' : is_whole ? 'L' : 'D';
        put(writer, &type, 1);
        if (type == 'S') {
            put_number(writer, value->bytes.size, 4);
            put(writer, value->bytes.data, value->bytes.size);
        } else {
            memcpy(&bits, &value->number, sizeof bits);
            put_number(writer, type == 'L' ? (uint64_t)value->whole : bits, 8);
        }
    } else if (value->type == 'N') {
        snprintf(text, sizeof text, "%.17g", value->number);
        put_text(writer, text);
    } else {
        put_text(writer, "\"");
        put(writer, value->bytes.data, value->bytes.size);
        put_text(writer, "\"");
    }
}

/* -- Arrays ----------------------------------------------------------------------------------------------------- */

/* In ASCII a node with as many values as are kept may have more: it is one. */
static bool is_array(const struct fbx *fbx, const struct fbx_node *node)
{
    if (fbx->is_binary)
        return fbx_value_of(node, 0).type >= 'a';
    return fbx_child(node, "a") || (node->value_count >= 8 && fbx_value_of(node, 0).type != 'S');
}

/* Numbers, of which some are odd, are missing or there again. */
static double *change_numbers(struct writer *writer, const double *numbers, size_t *count)
{
    const size_t old = *count, added = below(writer, 2) ? below(writer, MOST_TO_COPY) : 0;
    double *out = must_alloc(old + added + 1, sizeof *out);
    if (old)
        memcpy(out, numbers, old * sizeof *out);
    switch (below(writer, 6)) {
    case 0:
        *count = below(writer, old + 1);
        break;
    case 1:
        for (*count = 0; *count < old + added; ++*count)
            out[*count] = old ? numbers[*count % old] : 0;
        break;
    case 2: /* in another order */
        for (size_t i = 0; i < old; i++)
            out[i] = numbers[old - 1 - i];
        break;
    case 3: /* all the same */
        for (size_t i = 0; i < old; i++)
            out[i] = numbers[below(writer, 2) ? 0 : i];
        break;
    default:
        for (size_t changes = 1 + below(writer, 3); changes > 0 && old; changes--) {
            const size_t at = below(writer, old);
            out[at] = below(writer, 2) ? odd_number(writer, out[at]) : numbers[below(writer, old)];
        }
    }
    return out;
}

static void put_binary_array(struct writer *writer, const double *numbers, size_t count, bool are_whole, bool lies)
{
    const char type = are_whole ? 'l' : 'd';
    uint8_t *plain = must_alloc(count + 1, 8), *packed = must_alloc(8 * count + 64, 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = (uint64_t)(fabs(numbers[i]) < 9e18 ? (int64_t)numbers[i] : INT64_MIN);
        if (!are_whole)
            memcpy(&bits, &numbers[i], sizeof bits);
        encode(writer, bits, 8, plain + 8 * i);
    }
    size_t size = 8 * count;
    if (writer->is_packed) {
        struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(1);
        size = deflater ? libdeflate_zlib_compress(deflater, plain, size, packed, size + 64) : 0;
        libdeflate_free_compressor(deflater);
    }
    const size_t told = lies ? (size_t)fmin(fabs(odd_number(writer, (double)count)), 1e9) : count;
    put(writer, &type, 1);
    put_number(writer, told, 4);
    put_number(writer, writer->is_packed, 4);
    put_number(writer, lies && below(writer, 2) ? below(writer, 2 * size + 1) : size, 4);
    put(writer, writer->is_packed ? packed : plain, size);
    free(plain);
    free(packed);
}

static void put_array(struct writer *writer, const struct fbx_node *node, bool is_changed, bool lies)
{
    size_t count;
    bool are_whole = true;
    char text[64];
    const double *numbers = fbx_numbers(writer->fbx, node, &count);
    for (size_t i = 0; i < count; i++)
        are_whole &= fabs(numbers[i]) < 9e15 && numbers[i] == trunc(numbers[i]);
    double *changed = is_changed ? change_numbers(writer, numbers, &count) : NULL;
    if (writer->is_binary) {
        put_binary_array(writer, changed ? changed : numbers, count, are_whole, lies);
    } else {
        if (fbx_child(node, "a")) {
            snprintf(text, sizeof text, "*%zu { a: ", lies ? below(writer, SIZE_MAX) : count);
            put_text(writer, text);
        }
        for (size_t i = 0; i < count; i++) {
            snprintf(text, sizeof text, "%s%.17g", i ? "," : "", (changed ? changed : numbers)[i]);
            put_text(writer, text);
        }
        put_text(writer, fbx_child(node, "a") ? " }" : "");
    }
    free(changed);
}

/* -- Nodes ------------------------------------------------------------------------------------------------------ */

static void put_children(struct writer *writer, const struct fbx_node *node, bool is_edited);

static void put_node(struct writer *writer, const struct fbx_node *node, struct bytes name, int edit, int deeper,
                     bool is_edited)
{
    const size_t width = writer->is_wide ? 8 : 4, begin = writer->size;
    const bool has_array = is_array(writer->fbx, node);
    const size_t odd = edit == VALUE ? below(writer, node->value_count) : SIZE_MAX;
    const uint32_t count = has_array ? 1 : node->value_count;
    if (writer->is_binary) {
        put_number(writer, 0, width);
        put_number(writer, count, width);
        put_number(writer, 0, width);
        put_number(writer, name.size, 1);
    }
    put(writer, name.data, name.size);
    if (!writer->is_binary)
        put_text(writer, ": ");
    const size_t values_at = writer->size;
    for (uint32_t i = 0; i < count && !has_array; i++) {
        struct fbx_value value = i == odd ? odd_value(writer, node, i) : fbx_value_of(node, i);
        if (i && !writer->is_binary)
            put_text(writer, ",");
        if (value.type < 'a')
            put_value(writer, &value);
        else
            put_value(writer, &(struct fbx_value){.type = 'N', .whole = value.count, .number = value.count});
    }
    if (has_array)
        put_array(writer, node, edit == ARRAY, edit == LIE);
    if (writer->is_binary)
        set_number(writer, begin + 2 * width, writer->size - values_at, width);
    const bool has_more = (node->first && !has_array) || deeper > 0;
    if (has_more && !writer->is_binary)
        put_text(writer, " {\n");
    if (deeper > 0)
        put_node(writer, node, name, NO_EDIT, deeper - 1, false);
    else if (!has_array)
        put_children(writer, node, is_edited);
    if (has_more && writer->is_binary)
        for (size_t i = 0; i < 3 * width + 1; i++)
            put_number(writer, 0, 1);
    if (writer->is_binary)
        set_number(writer, begin, edit == LIE ? below(writer, 2 * writer->size) : writer->size, width);
    else
        put_text(writer, has_more ? "}\n" : "\n");
}

/* The edit of a node, or NO_EDIT. */
static int edit_of(const struct writer *writer, const struct fbx_node *node)
{
    for (int i = 0; i < MOST_EDITS; i++)
        if (writer->nodes[writer->edited[i]] == node)
            return (int)writer->edits[i];
    return NO_EDIT;
}

static void put_edited(struct writer *writer, const struct fbx_node *node)
{
    const struct fbx_node *other = writer->nodes[below(writer, writer->node_count)];
    const int edit = edit_of(writer, node);
    struct bytes name = edit == RENAME ? other->name : node->name;
    int kind = edit >= LIE ? LIE : edit >= ARRAY ? ARRAY : edit >= VALUE ? VALUE : edit;
    if (kind == VALUE || kind == ARRAY)
        kind = is_array(writer->fbx, node) ? ARRAY : node->value_count ? VALUE : NO_EDIT;
    if (edit == DROP)
        return;
    if (edit == TWICE)
        put_node(writer, node, name, NO_EDIT, 0, false);
    put_node(writer, edit == OTHER ? other : node, name, kind, edit == DEEPER ? (int)below(writer, DEEP) : 0,
             edit != OTHER);
}

/* Only where its nodes are there once are edits made in them. */
static void put_children(struct writer *writer, const struct fbx_node *node, bool is_edited)
{
    for (const struct fbx_node *child = node->first; child && writer->size <= writer->most; child = child->next)
        if (is_edited)
            put_edited(writer, child);
        else
            put_node(writer, child, child->name, NO_EDIT, 0, false);
}

static void list_nodes(struct writer *writer, const struct fbx_node *parent, size_t *capacity)
{
    for (const struct fbx_node *node = parent->first; node; node = node->next) {
        *MUST_ADD(writer->nodes, writer->node_count, *capacity) = node;
        list_nodes(writer, node, capacity);
    }
}

/* Writes the file to `out`, changed; 0: it does not fit. */
static size_t write_changed(struct writer *writer, const uint8_t *header, size_t header_size)
{
    size_t capacity = 0;
    list_nodes(writer, writer->fbx->root, &capacity);
    for (int i = 0; i < MOST_EDITS; i++) {
        writer->edited[i] = below(writer, writer->node_count);
        writer->edits[i] = (enum edit)below(writer, EDITS);
    }
    if (writer->is_binary)
        put(writer, header, header_size);
    else
        put_text(writer,
                 writer->fbx->version < 7000 ? "; FBX 6.1.0 project file\n" : "; FBX 7.4.0 project file\n");
    if (writer->node_count)
        put_children(writer, writer->fbx->root, true);
    for (int i = 0; i < 13 && writer->is_binary; i++)
        put_number(writer, 0, 1);
    free(writer->nodes);
    return writer->size <= writer->most ? writer->size : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    enum { HEADER_SIZE = 27 };
    struct error err;
    struct fbx fbx = {.err = &err, .arena = &fbx.scratch};
    struct writer writer = {.dice = seed * 0x9e3779b97f4a7c15u + 1, .fbx = &fbx, .most = most};
    size_t changed = 0;
    if (below(&writer, 8) && fbx_matches((struct bytes){data, size}) &&
        fbx_open(&fbx, (struct bytes){data, size}) == 0) {
        writer.out = must_alloc(most, 1);
        writer.is_binary = fbx.is_binary;
        writer.is_wide = fbx.version >= 7500;
        writer.is_packed = below(&writer, 2);
        changed = write_changed(&writer, data, HEADER_SIZE);
        if (changed)
            memcpy(data, writer.out, changed);
        free(writer.out);
    }
    fbx_close(&fbx);
    return changed ? changed : LLVMFuzzerMutate(data, size, most);
}
