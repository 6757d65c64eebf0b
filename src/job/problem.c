#include "job/yaml.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

int problems_add(struct problems *problems, struct mark mark, const char *format, ...)
{
    if (problems->count == PROBLEM_LIMIT) {
        problems->is_cut = true;
        return -1;
    }
    va_list args;
    va_start(args, format);
    char *text = must_vprintf(format, args);
    va_end(args);
    *MUST_ADD(problems->items, problems->count, problems->capacity) = (struct problem){mark, text};
    return -1;
}

/* The line that stands for the rest. */
static const char cut_line[] = "more than 1000 problems: the rest is not shown";
_Static_assert(PROBLEM_LIMIT == 1000, "as the line says");

int mark_compare(const struct mark *a, const struct mark *b)
{
    int order = strcmp(a->file, b->file);
    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    return order ? order : (a->column > b->column) - (a->column < b->column);
}

static int compare_problems(const void *a_item, const void *b_item)
{
    const struct problem *a = a_item, *b = b_item;
    int order = mark_compare(&a->mark, &b->mark);
    return order ? order : strcmp(a->text, b->text);
}

size_t problems_sort(struct problems *problems)
{
    size_t count = 0;
    SORT(problems->items, problems->count, compare_problems);
    for (size_t i = 0; i < problems->count; i++) {
        if (count > 0 && compare_problems(&problems->items[count - 1], &problems->items[i]) == 0)
            free(problems->items[i].text);
        else
            problems->items[count++] = problems->items[i];
    }
    problems->count = count;
    return count;
}

static void report_problem(const struct mark *mark, const char *text, struct strings *out)
{
    if (mark->line)
        strings_printf(out, "%s:%u:%u: %s", MARK_OF(*mark), text);
    else
        strings_printf(out, "%s: %s", mark->file, text);
    printable_mask(out->items[out->count - 1]);
}

void problems_report(struct problems *problems, struct strings *out)
{
    enum { SHOWN = 4 }; /* of one place: a pattern may match thousands of models with one wrong skin */
    problems_sort(problems);
    for (size_t i = 0, end; i < problems->count; i = end) {
        const struct problem *first = &problems->items[i];
        end = i + 1;
        while (end < problems->count && mark_compare(&problems->items[end].mark, &first->mark) == 0)
            end++;
        size_t rest = first->mark.line && end - i > SHOWN ? end - i - SHOWN : 0;
        for (size_t j = i; j < end - rest; j++)
            report_problem(&first->mark, problems->items[j].text, out);
        if (rest) {
            SCOPED char *more = must_printf("and %zu more problem%s here", rest, rest == 1 ? "" : "s");
            report_problem(&first->mark, more, out);
        }
    }
    if (problems->is_cut)
        strings_add(out, cut_line);
}

size_t job_list_problem_count(const struct strings *problems)
{
    return problems->count - strings_has(problems, cut_line);
}

void problems_release(struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        free(problems->items[i].text);
    free(problems->items);
    *problems = (struct problems){0};
}
