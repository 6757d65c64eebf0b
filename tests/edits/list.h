/* The job list of a world, with its config and the list that it includes: plain data that steps change, and three
 * files. Settings are chosen from short lists of values by number. */
#ifndef EDITS_LIST_H
#define EDITS_LIST_H

#include <stdbool.h>

#include "../fuzz/whole/mutate.h"

enum { LIST_MOST_JOBS = 12, LIST_MOST_ROOTS = 5, LIST_MOST_KEYS = 36 };

#define ATLAS "atlas-" /* the names of all atlases begin so */

/* For each key the number of a value, from 1; 0: not given. */
struct settings {
    unsigned char values[LIST_MOST_KEYS];
};

struct list_job {
    unsigned name, model; /* numbers */
    struct settings settings;
    unsigned comment;
};

struct list {
    unsigned roots[LIST_MOST_ROOTS]; /* numbers of roots, in their order */
    size_t root_count;
    struct list_job jobs[LIST_MOST_JOBS];
    size_t job_count;
    struct settings defaults, included, config;
    bool has_config, has_include;
    unsigned camera, light; /* the variants of the list's own camera and light */
    unsigned comment;
    bool is_spaced; /* written with other spaces and comments */
};

extern const char *const list_roots[LIST_MOST_ROOTS];

void list_init(struct random *random, struct list *list);

/* Random changes. */
void list_change_job(struct random *random, struct list *list);
void list_change_defaults(struct random *random,
                          struct list *list); /* of the list, what it includes, or the config */
void list_add_job(struct random *random, struct list *list);
void list_remove_job(struct random *random, struct list *list);
void list_rename_job(struct random *random, struct list *list); /* or swaps two names */
void list_change_roots(struct random *random, struct list *list);
void list_change_included(struct random *random, struct list *list); /* cameras and lights */
void list_change_nothing(struct random *random, struct list *list);  /* comments, spaces, the order of jobs */

/* Writes list.yaml, more.yaml and config.yaml into the current folder. */
void list_write(const struct list *list);

/* Removes all settings of the job, or of the pattern that makes it. */
void list_reset_job(struct list *list, const char *name);

#endif
