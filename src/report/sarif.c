#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "sheet/json_value.h"

struct sarif {
    json_t *results, *rules;
    json_t *counts; /* of rules' names, their places in `rules`; of fingerprints, how many results have it */
};

static void *collect(void)
{
    struct sarif *sarif = must_alloc(1, sizeof *sarif);
    *sarif = (struct sarif){json_array(), json_array(), json_object()};
    return sarif;
}

/* A relative URI; the caller releases it. */
static json_t *uri_value(const char *file)
{
    SCOPED char *path = ci_path(file);
    SCOPED_BY(buffer_release) struct buffer uri = {0};
    for (const char *c = path; *c; c++) {
        bool is_plain =
            strchr("/.-_~", *c) || (*c >= '0' && *c <= '9') || (ascii_lower(*c) >= 'a' && ascii_lower(*c) <= 'z');
        buffer_printf(&uri, is_plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    return text_value(uri.text);
}

/* Returns the place of a rule, which a code host lists by its texts. */
static json_int_t place_rule(struct sarif *sarif, const struct event *event)
{
    const json_t *known = json_object_get(sarif->counts, event->rule);
    const json_int_t place = known ? json_integer_value(known) : (json_int_t)json_array_size(sarif->rules);
    if (known)
        return place;
    json_t *text = json_pack(
        "{s:o}", "text", json_sprintf(event->finding ? "the rule %s of a job list" : "a sheet: %s", event->rule));
    json_array_append_new(sarif->rules, json_pack("{s:s, s:O, s:O, s:o}", "id", event->rule, "shortDescription",
                                                  text, "fullDescription", text, "help", text));
    json_object_set_new(sarif->counts, event->rule, json_integer(place));
    return place;
}

/* Returns a name of the result that stays while numbers, lines and words of it change, so that a code host knows it again. */
static json_t *fingerprint(struct sarif *sarif, const char *rule, const char *sheet)
{
    char *subject = must_printf("%s\n%s", rule, sheet), hash[HASH_SIZE];
    hash_bytes((struct bytes){(const uint8_t *)subject, strlen(subject)}, hash);
    free(subject);
    const json_int_t number = json_integer_value(json_object_get(sarif->counts, hash)) + 1;
    json_object_set_new(sarif->counts, hash, json_integer(number));
    return json_sprintf("%.16s:%d", hash, (int)number);
}

static void add_event(void *file, const struct event *event)
{
    struct sarif *sarif = file;
    const struct finding *finding = event->finding;
    const char *sheet = finding && *finding->cell ? finding->cell : event->sheet;
    const struct mark *mark = event->place;
    SCOPED char *text = must_printf("%s: %s", event->sheet, event->text);
    json_t *location = json_pack("{s:[{s:o, s:s}]}", "logicalLocations", "fullyQualifiedName", text_value(sheet),
                                 "kind", "resource");
    if (mark)
        json_object_set_new(location, "physicalLocation",
                            json_pack("{s:{s:o}, s:{s:i}}", "artifactLocation", "uri", uri_value(mark->file),
                                      "region", "startLine", mark->line ? (int)mark->line : 1));
    json_array_append_new(sarif->results,
                          json_pack("{s:o, s:I, s:s, s:{s:o}, s:[o], s:{s:o}}", "ruleId", text_value(event->rule),
                                    "ruleIndex", place_rule(sarif, event), "level",
                                    event->level == EVENT_ERROR ? "error" : "warning", "message", "text",
                                    text_value(text), "locations", location, "partialFingerprints",
                                    "primaryLocationLineHash", fingerprint(sarif, event->rule, event->sheet)));
}

/* A page that --strict fails has that one of its warnings as an error; of any other failure nothing else is told. */
static void add_page(void *file, const struct page_result *result)
{
    SCOPED char *sheet = must_printf("%s/%s", result->list->name, result->job->name);
    const char *reason = result->status != PAGE_FAILED ? NULL : result->reason ? result->reason : "it failed";
    bool is_told = !reason;
    struct event event;
    struct finding finding;
    for (size_t i = 0; page_event(result, i, &finding, &event); i++)
        is_told |= event.level == EVENT_ERROR;
    for (size_t i = 0; page_event(result, i, &finding, &event); i++) {
        event.sheet = sheet;
        if (!is_told && i + 1 == result->failing) {
            event.level = EVENT_ERROR;
            event.text = reason;
            is_told = true;
        }
        add_event(file, &event);
    }
    if (!is_told)
        add_event(file, &(struct event){EVENT_ERROR, "failed",
                                        .place = result->place ? result->place : &result->job->mark,
                                        .sheet = sheet, .text = reason});
}

/* Adds a problem that belongs to no sheet. */
static void add_note(json_t *notes, const char *text)
{
    json_array_append_new(notes,
                          json_pack("{s:s, s:{s:o}}", "level", "error", "message", "text", text_value(text)));
}

static int write_sarif(struct sarif *sarif, const char *path, const struct run_result *run, struct error *err)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < run->problems.count; i++)
        add_note(notes, run->problems.items[i]);
    if (run->reason)
        add_note(notes, run->reason);
    SCOPED_BY(blob_release) struct blob blob = {0};
    json_t *root = json_pack(
        "{s:s, s:s, s:[{s:{s:{s:s, s:s, s:O}}, s:[{s:b, s:i, s:o}], s:O}]}", "$schema",
        "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool", "driver", "name",
        "sheetbake", "version", SHEETBAKE_VERSION, "rules", sarif->rules, "invocations", "executionSuccessful",
        run->exit_code < 2 || run->exit_code == 3 /* sheets that fail are results */, "exitCode", run->exit_code,
        "toolExecutionNotifications", notes, "results", sarif->results);
    if (json_save(root, JSON_INDENT(1) | JSON_REAL_PRECISION(15), &blob, err) < 0)
        return -1;
    return file_renew(path, blob_bytes(&blob), err);
}

static int close_report(void *file, const char *path, const struct run_result *run, struct error *err)
{
    SCOPED struct sarif *sarif = file;
    int result = run ? write_sarif(sarif, path, run, err) : 0;
    json_decref(sarif->results);
    json_decref(sarif->rules);
    json_decref(sarif->counts);
    return result;
}

const struct sink sarif_sink = {.collect = collect, .page = add_page, .event = add_event, .close = close_report};
