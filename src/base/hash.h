/* XXH3-128: tells whether two files are the same, for lists of inputs. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/bytes.h"

enum { HASH_SIZE = 33 };

/* The hash of the bytes as 32 hexadecimal digits and a NUL. */
void hash_bytes(struct bytes bytes, char hash[HASH_SIZE]);

#endif
