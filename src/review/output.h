/* Writes a review: as JSON, as a table, as Markdown, findings beside the change, and a JUnit report. */
#pragma once

#include "base/buffer.h"
#include "report/report.h"
#include "review/review.h"
#include "sheet/json_value.h"

/* Why the sheet has its state: its reason, or its first cause, without the names of all formats. The caller frees it. */
char *review_short_why(const struct review *review, const struct review_sheet *sheet);

/* Return the whole review, in which "clips" are empty unless it has frames, and one clip with its frames, which are many.
 * docs/formats.md has the fields. NULL when memory is out. */
json_t *review_json(const struct review *review, bool has_frames);
json_t *review_clip_json(const struct review_sheet *sheet, const struct review_clip *clip);

/* Return what the pages of diff and gallery both have: a frame in one version, null for NULL; and facts or settings. */
json_t *made_frame_json(const struct atlas_frame *frame);
json_t *facts_json(const struct record_pairs *facts);

/* A finding with the place of its rule, or null where `rules` is NULL. */
json_t *review_finding_json(const struct finding *finding, const struct rules *rules);

/* Adds a table for a terminal: worst first, then the counts, or `nothing` where no sheet is to be counted. With a verbosity of
 * 1 every frame and cause, below 0 the counts alone. */
void review_add_table(struct buffer *out, const struct review *review, int verbosity, const char *nothing);

/* GitHub takes 65,536 characters in a comment; scripts may add some. */
enum { MARKDOWN_BUDGET = 65000, MARKDOWN_LEAST_BUDGET = 2000 };

/* Adds a table, worst first, for a comment or a job's summary on a code host: at most `budget` characters, and less than
 * 1 MiB, for GitHub drops a longer summary silently. Sheets that do not fit are counted. Without differences, the text
 * starts with "No differences". Names and reasons are strangers' text, so they are code spans: hosts find no links,
 * mentions or HTML there.
 *
 * With `strips_url` there is a table for each cause, to be folded, and above it the strips of its sheets (review/strips.h),
 * which stand at that address. The first cause that has one is open. Each cause has an equal share of what is left of the
 * budget, so that rows of one do not push the pictures of another out. */
void markdown_add(struct buffer *out, const struct review *review, size_t budget, const char *strips_url);

/* Tells the report: an error for each sheet that failed or whose state is in `fail_on`, a warning for each new warning of a
 * model, what rules found, and a notice for each cause. Hosts show only ten of each, so the worst come first. `fail_on` has
 * a bit for each enum review_state of a sheet that makes the command fail. */
void review_tell(const struct review *review, unsigned fail_on, struct report *report);

/* A JUnit report with a test for each sheet that differs. The same sheets have failed. */
void review_add_junit(struct buffer *out, const struct review *review, unsigned fail_on);
