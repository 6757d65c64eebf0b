#include "run/costs.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* A line of a page is about a kilobyte; one that lists thousands of inputs may have a megabyte. A log of a million pages
 * fits. */
enum { MAX_LOG_SIZE = 1 << 30, MAX_LINE = 16 << 20 };

/* What is wrong with more lines of a log than this is only counted. */
enum { SHOWN_LINES = 5 };

/* No page takes longer than --timeout allows: a day. */
static const double MAX_SECONDS = 86400;

struct costs {
    struct arena arena;
    struct cost *items; /* sorted by list, job and page, one for each page */
    size_t count, capacity;
};

struct costs *costs_new(void)
{
    return must_alloc(1, sizeof(struct costs));
}

void costs_free(struct costs *costs)
{
    if (!costs)
        return;
    free(costs->items);
    arena_release(&costs->arena);
    free(costs);
}

/* -- Lines ------------------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Nothing was measured where a page was not made, or was made along with another. */
static bool is_measured(const json_t *object)
{
    const char *type = text_of(object, "type"), *status = text_of(object, "status");
    return type && !strcmp(type, "page") && status && !strcmp(status, "made") &&
           !text_of(object, "madeWith");
}

static int take_page(struct costs *costs, const json_t *object, struct error *err)
{
    const char *list = text_of(object, "list"), *job = text_of(object, "job");
    const json_t *page = json_object_get(object, "page"), *seconds = json_object_get(object, "seconds");
    if (!list || !job)
        return error_set(err, "a page without %s", list ? "job" : "list");
    if (!json_is_integer(page) || json_integer_value(page) < 0 || json_integer_value(page) >= UINT32_MAX)
        return error_set(err, "no page number");
    double time_s = json_number_value(seconds);
    if (!json_is_number(seconds) || !(time_s >= 0 && time_s <= MAX_SECONDS))
        return error_set(err, "no seconds between 0 and %.0f", MAX_SECONDS);

    uint64_t time_us = (uint64_t)llround(time_s * 1e6);
    costs->items = must_grow(costs->items, costs->count, &costs->capacity, sizeof *costs->items);
    costs->items[costs->count++] = (struct cost){
        .list = arena_strdup(&costs->arena, list),
        .job = arena_strdup(&costs->arena, job),
        .page = (uint32_t)json_integer_value(page),
        .runs = 1,
        .total_us = time_us ? time_us : 1,
    };
    return 0;
}

static int take_line(struct costs *costs, struct bytes line, struct error *err)
{
    if (line.size > MAX_LINE)
        return error_set(err, "%zu bytes, at most %d are allowed", line.size, MAX_LINE);
    json_error_t problem;
    json_t *object = json_loadb((const char *)line.data, line.size, 0, &problem);
    if (!object)
        return error_set(err, "%s", problem.text);
    int result = 0;
    if (!json_is_object(object))
        result = error_set(err, "no JSON object");
    else if (is_measured(object))
        result = take_page(costs, object, err);
    json_decref(object);
    return result;
}

/* -- The table --------------------------------------------------------------------------------------------- */

static int compare_jobs(const struct cost *a, const char *list, const char *job)
{
    int order = strcmp(a->list, list);
    return order ? order : strcmp(a->job, job);
}

static int compare_pages(const void *left, const void *right)
{
    const struct cost *a = left, *b = right;
    int order = compare_jobs(a, b->list, b->job);
    return order ? order : (a->page > b->page) - (a->page < b->page);
}

static void sort(struct costs *costs)
{
    if (costs->count < 2)
        return;
    qsort(costs->items, costs->count, sizeof *costs->items, compare_pages);
    size_t kept = 0;
    for (size_t i = 1; i < costs->count; i++) {
        struct cost *last = &costs->items[kept], *next = &costs->items[i];
        if (compare_pages(last, next) != 0) {
            costs->items[++kept] = *next;
            continue;
        }
        last->runs += next->runs;
        last->total_us += next->total_us;
    }
    costs->count = kept + 1;
}

void costs_load(struct costs *costs, struct bytes log, const char *name, struct strings *warnings)
{
    size_t line_number = 0, wrong = 0;
    for (size_t at = 0; at < log.size;) {
        const uint8_t *start = log.data + at, *newline = memchr(start, '\n', log.size - at);
        struct bytes line = {start, newline ? (size_t)(newline - start) : log.size - at};
        struct error err;
        at += line.size + 1;
        line_number++;
        if (line.size > 0 && take_line(costs, line, &err) < 0 && wrong++ < SHOWN_LINES)
            strings_printf(warnings, "%s:%zu: skipped: %s", name, line_number, err.text);
    }
    if (wrong > SHOWN_LINES)
        strings_printf(warnings, "%s: %zu more lines skipped", name, wrong - SHOWN_LINES);
    sort(costs);
}

int costs_read(struct costs *costs, const char *path, struct strings *warnings, struct error *err)
{
    struct blob log;
    if (file_read(path, MAX_LOG_SIZE, &log, err) < 0)
        return -1;
    costs_load(costs, blob_bytes(&log), path, warnings);
    blob_release(&log);
    return 0;
}

const struct cost *costs_of_job(const struct costs *costs, const char *list, const char *job, size_t *count)
{
    size_t low = 0, high = costs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_jobs(&costs->items[middle], list, job) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < costs->count && compare_jobs(&costs->items[end], list, job) == 0)
        end++;
    *count = end - low;
    return *count ? costs->items + low : NULL;
}

static int compare_page(const void *page, const void *cost)
{
    uint32_t left = *(const uint32_t *)page, right = ((const struct cost *)cost)->page;
    return (left > right) - (left < right);
}

const struct cost *cost_of_page(const struct cost *costs, size_t count, uint32_t page)
{
    return count ? bsearch(&page, costs, count, sizeof *costs, compare_page) : NULL;
}

uint64_t cost_us(const struct cost *cost)
{
    return cost->total_us / cost->runs;
}
