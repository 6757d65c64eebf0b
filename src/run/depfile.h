/* A file of dependencies as GNU make and ninja read it: what was made, a colon, and all it was made of.
 *
 * Both take a backslash before a space, '#' and ':', and "$$" for '$'. After that each file is a target of its own
 * that depends on nothing, as gcc -MP writes it: make would give up over one that is gone. There is no way to
 * write that of a name with '=' or '%'. */
#ifndef RUN_DEPFILE_H
#define RUN_DEPFILE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strings.h"

/* Whether there is a way to write a name that both understand: not with any of * ? & | ; ' " < > ^ ` \, tabs and
 * line breaks, nor where it ends in parentheses. Others are left out. */
bool depfile_can_tell(const char *path);

/* Whether it may also stand before the colon. */
bool depfile_can_be_target(const char *path);

/* The text; the caller frees it. */
char *depfile_text(const char *target, const struct strings *paths);

/* Whether it can be written, which is asked before there is anything to write. Makes its folder. */
int depfile_can_write(const char *path, struct error *err);

/* Replaces the file as a whole, unless it is the same already. */
int depfile_write(const char *path, const char *text, struct error *err);

#endif
