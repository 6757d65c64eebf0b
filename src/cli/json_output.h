/* How commands print their JSON. Included by the writers of JSON alone, for it has types of the JSON library. */
#ifndef CLI_JSON_OUTPUT_H
#define CLI_JSON_OUTPUT_H

#include <jansson.h>

#include "base/error.h"
#include "base/strings.h"

/* An array of the texts from number `first` on. */
json_t *json_texts(const struct strings *strings, size_t first);

/* Prints the document, which is used up, to standard output, with sorted keys; `flags` are further ones of json_dumps.
 * Fails when memory is out; main.c sees to it that all was written. */
int json_print(json_t *document, size_t flags, struct error *err);

#endif
