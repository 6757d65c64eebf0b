/* libyaml speaks of tokens, and often of the line after the mistake. */
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

static void add(struct problems *problems, struct mark mark, const char *text)
{
    problems_add(problems, mark, "not valid YAML: %s", text);
}

/* A line that should be "key: value" or "- key: value", and lacks a sign. False where it lacks none. */
static bool add_missing_sign(const char *file, const struct line *line, struct problems *problems)
{
    size_t start = indentation(line);
    if (at(line, start) == '-' && !is_blank_or_end(at(line, start + 1)) && at(line, start + 1) != '-') {
        problems_add(problems, (struct mark){file, line->number, (unsigned)start + 2},
                     "not valid YAML: a space is missing after '-'");
        return true;
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
    problems_add(problems, (struct mark){file, line->number, (unsigned)(end + has_colon) + 1},
                 "not valid YAML: a %s is missing after '%.*s'", has_colon ? "space" : "':'",
                 (int)(end + has_colon - start), line->text + start);
    return true;
}

/* -- The complaints, each by a function that says whether it knows what is wrong ---------------------------- */

static const char tab[] = "a tab; lines are indented with spaces";

typedef bool explain(struct bytes bytes, const struct yaml_complaint *complaint, struct problems *problems);

/* "mapping values are not allowed in this context": the mark is at a colon. */
static bool explain_colon(struct bytes bytes, const struct yaml_complaint *complaint, struct problems *problems)
{
    struct mark mark = complaint->mark;
    struct line line = find_line(bytes, mark.line), above = line_above(bytes, mark.line);
    if (find_colon(&line) + 1 < mark.column) {
        add(problems, mark, "a second ': ' in one line; a value that holds ': ' must be in quotes");
        return true;
    }
    if (add_missing_sign(mark.file, &above, problems))
        return true;
    if (indentation(&line) <= indentation(&above))
        return false;
    problems_add(problems, (struct mark){mark.file, mark.line, (unsigned)indentation(&line) + 1},
                 "not valid YAML: indented deeper than line %u, which has a value already; keys of one mapping "
                 "start in the same column",
                 above.number);
    return true;
}

/* "could not find expected ':'" for a key that starts at the context's mark. */
static bool explain_key(struct bytes bytes, const struct yaml_complaint *complaint, struct problems *problems)
{
    struct line line = find_line(bytes, complaint->context_mark.line);
    return add_missing_sign(complaint->mark.file, &line, problems);
}

/* "did not find expected key": where a line starts its indentation is wrong, or else a value goes on after it
 * ended. */
static bool explain_block(struct bytes bytes, const struct yaml_complaint *complaint, struct problems *problems)
{
    struct mark mark = complaint->mark;
    struct line line = find_line(bytes, mark.line);
    if (indentation(&line) + 1 < mark.column)
        add(problems, mark,
            "text after the end of a value; put quotes around all of it (' inside '...' is written '')");
    else if (at(&line, indentation(&line)) == '-' && is_blank_or_end(at(&line, indentation(&line) + 1)))
        add(problems, mark, "this '-' is in a column of its own; the items of a list start in the same column");
    else
        add(problems, mark,
            "the indentation fits no line above; keys of one mapping start in the same column, "
            "and an item's keys below its first, not below its '-'");
    return true;
}

static bool explain_character(struct bytes bytes, const struct yaml_complaint *complaint,
                              struct problems *problems)
{
    struct mark mark = complaint->mark;
    struct line line = find_line(bytes, mark.line);
    /* Marks count characters; what stands before a value is nearly always ASCII. */
    char found = at(&line, mark.column - 1);
    if (found == '\t')
        add(problems, mark, tab);
    else if (found > ' ' && found < 0x7F)
        problems_add(problems, mark, "not valid YAML: a value cannot start with '%c'; put it into quotes", found);
    else
        return false;
    return true;
}

/* A colour without quotes in brackets: the rest of the line is a comment, so the bracket seems to stay open. */
static bool add_comment(struct bytes bytes, unsigned first, struct mark mark, struct problems *problems)
{
    struct line line = {"", 0, 0};
    size_t start = 0;
    while (line.number < mark.line && next_line(bytes, &start, &line)) {
        for (size_t colon = 0; line.number >= first && colon < line.length; colon++) {
            size_t i = colon + 1;
            while (line.text[colon] == ':' && is_blank(at(&line, i)))
                i++;
            if (i == colon + 1 || at(&line, i) != '#')
                continue;
            add(problems, (struct mark){mark.file, line.number, (unsigned)i + 1},
                "'#' starts a comment here; put a value that starts with '#' into quotes");
            return true;
        }
    }
    return false;
}

/* The mark is at what follows the comment. */
static bool explain_no_value(struct bytes bytes, const struct yaml_complaint *complaint, struct problems *problems)
{
    struct mark mark = complaint->mark;
    return add_comment(bytes, line_above(bytes, mark.line).number, mark, problems);
}

static bool explain_open_bracket(struct bytes bytes, const struct yaml_complaint *complaint,
                                 struct problems *problems)
{
    bool is_list = strchr(complaint->problem, ']');
    if (add_comment(bytes, complaint->context_mark.line, complaint->mark, problems))
        return true;
    if (complaint->context_mark.line != complaint->mark.line)
        problems_add(problems, complaint->context_mark, "not valid YAML: this '%c' is not closed, or lacks a ','",
                     is_list ? '[' : '{');
    else
        problems_add(problems, complaint->mark, "not valid YAML: a ',' or '%c' is missing before this",
                     is_list ? ']' : '}');
    return true;
}

/* libyaml's mark is behind the sign of an alias or an anchor. */
static bool explain_sign(struct bytes bytes, const struct yaml_complaint *complaint, struct problems *problems)
{
    struct mark mark = complaint->context_mark;
    struct line line = find_line(bytes, mark.line);
    char sign = at(&line, mark.column - 1);
    if (sign != '*' && sign != '&' && sign != '|' && sign != '>' && sign != '!')
        return false;
    problems_add(problems, mark, "not valid YAML: a value that starts with '%c' must be in quotes", sign);
    return true;
}

/* What is wrong with a value by libyaml's complaint: always the same, or what a function finds. */
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

void yaml_add_mistake(struct bytes bytes, const struct yaml_complaint *complaint, struct problems *problems)
{
    const char *context = complaint->context;
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        if (strcmp(complaints[i].problem, complaint->problem))
            continue;
        if (complaints[i].text)
            add(problems, complaints[i].is_at_context ? complaint->context_mark : complaint->mark,
                complaints[i].text);
        if (complaints[i].text || complaints[i].explain(bytes, complaint, problems))
            return;
    }
    if (context && complaint->context_mark.line != complaint->mark.line)
        problems_add(problems, complaint->mark, "not valid YAML: %s, %s that starts in line %u",
                     complaint->problem, context, complaint->context_mark.line);
    else
        problems_add(problems, complaint->mark, "not valid YAML: %s%s%s", complaint->problem, context ? ", " : "",
                     context ? context : "");
}
