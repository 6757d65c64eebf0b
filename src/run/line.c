#include "run/line.h"

#include "base/printable.h"

/* A warning was printed in full when it came; a list of paths that were tried need not be read again. */
enum { REPEATED_MOST = 120 };

void line_add_clean(struct buffer *line, const char *text)
{
    while (*text) {
        size_t length = printable_length(text);
        buffer_add(line, length ? text : "?", length ? length : 1);
        text += length ? length : 1;
    }
}

void line_add_subject(struct buffer *line, const char *name, const char *message)
{
    if (name) {
        line_add_clean(line, name);
        buffer_printf(line, ": ");
    }
    line_add_clean(line, message);
}

void line_add_beginning(struct buffer *line, const char *text)
{
    size_t start = line->length, end = start + REPEATED_MOST;
    line_add_clean(line, text);
    if (line->length <= end)
        return;
    while (end > start && ((unsigned char)line->text[end] & 0xc0) == 0x80) /* whole characters of UTF-8 */
        end--;
    line->length = end;
    buffer_printf(line, "...");
}

void line_add_whole_seconds(struct buffer *line, double seconds)
{
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole < 100)
        buffer_printf(line, "%lu s", whole);
    else if (whole < 3600)
        buffer_printf(line, "%lu min %02lu s", whole / 60, whole % 60);
    else
        buffer_printf(line, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
}

void line_add_duration(struct buffer *line, double seconds)
{
    if (seconds < 0.995)
        buffer_printf(line, "%.2f s", seconds);
    else if (seconds < 99.95)
        buffer_printf(line, "%.1f s", seconds);
    else
        line_add_whole_seconds(line, seconds);
}

void line_add_rate(struct buffer *line, double per_second)
{
    if (per_second >= 9.95)
        buffer_printf(line, "%.0f/s", per_second);
    else if (per_second >= 0.95)
        buffer_printf(line, "%.1f/s", per_second);
    else
        buffer_printf(line, "%.1f/min", per_second * 60);
}

void line_add_count(struct buffer *line, size_t count, const char *what)
{
    buffer_printf(line, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

void line_clip(struct buffer *line, size_t columns)
{
    size_t length = 0;
    for (size_t column = 0; column < columns && line->text[length]; column++)
        length += printable_length(line->text + length);
    line->text[length] = '\0';
    line->length = length;
}
