/* Messages about names and files that do not exist, with a suggestion. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strings.h"

/* "head, hand_r and 3 more": at most 8 names; or "none". The caller frees it. */
char *missing_list(const char *const *names, size_t count);

/* Fails: "no joint 'hed', did you mean 'head'? (it has head, hand_r and 3 more)". `what` is "joint" and `nearest` is
 * "head", or NULL for no suggestion (see strings_nearest). */
int missing_fail(const char *what, const char *wanted, const char *nearest, const char *const *names, size_t count,
                 struct error *err);

/* The length of a message without its "(it has ...)" and what follows, where the message before, or NULL, has that, too. */
int missing_news(const char *message, const char *before);

/* Whether files of a kind, such as pictures, may have this suffix. */
typedef bool missing_kind(const char *suffix);

/* The file that `path` probably means, by their last parts: one with its suffix and nearly its name, or else one with its
 * name, where both have suffixes of the kind (NULL: there is none). Borrowed from `files`, or NULL. */
const char *missing_nearest_file(const struct strings *files, const char *path, missing_kind *has_kind);

/* Fails with what errno says of a path of the real file system, without the path: "No such file or directory, did
 * you mean 'game/orc.md2'?", where something near lies in that folder. */
int missing_path_fail(const char *path, missing_kind *has_kind, struct error *err);
