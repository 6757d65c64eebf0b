/* How it is told that a name is none of those there are. */
#ifndef BASE_MISSING_H
#define BASE_MISSING_H

#include <stddef.h>

#include "base/error.h"

/* Fails: "no joint 'hed', did you mean 'head'? (it has head, hand_r and 3 more)", with `what` for "joint" and `nearest`
 * for "head", or NULL where none is (see strings_nearest). `names` are at least one; the first 20 are told. */
int missing_fail(const char *what, const char *wanted, const char *nearest, const char *const *names, size_t count,
                 struct error *err);

#endif
