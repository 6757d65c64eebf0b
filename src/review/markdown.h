/* A review as Markdown, for a comment or a job's summary on a code host: a table, worst first.
 *
 * Names and reasons are strangers' text. They stand in code spans, where hosts see no links, no mentions and no HTML. */
#ifndef REVIEW_MARKDOWN_H
#define REVIEW_MARKDOWN_H

#include "base/buffer.h"
#include "review/review.h"

/* GitHub takes 65,536 characters in a comment; a script may want to add some. */
enum { MARKDOWN_BUDGET = 65000, MARKDOWN_LEAST_BUDGET = 2000 };

/* Adds at most `budget` characters, and less than 1 MiB, above which GitHub drops a summary without a word. Sheets that do
 * not fit are counted. The text starts with "No differences" where none does. */
void markdown_add(struct buffer *out, const struct review *review, size_t budget);

#endif
