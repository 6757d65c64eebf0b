/* How commands print their JSON. For the writers of it alone, since it has types of the JSON library. */
#ifndef CLI_JSON_OUTPUT_H
#define CLI_JSON_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

/* Prints the document, which is used up, with sorted keys and a line break at its end; `flags` are further ones of
 * json_dumps. -1 when there is no document or no memory for its text; whether it was written, the stream knows. */
int json_print(json_t *document, size_t flags, FILE *out);

#endif
