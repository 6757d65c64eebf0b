/* A review for CI systems: findings beside the change, and a JUnit report. */
#pragma once

#include "base/buffer.h"
#include "report/ci.h"
#include "review/review.h"

/* `fail_on` has a bit for each enum review_state of a sheet that makes the command fail.
 *
 * Lines for the log (report/ci.h): an error for each sheet that failed or whose state is in `fail_on`, a warning for each new
 * warning of a model, and a notice for each cause. Hosts show only ten of each, so the worst come first. */
void review_add_findings(struct buffer *out, enum ci ci, const struct review *review, unsigned fail_on);

/* A JUnit report with a test for each sheet that differs. The same sheets have failed. */
void review_add_junit(struct buffer *out, const struct review *review, unsigned fail_on);
