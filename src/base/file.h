/* Files of the real file system, whole. Paths are used as given. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

/* Reads a whole file of at most `limit` bytes; *out is the caller's to release. */
int file_read(const char *path, size_t limit, struct blob *out, struct error *err);

/* The same of an open file, which messages call `path`. */
int file_read_open(int fd, const char *path, size_t limit, struct blob *out, struct error *err);

/* Opens a '/'-separated path without ".." below an open folder, "" the folder itself, without following symbolic links:
 * -1 with errno ENOTDIR or ELOOP where there is one. A named pipe is opened without waiting. */
int file_open_beneath(int folder, const char *path, int flags);

/* For SCOPED_BY. What is below 0 or NULL is not open. */
void file_close(int *fd);
void stream_close(FILE **stream);
void folder_close(DIR **folder);

/* Up to `size` bytes from byte `start` on: fewer at the end of the file; -1 with errno. */
ssize_t file_pread(int fd, void *out, size_t size, uint64_t start);

/* Returns how many bytes were written; if fewer than all, errno says why. */
size_t file_write(int fd, struct bytes bytes);

/* Whether `path` is a regular file, not a link, that holds exactly these bytes. */
bool file_has(const char *path, struct bytes bytes);

/* Whether the path itself is a symbolic link. file_refuse_link fails then, for a folder that is to be ours alone: what is
 * behind a link in its place belongs to others. */
bool file_is_link(const char *path);
int file_refuse_link(const char *path, struct error *err);

/* Waits until a file's bytes, or a folder's names, would survive a power failure. file_sync_folders does so for a folder
 * and those above it up to `top` (NULL: as far as the path names them), for the name of a new folder is in the one
 * above. */
int file_sync(const char *path, struct error *err);
int file_sync_folders(const char *path, const char *top, struct error *err);

/* Makes `path` and the folders above it; one that exists is fine. */
int file_make_folders(const char *path, struct error *err);

/* A new folder that only we can use, in TMPDIR or /tmp: its path without links, which the caller frees. file_remove_folder
 * removes one with all that is in it, and follows no link. */
int file_make_temporary(char **out, struct error *err);
void file_remove_folder(const char *path);

/* A file is replaced in two steps, so that others see the old one or the new one, whole: file_stage writes the bytes
 * under `temporary`, a name in the same folder; file_commit renames it to `path`. On failure the temporary file is
 * removed and whatever was at `path` is still there. Messages name `path`. */
int file_stage(const char *path, const char *temporary, struct bytes bytes, struct error *err);
int file_commit(const char *path, const char *temporary, struct error *err);

/* Both steps with a temporary name of its own. file_can_renew only finds out whether that would work: at the beginning of
 * a run of hours, for a file that is written at its end. It also removes what processes that were killed have left of
 * the file. */
int file_renew(const char *path, struct bytes bytes, struct error *err);
int file_can_renew(const char *path, struct error *err);
void file_remove_leftovers(const char *path);

/* Pieces of a '/'-separated path; each result is the caller's to free. path_folder("a") is ".". */
char *path_join(const char *folder, const char *name); /* `name` alone when it is absolute */
char *path_folder(const char *path);
char *path_stem(const char *path); /* without its suffix; folders stay */

/* The last part without its suffix, "walk" of "anims/walk.md5anim"; the arena's. */
const char *path_base_stem(struct arena *arena, const char *path);

/* The absolute path without links, "." and "..", so that two ways to write one place compare equal. Parts that do not
 * exist yet count as plain folders. The caller's to free. */
char *path_resolve(const char *path);

/* The path without "." and empty parts, and without "a/.." unless `a` is a link or a file. The caller's to free. */
char *path_tidy(const char *path);

/* A path that a file of any machine gives, as one of the assets, in place: '/' for '\\', no "." and "a/..", whatever is
 * on the disk. False, with a ".." left, where it leaves the top. */
bool path_collapse(char *path);

/* Borrowed from `path`: what follows the last '/', and the suffix with its '.', or "" without one. */
const char *path_base(const char *path);
const char *path_foreign_base(const char *path); /* the same of a path of any machine: '\\' separates, too */
const char *path_below(const char *folder, const char *path); /* the rest of a path in or at a folder; else NULL */
const char *path_suffix(const char *path);
