/* Shell-style patterns over names and '/'-separated paths. */
#pragma once

#include <stdbool.h>

/* `*` any run of characters but '/', `**` any run with '/' too (and "**" + "/" also nothing at all), `?`
 * one character but '/', `[a-z]` and `[!a-z]` one character of a set. Everything else stands for itself;
 * ASCII letters match regardless of case when `ignore_case`. Time is bounded by
 * strlen(pattern) * strlen(text). */
bool glob_matches(const char *pattern, const char *text, bool ignore_case);

/* Whether the pattern of an option --only takes a name: `*` is any run of characters, also over folders. */
bool glob_takes(const char *only, const char *name);

/* The pattern that only this text matches. The caller's to free. */
char *glob_of(const char *text);

/* The pattern for paths in the folder of `path`; the caller frees it. */
char *glob_beside(const char *path, const char *pattern);

/* What to say after a message that --only took nothing: "; `*` ...", or "". */
const char *glob_hint(const char *only);

/* Whether `text` holds any of the characters that make a pattern. */
bool glob_is_pattern(const char *text);
