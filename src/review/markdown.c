#include "review/markdown.h"

#include <string.h>

#include "base/utf8.h"

/* -- Strangers' text --------------------------------------------------------------------------------------- */

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
    enum { MOST_CHARACTERS = 200 };
    struct buffer code = {0};
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
    buffer_release(&code);
}

/* -- Rows -------------------------------------------------------------------------------------------------- */

static void add_frames(struct buffer *out, const struct review_sheet *sheet)
{
    size_t all = review_sheet_frames(sheet), others = all - sheet->counts[REVIEW_SAME];
    if (sheet->before && sheet->after && others)
        buffer_printf(out, "%zu of %zu", others, all);
}

/* The cause, the old name and the new warnings. */
static void add_reasons(struct buffer *out, const struct review *review, const struct review_sheet *sheet)
{
    enum { MOST_WARNINGS = 3 };
    if (sheet->reason)
        add_code(out, sheet->reason);
    else
        add_code(out, review->causes[sheet->causes[0]].text);
    if (!sheet->reason && sheet->cause_count > 1)
        buffer_printf(out, " and %zu more", sheet->cause_count - 1);
    if (sheet->old_name) {
        buffer_printf(out, "<br>was ");
        add_code(out, sheet->old_name);
    }
    for (size_t i = 0; i < sheet->new_warning_count && i < MOST_WARNINGS; i++) {
        buffer_printf(out, "<br>new warning: ");
        add_code(out, sheet->new_warnings[i]);
    }
    if (sheet->new_warning_count > MOST_WARNINGS)
        buffer_printf(out, "<br>%zu more new warnings", sheet->new_warning_count - MOST_WARNINGS);
}

/* Facts of the model that differ. */
static void add_facts(struct buffer *out, const struct review_sheet *sheet)
{
    enum { MOST_FACTS = 6 };
    int count = 0;
    for (size_t i = 0; sheet->facts && sheet->old_facts && i < sheet->facts->count && count < MOST_FACTS; i++) {
        const struct record_pair *now = &sheet->facts->items[i], *old = record_find(sheet->old_facts, now->name);
        if (!old || !strcmp(old->value, now->value))
            continue;
        buffer_printf(out, "<br>");
        add_code(out, now->name);
        buffer_printf(out, " was ");
        add_code(out, old->value);
        buffer_printf(out, ", is ");
        add_code(out, now->value);
        count++;
    }
}

static void add_row(struct buffer *out, const struct review *review, const struct review_sheet *sheet)
{
    buffer_printf(out, "| %s | ", review_state_name(sheet->state));
    add_code(out, sheet->name);
    buffer_printf(out, " | ");
    add_frames(out, sheet);
    buffer_printf(out, " | ");
    if (sheet->change.passes)
        buffer_printf(out, "%.3f", (double)sheet->change.pixels.max);
    buffer_printf(out, " | ");
    add_reasons(out, review, sheet);
    add_facts(out, sheet);
    buffer_printf(out, " |\n");
}

/* -- The whole --------------------------------------------------------------------------------------------- */

static void add_side(struct buffer *out, const char *name, const char *detail)
{
    add_code(out, name);
    if (detail && *detail) {
        buffer_printf(out, " (");
        add_code(out, detail);
        buffer_printf(out, ")");
    }
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
    add_side(out, review->before.name, review->before.detail);
    buffer_printf(out, " to ");
    add_side(out, review->after.name, review->after.detail);
    buffer_printf(out, ".");
    if (review->sheet_count == 0) {
        buffer_printf(out, "\n");
        return;
    }
    buffer_printf(out, " Sheets: ");
    review_add_counts(out, review->sheet_totals);
    buffer_printf(out, ".\n\n| state | sheet | frames | largest | why |\n|---|---|--:|--:|---|\n");
}

static size_t count_characters(const struct buffer *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text->length; i++)
        count += ((unsigned char)text->text[i] & 0xc0) != 0x80;
    return count;
}

void markdown_add(struct buffer *out, const struct review *review, size_t budget)
{
    enum { TAIL = 500, MOST_BYTES = (1 << 20) - 4096 }; /* the tail: a number for each state */
    struct buffer row = {0};
    size_t start = out->length, shown = 0;
    add_head(out, review);
    size_t characters =
        count_characters(&(struct buffer){.text = out->text + start, .length = out->length - start});
    for (; shown < review->sheet_count; shown++) {
        buffer_clear(&row);
        add_row(&row, review, &review->sheets[shown]);
        characters += count_characters(&row);
        if (characters + TAIL > budget || out->length - start + row.length + TAIL > MOST_BYTES)
            break;
        buffer_add(out, row.text, row.length);
    }
    size_t left[REVIEW_STATE_COUNT] = {0};
    for (size_t i = shown; i < review->sheet_count; i++)
        left[review->sheets[i].state]++;
    if (shown < review->sheet_count) {
        buffer_printf(out, "\nAnd %zu more: ", review->sheet_count - shown);
        review_add_counts(out, left);
        buffer_printf(out, ".\n");
    }
    buffer_release(&row);
}
