#include "job/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/glob.h"
#include "job/settings.h"

/* -- Reading ------------------------------------------------------------------------------------------------- */

#define COUNTS 0, 1e12
#define SHARES 0, 1
#define PERCENTS 0, 1e6
enum { MOST_PATTERNS = 100 };

static void take_bound(const struct node *node, double number, struct bound *bound)
{
    *bound = (struct bound){.is_set = true, .number = number, .mark = node->mark};
}

static void read_number_bound(const struct reader *reader, const struct node *node, struct range range,
                              struct bound *bound)
{
    double number;
    if (read_number(reader, node, "the bound of a rule", range, &number))
        take_bound(node, number, bound);
}

static void read_count_bound(const struct reader *reader, const struct node *node, void *bound)
{
    read_number_bound(reader, node, (struct range){COUNTS}, bound);
}

static void read_share_bound(const struct reader *reader, const struct node *node, void *bound)
{
    read_number_bound(reader, node, (struct range){SHARES}, bound);
}

/* "20 %", or the number alone. */
static void read_percent_bound(const struct reader *reader, const struct node *node, void *bound)
{
    struct node number = *node;
    size_t length = node->kind == NODE_SCALAR ? strcspn(node->text, " %") : 0;
    if (length && node->text[length] && !strcmp(node->text + length + strspn(node->text + length, " "), "%"))
        number.text = arena_printf(reader->arena, "%.*s", (int)length, node->text);
    read_number_bound(reader, &number, (struct range){PERCENTS}, bound);
}

static void read_patterns_bound(const struct reader *reader, const struct node *node, void *member)
{
    struct bound *bound = member;
    struct node_list list = node_one_or_many(&node);
    const char **patterns = arena_must_alloc(reader->arena, list.count, sizeof *patterns);
    if (list.count > MOST_PATTERNS)
        problems_add(reader->problems, node->mark, "%zu patterns, at most %d are allowed", list.count,
                     MOST_PATTERNS);
    for (size_t i = 0; i < list.count; i++)
        if (!read_text(reader, list.items[i], "the name of a clip, or a pattern", &patterns[i]))
            return;
    take_bound(node, 0, bound);
    bound->patterns = patterns;
    bound->pattern_count = list.count;
}

/* Both bounds, or the one that fails alone. A level that gives one bound in a mapping keeps the other. */
static void read_rule(const struct reader *reader, const struct node *node, const struct setting *rows,
                      struct rule *rule)
{
    if (node->kind == NODE_MAPPING) {
        rows_read(reader, node, "a rule", rows, rule);
        return;
    }
    *rule = (struct rule){0};
    if (!node_is_word(node, "none"))
        rows[BOUND_FAIL].read(reader, node, &rule->bounds[BOUND_FAIL]);
}

/* The rows of a rule that takes a count, a share, ... and what reads it. */
#define RULE_KIND(kind, ...)                                                                                      \
    const struct setting kind##_rows[] = {                                                                        \
        {"warn", SETTING_CALL(struct rule, bounds[BOUND_WARN], read_##kind##_bound, record_nothing),              \
         .of_member = true, __VA_ARGS__},                                                                         \
        {"fail", SETTING_CALL(struct rule, bounds[BOUND_FAIL], read_##kind##_bound, record_nothing),              \
         .of_member = true, __VA_ARGS__},                                                                         \
        {0},                                                                                                      \
    };                                                                                                            \
    static void read_##kind(const struct reader *reader, const struct node *node, void *rule)                     \
    {                                                                                                             \
        read_rule(reader, node, kind##_rows, rule);                                                               \
    }

#define COUNT_FORM .forms = FORM_NUMBER, .range = {COUNTS}
#define SHARE_FORM .forms = FORM_NUMBER, .range = {SHARES}
RULE_KIND(count, COUNT_FORM)
RULE_KIND(share, SHARE_FORM)
RULE_KIND(percent, .forms = FORM_TEXT)
RULE_KIND(patterns, .forms = FORM_TEXT | FORM_LIST)

/* A bound alone may be anything that a bound of the mapping may. */
#define count_FORMS .forms = FORM_MAPPING | FORM_NUMBER, .range = {COUNTS}
#define share_FORMS .forms = FORM_MAPPING | FORM_NUMBER, .range = {SHARES}
#define percent_FORMS .forms = FORM_MAPPING | FORM_TEXT
#define patterns_FORMS .forms = FORM_MAPPING | FORM_TEXT | FORM_LIST
#define RULE_ROW(key, member, kind)                                                                               \
    {                                                                                                             \
        key, SETTING_CALL(struct rules, member, read_##kind, record_nothing), .of_member = true,                  \
            SETTING_WORDS(none_words), .rows = kind##_rows, kind##_FORMS                                          \
    }

const struct setting growth_rows[] = {
#define GROWTH(rule, key) RULE_ROW(key, growth[RULE_##rule], percent)
    GROWTH(TRIANGLES, "triangles"),
    GROWTH(JOINTS, "joints"),
    GROWTH(MATERIALS, "materials"),
    GROWTH(TEXTURES, "textures"),
    GROWTH(TEXTURE_SIDE, "texture_side"),
    GROWTH(BYTES, "bytes"),
    {0},
};

static void read_growth(const struct reader *reader, const struct node *node, void *rules)
{
    rows_read(reader, node, "'growth'", growth_rows, rules);
}

const struct setting rule_rows[] = {
#define X(rule, key, kind, ...) RULE_ROW(key, items[RULE_##rule], kind),
    RULE_ROWS(X)
#undef X
    {"growth", SETTING_CALL(struct rules, growth, read_growth, record_nothing), .forms = FORM_MAPPING,
     .rows = growth_rows},
    {0},
};

/* -- Judging -------------------------------------------------------------------------------------------------- */

enum of { MODEL, PICTURE };
enum direction { MOST, LEAST };

static const struct judged {
    const char *key;
    enum of of;
    enum direction direction;
    const char *before, *after;
} judged[RULE_COUNT] = {
#define X(rule, key, kind, of, direction, before, after) {key, of, direction, before, after},
    RULE_ROWS(X)
#undef X
};

void rules_check(const struct reader *reader, const struct rules *rules)
{
    for (int i = 0; i < RULE_COUNT * 2; i++) {
        const struct rule *rule = i < RULE_COUNT ? &rules->items[i] : &rules->growth[i - RULE_COUNT];
        const struct bound *warn = &rule->bounds[BOUND_WARN], *fail = &rule->bounds[BOUND_FAIL];
        bool is_least = judged[i % RULE_COUNT].direction == LEAST;
        if (warn->is_set && fail->is_set && !warn->patterns &&
            (is_least ? warn->number <= fail->number : warn->number >= fail->number))
            problems_add(reader->problems, warn->mark, "'%s' never warns at %.7g, for it fails at %.7g",
                         judged[i % RULE_COUNT].key, warn->number, fail->number);
    }
}

/* "11,204"; "0.31". */
static void add_number(struct buffer *out, double number)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", number);
    if (number != floor(number) || number > 1e15) {
        buffer_printf(out, "%.3g", number);
        return;
    }
    for (int i = 0; i < length; i++)
        buffer_printf(out, "%s%c", i && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

static void add_finding(struct strings *out, const char *rule, bool is_failure, const char *cell, const char *text)
{
    struct finding finding = {.is_failure = is_failure};
    snprintf(finding.rule, sizeof finding.rule, "%s", rule);
    snprintf(finding.cell, sizeof finding.cell, "%s", cell);
    snprintf(finding.text, sizeof finding.text, "%s", text);
    char *packed = finding_pack(&finding);
    strings_add(out, packed);
    free(packed);
}

/* The bound that a number breaks, the harder first; or NULL. */
static const struct bound *broken_bound(const struct rule *rule, double number, bool is_least)
{
    for (int i = BOUND_FAIL; i >= 0; i--)
        if (rule->bounds[i].is_set &&
            (is_least ? number < rule->bounds[i].number : number > rule->bounds[i].number))
            return &rule->bounds[i];
    return NULL;
}

bool rule_is_asked(const struct rule *rule)
{
    return rule->bounds[BOUND_WARN].is_set || rule->bounds[BOUND_FAIL].is_set;
}

uint64_t rules_bytes(const struct record *record)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < record->file_count; i++)
        if (metadata_is_picture(record->files[i].name))
            bytes += record->files[i].bytes;
    return bytes;
}

/* What a record has for a rule: "none" where there is nothing to measure. NULL: it is not known. */
static const char *fact_of(const struct record *record, enum rule_number rule)
{
    const struct record_pair *fact = record_find(&record->facts, judged[rule].key);
    fact = fact ? fact : record_find(&record->measured, judged[rule].key);
    return fact ? fact->value : NULL;
}

/* A fact is a number, and perhaps a space and what shows it. False where it is none. */
static bool read_fact(const char *fact, double *number, const char **where)
{
    char *end;
    *number = strtod(fact, &end);
    *where = *end == ' ' ? end + 1 : end;
    return end > fact && (*end == ' ' || !*end) && isfinite(*number);
}

static void judge_number(const struct rule *rule, enum rule_number number, const char *fact, struct strings *out)
{
    const struct judged *of = &judged[number];
    const char *where = "";
    double value;
    if (fact && !strcmp(fact, "none"))
        return;
    if (!fact || !read_fact(fact, &value, &where)) {
        add_finding(out, of->key, true, "", "not judged: what it asks for is not known of this sheet");
        return;
    }
    const struct bound *bound = broken_bound(rule, value, of->direction == LEAST);
    if (!bound)
        return;
    bool is_cell = *where && number >= RULE_BELOW_GROUND; /* else it is a texture */
    struct buffer text = {0};
    buffer_printf(&text, "%s", of->before);
    add_number(&text, value);
    buffer_printf(&text, "%s, at %s ", of->after, of->direction == LEAST ? "least" : "most");
    add_number(&text, bound->number);
    buffer_printf(&text, "%s%s", *where && !is_cell ? ": " : "", is_cell ? "" : where);
    add_finding(out, of->key, bound == &rule->bounds[BOUND_FAIL], is_cell ? where : "", text.text);
    buffer_release(&text);
}

/* The first clip that a pattern matches, whatever its case; or NULL. */
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
    for (int b = BOUND_FAIL; b >= 0; b--) {
        const struct bound *bound = &rule->bounds[b];
        struct buffer text = {0};
        for (size_t i = 0; i < bound->pattern_count; i++) {
            const char *pattern = bound->patterns[i], *clip = find_clip(record, pattern);
            if (number == RULE_NEED_CLIPS && !clip)
                buffer_printf(&text, "%sno clip '%s'", text.text ? ", " : "", pattern);
            else if (number == RULE_FORBID_CLIPS && clip)
                buffer_printf(&text, "%sa clip '%s'", text.text ? ", " : "", clip);
        }
        if (text.text)
            add_finding(out, judged[number].key, b == BOUND_FAIL, "", text.text);
        buffer_release(&text);
    }
}

void rules_judge(const struct rules *rules, const struct record *record, bool of_model_alone, struct strings *out)
{
    bool is_first = record->page == 0 && record->part == 0;
    for (int i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rules->items[i];
        if (!rule_is_asked(rule) || (judged[i].of == PICTURE ? of_model_alone : !is_first))
            continue;
        char bytes[32];
        snprintf(bytes, sizeof bytes, "%ju", (uintmax_t)rules_bytes(record));
        if ((i == RULE_NEED_CLIPS || i == RULE_FORBID_CLIPS) && record->clips)
            judge_clips(rule, (enum rule_number)i, record, out);
        else
            judge_number(rule, (enum rule_number)i,
                         i == RULE_BYTES ? bytes : fact_of(record, (enum rule_number)i), out);
    }
}

const char *rules_unknown(const struct rules *rules, const struct record *record)
{
    bool is_first = record->page == 0 && record->part == 0;
    for (int i = 0; i < RULE_COUNT; i++) {
        bool is_clips = i == RULE_NEED_CLIPS || i == RULE_FORBID_CLIPS;
        const char *fact = is_clips ? record->clips ? "none" : NULL : fact_of(record, (enum rule_number)i), *where;
        double number;
        if (rule_is_asked(&rules->items[i]) && i != RULE_BYTES &&
            (judged[i].of == PICTURE || is_first) &&
            (!fact || (strcmp(fact, "none") != 0 && !read_fact(fact, &number, &where))))
            return judged[i].key;
    }
    return NULL;
}

static bool growth_fact(const struct record *record, enum rule_number rule, uint64_t bytes, double *number)
{
    const char *fact = fact_of(record, rule), *where;
    *number = (double)bytes;
    return rule == RULE_BYTES || (fact && read_fact(fact, number, &where));
}

void rules_judge_growth(const struct rules *rules, const struct record *was, const struct record *is,
                        const uint64_t bytes[2], struct strings *out)
{
    for (int i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rules->growth[i];
        double old, new;
        if (!rule_is_asked(rule))
            continue;
        char *key = must_printf("growth.%s", judged[i].key);
        if (!growth_fact(was, (enum rule_number)i, bytes[0], &old) ||
            !growth_fact(is, (enum rule_number)i, bytes[1], &new)) {
            add_finding(out, key, true, "", "not judged: it is not known of both sides");
        } else {
            double percent = new <= old ? 0 : old > 0 ? 100 * (new - old) / old : INFINITY;
            const struct bound *bound = broken_bound(rule, percent, false);
            struct buffer text = {0};
            buffer_printf(&text, "%s grew ", judged[i].key);
            if (isfinite(percent))
                buffer_printf(&text, "by %.3g %% ", percent);
            buffer_printf(&text, "from ");
            add_number(&text, old);
            buffer_printf(&text, " to ");
            add_number(&text, new);
            if (bound) {
                buffer_printf(&text, ", at most %.3g %%", bound->number);
                add_finding(out, key, bound == &rule->bounds[BOUND_FAIL], "", text.text);
            }
            buffer_release(&text);
        }
        free(key);
    }
}

const struct mark *rules_mark(const struct rules *rules, const struct finding *finding)
{
    const char *growth = "growth.", *key = finding->rule;
    bool is_growth = !strncmp(key, growth, strlen(growth));
    for (int i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = is_growth ? &rules->growth[i] : &rules->items[i];
        const struct bound *bound = &rule->bounds[finding->is_failure ? BOUND_FAIL : BOUND_WARN];
        if (strcmp(judged[i].key, is_growth ? key + strlen(growth) : key))
            continue;
        bound = bound->is_set ? bound : &rule->bounds[BOUND_WARN]; /* it failed for nobody knows what it asks for */
        return bound->is_set ? &bound->mark : NULL;
    }
    return NULL;
}
