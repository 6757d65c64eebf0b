#include <jansson.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/explain.h"
#include "cli/json_output.h"
#include "sheet/json_value.h"

struct explain_json {
    json_t *sheets;
};

static json_t *reasons_of(const struct reasons *reasons)
{
    json_t *array = json_array();
    for (size_t i = 0; i < reasons->count; i++) {
        const struct reason *reason = &reasons->items[i];
        char *text = reason_text(reason);
        json_array_append_new(array,
                              json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", reason_name(reason->kind), "subject",
                                        text_or_null(reason->subject), "was", text_or_null(reason->was), "is",
                                        text_or_null(reason->is), "text", text_or_null(text)));
        free(text);
    }
    return array;
}

struct explain_json *explain_json_new(void)
{
    struct explain_json *json = must_alloc(1, sizeof *json);
    json->sheets = json_array();
    return json;
}

void explain_json_add(struct explain_json *json, const struct explained *page)
{
    bool is_known = page->page_count > 0;
    json_array_append_new(json->sheets,
                          json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "list", text_or_null(page->list->name),
                                    "job", text_or_null(page->job->name), "sheet", text_or_null(page->name),
                                    "page", is_known ? json_integer(page->page) : json_null(), "pages",
                                    is_known ? json_integer(page->page_count) : json_null(), "upToDate",
                                    page->reasons->count == 0, "reasons", reasons_of(page->reasons)));
}

int explain_json_finish(struct explain_json *json, FILE *out)
{
    json_t *document = json_pack("{s:o}", "sheets", json->sheets);
    free(json);
    return json_print(document, JSON_INDENT(2), out);
}
