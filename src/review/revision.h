/* A revision of a git repository as a folder, to be read beside the work tree.
 *
 * The folder is a temporary copy, and the repository stays as it is: git reads it, with an index of our own. What has not
 * changed since the revision is copied from the work tree, the rest comes out of the objects.
 *
 * git runs before anything of a stranger is read, and runs nothing for the repository: hooks, the file system monitor and
 * all filters (smudge, clean, process) are switched off, and nothing is fetched. A Git LFS pointer stays a pointer and a
 * submodule stays empty; revision_check says so where a list would read it.
 *
 * The copy lies in a mirror of the folders above the repository, in which everything else is a link to the original: a
 * list in the copy that names "../../shared" means the same folder as in the work tree. */
#ifndef REVIEW_REVISION_H
#define REVIEW_REVISION_H

#include "base/error.h"
#include "base/strings.h"
#include "job/job.h"

struct revision {
    char *top;                           /* of the repository's work tree */
    char *tree;                          /* the copy of it, as it was in the revision */
    char *detail;                        /* "1a2b3c4 Subject line" */
    struct strings config;               /* what git is told to leave: "-c", "KEY=VALUE" */
    char *commit;                        /* all digits */
    char *temporary;                     /* our own files */
    struct strings pointers, submodules; /* paths in the copy that have not what people have there */
};

/* The top of the work tree that a folder is in, without links. The caller frees it. Needs no revision; `temporary` is a
 * folder for our files. Fails where there is no git program or no repository. */
int revision_find_top(const char *folder, const char *temporary, char **top, struct error *err);

/* `top` is taken. A signal ends it with a failure (os/signals.h). The caller releases *out and removes `temporary`. */
int revision_open(char *top, const char *name, const char *temporary, struct revision *out, struct error *err);
void revision_release(struct revision *revision);

/* Fails where the assets of a list have a Git LFS pointer or a submodule. */
int revision_check(const struct revision *revision, const char *name, const struct job_list *list,
                   struct error *err);

#endif
