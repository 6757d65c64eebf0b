#include "cli/verify_json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/json_output.h"
#include "sheet/json_value.h"

struct verify_json {
    json_t *problems, *notes;
};

struct verify_json *verify_json_new(void)
{
    struct verify_json *json = must_alloc(1, sizeof *json);
    json->problems = json_array();
    json->notes = json_array();
    return json;
}

void verify_json_add(struct verify_json *json, const struct finding *finding)
{
    json_array_append_new(finding_is_note(finding->kind) ? json->notes : json->problems,
                          json_pack("{s:s, s:o, s:o}", "kind", finding_name(finding->kind), "path",
                                    text_value(finding->path), "text", text_value(finding->text)));
}

int verify_json_print(struct verify_json *json, const struct verify_totals *totals)
{
    json_t *root = json_pack("{s:I, s:I, s:o, s:o}", "files", (json_int_t)totals->files, "pages",
                             (json_int_t)totals->pages, "problems", json->problems, "notes", json->notes);
    free(json);
    int result = json_print(root, JSON_INDENT(1), stdout);
    return ferror(stdout) ? -1 : result;
}
