/* Three steps: libyaml's events are counted (depth, documents), which stops before its scanner gets slow; the
 * document API builds its graph, in which aliases are resolved; and the graph is checked and copied into our
 * nodes, one for each of its own. */
#include "job/yaml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define DEFAULT_TAG_PREFIX "tag:yaml.org,2002:"

static struct mark our_mark(const char *file, yaml_mark_t mark)
{
    return (struct mark){file, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

/* libyaml gives no mark for bytes that are not UTF-8, only their offset. */
static struct mark mark_of_offset(const char *file, struct bytes bytes, size_t offset)
{
    struct mark mark = {file, 1, 1};
    for (size_t i = 0; i < offset && i < bytes.size; i++) {
        if (bytes.data[i] == '\n') {
            mark.line++;
            mark.column = 1;
        } else if ((bytes.data[i] & 0xC0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

static void add_parser_problem(const yaml_parser_t *parser, const char *file, struct bytes bytes,
                               struct problems *problems)
{
    const char *problem = parser->problem ? parser->problem : "cannot be read as YAML";
    switch (parser->error) {
    case YAML_MEMORY_ERROR:
        problems_add(problems, (struct mark){file, 1, 1}, "out of memory");
        return;
    case YAML_READER_ERROR:
        problems_add(problems, mark_of_offset(file, bytes, parser->problem_offset),
                     "not readable as UTF-8 text: %s", problem);
        return;
    default:
        break;
    }
    struct yaml_complaint complaint = {problem, parser->context, our_mark(file, parser->problem_mark),
                                       our_mark(file, parser->context_mark)};
    yaml_add_mistake(bytes, &complaint, problems);
}

/* Both passes read the same bytes the same way; UTF-16 is not looked for. */
static int parser_start(yaml_parser_t *parser, struct bytes bytes, struct mark start, struct problems *problems)
{
    if (!yaml_parser_initialize(parser))
        return problems_add(problems, start, "out of memory");
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, bytes.data, bytes.size);
    return 0;
}

struct tally {
    unsigned depth, documents, anchors;
    size_t nodes;
};

static bool has_anchor(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor) ||
           (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.anchor) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor);
}

static int tally_event(struct tally *tally, const yaml_event_t *event, const char *file, struct problems *problems)
{
    struct mark mark = our_mark(file, event->start_mark);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++tally->documents > 1)
            return problems_add(problems, mark, "a second document starts here; a job list is one document");
        return 0;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        if (++tally->depth > YAML_MAX_DEPTH)
            return problems_add(problems, mark, "lists and mappings nest more than %d deep", YAML_MAX_DEPTH);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        tally->depth--;
        return 0;
    case YAML_SCALAR_EVENT:
    case YAML_ALIAS_EVENT:
        break;
    default:
        return 0;
    }
    if (++tally->nodes > YAML_MAX_NODES)
        return problems_add(problems, mark, "more than %d values", YAML_MAX_NODES);
    if (has_anchor(event) && ++tally->anchors > YAML_MAX_ANCHORS)
        return problems_add(problems, mark, "more than %d anchors (&name)", YAML_MAX_ANCHORS);
    return 0;
}

/* libyaml compares each %TAG directive with all before it; there is no use for any. A directive stands at the
 * start of a line; line breaks are CR, LF, NEL, LS and PS, which end in these bytes. */
static int check_directives(struct bytes bytes, const char *file, struct problems *problems)
{
    const uint8_t *end = bytes.data + bytes.size, *at = bytes.data;
    while (bytes.size && (at = memmem(at, (size_t)(end - at), "%TAG", 4))) {
        if (at == bytes.data || memchr("\r\n\x85\xA8\xA9", at[-1], 5))
            return problems_add(problems, mark_of_offset(file, bytes, (size_t)(at - bytes.data)),
                                "%%TAG directives are not supported");
        at++;
    }
    return 0;
}

static int check_size(struct bytes bytes, const char *file, struct problems *problems)
{
    struct mark start = {file, 1, 1};
    yaml_parser_t parser;
    if (parser_start(&parser, bytes, start, problems) < 0)
        return -1;

    struct tally tally = {0};
    int result = 0;
    for (bool is_end = false; !is_end && result == 0;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            add_parser_problem(&parser, file, bytes, problems);
            result = -1;
            break;
        }
        result = tally_event(&tally, &event, file, problems);
        is_end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    if (result == 0 && tally.documents == 0) {
        problems_add(problems, start, "the file is empty; a job list starts with 'version: 1'");
        result = -1;
    }
    yaml_parser_delete(&parser);
    return result;
}

enum visit { VISIT_NEVER, VISIT_UNDER_WAY, VISIT_DONE };

struct copy {
    struct node node;
    enum visit visit;
    unsigned height;   /* levels below and with it */
    size_t node_count; /* with all below it, those behind aliases too */
};

struct converter {
    yaml_document_t *document;
    struct copy *copies; /* one for each node of the document */
    struct arena *arena;
    const char *file;
    struct problems *problems;
};

static struct copy *copy_of(struct converter *converter, int id)
{
    return &converter->copies[id - 1];
}

static int check_tag(const struct converter *converter, const yaml_node_t *from, struct mark mark)
{
    static const char *const names[] = {
        [YAML_SCALAR_NODE] = DEFAULT_TAG_PREFIX "str",
        [YAML_SEQUENCE_NODE] = DEFAULT_TAG_PREFIX "seq",
        [YAML_MAPPING_NODE] = DEFAULT_TAG_PREFIX "map",
    };
    const char *tag = (const char *)from->tag;
    if (!tag || !strcmp(tag, names[from->type]))
        return 0;
    return problems_add(converter->problems, mark,
                        "the tag '%.64s' has no meaning here; write the value without it", tag);
}

static int convert_scalar(struct converter *converter, const yaml_node_t *from, struct node *node)
{
    const char *text = (const char *)from->data.scalar.value;
    if (memchr(text, '\0', from->data.scalar.length))
        return problems_add(converter->problems, node->mark, "text with a NUL character");
    node->kind = NODE_SCALAR;
    node->text = arena_strdup(converter->arena, text);
    node->is_plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return 0;
}

static int convert(struct converter *converter, int id, unsigned depth);

static int convert_child(struct converter *converter, struct copy *parent, int id, unsigned depth,
                         const struct node **out)
{
    if (convert(converter, id, depth + 1) < 0)
        return -1;
    const struct copy *child = copy_of(converter, id);
    parent->node_count += child->node_count;
    if (child->height + 1 > parent->height)
        parent->height = child->height + 1;
    if (parent->node_count > YAML_MAX_NODES)
        return problems_add(converter->problems, parent->node.mark,
                            "more than %d values when every alias is written out", YAML_MAX_NODES);
    *out = &child->node;
    return 0;
}

static int convert_sequence(struct converter *converter, const yaml_node_t *from, struct copy *copy,
                            unsigned depth)
{
    const yaml_node_item_t *items = from->data.sequence.items.start;
    size_t count = (size_t)(from->data.sequence.items.top - items);
    const struct node **values = arena_must_alloc(converter->arena, count, sizeof(struct node *));
    for (size_t i = 0; i < count; i++)
        if (convert_child(converter, copy, items[i], depth, &values[i]) < 0)
            return -1;
    copy->node.kind = NODE_SEQUENCE;
    copy->node.values = values;
    copy->node.count = count;
    return 0;
}

static int check_key(const struct converter *converter, const struct node *key)
{
    if (key->kind != NODE_SCALAR)
        problems_add(converter->problems, key->mark, "a key must be text, found a %s",
                     key->kind == NODE_MAPPING ? "mapping" : "list");
    else if (key->is_plain && !strcmp(key->text, "<<"))
        problems_add(
            converter->problems, key->mark,
            "merge keys (<<) are not supported; put what jobs share into 'defaults', or alias single values");
    else
        return 0;
    return -1;
}

static int compare_keys(const void *a_item, const void *b_item)
{
    const struct node *a = *(const struct node *const *)a_item, *b = *(const struct node *const *)b_item;
    int order = strcmp(a->text, b->text);
    if (order == 0)
        order = (a->mark.line > b->mark.line) - (a->mark.line < b->mark.line);
    return order ? order : (a->mark.column > b->mark.column) - (a->mark.column < b->mark.column);
}

/* Sorted, because a hostile mapping has a hundred thousand keys. */
static void check_duplicate_keys(const struct converter *converter, const struct node *mapping)
{
    const struct node **sorted = must_alloc(mapping->count, sizeof(struct node *));
    for (size_t i = 0; i < mapping->count; i++)
        sorted[i] = mapping->keys[i];
    qsort(sorted, mapping->count, sizeof(struct node *), compare_keys);
    size_t first = 0;
    for (size_t i = 1; i < mapping->count; i++) {
        if (strcmp(sorted[i]->text, sorted[first]->text))
            first = i;
        else
            problems_add(converter->problems, sorted[i]->mark, "key '%.64s' is given twice, first in line %u",
                         sorted[i]->text, sorted[first]->mark.line);
    }
    free(sorted);
}

static int convert_mapping(struct converter *converter, const yaml_node_t *from, struct copy *copy, unsigned depth)
{
    const yaml_node_pair_t *pairs = from->data.mapping.pairs.start;
    size_t count = (size_t)(from->data.mapping.pairs.top - pairs);
    const struct node **keys = arena_must_alloc(converter->arena, count, sizeof(struct node *));
    const struct node **values = arena_must_alloc(converter->arena, count, sizeof(struct node *));
    for (size_t i = 0; i < count; i++) {
        if (convert_child(converter, copy, pairs[i].key, depth, &keys[i]) < 0 ||
            check_key(converter, keys[i]) < 0 ||
            convert_child(converter, copy, pairs[i].value, depth, &values[i]) < 0)
            return -1;
    }
    copy->node.kind = NODE_MAPPING;
    copy->node.keys = keys;
    copy->node.values = values;
    copy->node.count = count;
    if (count > 1)
        check_duplicate_keys(converter, &copy->node);
    return 0;
}

static int convert_content(struct converter *converter, const yaml_node_t *from, struct copy *copy, unsigned depth)
{
    if (check_tag(converter, from, copy->node.mark) < 0)
        return -1;
    switch (from->type) {
    case YAML_SCALAR_NODE:
        return convert_scalar(converter, from, &copy->node);
    case YAML_SEQUENCE_NODE:
        return convert_sequence(converter, from, copy, depth);
    case YAML_MAPPING_NODE:
        return convert_mapping(converter, from, copy, depth);
    default:
        return problems_add(converter->problems, copy->node.mark, "not a value");
    }
}

/* Visits each node once, however many aliases name it; what it comes to when written out is summed. */
static int convert(struct converter *converter, int id, unsigned depth)
{
    const yaml_node_t *from = yaml_document_get_node(converter->document, id);
    struct copy *copy = copy_of(converter, id);
    struct mark mark = our_mark(converter->file, from->start_mark);
    if (copy->visit == VISIT_UNDER_WAY)
        return problems_add(converter->problems, mark, "this value holds an alias of itself");
    if (depth + copy->height > YAML_MAX_DEPTH)
        return problems_add(converter->problems, mark, "with its aliases this nests more than %d deep",
                            YAML_MAX_DEPTH);
    if (copy->visit == VISIT_DONE)
        return 0;
    *copy = (struct copy){.node.mark = mark, .visit = VISIT_UNDER_WAY, .node_count = 1};
    int result = convert_content(converter, from, copy, depth);
    copy->visit = VISIT_DONE;
    return result;
}

int yaml_load(struct bytes bytes, const char *file, struct arena *arena, const struct node **out,
              struct problems *problems)
{
    struct mark start = {file, 1, 1};
    if (bytes.size > YAML_MAX_FILE_SIZE)
        return problems_add(problems, start, "%zu bytes, at most %d are allowed", bytes.size, YAML_MAX_FILE_SIZE);
    if (bytes.size >= 3 && !memcmp(bytes.data, "\xEF\xBB\xBF", 3)) /* a byte order mark */
        bytes = (struct bytes){bytes.data + 3, bytes.size - 3};
    yaml_parser_t parser;
    if (check_directives(bytes, file, problems) < 0 || check_size(bytes, file, problems) < 0 ||
        parser_start(&parser, bytes, start, problems) < 0)
        return -1;

    int result = -1;
    yaml_document_t document;
    if (!yaml_parser_load(&parser, &document)) {
        add_parser_problem(&parser, file, bytes, problems);
    } else {
        size_t node_count = (size_t)(document.nodes.top - document.nodes.start);
        struct copy *copies = arena_must_alloc(arena, node_count, sizeof *copies);
        struct converter converter = {&document, copies, arena, file, problems};
        result = convert(&converter, 1, 0);
        if (result == 0)
            *out = &copies[0].node;
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return result;
}

const struct node *node_get(const struct node *mapping, const char *key)
{
    for (size_t i = 0; i < mapping->count; i++)
        if (!strcmp(mapping->keys[i]->text, key))
            return mapping->values[i];
    return NULL;
}

const struct node *node_key(const struct node *mapping, const char *key)
{
    for (size_t i = 0; i < mapping->count; i++)
        if (!strcmp(mapping->keys[i]->text, key))
            return mapping->keys[i];
    return NULL;
}

bool node_is_null(const struct node *node)
{
    return node->kind == NODE_SCALAR && node->is_plain &&
           (!*node->text || !strcmp(node->text, "~") || !strcmp(node->text, "null"));
}
