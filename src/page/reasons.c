#include "page/reasons.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/strings.h"
#include "format/formats.h"
#include "render/identity.h"

void reasons_add(struct reasons *reasons, enum reason_kind kind, const char *subject, const char *was,
                 const char *is)
{
    *MUST_ADD(reasons->items, reasons->count, reasons->capacity) = (struct reason){
        .kind = kind,
        .subject = subject ? must_strdup(subject) : NULL,
        .was = was ? must_strdup(was) : NULL,
        .is = is ? must_strdup(is) : NULL,
    };
}

void reasons_copy(struct reasons *to, const struct reasons *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct reason *reason = &from->items[i];
        reasons_add(to, reason->kind, reason->subject, reason->was, reason->is);
        to->items[to->count - 1].place = reason->place ? must_strdup(reason->place) : NULL;
    }
}

void reasons_release(struct reasons *reasons)
{
    for (size_t i = 0; i < reasons->count; i++) {
        free(reasons->items[i].subject);
        free(reasons->items[i].was);
        free(reasons->items[i].is);
        free(reasons->items[i].place);
    }
    free(reasons->items);
    *reasons = (struct reasons){0};
}

/* -- What draws -------------------------------------------------------------------------------------------- */

/* An unknown value may have changed. */
static void compare_whole(struct reasons *reasons, const char *what, const char *was, const char *is)
{
    if (strcmp(was, is) || !*is)
        reasons_add(reasons, REASON_RENDERER, what, *was ? was : "unknown", *is ? is : "unknown");
}

/* Returns the build of the library that the text begins with, "" where a record of anybody's has none; the caller frees it. */
static char *build_of(const char *text)
{
    const char *build = text + strcspn(text, " ,");
    build += *build == ' ';
    return must_printf("%.*s", (int)strcspn(build, ","), build);
}

/* Compares the library that `text` begins with, "libOSMesa.so.8 45a7...", with the one of its name in `other`. */
static void compare_library(struct reasons *reasons, const char *text, const char *other, bool is_new)
{
    const size_t length = strcspn(text, " ,");
    const char *found = other;
    while (found && (strncmp(found, text, length) || strcspn(found, " ,") != length))
        found = (found = strstr(found, ", ")) ? found + 2 : NULL;
    SCOPED char *name = must_printf("%.*s", (int)length, text), *build = build_of(text);
    SCOPED char *before = found ? build_of(found) : NULL;
    if (is_new ? !before || strcmp(build, before) : !before)
        reasons_add(reasons, REASON_LIBRARY, name, is_new ? before : build, is_new ? build : NULL);
}

/* "libLLVM-15.so.1 8f3c..., libOSMesa.so.8 45a7..." */
static void compare_libraries(struct reasons *reasons, const char *what, const char *was, const char *is)
{
    if (!strchr(was, ' ') || !strchr(is, ' ')) { /* unknown, or so many that it is a hash */
        compare_whole(reasons, what, was, is);
        return;
    }
    for (const char *at = is; at; at = (at = strstr(at, ", ")) ? at + 2 : NULL)
        compare_library(reasons, at, was, true);
    for (const char *at = was; at; at = (at = strstr(at, ", ")) ? at + 2 : NULL)
        compare_library(reasons, at, is, false);
}

/* Processors and builds that draw the same pictures are one. */
static bool draw_alike(const struct record *a, const struct record *b)
{
    return *a->probe && !strcmp(a->probe, b->probe) && !strcmp(a->backend, b->backend);
}

void reasons_add_renderer(struct reasons *reasons, const struct record *was, const struct record *expected)
{
    if (!strcmp(expected->renderer, "-"))
        return; /* nobody asks who draws (expected_new) */
    if (was->assimp && expected->assimp)
        compare_libraries(reasons, "assimp", was->assimp, expected->assimp);
    if (draw_alike(was, expected))
        return;
    if (!*expected->backend) {
        compare_whole(reasons, "name", was->renderer, "");
        return;
    }
    compare_whole(reasons, "backend", was->backend, expected->backend);
    if (strcmp(was->backend, expected->backend) == 0) /* or other libraries are not news */
        compare_libraries(reasons, "library", was->library, expected->library);
    if (strcmp(was->library, expected->library) == 0) /* or another name is none */
        compare_whole(reasons, "name", was->renderer, expected->renderer);
    compare_whole(reasons, "processor", was->cpu, expected->cpu);
    compare_libraries(reasons, "program", was->program, expected->program);
    if (*was->probe && *expected->probe)
        compare_whole(reasons, "probe", was->probe, expected->probe);
}

/* -- Settings ------------------------------------------------------------------------------------------- */

/* Merges the two, which are sorted. */
static void compare_settings(struct reasons *reasons, const struct record_pairs *was,
                             const struct record_pairs *is)
{
    for (size_t i = 0, j = 0; i < was->count || j < is->count;) {
        const struct record_pair *old = i < was->count ? &was->items[i] : NULL;
        const struct record_pair *new = j < is->count ? &is->items[j] : NULL;
        int order = !old ? 1 : !new ? -1 : strcmp(old->name, new->name);
        if (order || strcmp(old->value, new->value))
            reasons_add(reasons, REASON_SETTING, order > 0 ? new->name : old->name, order > 0 ? NULL : old->value,
                        order < 0 ? NULL : new->value);
        i += order <= 0;
        j += order >= 0;
    }
}

/* Whether both are about one key of the job: "light" and "light.key.color", "cameras[compass].pitch" and "cameras[0]". */
static bool have_one_key(const char *a, const char *b)
{
    size_t length = strcspn(a, ".[");
    return length == strcspn(b, ".[") && !strncmp(a, b, length);
}

/* Words that only one record has: the other may say the same as a number. NULL: it does not. */
static const char *number_of(const struct record *record, const char *name)
{
    const struct record_pair *number = record_find(&record->settings, name);
    return number ? number->value : NULL;
}

/* Whether a list has words about an item: "cameras[compass]". What is none is in any. */
static bool has_item(const struct record *record, const char *name)
{
    size_t i = 0;
    while (i < record->words.count && strncmp(record->words.items[i].name, name, strcspn(name, "]") + 1))
        i++;
    return i < record->words.count || !strchr(name, '[');
}

/* Adds the words about a key. Items that came or went are told by their list. */
static void add_words(struct reasons *reasons, const struct record *was, const struct record *is,
                      const struct reasons *words, const char *key)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *name = words->items[i].subject;
        const char *old = words->items[i].was ? words->items[i].was : number_of(was, name);
        const char *new = words->items[i].is ? words->items[i].is : number_of(is, name);
        if (!have_one_key(name, key) ||
            (old && new ? !strcmp(old, new) : !has_item(was, name) || !has_item(is, name)))
            continue;
        const struct record_pair *place = record_find(&is->places, name);
        reasons_add(reasons, REASON_SETTING, name, old, new);
        reasons->items[reasons->count - 1].place = place ? must_strdup(place->value) : NULL;
    }
}

void reasons_add_settings(struct reasons *reasons, const struct record *was, const struct record *is)
{
    struct reasons numbers = {0}, words = {0};
    compare_settings(&numbers, &was->settings, &is->settings);
    if (numbers.count && was->words.count && is->words.count)
        compare_settings(&words, &was->words, &is->words);
    for (size_t i = 0; i < numbers.count;) { /* those of a key follow each other */
        const char *key = numbers.items[i].subject;
        size_t before = reasons->count;
        add_words(reasons, was, is, &words, key);
        bool is_told = reasons->count > before;
        for (; i < numbers.count && have_one_key(numbers.items[i].subject, key); i++)
            if (!is_told)
                reasons_add(reasons, REASON_SETTING, numbers.items[i].subject, numbers.items[i].was,
                            numbers.items[i].is);
    }
    if (!numbers.count && strcmp(was->group ? was->group : "", is->group ? is->group : ""))
        reasons_add(reasons, REASON_GROUP, number_of(is, "fit.group"), NULL, "settings of its jobs changed");
    reasons_release(&numbers);
    reasons_release(&words);
}

/* -- Two records ------------------------------------------------------------------------------------------- */

static bool is_absent(const struct record *record, const char *path)
{
    return record->absent_count &&
           bsearch(&path, record->absent, record->absent_count, sizeof path, strings_compare);
}

/* Adds the names that both have, with other values. */
static void compare_values(struct reasons *reasons, enum reason_kind kind, const struct record_pairs *was,
                           const struct record_pairs *is)
{
    for (size_t i = 0; i < was->count; i++) {
        const struct record_pair *old = &was->items[i], *new = record_find(is, old->name);
        if (new &&strcmp(old->value ? old->value : "", new->value ? new->value : ""))
            reasons_add(reasons, kind, old->name, old->value, new->value);
    }
}

/* Adds the bytes of the inputs that another record has not, sorted. */
static void add_own_bytes(const struct record *record, const struct record *other, struct strings *out)
{
    for (size_t i = 0; i < record->inputs.count; i++)
        if (!record_find(&other->inputs, record->inputs.items[i].name))
            strings_add(out, record->inputs.items[i].value);
    strings_sort(out);
}

/* Inputs that only one of them has: `is_use`, those of which nothing says that they came or went. Such bytes under another
 * path were moved, and are no news beside what names the path. */
static void compare_presence(struct reasons *reasons, const struct record *was, const struct record *is,
                             bool is_use)
{
    for (int is_new = 0; is_new < 2; is_new++) {
        const struct record *record = is_new ? is : was, *other = is_new ? was : is;
        const enum reason_kind kind = is_use ? REASON_USE : is_new ? REASON_LOOKUP : REASON_INPUT;
        struct strings moved = {0};
        if (is_use)
            add_own_bytes(other, record, &moved);
        for (size_t i = 0; i < record->inputs.count; i++) {
            const char *name = record->inputs.items[i].name, *value = record->inputs.items[i].value;
            const char *found = is_use ? value : name;
            if (!record_find(&other->inputs, name) && is_absent(other, name) != is_use &&
                !(reasons->count && strings_has_sorted(&moved, value)))
                reasons_add(reasons, kind, name, is_new ? NULL : value, is_new ? found : NULL);
        }
        strings_release(&moved);
    }
}

/* Says of a group that models came or went: only one of the records has them. */
static void tell_group(struct reason *group, const struct record *was, const struct record *is)
{
    struct buffer text = {0};
    for (int gone = 0; gone < 2; gone++) {
        const struct record *of = gone ? was : is, *without = gone ? is : was;
        size_t count = 0;
        for (size_t i = 0; i < of->inputs.count; i++)
            count += model_has_suffix(path_suffix(of->inputs.items[i].name)) &&
                     !record_find(&without->inputs, of->inputs.items[i].name);
        if (count)
            buffer_printf(&text, "%s%zu model%s %s", text.length ? ", " : "", count,
                          count == 1 ? " was" : "s were", gone ? "removed" : "added");
    }
    if (!text.text)
        return;
    free(group->is);
    group->is = text.text;
}

void reasons_compare(struct reasons *reasons, const struct record *was, const struct record *is)
{
    compare_values(reasons, REASON_INPUT, &was->inputs, &is->inputs);
    compare_presence(reasons, was, is, false);
    compare_values(reasons, REASON_DECLARED, &was->declared, &is->declared);
    /* Paths that led to a file, which need not have been read, and were looked for in vain in the other. */
    compare_values(reasons, REASON_LOOKUP, &was->found, &is->found);
    for (size_t i = 0; i < was->found.count; i++)
        if (is_absent(is, was->found.items[i].name))
            reasons_add(reasons, REASON_LOOKUP, was->found.items[i].name, was->found.items[i].value, NULL);
    for (size_t i = 0; i < is->found.count; i++)
        if (is_absent(was, is->found.items[i].name))
            reasons_add(reasons, REASON_LOOKUP, is->found.items[i].name, NULL, is->found.items[i].value);
    reasons_add_settings(reasons, was, is);
    if (reasons->count && reasons->items[reasons->count - 1].kind == REASON_GROUP)
        tell_group(&reasons->items[reasons->count - 1], was, is);
    compare_values(reasons, REASON_LISTED, &was->listed, &is->listed);
    compare_presence(reasons, was, is, true);
    if (strcmp(was->renderer, is->renderer) || strcmp(was->backend, is->backend) || strcmp(was->cpu, is->cpu) ||
        strcmp(was->library, is->library) || strcmp(was->program, is->program) || strcmp(was->probe, is->probe) ||
        (was->assimp && is->assimp && strcmp(was->assimp, is->assimp)))
        reasons_add_renderer(reasons, was, is);
    if (was->output != is->output)
        reasons_add(reasons, REASON_OUTPUT, NULL, NULL, NULL);
}

/* -- As text ------------------------------------------------------------------------------------------------- */

/* Names each kind for programs, and has its text for people; perhaps others where only the record had a value (`gone`), or
 * only now has one (`came`). */
static const struct reason_row {
    const char *name, *text, *gone, *came;
} rows[] = {
    [REASON_NEW] = {"new", .text = "new"},
    [REASON_BROKEN] = {"broken", .text = "{it}: {is}"},
    [REASON_EDITED] = {"edited", .text = "{it} was changed since it was made"},
    [REASON_OWNER] = {"owner", .text = "{it} was made for {was}"},
    [REASON_FILE] = {"file", "{it} has {is} bytes, had {was} when it was made", .gone = "{it} is missing"},
    [REASON_PARTS] = {"parts", .text = "{is} of its {was} parts are there"},
    [REASON_RULE] = {"rule", .text = "the rule {it} asks for what was not measured"},
    [REASON_FORCED] = {"forced", .text = "--force"},
    [REASON_OUTPUT] = {"output", .text = "made by another version of sheetbake"},
    [REASON_RENDERER] = {"renderer", .text = "drawn by another renderer: its {it} was {was}, is {is}"},
    [REASON_LIBRARY] = {"library", "the library {it}, which {duty}, is another build",
                        "the library {it}, which {duty}, is no longer used",
                        "the library {it}, which {duty}, was not used"},
    [REASON_SETTING] = {"setting", "{key} {was} -> {is}", "{key} not set, was {was}", "{key} {is}, was not set"},
    [REASON_GROUP] = {"group", .text = "fit of group {it}: {is}"},
    [REASON_INPUT] = {"input", "input {it} changed", .gone = "input {it} is gone"},
    [REASON_LOOKUP] = {"lookup", "{it} is found as {is} now, was {was}", "{it} is gone",
                       "{it} is there now{as}: it was looked for"},
    [REASON_LISTED] = {"listed", "other files match {it} now", "no file matches {it} now",
                       "{is} is there now: files that match {it} were looked for"},
    [REASON_DECLARED] = {"declared", "{it} is declared in {is} now, was in {was}",
                         "{it} is no longer declared, was in {was}", "{it} is declared in {is} now, was nowhere"},
    [REASON_ASSETS] = {"assets", .text = "the assets cannot be opened: {is}"},
    [REASON_MISSING] = {"missing", .text = "{is}"},
    [REASON_USE] = {"use", "", "input {it} is no longer used", "input {it} is used now"},
};

/* "cell:"; of an item with a name, "camera compass: pitch". */
static char *key_text(const char *name)
{
    const char *item = strchr(name, '['), *part = item ? strstr(item, "].") : NULL;
    if (!part || (item[1] >= '0' && item[1] <= '9'))
        return must_printf("%s:", name);
    int length = (int)(item - name) - (item > name && item[-1] == 's');
    return must_printf("%.*s %.*s: %s", length, name, (int)(part - item - 1), item + 1, part + 2);
}

char *reason_text(const struct reason *reason)
{
    const struct reason_row *row = &rows[reason->kind];
    const char *it = reason->subject, *was = reason->was, *is = reason->is, *at = row->text;
    if (was && !is && row->gone)
        at = row->gone;
    if (!was && is && row->came)
        at = row->came;
    if (reason->kind == REASON_DECLARED && !strchr(it, ' ')) /* of all files of that kind */
        at = "what is wrong with the files in {it}/ changed";

    char *as = is && it && strcmp(it, is) ? must_printf(", as %s", is) : must_strdup("");
    char *key = key_text(it ? it : "");
    const struct {
        const char *word, *text;
    } words[] = {
        {"{it}", it}, {"{was}", was}, {"{is}", is},
        {"{as}", as}, {"{key}", key}, {"{duty}", it ? identity_duty(it) : NULL},
    };
    struct buffer text = {0};
    while (*at) {
        size_t plain = strcspn(at, "{"), i = 0;
        buffer_add(&text, at, plain);
        at += plain;
        while (*at && strncmp(at, words[i].word, strlen(words[i].word)))
            i++;
        if (*at)
            buffer_printf(&text, "%s", words[i].text ? words[i].text : "nothing");
        at += *at ? strlen(words[i].word) : 0;
    }
    if (reason->place)
        buffer_printf(&text, " (%s)", reason->place);
    free(key);
    free(as);
    return text.text;
}

char *reasons_text(const struct reasons *reasons)
{
    char *first = reason_text(&reasons->items[0]);
    if (reasons->count == 1)
        return first;
    char *text = must_printf("%s (and %zu more)", first, reasons->count - 1);
    free(first);
    return text;
}

const char *reason_name(enum reason_kind kind)
{
    return rows[kind].name;
}
