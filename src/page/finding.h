/* What a rule of a list found of a page (job/rules.h), as one text: lists of them are struct strings. */
#pragma once

#include "sheet/json_value.h"

struct finding {
    bool is_failure; /* else a warning */
    char rule[32];   /* "triangles" */
    char cell[400];  /* a frame of the page's JSON that shows it, or "" */
    char text[600];  /* "11,204 triangles, at most 10,000" */
};

/* The caller frees it. What is too long is cut. */
char *finding_pack(const struct finding *finding);

/* False for what finding_pack did not make: workers and strangers' records may say anything. */
bool finding_read(const char *packed, struct finding *out);

/* For people: "11,204 triangles, at most 10,000 (rule triangles)", with the cell. The caller frees it. */
char *finding_text(const struct finding *finding);

/* With "rule", "level", "text" and "cell", and back. NULL where it is none. The caller frees the text. */
json_t *finding_json(const struct finding *finding);
char *finding_from_json(const json_t *value);
