/* Pieces of the lines that a run tells its user: texts of others without what a terminal would obey, and numbers as people
 * read them. */
#ifndef REPORT_LINE_H
#define REPORT_LINE_H

#include <stddef.h>

#include "base/buffer.h"

/* A text that may be hostile: control characters become '?'. */
void line_add_clean(struct buffer *line, const char *text);

/* "NAME: MESSAGE", or the message alone; both are made clean. */
void line_add_subject(struct buffer *line, const char *name, const char *message);

/* "0.42 s", "7.2 s", "2 min 05 s"; and the same to the second. */
void line_add_duration(struct buffer *line, double seconds);
void line_add_whole_seconds(struct buffer *line, double seconds);

/* "108/s", "7.2/s", "12.5/min" */
void line_add_rate(struct buffer *line, double per_second);

/* "1 sheet", "2 sheets" */
void line_add_count(struct buffer *line, size_t count, const char *what);

/* Cuts the line to so many columns of a terminal. */
void line_clip(struct buffer *line, size_t columns);

#endif
