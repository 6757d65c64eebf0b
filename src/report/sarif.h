/* SARIF 2.1.0: findings as code hosts show them beside the lines that ask for them.
 *
 * One run with a result for each finding, warning and failure: its rule ("triangles", or "warning" and "failed"), level,
 * text, the place in the list, and the sheet as a logical location. Problems that belong to no sheet are notifications. */
#pragma once

#include "base/error.h"
#include "base/strings.h"
#include "job/job.h"
#include "report/ci.h"

struct sarif;

int sarif_open(const char *path, struct sarif **out, struct error *err);

/* `mark` may be NULL. `sheet` is "units/orc", or a frame of it. */
void sarif_add(struct sarif *sarif, enum ci_level level, const char *rule, const struct mark *mark,
               const char *sheet, const char *text);

/* Each finding (page/finding.h) of a job, or of the rules (NULL: of no list). NULL findings are fine. */
void sarif_add_findings(struct sarif *sarif, const struct rules *rules, const char *sheet,
                        const struct strings *findings);

/* What went wrong and is no sheet's. */
void sarif_note(struct sarif *sarif, const char *text);

/* Frees it, also on failure; writes nothing without `is_over`. */
int sarif_close(struct sarif *sarif, bool is_over, int exit_code, struct error *err);
