#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "sheet/json_value.h"

static void *collect(void)
{
    return json_array();
}

/* A relative URI; the caller releases it. */
static json_t *uri_value(const char *file)
{
    char *path = ci_path(file);
    struct buffer uri = {0};
    for (const char *c = path; *c; c++) {
        bool is_plain =
            strchr("/.-_~", *c) || (*c >= '0' && *c <= '9') || (ascii_lower(*c) >= 'a' && ascii_lower(*c) <= 'z');
        buffer_printf(&uri, is_plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    json_t *value = text_value(uri.text);
    buffer_release(&uri);
    free(path);
    return value;
}

/* A finding is short here: its rule and cell have their own places. */
static void add_event(void *results, const struct event *event)
{
    const struct finding *finding = event->finding;
    const char *sheet = finding && *finding->cell ? finding->cell : event->sheet;
    const struct mark *mark = event->place;
    json_t *location = json_pack("{s:[{s:o, s:s}]}", "logicalLocations", "fullyQualifiedName", text_value(sheet),
                                 "kind", "resource");
    if (mark)
        json_object_set_new(location, "physicalLocation",
                            json_pack("{s:{s:o}, s:{s:i}}", "artifactLocation", "uri", uri_value(mark->file),
                                      "region", "startLine", mark->line ? (int)mark->line : 1));
    json_array_append_new(results,
                          json_pack("{s:o, s:s, s:{s:o}, s:[o]}", "ruleId", text_value(event->rule), "level",
                                    event->level == EVENT_ERROR ? "error" : "warning", "message", "text",
                                    text_value(finding ? finding->text : event->text), "locations", location));
}

static void add_page(void *results, const struct page_result *result)
{
    char *sheet = must_printf("%s/%s", result->list->name, result->job->name);
    bool is_told = result->status != PAGE_FAILED;
    struct event event;
    struct finding finding;
    for (size_t i = 0; page_event(result, i, &finding, &event); i++)
        is_told |= event.level == EVENT_ERROR;
    if (!is_told)
        add_event(results, &(struct event){EVENT_ERROR, "failed",
                                           .place = result->place ? result->place : &result->job->mark,
                                           .sheet = sheet, .text = result->reason ? result->reason : "it failed"});
    for (size_t i = 0; page_event(result, i, &finding, &event); i++) {
        event.sheet = sheet;
        add_event(results, &event);
    }
    free(sheet);
}

/* Adds a problem that belongs to no sheet. */
static void add_note(json_t *notes, const char *text)
{
    json_array_append_new(notes,
                          json_pack("{s:s, s:{s:o}}", "level", "error", "message", "text", text_value(text)));
}

static int write_sarif(json_t *results, const char *path, const struct run_result *run, struct error *err)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < run->problems.count; i++)
        add_note(notes, run->problems.items[i]);
    if (run->reason)
        add_note(notes, run->reason);
    struct blob blob;
    json_t *root =
        json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s}}, s:[{s:b, s:i, s:o}], s:O}]}", "$schema",
                  "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool", "driver",
                  "name", "sheetbake", "version", SHEETBAKE_VERSION, "invocations", "executionSuccessful",
                  run->exit_code < 2 || run->exit_code == 3 /* sheets that fail are results */, "exitCode",
                  run->exit_code, "toolExecutionNotifications", notes, "results", results);
    if (json_save(root, root != NULL, JSON_AS_SET, &blob, err) < 0)
        return -1;
    int result = file_renew(path, blob_bytes(&blob), err);
    blob_release(&blob);
    return result;
}

static int close_report(void *results, const char *path, const struct run_result *run, struct error *err)
{
    int result = run ? write_sarif(results, path, run, err) : 0;
    json_decref(results);
    return result;
}

const struct sink sarif_sink = {.collect = collect, .page = add_page, .event = add_event, .close = close_report};
