/* What CI systems understand of what a program prints: lines that fold, and findings that they show beside the list.
 *
 * GitHub Actions reads commands such as "::error file=list.yaml,line=3::text" from the lines of a step, of either
 * stream. GitLab CI reads only the marks of sections; its reports of findings are files (report/junit.c). */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "base/buffer.h"
#include "job/job.h"

enum ci { CI_OFF, CI_GITHUB, CI_GITLAB };

/* By GITHUB_ACTIONS and GITLAB_CI, one of which is "true" there. */
enum ci ci_detect(void);

/* "auto", "github", "gitlab" or "off"; ci_parse is false for anything else. */
enum { CI_NAMES = 4 };
extern const char *const ci_names[CI_NAMES];
bool ci_parse(const char *name, enum ci *out);

/* Adds lines, with their end, between which all others fold under a title. `now` is the time of day; each group of a
 * log has a `number` of its own. Adds nothing with CI_OFF. */
void ci_begin_group(struct buffer *out, enum ci ci, unsigned number, time_t now, const char *title);
void ci_end_group(struct buffer *out, enum ci ci, unsigned number, time_t now);

/* A file as it is called from the root of the repository there; lists may be given from anywhere. The caller frees it. */
char *ci_path(const char *file);

enum ci_level { CI_ERROR, CI_WARNING, CI_NOTICE };

/* Adds a finding as a whole line. False, and adds nothing, when the system has no such lines: then the caller prints
 * the finding as it is. `mark` and `title` may be NULL; a column of 0 is none. */
bool ci_add_finding(struct buffer *out, enum ci ci, enum ci_level level, const struct mark *mark,
                    const char *title, const char *text);

/* The same for "file:line:column: text", as problems of lists come. */
bool ci_add_problem(struct buffer *out, enum ci ci, enum ci_level level, const char *problem);

/* Makes a line harmless that holds text from files: no system takes anything in it for a command. GitHub may always listen:
 * a container in one of its steps is not told. An engine of Open Job Description is said to: what jobs are called stays as
 * it is for others. */
void ci_disarm(char *line);
void ci_listen_openjd(bool listens);
