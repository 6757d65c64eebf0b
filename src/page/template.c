#include "page/template.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/missing.h"
#include "base/utf8.h"

enum {
    MOST_FILE = 1024 * 1024,
    MOST_DEPTH = 16,               /* of sections in each other */
    MOST_STEPS = 20 * 1000 * 1000, /* 65536 frames with 50 tags each make 7 million */
    MOST_OUTPUT = 64 * 1024 * 1024,
};

enum piece_kind { PIECE_TEXT, PIECE_VALUE, PIECE_RAW, PIECE_SECTION, PIECE_INVERTED };

struct piece {
    enum piece_kind kind;
    const char *text; /* or the name of a value */
    size_t length;
    size_t end; /* of a section: the piece after its last one */
    unsigned line;
};

/* -- Parsing ----------------------------------------------------------------------------------------------- */

struct parser {
    struct arena *arena;
    const char *text; /* NUL-terminated */
    struct piece *pieces;
    size_t count, capacity;
    size_t open[MOST_DEPTH]; /* the sections around the present place */
    size_t depth;
    const char *counted; /* up to there are so many lines */
    unsigned line;
    struct error *err;
};

static void add_piece(struct parser *parser, struct piece piece)
{
    parser->pieces = must_grow(parser->pieces, parser->count, &parser->capacity, sizeof piece);
    parser->pieces[parser->count++] = piece;
}

static void add_text(struct parser *parser, const char *from, const char *to)
{
    if (to > from)
        add_piece(parser, (struct piece){.kind = PIECE_TEXT, .text = from, .length = (size_t)(to - from)});
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A tag that writes nothing and is alone on its line takes the whole line away. */
static void widen(const struct parser *parser, const char **from, const char **to)
{
    const char *start = *from, *end = *to;
    while (start > parser->text && is_blank(start[-1]))
        start--;
    while (is_blank(*end) || *end == '\r')
        end++;
    if ((start > parser->text && start[-1] != '\n') || (*end && *end != '\n'))
        return;
    *from = start;
    *to = end + (*end == '\n');
}

/* `sign` is what stands before the name in the tag, or 0. */
static int add_tag(struct parser *parser, char sign, const char *name)
{
    unsigned line = parser->line;
    if (!*name || name[strcspn(name, " \t\r\n{}#^/&!<>=$%")])
        return error_set(parser->err, "line %u: '%.64s' is not the name of a value", line, name);
    if (sign == '/') {
        const char *opened = parser->depth ? parser->pieces[parser->open[parser->depth - 1]].text : "";
        if (!parser->depth || strcmp(opened, name))
            return error_set(parser->err, "line %u: '{{/%.64s}}' ends no section%s%.64s%s", line, name,
                             parser->depth ? ": '{{#" : "", opened, parser->depth ? "}}' is open" : "");
        parser->pieces[parser->open[--parser->depth]].end = parser->count;
        return 0;
    }
    if (sign == '#' || sign == '^') {
        if (parser->depth == MOST_DEPTH)
            return error_set(parser->err, "line %u: more than %d sections in each other", line, MOST_DEPTH);
        parser->open[parser->depth++] = parser->count;
    }
    add_piece(parser, (struct piece){.kind = sign == '#'   ? PIECE_SECTION
                                             : sign == '^' ? PIECE_INVERTED
                                             : sign        ? PIECE_RAW
                                                           : PIECE_VALUE,
                                     .text = name,
                                     .line = line});
    return 0;
}

static int parse_tag(struct parser *parser, const char *open, const char **from, const char **to)
{
    for (; parser->counted < open; parser->counted++)
        parser->line += *parser->counted == '\n';
    char sign = open[2] && strchr("{&#^/!>=<$%", open[2]) ? open[2] : '\0';
    const char *start = open + 2 + (sign != '\0'), *end = strstr(start, sign == '{' ? "}}}" : "}}");
    if (!end)
        return error_set(parser->err, "line %u: '{{' without '%s'", parser->line, sign == '{' ? "}}}" : "}}");
    if (sign && strchr(">=<$%", sign))
        return error_set(parser->err, "line %u: '{{%c': templates here have no partials, blocks and delimiters",
                         parser->line, sign);
    *from = open;
    *to = end + (sign == '{' ? 3 : 2);
    if (sign && strchr("#^/!", sign))
        widen(parser, from, to);
    if (sign == '!')
        return 0;
    while (start < end && is_blank(*start))
        start++;
    while (end > start && is_blank(end[-1]))
        end--;
    return add_tag(parser, sign, arena_strndup(parser->arena, start, (size_t)(end - start)));
}

static int parse(struct parser *parser)
{
    const char *at = parser->text, *open;
    while ((open = strstr(at, "{{"))) {
        const char *from = open, *to = open;
        size_t place = parser->count;
        add_text(parser, at, open);
        if (parse_tag(parser, open, &from, &to) < 0)
            return -1;
        if (from < open && parser->count > place && parser->pieces[place].kind == PIECE_TEXT)
            parser->pieces[place].length -= (size_t)(open - from);
        at = to;
    }
    add_text(parser, at, at + strlen(at));
    const struct piece *last = parser->depth ? &parser->pieces[parser->open[parser->depth - 1]] : NULL;
    return last ? error_set(parser->err, "line %u: the section '%.64s' has no end '{{/%.64s}}'", last->line,
                            last->text, last->text)
                : 0;
}

int template_load(struct bytes file, const char *suffix, struct arena *arena, struct template **out, struct error *err)
{
    const char *text = arena_strndup(arena, (const char *)file.data, file.size);
    struct parser parser = {.arena = arena, .text = text, .counted = text, .line = 1, .err = err};
    int result = file.size > MOST_FILE        ? error_set(err, "it is larger than a megabyte")
                 : strlen(text) < file.size   ? error_set(err, "it holds a NUL: it is no text")
                                              : parse(&parser);
    if (result == 0) {
        *out = arena_must_alloc(arena, 1, sizeof **out);
        **out = (struct template){
            suffix, arena_copy(arena, parser.pieces, parser.count, sizeof *parser.pieces), parser.count};
    }
    free(parser.pieces);
    return result;
}

bool template_has_section(const struct template *template, const char *name)
{
    bool has = false;
    for (size_t i = 0; i < template->count; i++)
        has |= template->pieces[i].kind == PIECE_SECTION && !strcmp(template->pieces[i].text, name);
    return has;
}

/* -- Filling in -------------------------------------------------------------------------------------------- */

/* A value that a section is about; of a list, the item of the moment. */
struct scope {
    json_t *value;
    size_t index, count; /* count is 0 for what is in no list */
};

struct filling {
    const struct piece *pieces;
    const char *const *escapes; /* by ASCII character; NULL: it stays */
    struct scope scopes[MOST_DEPTH + 1];
    size_t depth, steps;
    struct buffer out;
    struct error *err;
};

/* In quotes of JSON, Lua, C and their like. */
static const char *const backslashes[128] = {['"'] = "\\\"", ['\\'] = "\\\\"};
static const char *const entities[128] = {
    ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&apos;"};
static const char *const percents[128] = {['%'] = "%25", ['#'] = "%23", [':'] = "%3A", [';'] = "%3B"};

static const char *const *escapes_of(const char *suffix)
{
    static const char *const of_xml[] = {".xml", ".plist", ".tsx", ".tmx", ".svg", ".html"};
    for (size_t i = 0; i < sizeof of_xml / sizeof *of_xml; i++)
        if (!strcasecmp(suffix, of_xml[i]))
            return entities;
    return strcasecmp(suffix, ".tpsheet") ? backslashes : percents;
}

/* What could end a line or a text, and what XML cannot hold, is '?', as what is not UTF-8. */
static void add_text_value(struct filling *filling, const char *text, bool is_raw)
{
    for (size_t length; *text; text += length) {
        bool is_no_character = !strncmp(text, "\xEF\xBF\xBE", 3) || !strncmp(text, "\xEF\xBF\xBF", 3);
        length = is_no_character ? 0 : printable_length(text);
        const char *escape = length == 0 ? "?" : is_raw || length > 1 ? NULL : filling->escapes[(int)*text];
        buffer_add(&filling->out, escape ? escape : text, escape ? strlen(escape) : length);
        length += length == 0 ? 1 + 2 * is_no_character : 0;
    }
}

/* Never with an exponent, which some readers do not know. */
static void add_real(struct buffer *out, double number)
{
    buffer_printf(out, "%.6f", number);
    while (out->text[out->length - 1] == '0')
        out->length--;
    out->length -= out->text[out->length - 1] == '.';
}

static json_t *find_value(const struct filling *filling, const char *name)
{
    json_t *found = NULL;
    for (size_t i = filling->depth; i-- > 0 && !found;) {
        const struct scope *scope = &filling->scopes[i];
        if (scope->count && !strcmp(name, "-first"))
            return json_boolean(scope->index == 0);
        if (scope->count && !strcmp(name, "-last"))
            return json_boolean(scope->index + 1 == scope->count);
        found = json_object_get(scope->value, name);
    }
    return found;
}

static int fail_missing(const struct filling *filling, const char *wanted)
{
    const char *names[128], *name;
    json_t *value;
    size_t count = 0;
    for (size_t i = 0; i < filling->depth; i++)
        json_object_foreach(filling->scopes[i].value, name, value)
        {
            if (count < sizeof names / sizeof *names)
                names[count++] = name;
        }
    return missing_fail("value", wanted, strings_nearest(wanted, names, count), names, count, filling->err);
}

static int fill_value(struct filling *filling, const struct piece *piece, const json_t *value)
{
    if (json_is_string(value))
        add_text_value(filling, json_string_value(value), piece->kind == PIECE_RAW);
    else if (json_is_integer(value))
        buffer_printf(&filling->out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        add_real(&filling->out, json_real_value(value));
    else if (json_is_boolean(value))
        buffer_printf(&filling->out, "%s", json_is_true(value) ? "true" : "false");
    else
        return error_set(filling->err, "'%s' %s", piece->text,
                         json_is_null(value) ? "has no value here" : "is a list: write it as a section");
    return 0;
}

static int fill_pieces(struct filling *filling, size_t from, size_t to);

/* Once for each item of a list, or once for what is there, or where the section is inverted, is not. */
static int fill_section(struct filling *filling, size_t number, json_t *value)
{
    const struct piece *section = &filling->pieces[number];
    bool is_list = json_is_array(value), is_inverted = section->kind == PIECE_INVERTED;
    bool is_there = is_list ? json_array_size(value) > 0
                            : !json_is_null(value) && !json_is_false(value) &&
                                  !(json_is_string(value) && !*json_string_value(value));
    size_t count = is_list && !is_inverted ? json_array_size(value) : is_there != is_inverted;
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        filling->scopes[filling->depth++] =
            is_list ? (struct scope){json_array_get(value, i), i, count} : (struct scope){.value = value};
        filling->steps++;
        result = fill_pieces(filling, number + 1, section->end);
        filling->depth--;
    }
    return result;
}

static int fill_pieces(struct filling *filling, size_t from, size_t to)
{
    int result = 0;
    for (size_t i = from; i < to && result == 0;) {
        const struct piece *piece = &filling->pieces[i];
        bool is_section = piece->kind == PIECE_SECTION || piece->kind == PIECE_INVERTED;
        json_t *value = piece->kind == PIECE_TEXT ? NULL : find_value(filling, piece->text);
        if (piece->kind == PIECE_TEXT)
            buffer_add(&filling->out, piece->text, piece->length);
        else if (is_section && value)
            result = fill_section(filling, i, value);
        else if ((value ? fill_value(filling, piece, value) : fail_missing(filling, piece->text)) < 0)
            return error_add(filling->err, "line %u", piece->line);
        i = is_section ? piece->end : i + 1;
        if (++filling->steps > MOST_STEPS || filling->out.length > MOST_OUTPUT)
            return error_set(filling->err, "it repeats too much: at most %d values and 64 MiB are allowed",
                             MOST_STEPS);
    }
    return result;
}

int template_fill(const struct template *template, json_t *values, struct blob *out, struct error *err)
{
    struct filling filling = {
        .pieces = template->pieces, .escapes = escapes_of(template->suffix), .scopes = {{.value = values}}, .depth = 1, .err = err};
    buffer_add(&filling.out, "", 0);
    int result = fill_pieces(&filling, 0, template->count);
    if (result == 0)
        *out = (struct blob){(uint8_t *)filling.out.text, filling.out.length};
    else
        buffer_release(&filling.out);
    return result;
}
