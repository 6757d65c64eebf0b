#include "report/ci.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"

const char *const ci_names[CI_COUNT] = {"auto", "github", "gitlab", "off"};

enum ci ci_detect(enum ci asked)
{
    const char *github = getenv("GITHUB_ACTIONS"), *gitlab = getenv("GITLAB_CI");
    if (asked != CI_AUTO)
        return asked;
    return github && !strcmp(github, "true") ? CI_GITHUB : gitlab && !strcmp(gitlab, "true") ? CI_GITLAB : CI_OFF;
}

const char *ci_change(const char **target)
{
    const char *github = getenv("GITHUB_BASE_REF"), *gitlab = getenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
    *target = github && *github ? github : gitlab && *gitlab ? gitlab : NULL;
    return !*target ? NULL : *target == github ? "this pull request" : "this merge request";
}

/* -- Text -------------------------------------------------------------------------------------------------- */

/* The runner undoes %25, %0D and %0A in the text of a command, in properties %3A and %2C as well. */
static const char IN_TEXT[] = "%\r\n", IN_PROPERTY[] = "%\r\n:,";

/* Control characters are '?', as everywhere. */
static void add_escaped(struct buffer *out, const char *text, const char *special)
{
    while (*text) {
        size_t length = printable_length(text);
        if (strchr(special, *text))
            buffer_printf(out, "%%%02X", (unsigned char)*text);
        else
            buffer_add(out, length ? text : "?", length ? length : 1);
        text += length ? length : 1;
    }
}

static bool openjd_listens;

void ci_listen_openjd(bool listens)
{
    openjd_listens = listens;
}

void ci_disarm(char *line)
{
    /* The older form of commands counts anywhere in a line, the newer after spaces, of which Unicode has many
     * more. */
    for (char *at = line; (at = strstr(at, "##[")); at++)
        at[1] = '?';
    while (*line && ((unsigned char)*line <= ' ' || (unsigned char)*line >= 0x7f))
        line++;
    if ((line[0] == ':' && line[1] == ':') || (openjd_listens && !strncasecmp(line, "openjd_", 7)))
        line[0] = '?';
}

/* -- Groups ------------------------------------------------------------------------------------------------ */

/* GitLab wants no two sections of one name in a log, and several runs may write to one. */
static void add_section(struct buffer *out, const char *what, unsigned number, time_t now)
{
    buffer_printf(out, "section_%s:%lld:sheetbake_%ld_%u", what, (long long)now, (long)getpid(), number);
}

void ci_begin_group(struct buffer *out, enum ci ci, unsigned number, time_t now, const char *title)
{
    if (ci == CI_OFF)
        return;
    if (ci == CI_GITHUB) {
        buffer_printf(out, "::group::");
        add_escaped(out, title, IN_TEXT);
    } else {
        add_section(out, "start", number, now);
        buffer_printf(out, "\r\033[0K");
        printable_add(out, title);
    }
    buffer_printf(out, "\n");
}

void ci_end_group(struct buffer *out, enum ci ci, unsigned number, time_t now)
{
    if (ci == CI_GITHUB) {
        buffer_printf(out, "::endgroup::\n");
    } else if (ci == CI_GITLAB) {
        add_section(out, "end", number, now);
        buffer_printf(out, "\r\033[0K\n");
    }
}

/* -- Events ------------------------------------------------------------------------------------------------ */

char *ci_path(const char *file)
{
    const char *workspace = getenv("GITHUB_WORKSPACE");
    SCOPED char *path = path_resolve(file), *root = workspace ? path_resolve(workspace) : must_strdup("");
    size_t length = strlen(root);
    bool is_inside = length > 1 && !strncmp(path, root, length) && path[length] == '/';
    return must_strdup(is_inside ? path + length + 1 : file);
}

bool ci_add_event(struct buffer *out, enum ci ci, const struct event *event)
{
    if (ci != CI_GITHUB)
        return false;
    static const char *const names[] = {
        [EVENT_ERROR] = "error", [EVENT_WARNING] = "warning", [EVENT_NOTICE] = "notice"};
    const struct mark *mark = event->place;
    const char *before = " ";
    buffer_printf(out, "::%s", names[event->level]);
    if (mark) {
        SCOPED char *file = ci_path(mark->file);
        buffer_printf(out, " file=");
        add_escaped(out, file, IN_PROPERTY);
        buffer_printf(out, ",line=%u", mark->line);
        if (mark->column)
            buffer_printf(out, ",col=%u", mark->column);
        before = ",";
    }
    if (event->name) {
        buffer_printf(out, "%stitle=", before);
        add_escaped(out, event->name, IN_PROPERTY);
    }
    buffer_printf(out, "::");
    add_escaped(out, event->text, IN_TEXT);
    buffer_printf(out, "\n");
    return true;
}

/* Finds ":line:column: "; a file's name may hold colons, too. */
static const char *find_place(const char *problem, struct mark *mark, int *length)
{
    for (const char *at = problem; (at = strchr(at, ':')); at++)
        if (sscanf(at, ":%9u:%9u: %n", &mark->line, &mark->column, length) == 2 && *length > 0 &&
            at[*length - 1] == ' ')
            return at;
    return NULL;
}

bool ci_add_problem(struct buffer *out, enum ci ci, const char *problem)
{
    struct mark mark;
    int length = 0;
    const char *place = find_place(problem, &mark, &length);
    SCOPED char *file = place ? must_printf("%.*s", (int)(place - problem), problem) : NULL;
    mark.file = file;
    return ci_add_event(
        out, ci,
        &(struct event){EVENT_ERROR, .place = place ? &mark : NULL, .text = place ? place + length : problem});
}
