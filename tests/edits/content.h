/* What the files of a world hold, and what they are called: names are few, so that files meet what asks for them.
 */
#ifndef EDITS_CONTENT_H
#define EDITS_CONTENT_H

#include "base/bytes.h"
#include "../fuzz/whole/mutate.h"

/* A path below its root, of any kind of file that models, lists and materials ask for. The caller frees it. */
char *content_path(struct random *random);

/* Of one letter, if that is a small one. */
void content_change_case(struct random *random, char *path);

/* A file of the kind that the path says. */
struct blob content_make(struct random *random, const char *path);

#endif
