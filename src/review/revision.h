/* The files of a git repository as they were in a revision.
 *
 * What a list reads is checked out into a temporary folder, with an index of our own: the repository stays as it is. A
 * folder that is now as it was in the revision is not copied; the work tree has it.
 *
 * git runs before anything opens a model, and runs no program that the repository names: hooks, the file system monitor
 * and all filters (smudge, clean, process) are switched off, and nothing is fetched. A Git LFS pointer is replaced by its
 * file where the repository has that; revision_check fails where it has not, and at submodules. */
#ifndef REVIEW_REVISION_H
#define REVIEW_REVISION_H

#include "base/error.h"
#include "base/strings.h"

struct revision {
    char *top;              /* of the repository's work tree */
    char *tree;             /* files as they were in the revision, by the same paths */
    char *index;            /* of the revision, for git */
    char *git_folder;       /* ".git", of all work trees */
    char *detail;           /* "1a2b3c4 Subject line" */
    char *commit;           /* all digits */
    char *temporary;        /* our own files */
    struct strings config;  /* what git is told to leave: "-c", "KEY=VALUE" */
    struct strings brought; /* paths that were checked out */
};

/* The top of the work tree that a folder is in, without links. The caller frees it. Needs no revision; `temporary` is a
 * folder for our files. Fails where there is no git program or no repository. */
int revision_find_top(const char *folder, const char *temporary, char **top, struct error *err);

/* `top` is taken. A signal ends it with a failure (os/signals.h). The caller releases *out and removes `temporary`. */
int revision_open(char *top, const char *name, const char *temporary, struct revision *out, struct error *err);
void revision_release(struct revision *revision);

/* Where a file or folder of the repository is to be read as it was: `path` counts from the top. *out, which the caller
 * frees, is NULL if it is now as it was; there is nothing at *out if there was nothing. */
int revision_locate(struct revision *revision, const char *path, char **out, struct error *err);

/* Fails where files were located that are not whole. */
int revision_check(const struct revision *revision, const char *name, struct error *err);

#endif
