/* The assets of a world: roots that are folders or archives, in memory and on disk. Paths begin with the root:
 * "base/textures/a.tga", "pak0.pk3/textures/a.tga". Every change is written at once; an archive as a whole. Random choices
 * are made from memory, so that they depend on the seed alone. */
#ifndef EDITS_TREE_H
#define EDITS_TREE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "../fuzz/whole/mutate.h"

enum tree_kind {
    TREE_FILE,
    TREE_FOLDER, /* an empty folder in place of a file */
    TREE_LINK    /* a symbolic link, which assets do not follow */
};

struct tree_file {
    char *path;
    enum tree_kind kind;
    struct blob blob; /* of a file */
};

struct tree {
    struct tree_file *files; /* in the order in which they were added */
    size_t count, capacity;
    bool is_timeless; /* all files get the same time of modification */
    bool is_in_place; /* files are overwritten, not replaced */
};

/* Takes the blob over. Replaces anything at the path. False where the path lies below a file, or the archive would be too
 * large. */
bool tree_put(struct tree *tree, const char *path, struct blob blob);
bool tree_put_kind(struct tree *tree, const char *path, enum tree_kind kind);
void tree_remove(struct tree *tree, size_t file);
void tree_release(struct tree *tree);

/* The number of a file, or -1. */
int tree_find(const struct tree *tree, const char *path);

/* A random file; `tree->count` where there is none. */
size_t tree_pick(const struct tree *tree, struct random *random);

struct blob blob_copy(struct bytes bytes);

/* Writes a file outside the tree, such as a list, unless it has these bytes already. */
void write_text(const char *path, const char *text);

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
