#include "job/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/glob.h"
#include "job/settings.h"

enum of { MODEL, PICTURE, GROWTH };
enum direction { MOST, LEAST };
enum shown_by { TEXT, CELL };

static const struct judged {
    const char *key;
    enum of of;
    enum direction direction;
    enum shown_by shown_by;
    const char *before, *after;
} judged[RULE_COUNT] = {
#define X(rule, key, kind, of, direction, shown_by, before, after) {key, of, direction, shown_by, before, after},
    RULE_ROWS(X) GROWTH_ROWS(X)
#undef X
};

/* -- Reading ------------------------------------------------------------------------------------------------- */

#define NUMBER(level)                                                                                             \
    SETTING_DOUBLE(struct rule, bounds[level].number, 0, 1e12), SETTING_MARK(struct rule, bounds[level].mark),    \
        .noun = "the bound of a rule"
#define PERCENT(level) NUMBER(level), .is_percent = true
#define PATTERNS(level)                                                                                           \
    SETTING_NAMES(struct rule, bounds[level].patterns), SETTING_MARK(struct rule, bounds[level].mark),            \
        .noun = "the name of a clip, or a pattern", .items = {0, 100}

/* Takes both bounds, or the one that fails alone. A level that gives one bound in a mapping keeps the other. */
#define BOUND_ROWS(bound)                                                                                         \
    {                                                                                                             \
        {"warn", bound(BOUND_WARN)}, {"fail", bound(BOUND_FAIL), .is_short = true, .is_alone = true},             \
            {NULL, SETTING_PART(struct rule, bounds)}, {0},                                                       \
    }
const struct setting count_rows[] = BOUND_ROWS(NUMBER), percent_rows[] = BOUND_ROWS(PERCENT),
                     patterns_rows[] = BOUND_ROWS(PATTERNS);

#define RULE_ROW(number, name, kind)                                                                              \
    {name, SETTING_MAPPING(struct rules, items[RULE_##number], kind##_rows), .noun = "a rule",                    \
     SETTING_WORDS(none_words)},

const struct setting growth_rows[] = {
#define X(rule, key, kind, ...) RULE_ROW(rule, &key[sizeof "growth"], kind)
    GROWTH_ROWS(X)
#undef X
        {0},
};

const struct setting rule_rows[] = {
#define X(rule, key, kind, ...) RULE_ROW(rule, key, kind)
    RULE_ROWS(X)
#undef X
        {"growth", SETTING_OWN(struct rules, items, growth_rows)},
    {0},
};

/* Jobs without rules of their own share those of the defaults. */
void read_rules(const struct reader *reader, const struct node *node, void *member)
{
    const struct rules **rules = member;
    struct rules *own = arena_must_alloc(reader->arena, 1, sizeof *own);
    *own = *rules ? **rules : (struct rules){0};
    *rules = own;
    rows_read(reader, node, "'rules'", rule_rows, own);
}

void rules_check(const struct reader *reader, const struct rules *rules)
{
    for (int i = 0; rules && i < RULE_COUNT; i++) {
        const struct bound *warn = &rules->items[i].bounds[BOUND_WARN];
        const struct bound *fail = &rules->items[i].bounds[BOUND_FAIL];
        bool is_late = judged[i].direction == LEAST ? warn->number <= fail->number : warn->number >= fail->number;
        if (warn->mark.file && fail->mark.file && !warn->patterns.items && is_late)
            problems_add(reader->problems, warn->mark, "'%s' never warns at %.7g, for it fails at %.7g",
                         judged[i].key, warn->number, fail->number);
    }
}

bool rules_ask(const struct rules *rules, enum rule_number rule)
{
    return rules &&
           (rules->items[rule].bounds[BOUND_WARN].mark.file || rules->items[rule].bounds[BOUND_FAIL].mark.file);
}

const struct mark *rules_mark(const struct rules *rules, const struct finding *finding)
{
    for (enum rule_number i = 0; i < RULE_COUNT; i++) {
        const struct bound *bounds = rules ? rules->items[i].bounds : NULL;
        if (!strcmp(judged[i].key, finding->rule) && rules_ask(rules, i))
            return &bounds[bounds[finding->is_failure].mark.file ? finding->is_failure : !finding->is_failure]
                        .mark;
    }
    return NULL;
}

/* -- Judging -------------------------------------------------------------------------------------------------- */

void rules_add_number(struct buffer *out, double number)
{
    char digits[32];
    number = fabs(number) < 1000 ? number : round(number);
    const bool is_whole = number == floor(number) && fabs(number) < 1e15;
    int length = snprintf(digits, sizeof digits, is_whole ? "%.0f" : "%.3g", number);
    for (int i = 0; i < length; i++)
        buffer_printf(out, "%s%c", is_whole && i > (number < 0) && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

uint64_t rules_bytes(const struct record *record)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < record->file_count; i++)
        if (metadata_is_picture(record->files[i].name))
            bytes += record->files[i].bytes;
    return bytes;
}

/* A number that a rule judges, and the text or cell that shows it, or "". The number of "none" is NAN. */
struct fact {
    double number;
    char shown_by[256];
};

static bool read_fact(const struct record *record, const char *name, struct fact *out)
{
    const struct record_pair *pair = record_find(&record->facts, name);
    pair = pair ? pair : record_find(&record->measured, name);
    char *end;
    if (!pair)
        return false;
    out->number = !strcmp(pair->value, "none") ? NAN : strtod(pair->value, &end);
    snprintf(out->shown_by, sizeof out->shown_by, "%s", !isnan(out->number) && *end ? end + 1 : "");
    return isnan(out->number) ? !strcmp(pair->value, "none")
                              : end > pair->value && (!*end || *end == ' ') && isfinite(out->number);
}

static bool find_growth(const struct record *record, const struct growth *growth, const char *name,
                        struct fact *out)
{
    struct fact was = {.number = (double)growth->bytes[0]}, is = {.number = (double)growth->bytes[1]};
    if (strcmp(name, "bytes") && (!read_fact(growth->was, name, &was) || !read_fact(record, name, &is)))
        return false;
    out->number = is.number <= was.number ? 0 : 100 * (is.number - was.number) / fmax(was.number, 1);
    snprintf(out->shown_by, sizeof out->shown_by, "%.0f before, %.0f now", was.number, is.number);
    return true;
}

static bool find_fact(const struct record *record, const struct growth *growth, enum rule_number rule,
                      struct fact *out)
{
    *out = (struct fact){.number = (double)rules_bytes(record)};
    if (judged[rule].of == GROWTH)
        return find_growth(record, growth, judged[rule].key + sizeof "growth", out);
    return rule == RULE_BYTES || read_fact(record, judged[rule].key, out);
}

static void judge_number(const struct rule *rule, enum rule_number number, const struct fact *fact,
                         struct strings *out)
{
    const struct judged *of = &judged[number];
    const bool is_least = of->direction == LEAST, is_cell = of->shown_by == CELL;
    for (int i = BOUND_FAIL; i >= BOUND_WARN; i--) {
        const struct bound *bound = &rule->bounds[i];
        if (!bound->mark.file || !(is_least ? fact->number < bound->number : fact->number > bound->number))
            continue;
        SCOPED_BY(buffer_release) struct buffer text = {0};
        buffer_printf(&text, "%s", of->before);
        rules_add_number(&text, fact->number);
        buffer_printf(&text, "%s, at %s ", of->after, is_least ? "least" : "most");
        rules_add_number(&text, bound->number);
        if (*fact->shown_by && !is_cell)
            buffer_printf(&text, ": %s", fact->shown_by);
        findings_add(out, i == BOUND_FAIL, of->key, is_cell ? fact->shown_by : "", text.text);
        return;
    }
}

static const char *find_clip(const struct record *record, const char *pattern)
{
    for (size_t i = 0; i < record->clip_count; i++)
        if (glob_matches(pattern, record->clips[i], true))
            return record->clips[i];
    return NULL;
}

static void judge_clips(const struct rule *rule, enum rule_number number, const struct record *record,
                        struct strings *out)
{
    const bool is_needed = number == RULE_NEED_CLIPS;
    for (int b = BOUND_FAIL; b >= BOUND_WARN; b--) {
        SCOPED_BY(buffer_release) struct buffer text = {0};
        for (size_t i = 0; i < rule->bounds[b].patterns.count; i++) {
            const char *pattern = rule->bounds[b].patterns.items[i], *clip = find_clip(record, pattern);
            if (is_needed == !clip)
                buffer_printf(&text, "%s%s clip '%s'", text.text ? ", " : "", is_needed ? "no" : "a forbidden",
                              is_needed ? pattern : clip);
        }
        if (text.text)
            findings_add(out, b == BOUND_FAIL, judged[number].key, "", text.text);
    }
}

const char *rules_judge(const struct rules *rules, const struct record *record, bool of_model_alone,
                        const struct growth *growth, struct strings *out)
{
    const char *unknown = NULL;
    const bool is_judged[] = {
        [MODEL] = record->page == 0 && record->part == 0, [PICTURE] = !of_model_alone, [GROWTH] = growth != NULL};
    for (enum rule_number i = 0; i < RULE_COUNT; i++) {
        const bool is_of_clips = i == RULE_NEED_CLIPS || i == RULE_FORBID_CLIPS;
        struct fact fact;
        if (!rules_ask(rules, i) || !is_judged[judged[i].of])
            continue;
        const struct rule *rule = &rules->items[i];
        if (is_of_clips && record->clips) {
            judge_clips(rule, i, record, out);
        } else if (!is_of_clips && find_fact(record, growth, i, &fact)) {
            judge_number(rule, i, &fact, out);
        } else {
            unknown = unknown ? unknown : judged[i].key;
            findings_add(out, true, judged[i].key, "", "not judged: what it asks for is not known of this sheet");
        }
    }
    return unknown;
}
