/* A YAML document as a tree of our own, with the place of every node.
 *
 * The only file that includes libyaml is yaml.c. What comes out is safe to walk by plain recursion: no node lies
 * deeper than YAML_MAX_DEPTH, no alias leads back to itself, the keys of a mapping are scalars and all
 * different, and no text holds a NUL. An alias gives the node it stands for, so a node may be reached by several
 * ways and its mark is where it is written out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/strings.h"
#include "job/job.h"

/* -- Problems (problem.c) ---------------------------------------------------------------------------------- */

/* Problems are gathered from all of a job list before any is reported. Reading goes on after a problem wherever the rest
 * still makes sense, so that one run shows them all. */

enum { PROBLEM_LIMIT = 1000 }; /* a hostile list may have a million unknown keys */

struct problem {
    struct mark mark;
    char *text;
};

/* A zeroed struct is an empty list. */
struct problems {
    struct problem *items;
    size_t count, capacity;
    bool is_cut; /* there were more than PROBLEM_LIMIT */
};

int mark_compare(const struct mark *a, const struct mark *b); /* by file, line and column */

/* A line of 0 stands for the file as a whole. The mark's file is borrowed until the problems are released. Returns -1. */
int problems_add(struct problems *problems, struct mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sorts them by file, line, column and text, without repeats, and returns how many these are. */
size_t problems_sort(struct problems *problems);

/* Adds each as "file:line:column: message", or "file: message" for a line 0, sorted by file, line, column and
 * text, and without repeats: what an alias stands for is read once for each use. Of more than four at one place,
 * the rest is a line "file:line:column: and 82 more problems here". */
void problems_report(struct problems *problems, struct strings *out);
void problems_release(struct problems *problems);

/* -- Documents --------------------------------------------------------------------------------------------- */

enum {
    /* libyaml takes about 200 bytes of memory for each byte of the worst of lists; real ones have some kB. */
    YAML_MAX_FILE_SIZE = 4 * 1024 * 1024,

    /* Our own lists nest 7 deep. libyaml takes time with the square of the depth: 10 s for 100,000. */
    YAML_MAX_DEPTH = 32,

    /* Nodes of one file, an aliased one counted at each use. A job takes some 20. */
    YAML_MAX_NODES = 500 * 1000,

    /* libyaml compares each alias and each new anchor with all anchors. */
    YAML_MAX_ANCHORS = 256,
};

enum node_kind { NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING };

struct node {
    enum node_kind kind;
    struct mark mark;
    const char *text; /* of a scalar */
    bool is_plain;    /* a scalar without quotes: may be a number, true, null, ... */
    size_t count;
    const struct node *const *keys;   /* of a mapping: `count` scalars */
    const struct node *const *values; /* of a mapping or a sequence: `count` nodes */
    unsigned height; /* levels below it; and the nodes, with itself, when every alias is written out */
    size_t size;
};

/* Everything in the tree lives in the arena but the marks' file name, which is borrowed. On failure the reasons
 * are in `problems` and *out is untouched. Duplicate keys are problems that do not fail: the first counts. */
int yaml_load(struct bytes bytes, const char *file, struct arena *arena, const struct node **out,
              struct problems *problems);

/* The value of a mapping's key, or NULL. */
const struct node *node_get(const struct node *mapping, const char *key);

/* The key itself, for its mark, or NULL. */
const struct node *node_key(const struct node *mapping, const char *key);

/* A plain scalar that is empty, "~" or "null". */
bool node_is_null(const struct node *node);

/* -- What a person did wrong where libyaml gives up (yaml_mistake.c) --------------------------------------- */

/* In libyaml's words. */
struct yaml_complaint {
    struct bytes bytes;
    struct problems *problems;
    const char *problem, *context; /* "found undefined alias", "while scanning an alias" or NULL */
    struct mark mark, context_mark;
};

/* Adds the problem at the place of the mistake; an unknown complaint is reported in libyaml's words. */
void yaml_add_mistake(const struct yaml_complaint *complaint);
