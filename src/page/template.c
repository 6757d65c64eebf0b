#include "page/template.h"

#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/missing.h"
#include "base/strings.h"
#include "base/utf8.h"

enum {
    MOST_FILE = 1024 * 1024,
    MOST_NAME = 63,
    MOST_DEPTH = 16,                /* of sections in each other */
    MOST_WORK = 1024 * 1024 * 1024, /* bytes that are read: LAYOUT_MOST_CELLS of 40 tags */
    WORK_OF_TAG = 64,
    MOST_OUTPUT = 256 * 1024 * 1024,
};

/* A section that is being filled in, or the values at the top. */
struct scope {
    json_t *value;
    size_t index, count; /* of an item in its list; count is 0 for what is in none */
};

struct filling {
    const struct template *template;
    const char *const *escapes; /* by ASCII character; NULL: it stays */
    struct scope scopes[MOST_DEPTH + 1];
    size_t depth, work;
    struct buffer out;
    struct error *err;
};

/* -- Tags -------------------------------------------------------------------------------------------------- */

struct tag {
    char sign; /* '#', '^', '/', '!', '&' (also of three braces), or 0 */
    char name[MOST_NAME + 1];
    const char *from, *to; /* in the text */
};

static int fail_at(const struct filling *filling, const char *at)
{
    unsigned line = 1;
    for (const char *c = filling->template->text; c < at; c++)
        line += *c == '\n';
    return error_add(filling->err, "line %u", line);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A tag that writes nothing and is alone on its line takes the whole line away. */
static void widen(const char *text, struct tag *tag)
{
    const char *from = tag->from, *to = tag->to;
    while (from > text && is_blank(from[-1]))
        from--;
    while (is_blank(*to))
        to++;
    if ((from > text && from[-1] != '\n') || (*to && *to != '\n'))
        return;
    tag->from = from;
    tag->to = to + (*to == '\n');
}

/* The next tag: 1, or 0 where there is none, or -1. A name that is too long is cut: there is none such. */
static int next_tag(struct filling *filling, const char *at, struct tag *tag)
{
    const char *open = strstr(at, "{{");
    filling->work += WORK_OF_TAG + (open ? (size_t)(open - at) : strlen(at));
    if (filling->work > MOST_WORK || filling->out.length > MOST_OUTPUT)
        return error_set(filling->err, "it repeats too much: %d MiB are allowed", MOST_OUTPUT >> 20);
    if (!open)
        return 0;
    const char sign = open[2] && strchr("{&#^/!>=<$%", open[2]) ? open[2] : '\0',
               *close = sign == '{' ? "}}}" : "}}";
    const char *name = open + 2 + (sign != '\0'), *end = strstr(name, close);
    *tag = (struct tag){.sign = sign == '{' ? '&' : sign, .from = open};
    if (!end) {
        error_set(filling->err, "'{{' without '%s'", close);
        return fail_at(filling, open);
    }
    tag->to = end + strlen(close);
    while (is_blank(*name))
        name++;
    while (end > name && is_blank(end[-1]))
        end--;
    memcpy(tag->name, name, end - name < MOST_NAME ? (size_t)(end - name) : MOST_NAME);
    if (sign && strchr("#^/!", sign))
        widen(filling->template->text, tag);
    return 1;
}

/* The tag that ends the section. */
static int find_end(struct filling *filling, const struct tag *section, struct tag *end)
{
    int found = 1;
    end->to = section->to;
    for (int depth = 1; depth > 0 && found > 0;
         depth += (end->sign == '#' || end->sign == '^') - (end->sign == '/'))
        found = next_tag(filling, end->to, end);
    if (found < 0)
        return -1;
    if (found == 0)
        error_set(filling->err, "the section '%s' has no '{{/%s}}'", section->name, section->name);
    else if (strcmp(section->name, end->name) != 0)
        error_set(filling->err, "'{{/%s}}' ends no section; open is %s", end->name, section->name);
    else
        return 0;
    return fail_at(filling, found ? end->from : section->from);
}

/* Whether the template has a section `pages`. A text that is no template fails when it is filled in. */
static bool has_pages(const struct template *template)
{
    struct error ignored;
    struct filling filling = {.template = template, .err = &ignored};
    struct tag tag = {.to = template->text};
    while (next_tag(&filling, tag.to, &tag) > 0)
        if (tag.sign == '#' && !strcmp(tag.name, "pages"))
            return true;
    return false;
}

int template_load(struct bytes file, const char *suffix, struct arena *arena, struct template *out,
                  struct error *err)
{
    const char *text = arena_strndup(arena, (const char *)file.data, file.size);
    *out = (struct template){suffix, text, false};
    out->is_of_sheet = has_pages(out);
    return file.size > MOST_FILE || strlen(text) < file.size
               ? error_set(err, "it is no text of at most a megabyte")
               : 0;
}

/* -- Values ------------------------------------------------------------------------------------------------ */

/* Escapes in quotes of JSON, Lua, C and their like. */
static const char *const backslashes[128] = {['"'] = "\\\"", ['\\'] = "\\\\"};
static const char *const entities[128] = {
    ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&apos;"};
static const char *const doubled[128] = {['"'] = "\"\""};
static const char *const percents[128] = {['%'] = "%25", ['#'] = "%23", [':'] = "%3A", [';'] = "%3B"};

static const char *const *escapes_of(const char *suffix)
{
    static const char *const of_xml[] = {".xml", ".plist", ".tsx", ".tmx", ".svg", ".html"};
    if (named_find(of_xml, COUNT(of_xml), sizeof *of_xml, suffix, true))
        return entities;
    return !strcasecmp(suffix, ".tpsheet") ? percents : !strcasecmp(suffix, ".csv") ? doubled : backslashes;
}

/* Adds a text, with '?' for what could end a line or a text, what XML cannot hold, and what is not UTF-8. */
static void add_text(struct filling *filling, const char *text, bool is_raw)
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

static int fill_value(struct filling *filling, const struct tag *tag, const json_t *value)
{
    if (json_is_string(value))
        add_text(filling, json_string_value(value), tag->sign == '&');
    else if (json_is_integer(value))
        buffer_printf(&filling->out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        add_real(&filling->out, json_real_value(value));
    else if (json_is_boolean(value))
        buffer_printf(&filling->out, "%s", json_is_true(value) ? "true" : "false");
    else
        return error_set(filling->err, "'%s' %s", tag->name,
                         json_is_null(value) ? "has no value here" : "is a list: write it as a section");
    return 0;
}

/* NULL, with an error that names the nearest, where no scope has it. */
static json_t *find_value(const struct filling *filling, const char *wanted)
{
    const char *names[128], *name;
    size_t count = 0;
    json_t *value;
    for (size_t i = filling->depth; i-- > 0;) {
        const struct scope *scope = &filling->scopes[i];
        if (scope->count && (!strcmp(wanted, "-first") || !strcmp(wanted, "-last")))
            return json_boolean(scope->index == (wanted[1] == 'f' ? 0 : scope->count - 1));
        if ((value = json_object_get(scope->value, wanted)))
            return value;
    }
    for (size_t i = 0; i < filling->depth; i++)
        json_object_foreach(filling->scopes[i].value, name, value)
        {
            if (count < COUNT(names))
                names[count++] = name;
        }
    missing_fail("value", wanted, strings_nearest(wanted, names, count), names, count, filling->err);
    return NULL;
}

/* -- Filling in -------------------------------------------------------------------------------------------- */

static int fill(struct filling *filling, const char *at, const char *to);

/* Fills in what is between two tags: for each item of a list, once for a value that is there; after `^`, for one that is not. */
static int fill_section(struct filling *filling, const struct tag *open, const struct tag *end, json_t *value)
{
    bool is_list = json_is_array(value), is_inverted = open->sign == '^';
    bool is_empty = json_is_null(value) || json_is_false(value) || (is_list && !json_array_size(value)) ||
                    (json_is_string(value) && !*json_string_value(value));
    size_t count = is_empty != is_inverted ? 0 : is_list && !is_inverted ? json_array_size(value) : 1;
    int result = 0;
    if (filling->depth > MOST_DEPTH)
        return error_set(filling->err, "more than %d sections in each other", MOST_DEPTH);
    for (size_t i = 0; i < count && result == 0; i++) {
        filling->scopes[filling->depth++] =
            is_list ? (struct scope){json_array_get(value, i), i, count} : (struct scope){.value = value};
        result = fill(filling, open->to, end->from);
        filling->depth--;
    }
    return result;
}

static int fill(struct filling *filling, const char *at, const char *to)
{
    struct tag tag, end;
    int found;
    while ((found = next_tag(filling, at, &tag)) > 0 && tag.from < to) {
        buffer_add(&filling->out, at, (size_t)(tag.from - at));
        at = tag.to;
        if (tag.sign == '!')
            continue;
        bool is_section = tag.sign == '#' || tag.sign == '^', is_value = !tag.sign || tag.sign == '&';
        if (!is_section && !is_value) {
            error_set(filling->err, "'{{%c%s': %s", tag.sign, tag.name,
                      tag.sign == '/' ? "it ends no section"
                                      : "there are no partials, blocks and other delimiters");
            return fail_at(filling, tag.from);
        }
        json_t *value = find_value(filling, tag.name);
        if (!value || (is_value && fill_value(filling, &tag, value) < 0))
            return fail_at(filling, tag.from);
        if (is_value)
            continue;
        if (find_end(filling, &tag, &end) < 0 || fill_section(filling, &tag, &end, value) < 0)
            return -1;
        at = end.to;
    }
    buffer_add(&filling->out, at, found < 0 ? 0 : (size_t)(to - at));
    return found < 0 ? -1 : 0;
}

int template_fill(const struct template *template, json_t *values, struct blob *out, struct error *err)
{
    struct filling filling = {.template = template,
                              .escapes = escapes_of(template->suffix),
                              .scopes = {{.value = values}},
                              .depth = 1,
                              .err = err};
    int result = fill(&filling, template->text, template->text + strlen(template->text));
    if (result == 0)
        *out = (struct blob){(uint8_t *)filling.out.text, filling.out.length};
    else
        buffer_release(&filling.out);
    return result;
}
