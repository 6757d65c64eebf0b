#include "review/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static const char accept[] = "/sheetbake accept ", reject[] = "/sheetbake reject ";
static const char digits[] = "0123456789abcdef";

enum { DIGITS = 16 }; /* of a hash in a line */

/* -- Lines that accept ---------------------------------------------------------------------------------------- */

/* Returns the line of what is called `name`. The hash is of a text that tells all that it accepts; it is freed. */
static const char *line_of(struct review *review, char *text, const char *all_of, const char *name)
{
    char hash[HASH_SIZE];
    hash_bytes((struct bytes){(const uint8_t *)text, strlen(text)}, hash);
    free(text);
    char *line = arena_printf(&review->arena, "%s%.*s %s%s", accept, DIGITS, hash, all_of, name);
    printable_mask(line);
    return line;
}

void verdicts_ask(struct review *review)
{
    SCOPED_BY(strings_release) struct strings keys = {0}; /* "CAUSE LINE" of each sheet that can be accepted */
    for (size_t i = 0; i < review->sheet_count; i++) {
        struct review_sheet *sheet = &review->sheets[i];
        const struct made_sheet *made = sheet->shipped[1];
        char files[HASH_SIZE] = "";
        if (sheet->state <= REVIEW_FAILED || sheet->breaks_rules)
            continue;
        for (size_t page = 0; made && page < made->page_count; page++)
            record_add_to_hash(&made->pages[page].record, files);
        sheet->accept = line_of(review, must_printf("%s\n%s", files, sheet->name), "", sheet->name);
        strings_printf(&keys, "%08x %s", sheet->causes[0], sheet->accept);
    }
    strings_sort(&keys); /* the hash of a cause is that of its sheets in any order */
    for (size_t i = 0, next; i < keys.count; i = next) {
        struct review_cause *cause = &review->causes[strtoul(keys.items[i], NULL, 16)];
        struct buffer all = {0};
        buffer_printf(&all, "%s\n", cause->text);
        for (next = i; next < keys.count && !strncmp(keys.items[next], keys.items[i], 8); next++)
            buffer_printf(&all, "%s\n", keys.items[next] + 9);
        cause->accept = line_of(review, all.text, "all of ", cause->text);
    }
}

/* -- A file of verdicts --------------------------------------------------------------------------------------- */

/* A sheet or cause that can be accepted, by its line from the hash on. */
struct asked {
    const char *line;
    struct review_verdict *verdict;
};

static int compare_hash(const void *hash, const void *asked)
{
    return strncmp(hash, ((const struct asked *)asked)->line, DIGITS);
}

static size_t find_asked(struct review *review, struct asked *asked)
{
    size_t count = 0;
    for (size_t i = 0; i < review->sheet_count; i++)
        if (review->sheets[i].accept)
            asked[count++] = (struct asked){review->sheets[i].accept + strlen(accept), &review->sheets[i].verdict};
    for (size_t i = 0; i < review->cause_count; i++)
        if (review->causes[i].accept)
            asked[count++] = (struct asked){review->causes[i].accept + strlen(accept), &review->causes[i].verdict};
    SORT(asked, count, strings_compare);
    return count;
}

/* Returns what is wrong with the line, which it cuts, or NULL. */
static const char *take_line(struct arena *arena, const struct asked *asked, size_t count, char *line,
                             size_t number)
{
    char *text = strchr(line, '\t');
    if (!text || text == line)
        return "has no name and tab before a verdict";
    *text++ = '\0';
    printable_mask(line);
    printable_mask(text);
    const bool is_accepted = strncmp(text, accept, strlen(accept)) == 0;
    if (!is_accepted && strncmp(text, reject, strlen(reject)) != 0)
        return "is neither '/sheetbake accept HASH SHEET: words' nor '/sheetbake reject HASH SHEET: words'";
    const char *hash = text + strlen(accept); /* both words are as long */
    if (strspn(hash, digits) != DIGITS || hash[DIGITS] != ' ')
        return "has no hash of 16 digits: copy a verdict's line from the page";
    const struct asked *found = bsearch(hash, asked, count, sizeof *asked, compare_hash);
    if (!found)
        return NULL; /* of what the sheet no longer is */
    const size_t length = strlen(found->line);
    const char *words = strncmp(hash, found->line, length) ? "?" : hash + length + strspn(hash + length, " ");
    if (*words && *words != ':')
        return "has the hash of one sheet and the name of another";
    words += *words == ':';
    *found->verdict = (struct review_verdict){number, is_accepted, arena_strdup(arena, line),
                                              arena_strdup(arena, words + strspn(words, " "))};
    return NULL;
}

/* Says in words what is decided of a sheet, or still has to be. */
static void tell_verdict(struct review *review, struct review_sheet *sheet, unsigned asks)
{
    const struct review_verdict *own = &sheet->verdict, *of_all = &review->causes[sheet->causes[0]].verdict;
    review->asked += asks >> sheet->state & 1;
    if (!sheet->accept)
        return;
    if (of_all->line > own->line)
        sheet->verdict = *of_all;
    if (own->line)
        sheet->decided = arena_printf(&review->arena, "%s by %s%s%s", own->is_accepted ? "accepted" : "rejected",
                                      own->who, *own->words ? ": " : "", own->words);
    else if (asks & 1u << sheet->state)
        sheet->decided = arena_printf(&review->arena, "to accept: %s", sheet->accept);
    review->accepted += asks >> sheet->state & own->is_accepted;
}

void verdicts_take(struct review *review, struct bytes file, const char *name, unsigned asks,
                   struct strings *problems)
{
    enum { MOST_PROBLEMS = 20 };
    SCOPED struct asked *asked = must_alloc(review->sheet_count + review->cause_count, sizeof *asked);
    const size_t count = find_asked(review, asked);
    char *text = must_printf("%.*s", (int)file.size, (const char *)file.data), *rest = text, *line;
    size_t bad = 0;
    for (size_t number = 1; (line = strsep(&rest, "\n")); number++) {
        line[strcspn(line, "\r")] = '\0';
        const char *problem = *line ? take_line(&review->arena, asked, count, line, number) : NULL;
        if (problem && bad++ < MOST_PROBLEMS)
            strings_printf(problems, "%s:%zu: %s", name, number, problem);
    }
    if (bad > MOST_PROBLEMS)
        strings_printf(problems, "%s: %zu more lines are no verdicts", name, bad - MOST_PROBLEMS);
    for (size_t i = 0; i < review->sheet_count; i++)
        tell_verdict(review, &review->sheets[i], asks);
    free(text);
}
