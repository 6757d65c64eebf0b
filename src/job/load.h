/* How a list becomes jobs: the files are read (source.c); what they say is put together, level upon level
 * (job_list.c); and what each job names is looked for in the assets (resolve.c).
 *
 * Where several files say the same thing, the list itself wins over what it includes, an earlier included file over
 * a later one, and the configs come last. */
#pragma once

#include "asset/assets.h"
#include "base/bytes.h"
#include "job/settings.h"

/* -- Files ------------------------------------------------------------------------------------------------- */

enum { SOURCE_MOST_FILES = 256 };

struct source_file {
    const char *path;        /* as the user knows it; marks refer to it */
    const char *folder;      /* what its relative paths start from */
    const struct node *root; /* a mapping with known keys and a good version */
    bool is_config;
};

/* The list, the files it includes in order, each followed by its own includes; then the user's config, if there is
 * one, and the built-in one. */
struct source_files {
    struct source_file items[SOURCE_MOST_FILES + 2];
    size_t count;
};

/* A path that a file in `folder` names, tidy (path_tidy) and in the reader's arena; "." for one that the user
 * gives. */
const char *source_path(const struct reader *reader, const char *folder, const char *path);

/* The place where the file called `path` is read (struct job_places). */
const char *source_place(const struct reader *reader, const char *path);

/* Adds a file, of which it checks the keys and the version; opens none. */
int source_parse(const struct reader *reader, struct bytes bytes, const char *path, bool is_config,
                 struct source_files *out);

/* Adds config/defaults.yaml as it was when the program was built. */
int source_add_built_in(const struct reader *reader, struct source_files *out);

/* Reads a list and all that it includes, and the configs, of which `config` may be NULL. A file counts
 * once, however often it is included. Fails where the list or a config cannot be read. */
int sources_read(const struct reader *reader, const char *path, const char *config, struct source_files *out);

/* -- A list on its way ------------------------------------------------------------------------------------- */

struct asset_root {
    const char *path; /* of the real file system */
    struct mark mark;
};

/* The caller sets the first members. All but the growing arrays lives in the reader's arena. */
struct loading {
    struct reader reader;
    struct problems problems; /* the reader's */
    struct source_files sources;
    bool missing_fails_job, with_atlases; /* job_options */
    struct assets *assets; /* NULL: they cannot be opened; only names are checked, and patterns give no jobs */

    struct presets presets;
    struct settings defaults;
    const char *output; /* NULL: not given */
    struct asset_root *roots;
    size_t root_count, root_capacity;
    struct job *jobs;
    size_t job_count, job_capacity;
    size_t suggestion_count; /* of files that may be meant */
};

/* The first reads all that the sources say but for their jobs; the second reads the jobs. */
void loading_read(struct loading *loading);
void loading_read_jobs(struct loading *loading);
void loading_release(struct loading *loading);

/* Adds the jobs that the settings come to: one, or one for each model that its pattern matches. What the assets do
 * not have is a problem, or, with `missing_fails_job`, a reason why the job fails. */
void resolve_job(struct loading *loading, const struct settings *settings);
