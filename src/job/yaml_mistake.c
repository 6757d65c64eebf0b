/* libyaml speaks of tokens, and often of the line after the mistake. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "job/yaml.h"

/* A line without its break. */
struct line {
    const char *text;
    size_t length;
    unsigned number; /* from 1; 0: there is no such line */
};

/* The line after *line, which starts at byte *start; false where the text ends before it. */
static bool next_line(struct bytes bytes, size_t *start, struct line *line)
{
    if (*start > bytes.size)
        return false;
    const char *text = (const char *)bytes.data + *start;
    size_t left = bytes.size - *start, length = 0;
    while (length < left && text[length] != '\n' && text[length] != '\r')
        length++;
    *line = (struct line){text, length, line->number + 1};
    *start += length + 1 + (length + 1 < left && text[length] == '\r' && text[length + 1] == '\n');
    return true;
}

static struct line find_line(struct bytes bytes, unsigned number)
{
    struct line line = {"", 0, 0};
    size_t start = 0;
    while (line.number < number)
        if (!next_line(bytes, &start, &line))
            return (struct line){"", 0, 0};
    return line;
}

static char at(const struct line *line, size_t i)
{
    return i < line->length ? line->text[i] : '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_blank_or_end(char c)
{
    return is_blank(c) || c == '\0';
}

static size_t indentation(const struct line *line)
{
    size_t i = 0;
    while (is_blank(at(line, i)))
        i++;
    return i;
}

/* The nearest line above that is neither empty nor a comment. */
static struct line line_above(struct bytes bytes, unsigned number)
{
    struct line line = {"", 0, 0}, above = line;
    size_t start = 0;
    while (line.number + 1 < number && next_line(bytes, &start, &line)) {
        char first = at(&line, indentation(&line));
        if (first && first != '#')
            above = line;
    }
    return above;
}

/* Where the first "key: " has its colon, or the length of the line. */
static size_t find_colon(const struct line *line)
{
    size_t i = 0;
    while (i < line->length && !(line->text[i] == ':' && is_blank_or_end(at(line, i + 1))))
        i++;
    return i;
}

static bool __attribute__((format(printf, 3, 4)))
add(const struct yaml_complaint *complaint, struct mark mark, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    SCOPED char *text = must_vprintf(format, args);
    va_end(args);
    problems_add(complaint->problems, mark, "not valid YAML: %s", text);
    return true;
}

/* A line that should be "key: value" or "- key: value", and lacks a sign. False where it lacks none. */
static bool add_missing_sign(const struct yaml_complaint *complaint, const struct line *line)
{
    size_t start = indentation(line);
    if (at(line, start) == '-' && !is_blank_or_end(at(line, start + 1)) && at(line, start + 1) != '-') {
        return add(complaint, (struct mark){complaint->mark.file, line->number, (unsigned)start + 2},
                   "a space is missing after '-'");
    }
    while (at(line, start) == '-' || is_blank(at(line, start)))
        start++;
    if (find_colon(line) < line->length || start == line->length)
        return false;
    size_t end = start;
    while (!is_blank_or_end(at(line, end)) && line->text[end] != ':' && line->text[end] != '=')
        end++;
    bool has_colon = at(line, end) == ':';
    if (end == start)
        return false;
    return add(complaint, (struct mark){complaint->mark.file, line->number, (unsigned)(end + has_colon) + 1},
               "a %s is missing after '%.*s'", has_colon ? "space" : "':'", (int)(end + has_colon - start),
               line->text + start);
}

/* -- The complaints, each by a function that says whether it knows what is wrong ---------------------------- */

static const char tab[] = "a tab; lines are indented with spaces";

typedef bool explain(const struct yaml_complaint *complaint);

/* "mapping values are not allowed in this context": the mark is at a colon. */
static bool explain_colon(const struct yaml_complaint *complaint)
{
    struct mark mark = complaint->mark;
    struct line line = find_line(complaint->bytes, mark.line), above = line_above(complaint->bytes, mark.line);
    if (find_colon(&line) + 1 < mark.column) {
        return add(complaint, mark, "a second ': ' in one line; a value that holds ': ' must be in quotes");
    }
    if (add_missing_sign(complaint, &above))
        return true;
    if (indentation(&line) <= indentation(&above))
        return false;
    return add(complaint, (struct mark){mark.file, mark.line, (unsigned)indentation(&line) + 1},
               "indented deeper than line %u, which has a value already; keys of one mapping "
               "start in the same column",
               above.number);
}

/* "could not find expected ':'" for a key that starts at the context's mark. */
static bool explain_key(const struct yaml_complaint *complaint)
{
    struct line line = find_line(complaint->bytes, complaint->context_mark.line);
    return add_missing_sign(complaint, &line);
}

/* "did not find expected key": where a line starts its indentation is wrong, or else a value goes on after it
 * ended. */
static bool explain_block(const struct yaml_complaint *complaint)
{
    struct mark mark = complaint->mark;
    struct line line = find_line(complaint->bytes, mark.line);
    if (indentation(&line) + 1 < mark.column)
        return add(complaint, mark,
                   "text after the end of a value; put quotes around all of it (' inside '...' is written '')");
    if (at(&line, indentation(&line)) == '-' && is_blank_or_end(at(&line, indentation(&line) + 1)))
        return add(complaint, mark,
                   "this '-' is in a column of its own; the items of a list start in the same column");
    return add(complaint, mark,
               "the indentation fits no line above; keys of one mapping start in the same column, "
               "and an item's keys below its first, not below its '-'");
}

static bool explain_character(const struct yaml_complaint *complaint)
{
    struct mark mark = complaint->mark;
    struct line line = find_line(complaint->bytes, mark.line);
    /* Marks count characters; what stands before a value is nearly always ASCII. */
    char found = at(&line, mark.column - 1);
    if (found == '\t')
        return add(complaint, mark, "%s", tab);
    return found > ' ' && found < 0x7F &&
           add(complaint, mark, "a value cannot start with '%c'; put it into quotes", found);
}

/* A colour without quotes in brackets: the rest of the line is a comment, so the bracket seems to stay open. */
static bool add_comment(const struct yaml_complaint *complaint, unsigned first)
{
    const struct mark mark = complaint->mark;
    struct line line = {"", 0, 0};
    size_t start = 0;
    while (line.number < mark.line && next_line(complaint->bytes, &start, &line)) {
        for (size_t colon = 0; line.number >= first && colon < line.length; colon++) {
            size_t i = colon + 1;
            while (line.text[colon] == ':' && is_blank(at(&line, i)))
                i++;
            if (i == colon + 1 || at(&line, i) != '#')
                continue;
            return add(complaint, (struct mark){mark.file, line.number, (unsigned)i + 1},
                       "'#' starts a comment here; put a value that starts with '#' into quotes");
        }
    }
    return false;
}

/* The mark is at what follows the comment. */
static bool explain_no_value(const struct yaml_complaint *complaint)
{
    return add_comment(complaint, line_above(complaint->bytes, complaint->mark.line).number);
}

static bool explain_open_bracket(const struct yaml_complaint *complaint)
{
    bool is_list = strchr(complaint->problem, ']');
    if (add_comment(complaint, complaint->context_mark.line))
        return true;
    if (complaint->context_mark.line != complaint->mark.line)
        return add(complaint, complaint->context_mark, "this '%c' is not closed, or lacks a ','",
                   is_list ? '[' : '{');
    return add(complaint, complaint->mark, "a ',' or '%c' is missing before this", is_list ? ']' : '}');
}

/* libyaml's mark is behind the sign of an alias or an anchor. */
static bool explain_sign(const struct yaml_complaint *complaint)
{
    struct mark mark = complaint->context_mark;
    struct line line = find_line(complaint->bytes, mark.line);
    char sign = at(&line, mark.column - 1);
    if (sign != '*' && sign != '&' && sign != '|' && sign != '>' && sign != '!')
        return false;
    return add(complaint, mark, "a value that starts with '%c' must be in quotes", sign);
}

/* Explains each complaint of libyaml, by one text or by a function that looks at the lines. */
static const struct {
    const char *problem;
    const char *text;
    explain *explain;
    bool is_at_context;
} complaints[] = {
    {"mapping values are not allowed in this context", .explain = explain_colon},
    {"could not find expected ':'", .explain = explain_key},
    {"did not find expected key", .explain = explain_block},
    {"did not find expected '-' indicator", .explain = explain_block},
    {"block sequence entries are not allowed in this context",
     .text = "a list with '-' starts in a line of its own, below its key"},
    {"found character that cannot start any token", .explain = explain_character},
    {"found a tab character that violates indentation", .text = tab},
    {"found a tab character where an indentation space is expected", .text = tab},
    {"found unexpected end of stream", .text = "the quote that opens here is never closed", .is_at_context = true},
    {"did not find expected ',' or ']'", .explain = explain_open_bracket},
    {"did not find expected ',' or '}'", .explain = explain_open_bracket},
    {"did not find expected node content", .explain = explain_no_value},
    {"did not find expected alphabetic or numeric character", .explain = explain_sign},
    {"did not find expected comment or line break", .explain = explain_sign},
    {"found unknown escape character",
     .text = "no such escape; in double quotes '\\' is written '\\\\', in single quotes '\\'"},
};

void yaml_add_mistake(const struct yaml_complaint *complaint)
{
    const char *context = complaint->context;
    for (size_t i = 0; i < COUNT(complaints); i++) {
        if (strcmp(complaints[i].problem, complaint->problem))
            continue;
        if (complaints[i].text)
            add(complaint, complaints[i].is_at_context ? complaint->context_mark : complaint->mark, "%s",
                complaints[i].text);
        if (complaints[i].text || complaints[i].explain(complaint))
            return;
    }
    if (context && complaint->context_mark.line != complaint->mark.line)
        add(complaint, complaint->mark, "%s, %s that starts in line %u", complaint->problem, context,
            complaint->context_mark.line);
    else
        add(complaint, complaint->mark, "%s%s%s", complaint->problem, context ? ", " : "", context ? context : "");
}
