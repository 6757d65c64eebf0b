/* A job list as written: all files merged and every value checked, but nothing looked for in the assets yet.
 *
 * Where several files say the same thing, the list itself wins over what it includes, and an earlier included file
 * over a later one. */
#pragma once

#include "asset/assets.h"
#include "base/bytes.h"
#include "job/settings.h"
#include "job/reader.h"

/* -- The files of a list: the list itself, and what it includes (source.c) --------------------------------- */

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

/* -- What they say ----------------------------------------------------------------------------------------- */

enum { DRAFT_MOST_CONFIGS = 2 }; /* the built-in one and the user's */

struct draft_job {
    struct settings settings;
    const char *name, *model; /* as written, NULL where there is none */
    struct mark name_mark, model_mark;
};

struct draft_root {
    const char *path; /* of the real file system */
    struct mark mark;
};

struct draft {
    struct presets presets;
    const struct node *config_defaults[DRAFT_MOST_CONFIGS];
    size_t config_count;
    struct settings defaults;
    const char *output; /* NULL: not given */
    struct draft_root *roots;
    size_t root_count, root_capacity;
    struct draft_job *jobs;
    size_t job_count, job_capacity;
};

/* The presets and defaults of a config; the built-in one comes first. Its defaults are read by draft_read, when
 * all cameras and lights that they may name are known. */
void draft_add_config(const struct reader *reader, const struct source *config, struct draft *draft);

void draft_read(const struct reader *reader, const struct source *sources, size_t source_count,
                struct draft *draft);
void draft_add_root(struct draft *draft, const char *path, struct mark mark);

/* With the defaults as they are now. Borrowed until the next is added. */
struct draft_job *draft_add_job(struct draft *draft);
void draft_release(struct draft *draft);

/* -- Jobs of drafts, with what they name found in the assets (resolve.c) ----------------------------------- */

/* A few hundred thousand files in the assets would be a mistake in the pattern. */
enum { RESOLVE_MOST_JOBS = 100 * 1000 };

/* Jobs in a growing array; what they point to lives in the reader's arena. */
struct jobs {
    struct job *items;
    size_t count, capacity;
};

/* Without `assets` (when they cannot be opened) only names are checked, and globs give no jobs. What the assets do
 * not have is a problem, or, with `missing_fails_job`, a reason why that job fails. */
void resolve_jobs(const struct reader *reader, const struct draft *draft, struct assets *assets,
                  bool missing_fails_job, struct jobs *out);
