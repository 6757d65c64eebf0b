#include "review/output.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "model/format.h"
#include "report/junit.h"
#include "review/revision.h"

/* Why the sheet has its state: its reason, or its first cause. */
static const char *why_of(const struct review *review, const struct review_sheet *sheet)
{
    return sheet->reason ? sheet->reason : review->causes[sheet->causes[0]].text;
}

char *review_short_why(const struct review *review, const struct review_sheet *sheet)
{
    const char *why = why_of(review, sheet), *formats = strstr(why, NO_MODEL_FILE);
    return formats ? must_printf("%.*scannot be read: not a known format", (int)(formats - why), why)
                   : must_strdup(why);
}

/* -- JSON ---------------------------------------------------------------------------------------------------- */

json_t *facts_json(const struct record_pairs *facts)
{
    json_t *object = json_object();
    for (size_t i = 0; i < facts->count; i++) {
        json_auto_t *name = text_value(facts->items[i].name);
        json_object_set_new(object, json_string_value(name), text_value(facts->items[i].value));
    }
    return object;
}

static json_t *totals_value(const size_t counts[REVIEW_STATE_COUNT])
{
    json_t *object = json_object();
    for (enum review_state state = 0; state < REVIEW_STATE_COUNT; state++)
        if (counts[state])
            json_object_set_new(object, review_states[state].name, json_integer((json_int_t)counts[state]));
    return object;
}

static json_t *pair_value(double x, double y, int decimals)
{
    return json_pack("[o, o]", number_value(x, decimals), number_value(y, decimals));
}

static json_t *change_value(const struct pixel_change *change)
{
    return json_pack("{s:I, s:o, s:o}", "pixels", (json_int_t)change->pixels, "max",
                     number_value((double)change->max, 6), "mean", number_value((double)change->mean, 9));
}

/* Returns the names of the passes whose bits are set. */
static json_t *passes_value(const struct review_sheet *sheet, uint32_t passes)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sheet->pass_count; i++)
        if (passes & 1u << i)
            json_array_append_new(array, text_value(sheet->passes[i]));
    return array;
}

json_t *made_frame_json(const struct atlas_frame *frame)
{
    if (!frame)
        return json_null();
    json_t *sockets = json_object();
    for (size_t i = 0; i < frame->socket_count; i++) {
        const struct atlas_socket *socket = &frame->sockets[i];
        json_object_set_new(sockets, socket->name, pair_value(socket->px[0], socket->px[1], 3));
    }
    return json_pack("{s:o, s:o, s:[I, I], s:o, s:o, s:o}", "time", number_value(frame->start_ms, 3), "duration",
                     number_value(frame->duration_ms, 3), "size", (json_int_t)frame->source_px[0],
                     (json_int_t)frame->source_px[1], "pivot", pair_value(frame->pivot[0], frame->pivot[1], 6),
                     "scale", number_value(frame->scale.pixels_per_unit, 6), "sockets", sockets);
}

static json_t *frame_value(const struct review_sheet *sheet, const struct review_frame *frame)
{
    const struct pixel_change *pixels = &frame->change.pixels;
    json_t *change = json_null();
    if (frame->change.passes) {
        change = change_value(pixels);
        json_object_set_new(
            change, "box",
            json_pack("[i, i, i, i]", pixels->box[0], pixels->box[1], pixels->box[2], pixels->box[3]));
        json_object_set_new(change, "passes", passes_value(sheet, frame->change.passes));
        json_object_set_new(change, "offset",
                            json_pack("[i, i]", frame->change.offset[0], frame->change.offset[1]));
    }
    json_t *shipped = json_null();
    if (sheet->is_framed)
        shipped = json_pack("{s:o, s:o}", "before", made_frame_json(review_shipped(sheet, frame, 0)), "after",
                            made_frame_json(review_shipped(sheet, frame, 1)));
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "name", text_value(frame->name), "old_name",
                     text_or_null(frame->old_name), "state", review_states[frame->state].name, "change", change,
                     "before", made_frame_json(frame->before), "after", made_frame_json(frame->after), "shipped",
                     shipped);
}

json_t *review_clip_json(const struct review_sheet *sheet, const struct review_clip *clip)
{
    json_t *frames = json_array();
    for (size_t i = 0; i < clip->frame_count; i++)
        json_array_append_new(frames, frame_value(sheet, &clip->frames[i]));
    return json_pack("{s:o, s:b, s:o, s:o}", "name", text_value(clip->name), "loop", (int)clip->loop,
                     "frames_text", text_value(clip->frames_text), "frames",
                     whole_value(frames, clip->frame_count));
}

static json_t *clips_value(const struct review_sheet *sheet)
{
    json_t *clips = json_array();
    for (size_t i = 0; i < sheet->clip_count; i++)
        json_array_append_new(clips, review_clip_json(sheet, &sheet->clips[i]));
    return whole_value(clips, sheet->clip_count);
}

static json_t *verdict_value(const struct review_verdict *verdict)
{
    return !verdict->line ? json_null()
                          : json_pack("{s:b, s:o, s:o}", "accepted", (int)verdict->is_accepted, "who",
                                      text_value(verdict->who), "words", text_value(verdict->words));
}

static json_t *sheet_value(const struct review_sheet *sheet, bool has_frames)
{
    json_t *causes = json_array(), *findings = json_array();
    for (size_t i = 0; i < sheet->cause_count; i++)
        json_array_append_new(causes, json_integer(sheet->causes[i]));
    for (size_t i = 0; i < sheet->finding_count; i++)
        json_array_append_new(findings, review_finding_json(&sheet->findings[i], sheet->rules));
    const struct commit *commit = sheet->commit;
    json_t *by = commit ? json_pack("{s:o, s:o, s:o, s:o}", "id", text_value(commit->id), "author",
                                    text_value(commit->author), "date", text_value(commit->date), "subject",
                                    text_value(commit->subject))
                        : json_null();
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, "
        "s:{s:o, s:o}, s:{s:o, s:o}}",
        "name", text_value(sheet->name), "list", text_value(sheet->list), "job", text_value(sheet->job),
        "old_name", text_or_null(sheet->old_name), "state", review_states[sheet->state].name, "cause",
        (json_int_t)sheet->causes[0], "causes", causes, "reason", text_or_null(sheet->reason), "frames",
        totals_value(sheet->counts), "passes", texts_value(sheet->passes, sheet->pass_count, text_value), "clips",
        has_frames ? clips_value(sheet) : json_array(), "commit", by, "frames_text",
        text_value(sheet->frames_text), "change",
        sheet->change.passes ? change_value(&sheet->change.pixels) : json_null(), "model",
        texts_value(sheet->told, sheet->model_count, text_value), "ships",
        texts_value(&sheet->told[sheet->model_count], sheet->told_count - sheet->model_count, text_value),
        "findings", findings, "accept", text_or_null(sheet->accept), "verdict", verdict_value(&sheet->verdict),
        "strip", text_or_null(sheet->strip), "strip_clip", text_or_null(sheet->strip_clip), "facts", "before",
        facts_json(&made_sheet_record(sheet->shipped[0])->facts), "after",
        facts_json(&made_sheet_record(sheet->shipped[1])->facts), "warnings", "added",
        texts_value(sheet->new_warnings, sheet->new_warning_count, text_value), "removed",
        texts_value(sheet->gone_warnings, sheet->gone_warning_count, text_value));
}

json_t *review_finding_json(const struct finding *finding, const struct rules *rules)
{
    json_t *value = finding_json(finding);
    const struct mark *mark = rules_mark(rules, finding);
    json_object_set_new(value, "told", text_value(finding->told));
    json_object_set_new(value, "place", mark ? json_sprintf("%s:%u", mark->file, mark->line) : json_null());
    return value;
}

json_t *review_json(const struct review *review, bool has_frames)
{
    json_t *sheets = json_array(), *causes = json_array();
    for (size_t i = 0; i < review->sheet_count; i++)
        json_array_append_new(sheets, sheet_value(&review->sheets[i], has_frames));
    for (size_t i = 0; i < review->cause_count; i++)
        json_array_append_new(causes,
                              json_pack("{s:o, s:o, s:s, s:I, s:o}", "text", text_value(review->causes[i].text),
                                        "place", text_or_null(review->causes[i].place), "kind",
                                        review->causes[i].kind, "sheets", (json_int_t)review->causes[i].sheets,
                                        "accept", text_or_null(review->causes[i].accept)));
    return json_pack("{s:s, s:{s:o, s:o}, s:{s:o, s:o}, s:{s:o, s:o}, s:o, s:o}", "sheetbake", SHEETBAKE_VERSION,
                     "before", "name", text_value(review->before.name), "detail",
                     text_value(review->before.detail), "after", "name", text_value(review->after.name), "detail",
                     text_value(review->after.detail), "totals", "sheets", totals_value(review->sheet_totals),
                     "frames", totals_value(review->frame_totals), "causes",
                     whole_value(causes, review->cause_count), "sheets", whole_value(sheets, review->sheet_count));
}

/* -- Markdown ------------------------------------------------------------------------------------------------ */

/* Escapes a character for a cell of a table, where "\|" is a bar even in a code span. Hosts disagree about a backslash
 * before that, so it becomes '?'. */
static size_t add_character(struct buffer *out, const char *text)
{
    size_t length = printable_length(text);
    if (length == 0 || (text[0] == '\\' && text[1] == '|'))
        buffer_add(out, "?", 1);
    else if (*text == '|')
        buffer_add(out, "\\|", 2);
    else
        buffer_add(out, text, length);
    return length ? length : 1;
}

/* A code span ends at as many backticks as it began with. */
static void add_code(struct buffer *out, const char *text)
{
    enum { MOST_CHARACTERS = 400 };
    SCOPED_BY(buffer_release) struct buffer code = {0};
    const char *at = text;
    size_t run = 0, longest = 0;
    for (int i = 0; *at && i < MOST_CHARACTERS; i++) {
        run = *at == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
        at += add_character(&code, at);
    }
    const char *space = longest ? " " : "";
    for (size_t i = 0; i <= longest; i++)
        buffer_add(out, "`", 1);
    buffer_printf(out, "%s%s%s%s", space, code.length ? code.text : " ", *at ? "…" : "", space);
    for (size_t i = 0; i <= longest; i++)
        buffer_add(out, "`", 1);
}

/* Adds a line of a cell. */
static void add_below(struct buffer *out, const char *word, const char *text)
{
    buffer_printf(out, "<br>%s", word);
    add_code(out, text);
}

/* A row of the table. Sheets that are alike share it, and say there what all of them say. */
struct row {
    const struct review_sheet *sheet; /* the worst of them */
    size_t count;                     /* 0: a row before has the sheet */
    bool says_same;                   /* of their models, and of what they ship */
    size_t frames[REVIEW_STATE_COUNT];
};

static bool says_same(const struct review_sheet *a, const struct review_sheet *b)
{
    bool is_same = a->told_count == b->told_count;
    for (size_t i = 0; i < a->told_count && is_same; i++)
        is_same = !strcmp(a->told[i], b->told[i]);
    return is_same;
}

/* Whether a line of the list changed both, or both look as before, and neither has anything to say that is its own. */
static bool is_alike(const struct review *review, const struct review_sheet *a, const struct review_sheet *b)
{
    const struct review_sheet *both[] = {a, b};
    if (a->state != b->state || a->cause_count != b->cause_count ||
        memcmp(a->causes, b->causes, a->cause_count * sizeof *a->causes) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        if (both[i]->reason || both[i]->old_name || both[i]->unframed || both[i]->model_count ||
            both[i]->finding_count || both[i]->new_warning_count || both[i]->decided)
            return false;
    return review->causes[*a->causes].place || (!(REVIEW_OTHERWISE & 1u << a->state) && says_same(a, b));
}

static struct row row_of(const struct review *review, size_t number)
{
    struct row row = {.sheet = &review->sheets[number], .says_same = true};
    for (size_t i = 0; i < review->sheet_count; i++) {
        const struct review_sheet *other = &review->sheets[i];
        if (i != number && !is_alike(review, row.sheet, other))
            continue;
        if (i < number)
            return (struct row){.sheet = row.sheet};
        row.count++;
        row.says_same = row.says_same && says_same(row.sheet, other);
        for (int state = 0; state < REVIEW_SAME; state++)
            row.frames[state] += other->counts[state];
    }
    return row;
}

/* Adds how many sheets have which state, and how many of those that need a verdict are accepted. */
static void add_totals(struct buffer *out, const struct review *review)
{
    review_add_counts(out, "", review->sheet_totals, ~0u);
    if (review->asked)
        buffer_printf(out, "; %zu of %zu accepted", review->accepted, review->asked);
}

/* Adds the cause, unless the table has it, the old name and the new warnings: a line for each. */
static void add_reasons(struct buffer *out, const struct review *review, const struct row *row, bool is_grouped)
{
    enum { MOST_WARNINGS = 3 };
    const struct review_sheet *sheet = row->sheet;
    SCOPED char *why = review_short_why(review, sheet);
    if (!is_grouped || sheet->reason)
        add_below(out, "", why);
    if (!sheet->reason && sheet->cause_count > 1)
        add_below(out, "", review->causes[sheet->causes[1]].text);
    if (!sheet->reason && sheet->cause_count > 2)
        buffer_printf(out, " and %zu more", sheet->cause_count - 2);
    if (sheet->old_name)
        add_below(out, "was ", sheet->old_name);
    for (size_t i = 0; i < sheet->told_count && row->says_same; i++)
        add_below(out, "", sheet->told[i]);
    for (size_t i = 0; i < sheet->new_warning_count && i < MOST_WARNINGS; i++)
        add_below(out, "new warning: ", sheet->new_warnings[i]);
    if (sheet->new_warning_count > MOST_WARNINGS)
        buffer_printf(out, "<br>%zu more new warnings", sheet->new_warning_count - MOST_WARNINGS);
}

/* Adds the sheet, and why it is there, in the first column: on a small screen the others are out of sight. */
static void add_row(struct buffer *out, const struct review *review, const struct row *row, bool is_grouped)
{
    enum { MOST_NAMES = 4 };
    const struct review_sheet *sheet = row->sheet;
    SCOPED_BY(buffer_release) struct buffer frames = {0};
    buffer_printf(out, "| ");
    add_code(out, sheet->name);
    size_t named = 1;
    for (const struct review_sheet *other = sheet + 1; named < row->count && named < MOST_NAMES; other++)
        if (is_alike(review, sheet, other)) {
            buffer_printf(out, ", ");
            add_code(out, other->name);
            named++;
        }
    if (row->count > named)
        buffer_printf(out, " and %zu more", row->count - named);
    add_reasons(out, review, row, is_grouped);
    for (size_t i = 0; i < sheet->finding_count; i++)
        add_below(out, sheet->findings[i].is_failure ? "failure: " : "warning: ", sheet->findings[i].told);
    if (sheet->decided)
        add_below(out, "", sheet->decided);
    buffer_printf(out, " | %s | ", review_states[sheet->state].name);
    if (row->count > 1)
        review_add_counts(&frames, "", row->frames, ~0u);
    else
        buffer_printf(&frames, "%s", sheet->frames_text);
    if (frames.length)
        add_code(out, frames.text);
    buffer_printf(out, " | %s%s |\n", row->count > 1 && *sheet->change_text ? "up to " : "", sheet->change_text);
}

static void add_source(struct buffer *out, const char *name, const char *detail)
{
    SCOPED char *text = must_printf("%s%s%s", name, *detail ? " " : "", detail);
    add_code(out, text);
}

static void add_head(struct buffer *out, const struct review *review)
{
    size_t sheets = 0;
    for (int state = 0; state < REVIEW_STATE_COUNT; state++)
        sheets += review->sheet_totals[state];
    if (review->sheet_count == 0)
        buffer_printf(out, "No differences in %zu sheet%s.\n\n", sheets, sheets == 1 ? "" : "s");
    else
        buffer_printf(out, "### %zu of %zu sheets differ%s\n\n", review->sheet_count, sheets,
                      review->sheet_count == 1 ? "s" : "");
    buffer_printf(out, "From ");
    add_source(out, review->before.name, review->before.detail);
    buffer_printf(out, " to ");
    add_source(out, review->after.name, review->after.detail);
    buffer_printf(out, ".");
    if (review->sheet_count == 0) {
        buffer_printf(out, "\n");
        return;
    }
    buffer_printf(out, " Sheets: ");
    add_totals(out, review);
    buffer_printf(out, ".\n\n");
}

/* Counts the characters from byte `start` on. */
static size_t count_characters(const struct buffer *text, size_t start)
{
    size_t count = 0;
    for (size_t i = start; i < text->length; i++)
        count += ((unsigned char)text->text[i] & 0xc0) != 0x80;
    return count;
}

/* Returns the first cause of which a sheet has a strip; the first of all where none has. */
static size_t open_cause(const struct review *review)
{
    size_t first = review->cause_count;
    for (size_t i = 0; i < review->sheet_count; i++)
        if (review->sheets[i].strip && review->sheets[i].causes[0] < first)
            first = review->sheets[i].causes[0];
    return first < review->cause_count ? first : 0;
}

/* Adds a cause and the strips of its sheets, folded or open. Hosts read no Markdown in a summary. */
static void add_cause(struct buffer *out, const struct review *review, size_t cause, bool is_open,
                      const char *strips_url)
{
    const size_t count = review->causes[cause].sheets;
    buffer_printf(out, "<details%s><summary>%zu sheet%s: <code>", is_open ? " open" : "", count,
                  count == 1 ? "" : "s");
    xml_add_text(out, review->causes[cause].text);
    buffer_printf(out, "</code></summary>\n\n");
    for (size_t i = 0; i < review->sheet_count; i++) {
        const struct review_sheet *sheet = &review->sheets[i];
        if (sheet->causes[0] != cause || !sheet->strip)
            continue;
        add_code(out, sheet->name);
        buffer_printf(out, " ");
        add_code(out, sheet->strip_clip);
        SCOPED char *url = path_join(strips_url, sheet->strip);
        buffer_printf(out, "<br>![before, after, difference](%s)\n\n", url);
    }
}

void markdown_add(struct buffer *out, const struct review *review, size_t budget, const char *strips_url)
{
    enum {
        TAIL = 500, /* a number for each state */
        MOST_BYTES = (1 << 20) - 4096,
        SHARE = 2000, /* of each cause, at least: the first ones have room for a picture and some rows */
    };
    const size_t start = out->length, opened = open_cause(review);
    size_t tables = review->sheet_count > 0;
    size_t left_count = review->sheet_count, left[REVIEW_STATE_COUNT] = {0};
    for (size_t i = 0; i < review->sheet_count; i++) {
        left[review->sheets[i].state]++;
        if (strips_url && review->sheets[i].causes[0] >= tables)
            tables = review->sheets[i].causes[0] + 1;
    }
    add_head(out, review);
    size_t kept = out->length, characters = count_characters(out, start); /* those that are kept */
    for (size_t cause = 0; cause < tables; cause++) {
        const size_t table = kept, room = budget > characters + TAIL ? budget - characters - TAIL : 0;
        const size_t share = room / (tables - cause) > SHARE ? room / (tables - cause) : SHARE;
        const size_t most = characters + (share < room ? share : room);
        if (strips_url)
            add_cause(out, review, cause, cause == opened, strips_url);
        buffer_printf(out, "| sheet | state | frames | change |\n|---|---|---|--:|\n");
        for (size_t i = 0; i < review->sheet_count; i++) {
            if (strips_url && review->sheets[i].causes[0] != cause)
                continue;
            const struct row row = row_of(review, i);
            if (!row.count)
                continue;
            add_row(out, review, &row, strips_url != NULL);
            const size_t now = characters + count_characters(out, kept);
            if (now > most || out->length - start + TAIL > MOST_BYTES)
                break;
            characters = now;
            kept = out->length;
            left[row.sheet->state] -= row.count;
            left_count -= row.count;
        }
        out->length = kept;
        if (strips_url && kept > table)
            buffer_printf(out, "\n</details>\n\n");
        characters += count_characters(out, kept);
        kept = out->length;
    }
    if (left_count) {
        buffer_printf(out, "\nAnd %zu more: ", left_count);
        review_add_counts(out, "", left, ~0u);
        buffer_printf(out, ".\n");
    }
}

/* -- CI systems ---------------------------------------------------------------------------------------------- */

/* Whether the state of a sheet is a failure, whatever rules it breaks. A new warning is told by itself. */
static bool is_failure(const struct review_sheet *sheet, unsigned fail_on)
{
    const unsigned told = fail_on & ~(1u << REVIEW_NEW_WARNING);
    return sheet->state <= REVIEW_FAILED || (told & 1u << sheet->state && !sheet->verdict.is_accepted);
}

/* "changed: input skin.png changed", for the caller to free; of a sheet that failed the reason alone, as `render` says it. */
static char *describe(const struct review *review, const struct review_sheet *sheet)
{
    return sheet->state == REVIEW_FAILED
               ? must_strdup(sheet->reason)
               : must_printf("%s: %s", review_states[sheet->state].name, why_of(review, sheet));
}

void review_tell(const struct review *review, unsigned fail_on, struct report *report)
{
    for (size_t i = 0; i < review->sheet_count; i++) {
        const struct review_sheet *sheet = &review->sheets[i];
        struct event event = {EVENT_ERROR, review_states[sheet->state].name, .sheet = sheet->name,
                              .name = sheet->name};
        SCOPED char *text = describe(review, sheet);
        event.text = text;
        if (is_failure(sheet, fail_on))
            report_event(report, &event);
        event.level = review->is_strict ? EVENT_ERROR : EVENT_WARNING;
        event.rule = "warning";
        for (size_t w = 0; w < sheet->new_warning_count; w++) {
            event.text = sheet->new_warnings[w];
            report_event(report, &event);
        }
        for (size_t f = 0; f < sheet->finding_count; f++) {
            event_take_finding(&event, &sheet->findings[f], sheet->rules);
            report_event(report, &event);
        }
    }
    for (size_t i = 0; i < review->cause_count; i++) {
        const struct review_cause *cause = &review->causes[i];
        SCOPED char *title =
            must_printf("%zu sheet%s", cause->sheets, cause->sheets == 1 ? " differs" : "s differ");
        if (strcmp(cause->kind, "failed") != 0 && strcmp(cause->kind, "not-compared") != 0)
            report_event(report, &(struct event){EVENT_NOTICE, .name = title, .text = cause->text});
    }
}

/* Adds a line, unless the failure says it. */
static void add_line(struct buffer *out, const char *failure, const char *level, const char *text)
{
    if (!failure || strcmp(failure, text) != 0)
        buffer_printf(out, "%s%s%s", out->length ? "\n" : "", level, text);
}

/* The test fails with the first rule that the sheet breaks, with --strict its first new warning, or else what differs. */
static void add_test(struct junit *out, const struct review *review, const struct review_sheet *sheet,
                     bool has_failed)
{
    SCOPED_BY(buffer_release) struct buffer details = {0}, output = {0};
    const char *state = review_states[sheet->state].name, *type = state, *failure = NULL;
    SCOPED char *differs = describe(review, sheet);
    for (size_t i = 0; i < sheet->finding_count && !failure; i++)
        failure = sheet->findings[i].is_failure ? sheet->findings[i].told : NULL;
    if (failure)
        type = "rule";
    else if (review->is_strict && sheet->new_warning_count)
        failure = sheet->new_warnings[0];
    else if (has_failed)
        failure = differs;
    add_line(&details, failure, "", differs);
    for (size_t i = 1; i < sheet->cause_count; i++)
        add_line(&details, failure, "also: ", review->causes[sheet->causes[i]].text);
    for (size_t i = 0; i < sheet->told_count; i++)
        add_line(&details, failure, "", sheet->told[i]);
    if (sheet->decided)
        add_line(&details, failure, "", sheet->decided);
    for (size_t i = 0; i < sheet->new_warning_count; i++)
        add_line(&details, failure, "new warning: ", sheet->new_warnings[i]);
    for (size_t i = 0; i < sheet->finding_count; i++)
        add_line(&details, failure,
                 sheet->findings[i].is_failure ? "failure: " : "warning: ", sheet->findings[i].told);
    if (*sheet->frames_text)
        buffer_printf(&details, "%s%s", details.length ? "\n" : "", sheet->frames_text);
    xml_add_text(&output, details.text ? details.text : "");
    junit_add_test(out,
                   &(struct junit_test){sheet->list, sheet->job, .end = has_failed ? JUNIT_FAILURE : JUNIT_PASSED,
                                        .type = type, .message = failure, .output = output.text});
}

void review_add_junit(struct buffer *out, const struct review *review, unsigned fail_on)
{
    struct junit tests = {0}, all = {0};
    for (size_t i = 0; i < review->sheet_count; i++)
        add_test(&tests, review, &review->sheets[i],
                 is_failure(&review->sheets[i], fail_on) || review->sheets[i].breaks_rules);
    junit_add_suite(&all, "sheetbake diff", time(NULL), &tests);
    junit_add_report(out, &all);
}

/* -- The table ---------------------------------------------------------------------------------------------- */

static void add_table_line(struct buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What strangers wrote cannot break a line, or command a terminal. */
static void add_table_line(struct buffer *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    SCOPED char *line = must_vprintf(format, args);
    va_end(args);
    printable_add(out, line);
    buffer_printf(out, "\n");
}

static void add_frames(struct buffer *out, const struct review_sheet *sheet)
{
    for (size_t i = 0; i < sheet->frame_count; i++) {
        const struct review_frame *frame = &sheet->frames[i];
        const struct pixel_change *change = &frame->change.pixels;
        if (frame->state == REVIEW_CHANGED)
            add_table_line(out, "    changed %s: %u pixel%s in %dx%d at %d,%d, largest %.3g, mean %.3g",
                           frame->name, change->pixels, change->pixels == 1 ? "" : "s", change->box[2],
                           change->box[3], change->box[0], change->box[1], (double)change->max,
                           (double)change->mean);
        else if (frame->state == REVIEW_RENAMED)
            add_table_line(out, "    renamed %s, was %s", frame->name, frame->old_name);
        else if (frame->state != REVIEW_SAME)
            add_table_line(out, "    %s %s", review_states[frame->state].name, frame->name);
    }
}

static void add_details(struct buffer *out, const struct review *review, const struct review_sheet *sheet)
{
    for (size_t i = 1; i < sheet->cause_count; i++)
        add_table_line(out, "    also: %s", review->causes[sheet->causes[i]].text);
    for (size_t i = 0; i < sheet->told_count; i++)
        add_table_line(out, "    %s", sheet->told[i]);
    for (size_t i = 0; i < sheet->new_warning_count && !review->is_strict; i++)
        add_table_line(out, "    new warning: %s", sheet->new_warnings[i]);
    for (size_t i = 0; i < sheet->gone_warning_count; i++)
        add_table_line(out, "    warning gone: %s", sheet->gone_warnings[i]);
    add_frames(out, sheet);
}

/* Adds a column of so many characters. "…" stands for the rest of a text that is wider. */
static void add_column(struct buffer *line, const char *text, int width)
{
    const char *at = text, *cut = text;
    int count = 0;
    for (; *at; count++) {
        cut = count < width ? at : cut;
        at += printable_length(at) ? printable_length(at) : 1;
    }
    if (count > width)
        buffer_printf(line, "%.*s…  ", (int)(cut - text), text);
    else
        buffer_printf(line, "%s%*s  ", text, width - count, "");
}

/* Of the columns of sheets and frames, in characters. */
struct widths {
    int sheet, frames;
};

static void widen(int *width, const char *text)
{
    enum { WIDEST = 48 };
    const int length = (int)strnlen(text, WIDEST);
    *width = length > *width ? length : *width;
}

/* Adds a line of the table, with its commit in a history. */
static void add_row_of(struct buffer *out, const struct widths *widths, const struct commit *commit,
                       const char *state, const char *sheet, const char *change, const char *frames,
                       const char *cause)
{
    enum { WIDTH_OF_AUTHOR = 16, WIDTH_OF_SUBJECT = 40 };
    SCOPED_BY(buffer_release) struct buffer line = {0};
    if (commit) {
        buffer_printf(&line, "%-*.*s  %-10.10s  ", SHORT_ID, SHORT_ID, commit->id, commit->date);
        add_column(&line, commit->author, WIDTH_OF_AUTHOR);
    }
    buffer_printf(&line, "%-12s  %-*s  %7s  %-*s  ", state, widths->sheet, sheet, change, widths->frames, frames);
    if (commit)
        add_column(&line, commit->subject, WIDTH_OF_SUBJECT);
    add_table_line(out, "%s%s", line.text, cause);
}

static void add_sheet_rows(struct buffer *out, const struct review *review, const struct review_sheet *sheet,
                           const struct widths *widths)
{
    char more[32] = "";
    if (!sheet->reason && sheet->cause_count > 1)
        snprintf(more, sizeof more, " (and %zu more)", sheet->cause_count - 1);
    SCOPED char *cause = must_printf("%s%s%s%s%s", why_of(review, sheet), more, sheet->old_name ? " (was " : "",
                                     sheet->old_name ? sheet->old_name : "", sheet->old_name ? ")" : "");
    add_row_of(out, widths, sheet->commit, review_states[sheet->state].name, sheet->name, sheet->change_text,
               sheet->frames_text, cause);
    for (size_t i = 0; i < sheet->finding_count; i++)
        add_table_line(out, "    %s: %s", finding_level(&sheet->findings[i]), sheet->findings[i].told);
    for (size_t i = 0; i < sheet->new_warning_count && review->is_strict; i++)
        add_table_line(out, "    failure: %s", sheet->new_warnings[i]);
    if (sheet->decided)
        add_table_line(out, "    %s", sheet->decided);
}

void review_add_table(struct buffer *out, const struct review *review, int verbosity, const char *nothing)
{
    const struct commit titles = {.id = "commit", .author = "author", .date = "date", .subject = "subject"};
    struct widths widths = {strlen("sheet"), strlen("frames")};
    for (size_t i = 0; i < review->sheet_count; i++) {
        widen(&widths.sheet, review->sheets[i].name);
        widen(&widths.frames, review->sheets[i].frames_text);
    }
    if (verbosity >= 0 && review->sheet_count)
        add_row_of(out, &widths, review->sheets[0].commit ? &titles : NULL, "state", "sheet", "change", "frames",
                   "cause");
    for (size_t i = 0; verbosity >= 0 && i < review->sheet_count; i++) {
        add_sheet_rows(out, review, &review->sheets[i], &widths);
        if (verbosity > 0)
            add_details(out, review, &review->sheets[i]);
    }
    SCOPED_BY(buffer_release) struct buffer totals = {0};
    add_totals(&totals, review);
    buffer_printf(out, "%s%s\n", totals.text ? "sheets: " : nothing, totals.text ? totals.text : "");
}
