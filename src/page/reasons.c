#include "page/reasons.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strings.h"
#include "render/identity.h"

enum { MOST_SHOWN = 72 }; /* bytes of a setting's value */

void reasons_add(struct reasons *reasons, enum reason_kind kind, const char *subject, const char *was,
                 const char *is)
{
    reasons->items = must_grow(reasons->items, reasons->count, &reasons->capacity, sizeof *reasons->items);
    reasons->items[reasons->count++] = (struct reason){
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
        struct reason *copy = &to->items[to->count - 1];
        copy->place = reason->place ? must_strdup(reason->place) : NULL;
        strings_add_all(&copy->details, &reason->details);
    }
}

void reasons_release(struct reasons *reasons)
{
    for (size_t i = 0; i < reasons->count; i++) {
        free(reasons->items[i].subject);
        free(reasons->items[i].was);
        free(reasons->items[i].is);
        free(reasons->items[i].place);
        strings_release(&reasons->items[i].details);
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

/* "libLLVM-15.so.1 8f3c..., libOSMesa.so.8 45a7..." */
static void split(const char *text, struct strings *out)
{
    while (*text) {
        const char *end = strstr(text, ", ");
        int length = (int)(end ? (size_t)(end - text) : strlen(text));
        strings_printf(out, "%.*s", length, text);
        text += length + (end ? 2 : 0);
    }
}

/* The build of the library that `part` names, or NULL. */
static const char *build_in(const struct strings *parts, const char *part)
{
    size_t length = strcspn(part, " ") + 1;
    for (size_t i = 0; i < parts->count; i++)
        if (!strncmp(parts->items[i], part, length))
            return parts->items[i] + length;
    return NULL;
}

static void add_library(struct reasons *reasons, const char *part, const char *was, const char *is)
{
    char *name = must_printf("%.*s", (int)strcspn(part, " "), part);
    reasons_add(reasons, REASON_LIBRARY, name, was, is);
    free(name);
}

static void compare_libraries(struct reasons *reasons, const char *what, const char *was, const char *is)
{
    struct strings old = {0}, new = {0};
    if (!strchr(was, ' ') || !strchr(is, ' ')) { /* unknown, or so many that it is a hash */
        compare_whole(reasons, what, was, is);
        return;
    }
    split(was, &old);
    split(is, &new);
    for (size_t i = 0; i < new.count; i++)
        if (!strings_has(&old, new.items[i]))
            add_library(reasons, new.items[i], build_in(&old, new.items[i]), build_in(&new, new.items[i]));
    for (size_t i = 0; i < old.count; i++)
        if (!build_in(&new, old.items[i]))
            add_library(reasons, old.items[i], build_in(&old, old.items[i]), NULL);
    strings_release(&old);
    strings_release(&new);
}

/* Processors and builds that draw the same pictures are one. */
static bool draw_alike(const struct record *a, const struct record *b)
{
    return *a->probe && !strcmp(a->probe, b->probe) && !strcmp(a->backend, b->backend);
}

void reasons_add_renderer(struct reasons *reasons, const struct record *was, const struct record *expected)
{
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

/* -- Settings ---------------------------------------------------------------------------------------------- */

/* Of a name the part that settings as numbers and in words have in common: of the light, a record has what it comes to, and
 * cameras and the like are called in words, and numbered else. */
static size_t stem_length(const char *name)
{
    return strncmp(name, "light", 5) ? strcspn(name, "[") : 5;
}

/* Whether one is the other or a part of it: "cameras[compass].pitch" and "cameras[0]", "sampling.fps" and "sampling". */
static bool is_about(const char *a, const char *b)
{
    size_t a_length = stem_length(a), b_length = stem_length(b);
    size_t length = a_length < b_length ? a_length : b_length;
    return !strncmp(a, b, length) && (a_length == length || a[length] == '.') &&
           (b_length == length || b[length] == '.');
}

/* In words, or else as numbers. */
static const char *setting_of(const struct record *record, const char *name)
{
    const struct record_pair *pair = record_find(&record->written, name);
    pair = pair ? pair : record_find(&record->settings, name);
    return pair ? pair->value : NULL;
}

/* Whether the record has words of the item that a name is about: "cameras[compass]". */
static bool has_item(const struct record *record, const char *name)
{
    size_t length = strcspn(name, "]") + 1;
    for (size_t i = 0; i < record->written.count; i++)
        if (!strncmp(record->written.items[i].name, name, length))
            return true;
    return false;
}

/* Whether words that only one record has tell a change. Not those of an item that came or went: its list tells. */
static bool tells_alone(const struct record *was, const struct record *is, const char *name)
{
    if (!strchr(name, '['))
        return !strncmp(name, "light.", 6);
    char *list = must_printf("%.*s", (int)strcspn(name, "["), name);
    const char *old = setting_of(was, list), *new = setting_of(is, list);
    bool is_same = old && new && !strcmp(old, new);
    free(list);
    return is_same || (has_item(was, name) && has_item(is, name));
}

static void set_place(struct reason *reason, const struct record_pairs *places)
{
    const struct record_pair *place = record_find(places, reason->subject);
    for (size_t i = 0; i < places->count && !place; i++)
        if (is_about(places->items[i].name, reason->subject))
            place = &places->items[i];
    reason->place = place ? must_strdup(place->value) : NULL;
}

/* Each that differs between two sorted lists: a merge. */
static void compare_numbers(struct reasons *reasons, const struct record_pairs *was, const struct record_pairs *is)
{
    for (size_t i = 0, j = 0; i < was->count || j < is->count;) {
        const struct record_pair *old = i < was->count ? &was->items[i] : NULL;
        const struct record_pair *new = j < is->count ? &is->items[j] : NULL;
        int order = !old ? 1 : !new ? -1 : strcmp(old->name, new->name);
        if (order != 0 || strcmp(old->value, new->value))
            reasons_add(reasons, REASON_SETTING, (order > 0 ? new : old)->name, order > 0 ? NULL : old->value,
                        order < 0 ? NULL : new->value);
        i += order <= 0;
        j += order >= 0;
    }
}

/* Adds what words of this name tell of numbers that differ; these become its details, if they are not yet another's. */
static void add_word(struct reasons *reasons, const struct record *was, const struct record *is, const char *name,
                     const struct reasons *numbers, bool *are_told)
{
    const char *old = setting_of(was, name), *new = setting_of(is, name);
    struct reason *reason = NULL;
    if (old && new ? !strcmp(old, new) : !tells_alone(was, is, name))
        return;
    for (size_t i = 0; i < numbers->count; i++) {
        if (!is_about(numbers->items[i].subject, name))
            continue;
        if (!reason) {
            reasons_add(reasons, REASON_SETTING, name, old, new);
            reason = &reasons->items[reasons->count - 1];
            set_place(reason, &is->places);
        }
        char *text = are_told[i] ? NULL : reason_text(&numbers->items[i]);
        if (text)
            strings_add(&reason->details, text);
        free(text);
        are_told[i] = true;
    }
}

/* How many of the sorted words of one text are not in the other. They may be a stranger's. */
static size_t count_others(const char *a, const char *b)
{
    size_t count = 0;
    while (*a) {
        int order = *b ? strncmp(a, b, strcspn(a, " ") + 1) : -1;
        count += order < 0;
        if (order <= 0)
            a += strcspn(a, " ") + (strchr(a, ' ') != NULL);
        if (order >= 0)
            b += strcspn(b, " ") + (strchr(b, ' ') != NULL);
    }
    return count;
}

/* Where settings of the job itself differ, and the group has the models that it had, these are told already. */
static void compare_groups(struct reasons *reasons, const struct record *was, const struct record *is,
                           bool are_settings_told)
{
    const struct record_pair *old_group = record_find(&was->settings, "fit.group");
    const struct record_pair *group = record_find(&is->settings, "fit.group");
    const struct record_pair *old = record_find(&was->written, "fit.models");
    const struct record_pair *new = record_find(&is->written, "fit.models");
    bool is_known = old && new && old_group && group && !strcmp(old_group->value, group->value);
    size_t added = is_known ? count_others(new->value, old->value) : 0;
    size_t removed = is_known ? count_others(old->value, new->value) : 0;
    struct buffer text = {0};
    if (!strcmp(was->group ? was->group : "", is->group ? is->group : "") ||
        (are_settings_told && !added && !removed))
        return;
    if (added)
        buffer_printf(&text, "%zu model%s added", added, added == 1 ? " was" : "s were");
    if (removed)
        buffer_printf(&text, "%s%zu model%s removed", added ? ", " : "", removed, removed == 1 ? " was" : "s were");
    if (!text.text)
        buffer_printf(&text, "%ssettings of its jobs changed", is_known ? "" : "models or ");
    reasons_add(reasons, REASON_GROUP, group ? group->value : NULL, NULL, text.text);
    buffer_release(&text);
}

static void move_reason(struct reasons *to, struct reason *reason)
{
    to->items = must_grow(to->items, to->count, &to->capacity, sizeof *to->items);
    to->items[to->count++] = *reason;
    *reason = (struct reason){0};
}

void reasons_add_settings(struct reasons *reasons, const struct record *was, const struct record *is)
{
    struct reasons numbers = {0};
    compare_numbers(&numbers, &was->settings, &is->settings);
    bool *are_told = must_alloc(numbers.count, sizeof *are_told);
    const struct record_pairs *old = &was->written, *new = &is->written;
    for (size_t i = 0, j = 0; numbers.count && (i < old->count || j < new->count);) {
        int order = i == old->count ? 1 : j == new->count ? -1 : strcmp(old->items[i].name, new->items[j].name);
        add_word(reasons, was, is, (order > 0 ? &new->items[j] : &old->items[i])->name, &numbers, are_told);
        i += order <= 0;
        j += order >= 0;
    }
    for (size_t i = 0; i < numbers.count; i++) {
        if (are_told[i])
            continue;
        set_place(&numbers.items[i], &is->places);
        move_reason(reasons, &numbers.items[i]);
    }
    compare_groups(reasons, was, is, numbers.count > 0);
    reasons_release(&numbers);
    free(are_told);
}

/* -- Two records ------------------------------------------------------------------------------------------- */

static bool is_absent(const struct record *record, const char *path)
{
    for (size_t i = 0; i < record->absent_count; i++)
        if (!strcmp(record->absent[i], path))
            return true;
    return false;
}

/* Those that both have, with other values. */
static void compare_values(struct reasons *reasons, enum reason_kind kind, const struct record_pairs *was,
                           const struct record_pairs *is)
{
    for (size_t i = 0; i < was->count; i++) {
        const struct record_pair *old = &was->items[i], *new = record_find(is, old->name);
        if (new &&strcmp(old->value ? old->value : "", new->value ? new->value : ""))
            reasons_add(reasons, kind, old->name, old->value, new->value);
    }
}

/* Inputs that only one of them has: `is_use`, those of which nothing says that they came or went. */
static void compare_presence(struct reasons *reasons, const struct record *was, const struct record *is,
                             bool is_use)
{
    for (size_t i = 0; i < was->inputs.count; i++) {
        const struct record_pair *old = &was->inputs.items[i];
        if (!record_find(&is->inputs, old->name) && is_absent(is, old->name) != is_use)
            reasons_add(reasons, is_use ? REASON_USE : REASON_INPUT, old->name, old->value, NULL);
    }
    for (size_t i = 0; i < is->inputs.count; i++) {
        const struct record_pair *new = &is->inputs.items[i];
        if (record_find(&was->inputs, new->name) || is_absent(was, new->name) == is_use)
            continue;
        if (is_use)
            reasons_add(reasons, REASON_USE, new->name, NULL, new->value);
        else
            reasons_add(reasons, REASON_LOOKUP, new->name, NULL, new->name);
    }
}

/* What the models of a group use belongs to what happened to the group, which is the last reason. */
static void compare_uses(struct reasons *reasons, const struct record *was, const struct record *is)
{
    struct reasons uses = {0};
    struct reason *last = reasons->count ? &reasons->items[reasons->count - 1] : NULL;
    compare_presence(&uses, was, is, true);
    for (size_t i = 0; i < uses.count; i++) {
        char *text = reason_text(&uses.items[i]);
        if (last && last->kind == REASON_GROUP)
            strings_add(&last->details, text);
        else
            move_reason(reasons, &uses.items[i]);
        free(text);
    }
    reasons_release(&uses);
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
    compare_uses(reasons, was, is);
    compare_values(reasons, REASON_LISTED, &was->listed, &is->listed);
    if (strcmp(was->renderer, is->renderer) || strcmp(was->backend, is->backend) || strcmp(was->cpu, is->cpu) ||
        strcmp(was->library, is->library) || strcmp(was->program, is->program) || strcmp(was->probe, is->probe) ||
        (was->assimp && is->assimp && strcmp(was->assimp, is->assimp)))
        reasons_add_renderer(reasons, was, is);
    if (was->output != is->output)
        reasons_add(reasons, REASON_OUTPUT, NULL, NULL, NULL);
}

/* -- As text ------------------------------------------------------------------------------------------------- */

/* What each kind is called by programs, and says to people: where only the record had a value (`gone`) or only now has
 * one (`came`), that may be something else. */
static const struct reason_row {
    const char *name, *text, *gone, *came;
} rows[] = {
    [REASON_NEW] = {"new", .text = "new"},
    [REASON_BROKEN] = {"broken", .text = "{it}: {is}"},
    [REASON_EDITED] = {"edited", .text = "{it} was changed since it was made"},
    [REASON_OWNER] = {"owner", .text = "{it} was made for {was}"},
    [REASON_FILE] = {"file", "{it} has {is} bytes, had {was} when it was made", .gone = "{it} is missing"},
    [REASON_PARTS] = {"parts", .text = "{is} of its {was} parts are there"},
    [REASON_FORCED] = {"forced", .text = "--force"},
    [REASON_OUTPUT] = {"output", .text = "made by another version of sheetbake"},
    [REASON_RENDERER] = {"renderer", .text = "drawn by another renderer: its {it} was {was}, is {is}"},
    [REASON_LIBRARY] = {"library", "the library {it}, which {duty}, is another build",
                        "the library {it}, which {duty}, is no longer used",
                        "the library {it}, which {duty}, was not used"},
    [REASON_SETTING] = {"setting", .text = ""}, /* setting_text */
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

/* "cell:", "camera compass: pitch" */
static char *key_text(const char *subject)
{
    const char *item = strchr(subject, '['), *end = item ? strstr(item, "].") : NULL;
    if (!end || (item[1] >= '0' && item[1] <= '9'))
        return must_printf("%s:", subject);
    int length = (int)(item - subject);
    length -= subject[length - 1] == 's';
    return must_printf("%.*s %.*s: %s", length, subject, (int)(end - item - 1), item + 1, end + 2);
}

/* Of a value that may be a long list, some from `start` on. */
static char *part_of(const char *value, size_t start)
{
    const char *from = value + start;
    size_t length = strlen(from), shown = length > MOST_SHOWN ? MOST_SHOWN : length;
    while (shown < length && ((unsigned char)from[shown] & 0xc0) == 0x80) /* within a character */
        shown--;
    return must_printf("%s%.*s%s", start ? "..." : "", (int)shown, from, shown < length ? "..." : "");
}

/* Where two long values begin to differ, by the items of a list. */
static size_t find_difference(const char *a, const char *b)
{
    size_t start = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (i > 0 && a[i] == ' ' && a[i - 1] == ',')
            start = i + 1;
    return strlen(a) > MOST_SHOWN || strlen(b) > MOST_SHOWN ? start : 0;
}

static char *setting_text(const struct reason *reason)
{
    const char *was = reason->was, *is = reason->is;
    size_t start = was && is ? find_difference(was, is) : 0;
    char *key = key_text(reason->subject);
    char *old = was ? part_of(was, start) : NULL, *new = is ? part_of(is, start) : NULL;
    char *text = !old   ? must_printf("%s %s, was not set", key, new)
                 : !new ? must_printf("%s not set, was %s", key, old)
                        : must_printf("%s %s -> %s", key, old, new);
    free(key);
    free(old);
    free(new);
    return text;
}

char *reason_text(const struct reason *reason)
{
    if (reason->kind == REASON_SETTING)
        return setting_text(reason);
    const struct reason_row *row = &rows[reason->kind];
    const char *it = reason->subject, *was = reason->was, *is = reason->is, *at = row->text;
    if (was && !is && row->gone)
        at = row->gone;
    if (!was && is && row->came)
        at = row->came;
    if (reason->kind == REASON_DECLARED && !strchr(it, ' ')) /* of all files of that kind */
        at = "what is wrong with the files in {it}/ changed";

    char *as = is && it && strcmp(it, is) ? must_printf(", as %s", is) : must_strdup("");
    const struct {
        const char *word, *text;
    } words[] = {
        {"{it}", it}, {"{was}", was}, {"{is}", is}, {"{as}", as}, {"{duty}", it ? identity_duty(it) : NULL},
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
    free(as);
    return text.text;
}

char *reason_line(const struct reason *reason)
{
    char *text = reason_text(reason);
    if (!reason->place)
        return text;
    char *line = must_printf("%s (%s)", text, reason->place);
    free(text);
    return line;
}

char *reasons_text(const struct reasons *reasons)
{
    char *first = reason_line(&reasons->items[0]);
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
