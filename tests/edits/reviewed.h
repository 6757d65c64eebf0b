/* What `diff` says about two full runs, compared with a plain comparison of their pixels, and with what was edited. */
#ifndef EDITS_REVIEWED_H
#define EDITS_REVIEWED_H

#include "program.h"
#include "steps.h"

/* Compares the folders "before" and "full". `step` is all that has changed between them, or NULL: more has. */
void check_review(const struct program *program, const struct step *step, struct strings *problems);

#endif
