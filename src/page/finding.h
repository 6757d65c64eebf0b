/* Findings: a rule of a list (job/rules.h) finds something of a page. Each is one text, so struct strings holds a list. */
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

/* Adds a finding as a text, cut where it is too long. */
void findings_add(struct strings *out, bool is_failure, const char *rule, const char *cell, const char *text);

/* Reads such a text; false for any other: workers and strangers' records may say anything. */
bool finding_read(const char *text, struct finding *out);

/* "failure" or "warning". */
const char *finding_level(const struct finding *finding);

/* An object with "rule", "level", "text" and "cell"; and the text of such a one, which the caller frees, or NULL. */
json_t *finding_json(const struct finding *finding);
char *finding_from_json(const json_t *value);
