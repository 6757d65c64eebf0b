/* What a rule of a list found of a page (job/rules.h), as one text: lists of them are struct strings. */
#pragma once

#include "base/strings.h"
#include "sheet/json_value.h"

struct finding {
    bool is_failure; /* else a warning */
    char rule[32];   /* "triangles" */
    char cell[400];  /* a frame of the page's JSON that shows it, or "" */
    char text[600];  /* "11,204 triangles, at most 10,000" */
    char told[1088]; /* for people, filled in by finding_read: the same with the cell and "(rule triangles)" */
};

/* Adds it as a text. A text that is too long is cut. */
void findings_add(struct strings *out, bool is_failure, const char *rule, const char *cell, const char *text);

/* False for what findings_add did not make: workers and strangers' records may say anything. */
bool finding_read(const char *packed, struct finding *out);

/* With "rule", "level", "text" and "cell", and back. NULL where it is none. The caller frees the text. */
json_t *finding_json(const struct finding *finding);
char *finding_from_json(const json_t *value);
