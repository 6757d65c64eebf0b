/* The assets of a world: roots that are folders or archives, in memory and on disk. Paths begin with the root: in
 * "base/textures/a.tga" and "pak0.pk3/textures/a.tga" it is what comes before the first '/'. Every change is
 * written at once; an archive as a whole. Disk and memory hold the same, so that what is chosen at random hangs on
 * the seed alone. */
#ifndef EDITS_TREE_H
#define EDITS_TREE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "../fuzz/whole/mutate.h"

enum tree_kind {
    TREE_FILE,
    TREE_FOLDER, /* an empty one in the place of a file */
    TREE_LINK    /* a symbolic link, which assets do not follow */
};

struct tree_file {
    char *path;
    enum tree_kind kind;
    struct blob blob; /* of a file */
};

struct tree {
    struct tree_file *files; /* in the order of their making */
    size_t count, capacity;
    bool is_timeless; /* whatever is written gets one and the same time of change */
    bool is_in_place; /* files are written over, not replaced */
};

/* Takes the blob over. Replaces whatever is at the path; false where it cannot lie there: below a file, or too
 * much for an archive. */
bool tree_put(struct tree *tree, const char *path, struct blob blob);
bool tree_put_kind(struct tree *tree, const char *path, enum tree_kind kind);
void tree_remove(struct tree *tree, size_t file);
void tree_release(struct tree *tree);

/* The number of a file, or -1. */
int tree_find(const struct tree *tree, const char *path);

/* A file at random; `tree->count` where there is none. */
size_t tree_pick(const struct tree *tree, struct random *random);

struct blob blob_copy(struct bytes bytes);

/* A file in the current folder or below, which has no part in the tree, such as a list. Stays untouched where
 * it is so already. */
void write_text(const char *path, const char *text);

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
