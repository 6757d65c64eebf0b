/* A review as Markdown, for a comment or a job's summary on a code host: a table, worst first.
 *
 * Names and reasons are strangers' text, so they are written as code spans: hosts find no links, mentions or HTML there. */
#pragma once

#include "base/buffer.h"
#include "review/review.h"

/* GitHub takes 65,536 characters in a comment; scripts may add some. */
enum { MARKDOWN_BUDGET = 65000, MARKDOWN_LEAST_BUDGET = 2000 };

/* Adds at most `budget` characters, and less than 1 MiB: GitHub drops a longer summary silently. Sheets that do not fit
 * are counted. Without differences, the text starts with "No differences". */
void markdown_add(struct buffer *out, const struct review *review, size_t budget);
