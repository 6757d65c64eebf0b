/* The names and contents of a world's files. Names are few, so that most references find a file. */
#ifndef EDITS_CONTENT_H
#define EDITS_CONTENT_H

#include "base/bytes.h"
#include "../fuzz/whole/mutate.h"

/* A random path below a root, of a file that models, lists and materials may ask for. The caller frees it. */
char *content_path(struct random *random);

/* Changes a random letter to upper case. */
void content_change_case(struct random *random, char *path);

/* A file of the kind of the path's suffix. */
struct blob content_make(struct random *random, const char *path);

#endif
