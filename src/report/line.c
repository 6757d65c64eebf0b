#include "report/line.h"

#include "base/printable.h"

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

/* Characters that terminals give two columns, roughly: what is East Asian, and pictures. One that is not known to be so
 * would let a line wrap; of combining ones it matters little that they are counted. */
static size_t columns_of(const char *text, size_t length)
{
    static const struct range {
        uint32_t first, last;
    } wide[] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
                {0xfe30, 0xfe6f}, {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x1f000, 0x1ffff}, {0x20000, 0x3fffd}};
    uint32_t code = printable_code(text, length);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (code >= wide[i].first && code <= wide[i].last)
            return 2;
    return 1;
}

void line_clip(struct buffer *line, size_t columns)
{
    size_t length = 0;
    for (size_t column = 0; line->text[length];) {
        size_t next = printable_length(line->text + length);
        column += columns_of(line->text + length, next);
        if (column > columns)
            break;
        length += next;
    }
    line->text[length] = '\0';
    line->length = length;
}
