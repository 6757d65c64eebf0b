/* The files of a git repository as they were in a revision.
 *
 * Of what a list reads, the files that git says are others now are checked out into a temporary folder, with an index of
 * our own: the repository stays as it is. All other files are read in the work tree (struct assets_overlay).
 *
 * git runs before anything opens a model, and runs no program that the repository names: hooks, the file system monitor
 * and all filters (smudge, clean, process) are switched off, and nothing is fetched. A Git LFS pointer is replaced by its
 * file where the repository has that. Where it has not, and at submodules, locating fails. */
#ifndef REVIEW_REVISION_H
#define REVIEW_REVISION_H

#include <stdbool.h>

#include "asset/assets.h"
#include "base/error.h"
#include "base/strings.h"

struct revision {
    char *top;             /* of the repository's work tree */
    char *tree;            /* files that were others in the revision, by the same paths */
    char *index;           /* of the revision, for git */
    char *git_folder;      /* ".git", of all work trees */
    char *detail;          /* "1a2b3c4 Subject line" */
    char *commit;          /* all digits */
    char *temporary;       /* our own files */
    struct strings config; /* what git is told to leave: "-c", "KEY=VALUE" */
    struct strings located;
    struct assets_overlay overlay; /* over what was located */
    char *name;                    /* as the user calls it */
    bool is_whole;                 /* `tree` has all files of the revision */
};

/* The top of the work tree that a folder is in, without links. The caller frees it. Needs no revision; `temporary` is a
 * folder for our files. Fails where there is no git program or no repository. */
int revision_find_top(const char *folder, const char *temporary, char **top, struct error *err);

/* `top` is taken. A signal ends it with a failure (os/signals.h). The caller releases *out and removes `temporary`. */
int revision_open(char *top, const char *name, const char *temporary, struct revision *out, struct error *err);
void revision_release(struct revision *revision);

/* Where a file or folder of the repository is to be read as it was: `path` counts from the top, and may lead through a
 * link. *out, which the caller frees, is NULL if it is in its place, with the overlay; there is nothing at *out if there was
 * nothing. */
int revision_locate(struct revision *revision, const char *path, bool is_by_link, char **out, struct error *err);

#endif
