/* A file of dependencies as GNU make and ninja read it: what was made, a colon, and all it was made of.
 *
 * Both take a backslash before a space, '#' and ':', and "$$" for '$'. After that each file is a target of its own
 * that depends on nothing, as gcc -MP writes it: make would give up over one that is gone. There is no way to
 * write that of a name with '=' or '%'. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/strings.h"
#include "job/job.h"

/* Whether a name can be written before the colon so that both understand it. */
bool depfile_can_be_target(const char *path);

/* The text; the caller frees it. Files are left out whose names have any of * ? & | ; ' " < > ^ ` \, tabs and line
 * breaks, or end in parentheses: there is no way to write them that both understand. */
char *depfile_text(const char *target, const struct strings *paths);

/* Whether it can be written, before there is anything to write. Makes its folder. */
int depfile_can_write(const char *path, struct error *err);

/* Writes what the pages, made or up to date, are made of: lists, roots, and inputs with their folders. Replaces the file as
 * a whole, unless it is the same already. `pages`: see struct prune.
 * `target` NULL: the path without its suffix. */
int depfile_write_lists(const char *path, const char *target, struct job_list *const *lists, size_t list_count,
                        const struct strings *pages, struct error *err);
