/* Messages about names and files that do not exist, with a suggestion. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strings.h"

/* "head, hand_r and 3 more": the names of at most 8 items that begin with these; or "none". The caller frees it. */
#define missing_list(items, count) missing_list_named((items), (count), sizeof *(items))
char *missing_list_named(const void *items, size_t count, size_t size);

/* Fails: "no joint 'hed', did you mean 'head'? (it has head, hand_r and 3 more)". `what` is "joint" and `nearest` is
 * "head", or NULL for no suggestion (see strings_nearest). */
#define missing_fail(what, wanted, nearest, items, count, err)                                                    \
    missing_fail_named((what), (wanted), (nearest), (items), (count), sizeof *(items), (err))
int missing_fail_named(const char *what, const char *wanted, const char *nearest, const void *items, size_t count,
                       size_t size, struct error *err);

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
