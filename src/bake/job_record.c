#include "bake/job_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* -- Look-ups ---------------------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(((const struct record_pair *)a)->name, ((const struct record_pair *)b)->name);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* That a file was found where it was looked for is said by its being read. */
static bool is_said(const struct trace *trace, const struct look_up *item)
{
    return item->kind == LOOK_FOUND && !strcmp(item->name, item->value) &&
           trace_find(trace, LOOK_READ, item->name);
}

static void list_pairs(struct record *record, const struct trace *trace, enum look_up_kind kind,
                       struct record_pairs *out)
{
    struct record_pair *items = arena_must_alloc(&record->arena, trace->count, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < trace->count; i++)
        if (trace->items[i].kind == kind && !is_said(trace, &trace->items[i]))
            items[count++] = (struct record_pair){trace->items[i].name, trace->items[i].value};
    if (count)
        qsort(items, count, sizeof *items, compare_pairs);
    *out = (struct record_pairs){items, count};
}

static void list_absent(struct record *record, const struct trace *trace)
{
    const char **items = arena_must_alloc(&record->arena, trace->count, sizeof *items);
    for (size_t i = 0; i < trace->count; i++)
        if (trace->items[i].kind == LOOK_ABSENT)
            items[record->absent_count++] = trace->items[i].name;
    if (record->absent_count)
        qsort(items, record->absent_count, sizeof *items, compare_texts);
    record->absent = items;
}

void job_record_init(struct record *out, const struct record *today, const struct job_list *list,
                     const struct job *job, const struct trace *trace)
{
    *out = *today;
    out->arena = (struct arena){0};
    out->list = list->name;
    out->job = job->name;
    list_pairs(out, trace, LOOK_READ, &out->inputs);
    list_pairs(out, trace, LOOK_FOUND, &out->found);
    list_pairs(out, trace, LOOK_LISTED, &out->listed);
    list_pairs(out, trace, LOOK_DECLARED, &out->declared);
    list_absent(out, trace);
}

/* -- Pages ------------------------------------------------------------------------------------------------- */

/* A warning about the list says where: "orcs.yaml:7:5: ...". The record does not, because it would change with
 * every line that is added above, and with the folder in which the list was opened. */
static const char *without_place(const char *warning)
{
    const char *end = strstr(warning, ": "), *at = end;
    for (int numbers = 0; at && numbers < 2; numbers++) {
        const char *digits = at;
        while (digits > warning && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        at = digits < at && digits > warning && digits[-1] == ':' ? digits - 1 : NULL;
    }
    return at ? end + 2 : warning;
}

static void list_warnings(struct record *record, const struct strings *warnings)
{
    const char **texts = arena_must_alloc(&record->arena, warnings->count, sizeof *texts);
    for (size_t i = 0; i < warnings->count; i++)
        texts[i] = without_place(warnings->items[i]);
    record->warnings = texts;
    record->warning_count = warnings->count;
}

/* A sheet that is laid out only when it is drawn is one page of the job, in parts. */
void job_record_page(const struct record *of_job, const struct plan *plan, const struct sheet_plan *sheet,
                     uint32_t page_of_sheet, struct record *out)
{
    bool has_parts = layout_needs_pixels(&plan->job->sheet);
    *out = *of_job;
    out->arena = (struct arena){0};
    out->page = sheet->first_page + (has_parts ? 0 : page_of_sheet);
    out->page_count = plan->page_count;
    out->part = has_parts ? page_of_sheet : 0;
    out->part_count = has_parts ? sheet->layout.page_count : 1;
    out->files = arena_must_alloc(&out->arena, PASS_COUNT + METADATA_COUNT, sizeof *out->files);
    out->file_count = 0;
    list_warnings(out, &plan->warnings);
}

void job_record_add_file(struct record *record, const char *name, struct bytes bytes)
{
    struct record_file *files = (struct record_file *)record->files; /* ours, from job_record_page */
    char *hash = arena_must_alloc(&record->arena, HASH_SIZE, 1);
    hash_bytes(bytes, hash);
    size_t at = record->file_count++;
    name = path_base(name);
    for (; at > 0 && strcmp(files[at - 1].name, name) > 0; at--)
        files[at] = files[at - 1];
    files[at] = (struct record_file){arena_strdup(&record->arena, name), bytes.size, hash};
}
