/* libyaml's events are put together to our nodes as they come, so that a limit ends the reading before libyaml's
 * scanner gets slow. */
#include "job/yaml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

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

struct anchor {
    const char *name;
    struct mark mark;        /* of its node */
    const struct node *node; /* NULL while it is read */
};

struct composer {
    yaml_parser_t parser;
    struct bytes bytes;
    const char *file;
    struct arena *arena;
    struct problems *problems;
    size_t node_count; /* as written */
    struct anchor anchors[YAML_MAX_ANCHORS];
    size_t anchor_count;
};

static int next_event(struct composer *composer, yaml_event_t *event)
{
    yaml_parser_t *parser = &composer->parser;
    if (yaml_parser_parse(parser, event))
        return 0;
    const char *problem = parser->problem ? parser->problem : "cannot be read as YAML", *file = composer->file;
    if (parser->error == YAML_MEMORY_ERROR)
        return problems_add(composer->problems, (struct mark){file, 1, 1}, "out of memory");
    if (parser->error == YAML_READER_ERROR)
        return problems_add(composer->problems, mark_of_offset(file, composer->bytes, parser->problem_offset),
                            "not readable as UTF-8 text: %s", problem);
    struct yaml_complaint complaint = {
        .bytes = composer->bytes,
        .problems = composer->problems,
        .problem = problem,
        .context = parser->context,
        .mark = our_mark(file, parser->problem_mark),
        .context_mark = our_mark(file, parser->context_mark),
    };
    yaml_add_mistake(&complaint);
    return -1;
}

static int check_tag(const struct composer *composer, const yaml_char_t *tag, const struct node *node)
{
    static const char *const usual[] = {
        [NODE_SCALAR] = YAML_STR_TAG, [NODE_SEQUENCE] = YAML_SEQ_TAG, [NODE_MAPPING] = YAML_MAP_TAG};
    const char *text = (const char *)tag;
    if (!text || !strcmp(text, "!") || !strcmp(text, usual[node->kind]))
        return 0;
    return problems_add(composer->problems, node->mark,
                        "the tag '%.64s' has no meaning here; write the value without it", text);
}

static const struct anchor *find_anchor(const struct composer *composer, const yaml_char_t *name)
{
    return named_find(composer->anchors, composer->anchor_count, sizeof *composer->anchors, (const char *)name,
                      false);
}

/* *out is NULL for a node without an anchor. */
static int add_anchor(struct composer *composer, const yaml_char_t *name, struct mark mark, struct anchor **out)
{
    *out = NULL;
    if (!name)
        return 0;
    const struct anchor *other = find_anchor(composer, name);
    if (other)
        return problems_add(composer->problems, mark, "anchor '&%.64s' is given twice, first in line %u",
                            other->name, other->mark.line);
    if (composer->anchor_count == YAML_MAX_ANCHORS)
        return problems_add(composer->problems, mark, "more than %d anchors (&name)", YAML_MAX_ANCHORS);
    *out = &composer->anchors[composer->anchor_count++];
    **out = (struct anchor){.name = arena_strdup(composer->arena, (const char *)name), .mark = mark};
    return 0;
}

static int read_alias(struct composer *composer, const yaml_event_t *event, unsigned depth,
                      const struct node **out)
{
    const struct anchor *anchor = find_anchor(composer, event->data.alias.anchor);
    if (!anchor)
        return problems_add(composer->problems, our_mark(composer->file, event->start_mark),
                            "not valid YAML: no anchor (&name) is called like this alias; a pattern that starts "
                            "with '*' must be in quotes");
    if (!anchor->node)
        return problems_add(composer->problems, anchor->mark, "this value holds an alias of itself");
    if (depth + anchor->node->height > YAML_MAX_DEPTH)
        return problems_add(composer->problems, anchor->mark, "with its aliases this nests more than %d deep",
                            YAML_MAX_DEPTH);
    *out = anchor->node;
    return 0;
}

static int check_key(const struct composer *composer, const struct node *key)
{
    if (key->kind != NODE_SCALAR)
        return problems_add(composer->problems, key->mark, "a key must be text, found a %s",
                            key->kind == NODE_MAPPING ? "mapping" : "list");
    if (key->is_plain && !strcmp(key->text, "<<"))
        return problems_add(
            composer->problems, key->mark,
            "merge keys (<<) are not supported; put what jobs share into 'defaults', or alias single values");
    return 0;
}

static int compare_keys(const void *a_item, const void *b_item)
{
    const struct node *a = *(const struct node *const *)a_item, *b = *(const struct node *const *)b_item;
    int order = strcmp(a->text, b->text);
    return order ? order : mark_compare(&a->mark, &b->mark);
}

/* Sorted, because a hostile mapping has a hundred thousand keys. */
static void check_duplicate_keys(const struct composer *composer, const struct node *mapping)
{
    SCOPED const struct node **sorted = must_alloc(mapping->count, sizeof(struct node *));
    for (size_t i = 0; i < mapping->count; i++)
        sorted[i] = mapping->keys[i];
    SORT(sorted, mapping->count, compare_keys);
    size_t first = 0;
    for (size_t i = 1; i < mapping->count; i++) {
        if (strcmp(sorted[i]->text, sorted[first]->text))
            first = i;
        else
            problems_add(composer->problems, sorted[i]->mark, "key '%.64s' is given twice, first in line %u",
                         sorted[i]->text, sorted[first]->mark.line);
    }
}

static int read_node(struct composer *composer, const yaml_event_t *event, unsigned depth,
                     const struct node **out);

/* Reads up to the event that ends the list or the mapping, whose keys and values come in turn. */
static int read_collection(struct composer *composer, unsigned depth, struct node *node)
{
    const size_t step = node->kind == NODE_MAPPING ? 2 : 1;
    SCOPED const struct node **items = NULL;
    size_t count = 0, capacity = 0;
    if (depth == YAML_MAX_DEPTH)
        return problems_add(composer->problems, node->mark, "lists and mappings nest more than %d deep",
                            YAML_MAX_DEPTH);
    for (;;) {
        SCOPED_BY(yaml_event_delete) yaml_event_t event = {0};
        const struct node *child;
        if (next_event(composer, &event) < 0)
            return -1;
        if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT)
            break;
        if (read_node(composer, &event, depth + 1, &child) < 0 ||
            (step == 2 && count % 2 == 0 && check_key(composer, child) < 0))
            return -1;
        *MUST_ADD(items, count, capacity) = child;
        node->size += child->size;
        node->height = child->height < node->height ? node->height : child->height + 1;
        if (node->size > YAML_MAX_NODES)
            return problems_add(composer->problems, node->mark,
                                "more than %d values when every alias is written out", YAML_MAX_NODES);
    }
    node->count = count / step;
    const struct node **keys = arena_must_alloc(composer->arena, node->count, sizeof(struct node *));
    const struct node **values = arena_must_alloc(composer->arena, node->count, sizeof(struct node *));
    for (size_t i = 0; i < node->count; i++) {
        keys[i] = items[i * step];
        values[i] = items[i * step + step - 1];
    }
    node->keys = keys;
    node->values = values;
    if (step == 2)
        check_duplicate_keys(composer, node);
    return 0;
}

/* The node that starts with this event. */
static int read_node(struct composer *composer, const yaml_event_t *event, unsigned depth, const struct node **out)
{
    struct mark mark = our_mark(composer->file, event->start_mark);
    if (++composer->node_count > YAML_MAX_NODES)
        return problems_add(composer->problems, mark, "more than %d values", YAML_MAX_NODES);
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(composer, event, depth, out);

    struct node *node = arena_must_alloc(composer->arena, 1, sizeof *node);
    struct anchor *anchor;
    *node = (struct node){.mark = mark, .size = 1};
    node->kind = event->type == YAML_SCALAR_EVENT           ? NODE_SCALAR
                 : event->type == YAML_SEQUENCE_START_EVENT ? NODE_SEQUENCE
                                                            : NODE_MAPPING;
    /* Events of the three kinds begin alike. */
    if (check_tag(composer, event->data.scalar.tag, node) < 0 ||
        add_anchor(composer, event->data.scalar.anchor, mark, &anchor) < 0)
        return -1;
    if (node->kind != NODE_SCALAR) {
        if (read_collection(composer, depth, node) < 0)
            return -1;
    } else if (memchr(event->data.scalar.value, '\0', event->data.scalar.length)) {
        return problems_add(composer->problems, node->mark, "text with a NUL character");
    } else {
        node->text = arena_strdup(composer->arena, (const char *)event->data.scalar.value);
        node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    }
    if (anchor)
        anchor->node = node;
    *out = node;
    return 0;
}

/* Reads all of the text, for what follows the first document may be no YAML. */
static int read_documents(struct composer *composer, const struct node **out)
{
    const struct node *root = NULL;
    for (bool is_end = false; !is_end;) {
        SCOPED_BY(yaml_event_delete) yaml_event_t event = {0};
        if (next_event(composer, &event) < 0)
            return -1;
        is_end = event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_DOCUMENT_START_EVENT && root)
            return problems_add(composer->problems, our_mark(composer->file, event.start_mark),
                                "a second document starts here; a job list is one document");
        if (event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_START_EVENT &&
            event.type != YAML_DOCUMENT_END_EVENT && !is_end && read_node(composer, &event, 0, &root) < 0)
            return -1;
    }
    if (!root)
        return problems_add(composer->problems, (struct mark){composer->file, 1, 1},
                            "the file is empty; a job list starts with 'version: 1'");
    *out = root;
    return 0;
}

int yaml_load(struct bytes bytes, const char *file, struct arena *arena, const struct node **out,
              struct problems *problems)
{
    struct mark start = {file, 1, 1};
    if (bytes.size > YAML_MAX_FILE_SIZE)
        return problems_add(problems, start, "%zu bytes, at most %d are allowed", bytes.size, YAML_MAX_FILE_SIZE);
    if (bytes_start_with(bytes, "\xEF\xBB\xBF")) /* a byte order mark */
        bytes = (struct bytes){bytes.data + 3, bytes.size - 3};
    if (check_directives(bytes, file, problems) < 0)
        return -1;
    SCOPED struct composer *composer = must_alloc(1, sizeof *composer);
    composer->bytes = bytes;
    composer->file = file;
    composer->arena = arena;
    composer->problems = problems;
    int result = -1;
    if (yaml_parser_initialize(&composer->parser)) {
        yaml_parser_set_encoding(&composer->parser, YAML_UTF8_ENCODING); /* UTF-16 is not looked for */
        yaml_parser_set_input_string(&composer->parser, bytes.data, bytes.size);
        result = read_documents(composer, out);
        yaml_parser_delete(&composer->parser);
    } else {
        problems_add(problems, start, "out of memory");
    }
    return result;
}

static const struct node *find_key(const struct node *mapping, const char *key, const struct node *const *items)
{
    for (size_t i = 0; i < mapping->count; i++)
        if (!strcmp(mapping->keys[i]->text, key))
            return items[i];
    return NULL;
}

const struct node *node_get(const struct node *mapping, const char *key)
{
    return find_key(mapping, key, mapping->values);
}

const struct node *node_key(const struct node *mapping, const char *key)
{
    return find_key(mapping, key, mapping->keys);
}

bool node_is_null(const struct node *node)
{
    return node->kind == NODE_SCALAR && node->is_plain &&
           (!*node->text || !strcmp(node->text, "~") || !strcmp(node->text, "null"));
}
