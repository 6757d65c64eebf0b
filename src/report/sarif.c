#include "report/sarif.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "job/rules.h"
#include "report/report.h"
#include "sheet/json_value.h"

struct sarif {
    char *path;
    json_t *results, *notes;
};

int sarif_open(const char *path, struct sarif **out, struct error *err)
{
    if (file_can_renew(path, err) < 0)
        return error_add(err, "cannot write the report");
    struct sarif *sarif = must_alloc(1, sizeof *sarif);
    *sarif = (struct sarif){must_strdup(path), json_array(), json_array()};
    *out = sarif;
    return 0;
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

void sarif_add(struct sarif *sarif, enum ci_level level, const char *rule, const struct mark *mark,
               const char *sheet, const char *text)
{
    json_t *location = json_pack("{s:[{s:o, s:s}]}", "logicalLocations", "fullyQualifiedName", text_value(sheet),
                                 "kind", "resource");
    if (mark)
        json_object_set_new(location, "physicalLocation",
                            json_pack("{s:{s:o}, s:{s:i}}", "artifactLocation", "uri", uri_value(mark->file),
                                      "region", "startLine", mark->line ? (int)mark->line : 1));
    json_array_append_new(sarif->results, json_pack("{s:o, s:s, s:{s:o}, s:[o]}", "ruleId", text_value(rule),
                                                    "level", level == CI_ERROR ? "error" : "warning", "message",
                                                    "text", text_value(text), "locations", location));
}

void sarif_add_findings(struct sarif *sarif, const struct rules *rules, const char *sheet,
                        const struct strings *findings)
{
    struct finding finding;
    for (size_t i = 0; findings && i < findings->count; i++)
        if (finding_read(findings->items[i], &finding))
            sarif_add(sarif, finding.is_failure ? CI_ERROR : CI_WARNING, finding.rule, rules_mark(rules, &finding),
                      *finding.cell ? finding.cell : sheet, finding.text);
}

void sarif_note(struct sarif *sarif, const char *text)
{
    json_array_append_new(sarif->notes,
                          json_pack("{s:s, s:{s:o}}", "level", "error", "message", "text", text_value(text)));
}

int sarif_close(struct sarif *sarif, bool is_over, int exit_code, struct error *err)
{
    struct blob file;
    json_t *root =
        json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s}}, s:[{s:b, s:i, s:O}], s:O}]}", "$schema",
                  "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool", "driver",
                  "name", "sheetbake", "version", SHEETBAKE_VERSION, "invocations", "executionSuccessful",
                  exit_code < 2 || exit_code == 3 /* sheets that fail are results */, "exitCode", exit_code,
                  "toolExecutionNotifications", sarif->notes, "results", sarif->results);
    int result = is_over ? json_save(root, root != NULL, JSON_AS_SET, &file, err) : 0;
    if (!is_over)
        json_decref(root);
    if (is_over && result == 0) {
        result = file_renew(sarif->path, blob_bytes(&file), err);
        blob_release(&file);
    }
    json_decref(sarif->results);
    json_decref(sarif->notes);
    free(sarif->path);
    free(sarif);
    return result;
}

/* -- As a report of a run ------------------------------------------------------------------------------------ */

static int open_report(const char *path, void **out, struct error *err)
{
    return sarif_open(path, (struct sarif **)out, err);
}

static void add_page(void *sarif, const struct page_result *result)
{
    const struct job *job = result->job;
    char *sheet = must_printf("%s/%s", result->list->name, job->name);
    struct finding finding;
    bool has_failure = false;
    for (size_t i = 0; result->findings && i < result->findings->count; i++)
        has_failure |= finding_read(result->findings->items[i], &finding) && finding.is_failure;
    if (result->status == PAGE_FAILED && !has_failure)
        sarif_add(sarif, CI_ERROR, "failed", result->place ? result->place : &job->mark, sheet,
                  result->reason ? result->reason : "it failed");
    for (size_t i = 0; result->warnings && i < result->warnings->count; i++)
        sarif_add(sarif, CI_WARNING, "warning", &job->mark, sheet, result->warnings->items[i]);
    sarif_add_findings(sarif, job->rules, sheet, result->findings);
    free(sheet);
}

static int close_report(void *sarif, const struct run_result *run, struct error *err)
{
    for (size_t i = 0; run && i < run->problems->count; i++)
        sarif_note(sarif, run->problems->items[i]);
    if (run && run->reason)
        sarif_note(sarif, run->reason);
    return sarif_close(sarif, run != NULL, run ? run->exit_code : 0, err);
}

const struct report_format sarif_format = {open_report, NULL, add_page, close_report, .wants_inputs = false};
