#include "job/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/printable.h"

void problems_add(struct problems *problems, struct mark mark, const char *format, ...)
{
    if (problems->count == PROBLEM_LIMIT) {
        problems->is_cut = true;
        return;
    }
    va_list args;
    va_start(args, format);
    char *text = must_vprintf(format, args);
    va_end(args);
    problems->items = must_grow(problems->items, problems->count, &problems->capacity, sizeof *problems->items);
    problems->items[problems->count++] = (struct problem){mark, text};
}

/* The line that stands for the rest. */
static const char *describe_cut(char buffer[64])
{
    snprintf(buffer, 64, "more than %d problems: the rest is not shown", PROBLEM_LIMIT);
    return buffer;
}

static int compare_unsigned(unsigned a, unsigned b)
{
    return (a > b) - (a < b);
}

static int compare_problems(const void *a_item, const void *b_item)
{
    const struct problem *a = a_item, *b = b_item;
    int order = strcmp(a->mark.file, b->mark.file);
    if (order == 0)
        order = compare_unsigned(a->mark.line, b->mark.line);
    if (order == 0)
        order = compare_unsigned(a->mark.column, b->mark.column);
    return order ? order : strcmp(a->text, b->text);
}

size_t problems_sort(struct problems *problems)
{
    size_t count = 0;
    if (problems->count)
        qsort(problems->items, problems->count, sizeof *problems->items, compare_problems);
    for (size_t i = 0; i < problems->count; i++) {
        if (count > 0 && compare_problems(&problems->items[count - 1], &problems->items[i]) == 0)
            free(problems->items[i].text);
        else
            problems->items[count++] = problems->items[i];
    }
    problems->count = count;
    return count;
}

void problems_report(struct problems *problems, struct strings *out)
{
    problems_sort(problems);
    for (size_t i = 0; i < problems->count; i++) {
        const struct problem *problem = &problems->items[i];
        if (problem->mark.line)
            strings_printf(out, "%s:%u:%u: %s", problem->mark.file, problem->mark.line, problem->mark.column,
                           problem->text);
        else
            strings_printf(out, "%s: %s", problem->mark.file, problem->text);
        printable_mask(out->items[out->count - 1]);
    }
    char cut[64];
    if (problems->is_cut)
        strings_add(out, describe_cut(cut));
}

size_t job_list_problem_count(const struct strings *problems)
{
    char cut[64];
    size_t count = 0;
    for (size_t i = 0; i < problems->count; i++)
        count += strcmp(problems->items[i], describe_cut(cut)) != 0;
    return count;
}

void problems_release(struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        free(problems->items[i].text);
    free(problems->items);
    *problems = (struct problems){0};
}
