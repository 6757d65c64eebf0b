#include "page/json_file.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "sheet/json_value.h"

/* Each item begins with its line and ends with a comma, until its array or object is closed. */
static void add_line(struct json_file *json)
{
    static const char line[] = "\n                ";
    assert(json->depth < sizeof line - 1);
    buffer_add(&json->text, line, json->is_compact || !json->text.length ? 0 : 1 + json->depth);
}

/* Adds the value as the library spells it, and drops it. */
static void add_value(struct json_file *json, json_t *value)
{
    char *spelled = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : NULL;
    json->is_broken |= !spelled;
    buffer_add(&json->text, spelled, spelled ? strlen(spelled) : 0);
    free(spelled);
    json_decref(value);
}

/* Adds the text in quotes, and returns it as it will be read. Most are ASCII without signs to escape. */
static const char *add_text(struct json_file *json, const char *text)
{
    size_t length = 0;
    while ((signed char)text[length] >= ' ' && text[length] != '"' && text[length] != '\\')
        length++;
    if (!text[length]) {
        buffer_add(&json->text, "\"", 1);
        buffer_add(&json->text, text, length);
        buffer_add(&json->text, "\"", 1);
        return text;
    }
    json_t *value = json->is_exact ? exact_value(text) : text_value(text);
    const char *read = arena_strdup(&json->arena, json_string_value(value));
    add_value(json, value);
    return read;
}

/* Begins an item of an array, or the member of an object that the key names. */
static void begin(struct json_file *json, const char *key)
{
    struct json_member *member = MUST_ADD(json->members, json->count, json->capacity);
    member->from = json->text.length;
    add_line(json);
    member->key = key ? add_text(json, key) : "";
    buffer_add(&json->text, ": ", !key ? 0 : json->is_compact ? 1 : 2);
}

static int compare_members(const void *a_item, const void *b_item)
{
    const struct json_member *a = a_item, *b = b_item;
    const int order = strcmp(a->key, b->key);
    return order ? order : (a->from > b->from) - (a->from < b->from);
}

/* Sorts members, which end the text. Most are said in their order. */
static void sort_members(struct json_file *json, struct json_member *members, size_t count)
{
    const size_t start = members[0].from, size = json->text.length - start;
    bool is_sorted = true;
    for (size_t i = 0; i < count; i++) {
        members[i].to = i + 1 < count ? members[i + 1].from : json->text.length;
        is_sorted &= i == 0 || strcmp(members[i - 1].key, members[i].key) < 0;
    }
    if (is_sorted)
        return;
    qsort(members, count, sizeof *members, compare_members);
    char *was = memcpy(must_alloc(size, 1), json->text.text + start, size);
    json->text.length = start;
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || strcmp(members[i].key, members[i + 1].key))
            buffer_add(&json->text, was + members[i].from - start, members[i].to - members[i].from);
    free(was);
}

static void open_value(struct json_file *json, const char *key, char bracket)
{
    begin(json, key);
    buffer_add(&json->text, &bracket, 1);
    *MUST_ADD(json->members, json->count, json->capacity) =
        (struct json_member){.from = json->text.length, .to = json->inner};
    json->inner = json->count - 1;
    json->depth++;
}

/* Closes the innermost array or object. Where it `may_go`, there is none that is empty. */
static void close_value(struct json_file *json, bool may_go)
{
    struct json_member *bracket = &json->members[json->inner];
    const size_t count = json->count - json->inner - 1;
    const bool is_empty = json->text.length == bracket->from,
               is_object = json->text.text[bracket->from - 1] == '{';
    if (is_object && count && !json->keeps_order)
        sort_members(json, bracket + 1, count);
    json->count = json->inner;
    json->inner = bracket->to;
    json->depth--;
    if (is_empty && may_go) {
        json->text.length = json->members[--json->count].from;
        return;
    }
    if (!is_empty) {
        json->text.length--;
        add_line(json);
    }
    buffer_add(&json->text, is_object ? "}," : "],", 2);
}

void json_add(struct json_file *json, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (; *format; format++) {
        const bool is_end = strchr("}].", *format);
        const bool is_member = json->depth && json->text.text[json->members[json->inner].from - 1] == '{';
        const char *key = is_member && !is_end ? va_arg(args, const char *) : NULL;
        const char *text = *format == 's' || *format == 'S' ? va_arg(args, const char *) : NULL;
        if (is_end) {
            close_value(json, *format == '.');
        } else if (*format == '{' || *format == '[') {
            open_value(json, key, *format);
        } else if (*format == 't') {
            const char *const *texts = va_arg(args, const char *const *);
            open_value(json, key, '[');
            for (size_t i = 0, count = va_arg(args, size_t); i < count; i++)
                json_add(json, "s", texts[i]);
            close_value(json, false);
        } else if (*format != 's' || text) {
            begin(json, key);
            if (text)
                add_text(json, text);
            else if (*format == 'b')
                add_value(json, json_boolean(va_arg(args, int)));
            else if (*format == 'n' || *format == 'S')
                add_value(json, json_null());
            else
                add_value(json, *format == 'u' ? json_integer(va_arg(args, unsigned))
                                               : number_value(va_arg(args, double), *format - '0'));
            buffer_add(&json->text, ",", 1);
        }
    }
    va_end(args);
}

int json_finish(struct json_file *json, struct blob *out, struct error *err)
{
    free(json->members);
    arena_release(&json->arena);
    json->text.text[json->text.length - 1] = '\n'; /* in the place of the last comma */
    if (!json->is_broken)
        *out = (struct blob){(uint8_t *)json->text.text, json->text.length};
    else
        buffer_release(&json->text);
    return json->is_broken ? error_set(err, "cannot make the JSON: a number is not finite, or memory is out") : 0;
}
