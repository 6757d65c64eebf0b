/* Lines that CI systems understand: they fold what a program prints, and show findings beside the list.
 *
 * GitHub Actions reads commands such as "::error file=list.yaml,line=3::text" from the lines of a step, of either
 * stream. GitLab CI reads only the marks of sections; its reports of findings are files (report/junit.c). */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "base/buffer.h"
#include "report/event.h"

enum ci { CI_AUTO, CI_GITHUB, CI_GITLAB, CI_OFF, CI_COUNT };
extern const char *const ci_names[CI_COUNT]; /* "auto", "github", "gitlab" and "off" */

/* Returns the system for CI_AUTO, by GITHUB_ACTIONS and GITLAB_CI, one of which is "true" there; any other as it is. The
 * functions below take only what this returns. */
enum ci ci_detect(enum ci asked);

/* Returns what a run that a CI system began for a change is about, "this pull request", and the branch that it is to go to;
 * NULL: it began for another reason. GitHub's variable is Forgejo's and Gitea's, too. */
const char *ci_change(const char **target);

/* Adds lines, with their end, between which all others fold under a title. `now` is the time of day; each group of a
 * log has a `number` of its own. Adds nothing with CI_OFF. */
void ci_begin_group(struct buffer *out, enum ci ci, unsigned number, time_t now, const char *title);
void ci_end_group(struct buffer *out, enum ci ci, unsigned number, time_t now);

/* Returns the path of a file from the root of the repository there; lists may be given from anywhere. The caller frees it. */
char *ci_path(const char *file);

/* Adds an event as a whole line. False, and adds nothing, when the system has no such lines: then the caller prints
 * the event as it is. */
bool ci_add_event(struct buffer *out, enum ci ci, const struct event *event);

/* Adds an error "file:line:column: text", as problems of lists come, in the same way. */
bool ci_add_problem(struct buffer *out, enum ci ci, const char *problem);

/* Makes a line harmless that holds text from files: no system takes anything in it for a command. GitHub may always listen:
 * a container in one of its steps is not told. An engine of Open Job Description is said to: what jobs are called stays as
 * it is for others. */
void ci_disarm(char *line);
void ci_listen_openjd(bool listens);
