#include "cli/json_output.h"

#include <stdio.h>
#include <stdlib.h>

#include "sheet/json_value.h"

json_t *json_texts(const struct strings *strings, size_t first)
{
    size_t count = strings->count - first;
    return texts_value(count ? (const char *const *)&strings->items[first] : NULL, count, text_value);
}

int json_print(json_t *document, size_t flags, struct error *err)
{
    char *text = document ? json_dumps(document, flags | JSON_SORT_KEYS) : NULL;
    json_decref(document);
    if (!text)
        return error_set(err, "out of memory for the JSON");
    puts(text);
    free(text);
    return 0;
}
