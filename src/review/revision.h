/* The files of a git repository as they were in a revision.
 *
 * git tells the names and ids of the revision's files (ls-tree), and of which the work tree has the same (ls-files, whose
 * notes on the index are compared with the disk). Those are read in their places. The contents of others (cat-file) are
 * written to a folder of ours, by their ids: no name that a repository gives becomes the name of a file. These commands
 * and rev-parse run no hook, filter or other program that a repository names, and enter no submodule; the repository
 * stays as it is, and nothing is fetched.
 *
 * So a file that differs is as git stores it: line ends are not converted. A Git LFS pointer is replaced by its file where
 * the repository has that. Where it has not, and at submodules, locating fails. */
#pragma once

#include "asset/assets.h"
#include "base/error.h"

struct revision {
    struct arena arena;
    char *top;        /* of the repository's work tree */
    int top_folder;   /* open */
    char *name;       /* as the user calls it */
    char *commit;     /* its id */
    char *detail;     /* "1a2b3c4 Subject line" */
    char *git_folder; /* ".git", of all work trees */
    char *index;      /* git's, of this work tree */
    char *temporary;  /* our own files */
    char *objects;    /* a folder in there: contents by their ids */
    struct revision_entry *entries;
    size_t entry_count;
    struct assets_tree tree; /* what was located */
};

/* The top of the work tree that a folder is in, without links. The caller frees it. Needs no revision; `temporary` is a
 * folder for our files. Fails where there is no git program or no repository. */
int revision_find_top(const char *folder, const char *temporary, char **top, struct error *err);

/* `top` is taken. A signal ends it with a failure (os/signals.h). The caller releases *out and removes `temporary`. */
int revision_open(char *top, const char *name, const char *temporary, struct revision *out, struct error *err);
void revision_release(struct revision *revision);

/* Whether something was at a path, which counts from the top: a file, a folder, or a link on the way. */
bool revision_has(const struct revision *revision, const char *path);

/* Where what was at a path is to be read: a file, or a folder with the files of `tree`. Links lead where they led. There is
 * nothing at *out, which the caller frees, if there was nothing. */
int revision_locate(struct revision *revision, const char *path, char **out, struct error *err);

/* A text with "REV:PATH" in the place of files of ours. The caller frees it. */
char *revision_tell(const struct revision *revision, const char *text);
