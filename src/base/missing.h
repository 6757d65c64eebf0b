/* How it is told that a name is none of those there are. */
#ifndef BASE_MISSING_H
#define BASE_MISSING_H

#include <stddef.h>

#include "base/error.h"
#include "base/strings.h"

/* Fails: "no joint 'hed', did you mean 'head'? (it has head, hand_r and 3 more)", with `what` for "joint" and `nearest`
 * for "head", or NULL where none is (see strings_nearest). `names` are at least one; the first 20 are told. */
int missing_fail(const char *what, const char *wanted, const char *nearest, const char *const *names, size_t count,
                 struct error *err);

/* The one of `files` that is meant by `path`, compared by their last parts: of its suffix with nearly its name, or
 * else of its name with another suffix of the same kind (models, images, archives, lists). Borrowed from `files`,
 * or NULL. */
const char *missing_nearest_file(const struct strings *files, const char *path);

/* Fails with what errno says of a path of the real file system, without the path: "No such file or directory, did
 * you mean 'game/orc.md2'?", where something near lies in that folder. */
int missing_path_fail(const char *path, struct error *err);

#endif
