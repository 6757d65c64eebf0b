/* What `verify --json` prints. */
#ifndef CLI_VERIFY_JSON_H
#define CLI_VERIFY_JSON_H

#include "out/verify.h"

struct verify_json;

struct verify_json *verify_json_new(void);
void verify_json_add(struct verify_json *json, const struct finding *finding);

/* Prints it to standard output, and frees it; -1 when it cannot be written. */
int verify_json_print(struct verify_json *json, const struct verify_totals *totals);

#endif
