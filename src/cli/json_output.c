#include "cli/json_output.h"

#include <stdlib.h>

int json_print(json_t *document, size_t flags, FILE *out)
{
    char *text = document ? json_dumps(document, flags | JSON_SORT_KEYS) : NULL;
    json_decref(document);
    if (!text)
        return -1;
    fprintf(out, "%s\n", text);
    free(text);
    return 0;
}
