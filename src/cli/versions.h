/* Versions of job lists, as they are in the work tree, in another checkout or in a revision of git: loaded, drawn into
 * temporary folders, and compared, each with the version before it.
 *
 *     versions_open; items and count; version_begin and version_load of each; versions_draw; versions_review; versions_close
 *
 * A confined child compares the pictures. */
#pragma once

#include "job/job.h"
#include "os/sandbox.h"
#include "review/review.h"
#include "review/revision.h"
#include "run/batch.h"

struct versions_settings {
    const char *config;
    /* Of `render`: only, worker_count (0: one for each CPU), timeout_s, memory_limit, backend, sandbox. */
    struct batch_settings batch;
    int verbosity;               /* -1: no progress */
    struct sandbox_rules *rules; /* of the process that compares; the folders are added */
    const struct review_settings *review;
};

/* Prints the review, in the confined process. Returns an exit code. */
typedef int versions_report(void *context, struct review *review);

/* A list as a version has it. */
struct version_list {
    struct job_list *list;    /* NULL: there is none, or a broken one */
    struct version_job *jobs; /* by name */
};

struct version {
    const char *name;            /* for people: a revision, a folder or "work tree" */
    const char *title, *detail;  /* for the review, in place of the name; NULL: the name and nothing */
    const struct commit *commit; /* of a history, or NULL */
    const char *top;             /* of the files now */
    char *tree;                  /* of those of another checkout; NULL: there is none */
    struct revision revision;    /* without a commit: none */
    struct error failure;        /* of locating files; "" */
    const char *no_room;         /* why a temporary file of it could not be written, or NULL */
    const char *folder;          /* of its sheets */
    struct version_list *lists;  /* by path; NULL: it has not begun */
    size_t list_count;
    struct review_failures failures; /* of jobs that were drawn */
    bool is_drawn;

    /* Of a history. */
    const char *problem; /* of its list, or NULL */
    bool is_wanted;      /* it is drawn, for its sheets may differ from those of the commit before */
    bool is_noted;
};

struct versions {
    const struct versions_settings *settings;
    char *const *paths;
    size_t path_count;
    struct version *items; /* newest first: each is compared with the next one that has begun */
    size_t count;

    struct batch_settings batch; /* of the settings, for versions_draw */
    size_t job_count;            /* that `only` takes, of all lists that were loaded */
    size_t undrawn;              /* those of the newest that cannot differ */
    const char **names; /* of the lists, by path: those of one name are called by their paths, all or none */
    char *temporary, *top;
    struct repository repository;
    bool has_repository;
    struct error no_repository; /* why there is none */
    struct arena arena;
    bool is_apart; /* this is the confined child, which compares the pictures */
};

/* For `settings` and `paths`. Returns the exit code after a message, or -1. */
int versions_open(struct versions *versions);

/* Removes all that is temporary. Returns the exit code, or after a signal the signal's. The caller calls it in any case. */
int versions_close(struct versions *versions, int exit_code);

/* Returns the exit code of a failure about a version: a mistake of the user's, or no room for temporary files. */
int versions_exit(const struct versions *versions);

/* Makes the folder of a version, for its sheets. */
void version_begin(struct versions *versions, struct version *version, const char *folder);

enum list_end { LIST_LOADED, LIST_MISSING, LIST_BROKEN /* or files of it could not be located */ };

/* Loads the list of a path with its files as they are in the version, or adds problems. */
enum list_end version_load(struct versions *versions, struct version *version, size_t path,
                           struct strings *problems);

/* How many jobs of a list `only` takes; and fails all of these with one reason. Borrows the texts. */
size_t versions_count(const struct versions *versions, const struct job_list *list);
void version_fail(const struct versions *versions, struct version *version, const struct job_list *list,
                  const char *reason, bool is_own);

/* Marks jobs that cannot differ between two undrawn versions. Returns the exit code, after a message, or -1. */
int versions_judge(struct versions *versions, struct version *before, struct version *after);

/* Draws in one run all versions that have begun and are not drawn, but for jobs that cannot differ. Returns as before. */
int versions_draw(struct versions *versions);

/* Draws each job again that two neighbours frame differently, as a pair: in one cell, at one scale. Then a confined child
 * compares the neighbours. Returns the exit code; in the child that of `report`. */
int versions_review(struct versions *versions, versions_report *report, void *context);

/* Compares the sources of each pair, {before, after}, newest first, in this process: two sources alone, or those of commits.
 * Returns the exit code. */
int sources_review(const struct review_source (*pairs)[2], size_t count, const struct review_settings *settings,
                   versions_report *report, void *context);

struct history_settings {
    const char *since; /* only commits that this revision does not have; NULL: all */
    unsigned most;     /* commits */
};

/* `sheetbake history`: draws the sheets of a list as they were in the commits that may have changed them, and compares each
 * with the one before. Returns the exit code, in the confined process that of `report`. */
int history_run(const struct versions_settings *settings, const struct history_settings *history,
                char *const *list, versions_report *report, void *context);
