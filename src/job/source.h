/* The files of a job list: the list itself, and what it includes. */
#ifndef JOB_SOURCE_H
#define JOB_SOURCE_H

#include "base/bytes.h"
#include "job/reader.h"

enum {
    SOURCE_MOST_FILES = 256,
    SOURCE_MOST_DEPTH = 16, /* of includes in includes */
};

struct source {
    const char *path;        /* as the user knows it; marks refer to it */
    const char *folder;      /* what its relative paths start from */
    const struct node *root; /* a mapping with known keys and a good version */
};

/* The list first, then the files it includes in order, each followed by its own includes. */
struct sources {
    struct source items[SOURCE_MOST_FILES];
    size_t count;
};

enum source_kind { SOURCE_LIST, SOURCE_CONFIG };

/* A path that a file in `folder` names, tidy (path_tidy) and in the reader's arena; "." for one that the user
 * gives. */
const char *source_path(const struct reader *reader, const char *folder, const char *path);

/* Where to read what is called `path` (struct job_places). */
const char *source_place(const struct reader *reader, const char *path);

/* Reads one file's bytes and checks its keys and its version; opens no file. */
int source_parse(const struct reader *reader, struct bytes bytes, const char *path, enum source_kind kind,
                 struct source *out);

/* Reads a file; problems of opening it are put at `from`, or at the file when that is NULL. */
int source_read(const struct reader *reader, const char *path, enum source_kind kind, const struct mark *from,
                struct source *out);

/* Reads a list and all that it includes. A file that is included several times counts once. */
void sources_read(const struct reader *reader, const char *path, struct sources *out);

/* config/defaults.yaml as it was when the program was built, and what marks call it. */
#define CONFIG_BUILT_IN_NAME "(built-in config)"
struct bytes config_built_in(void);

#endif
