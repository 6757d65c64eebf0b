/* The files of a git repository as they were in a revision.
 *
 * git tells the names and ids of the revision's files (ls-tree), and of which the work tree has the same (ls-files, whose
 * notes on the index are compared with the disk). Those are read in their places. The contents of others (cat-file) are
 * written to a folder of ours, by their ids: no name that a repository gives becomes the name of a file. These commands,
 * rev-parse and for-each-ref run no hook, filter or other program that a repository names, and enter no submodule; the
 * repository stays as it is, and nothing is fetched.
 *
 * So a file that differs is as git stores it: line ends are not converted. A Git LFS pointer is replaced by its file where
 * the repository has that. Where it has not, and at submodules, locating fails. */
#pragma once

#include "asset/assets.h"
#include "base/error.h"

struct repository {
    struct arena arena;
    const char *top;                     /* of its work tree, without links */
    const char *input, *answer, *errors; /* git's standard streams: files of ours */
    const char *git_folder;              /* ".git", of all work trees */
    const char *index;                   /* git's, of this work tree */
    const char *objects;                 /* a folder of ours: contents of all revisions by their ids */
    int top_folder;                      /* open */
    bool is_shallow;
    bool lacks_room; /* a temporary file could not be written */
};

/* Ends the message that a temporary file cannot be written. */
#define MORE_ROOM "; TMPDIR names another folder for temporary files"

/* A file that a commit has otherwise than its first parent. */
struct commit_change {
    const char *path;
    bool is_edit; /* it is a file in both */
    bool is_file; /* and no link or submodule in either */
};

enum { SHORT_ID = 7 };

struct commit {
    const char *id, *parent; /* the first; "" where git knows none */
    const char *author, *date, *subject;
    size_t first_change, change_count;
};

/* Commits from HEAD along first parents, newest first. */
struct commits {
    struct blob text; /* what git says: all texts lie in it */
    struct commit *items;
    size_t count;
    struct commit_change *changes;
    size_t change_count;
};

/* Reads the latest `most` commits that the revision `since` has not (NULL: of all). The caller releases *out in any case. */
int commits_read(struct repository *repository, const char *since, unsigned most, struct commits *out,
                 struct error *err);
void commits_release(struct commits *commits);

struct revision {
    struct arena arena;
    struct repository *repository;
    bool has_near;          /* another revision said which files the work tree has the same of */
    const char *name;       /* as the user calls it */
    const char *commit;     /* its id */
    const char *parents[2]; /* the first two, of one that was read by its name; "" where it has none */
    struct blob listing;    /* what git says of the entries: their paths and ids lie in it */
    struct revision_entry *entries;
    size_t entry_count;
    struct assets_tree tree; /* what was located */
};

/* Finds the repository whose work tree the folder of a list is in. Fails where there is no git program or no repository. The
 * caller releases *out in any case, and removes `temporary`. */
int repository_find(const char *list, const char *temporary, struct repository *out, struct error *err);
void repository_release(struct repository *repository);

/* Returns what people know a revision by that was read by its name: the branch or tag that it is called by, or else the only
 * branch, here or of a remote, whose tip it is. NULL: none. And `1a2b3c4 "Subject line"` of a commit, cut where that is long.
 * Both live as long as the revision. */
const char *revision_branch(struct revision *revision);
const char *revision_describe(struct revision *revision, const char *commit);

/* Finds out whether the work tree has at this path what the revision has, and no file besides, but for those that git
 * ignores. */
int revision_is_checked_out(struct revision *revision, const char *path, bool *out, struct error *err);

/* Reads what is in the revision `name` of it, or in a commit whose id is known; does not ask git again what `near` (NULL:
 * none) located of the same files. The caller releases *out in any case. A signal ends it with a failure (os/signals.h). */
int revision_read(struct repository *repository, const char *name, const struct commit *commit,
                  const struct revision *near, struct revision *out, struct error *err);
void revision_release(struct revision *revision);

/* Finds the place from which to read what the revision has at a path: a file, or a folder with the files of `tree`. Links
 * lead where they led. Where the revision has nothing, nothing is at *out. The caller frees *out. */
int revision_locate(struct revision *revision, const char *path, char **out, struct error *err);

/* Returns the text with "REV:PATH" in the place of files of ours. The caller frees it. */
char *revision_tell(const struct revision *revision, const char *text);
