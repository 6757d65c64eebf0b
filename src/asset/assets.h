/* The files a job list may use: folders and archives (pk3, pk4, zip, pak) as one tree.
 *
 * The first root that holds a path wins. Paths are '/'-separated and relative to the tree; game data differs
 * in case from the paths written in models, so look-ups ignore case, and how letters with marks are encoded (utf8_fold; an
 * exact match wins, then the first root). Nothing outside the roots is ever opened: "..", absolute paths, drive letters and,
 * inside folders, symbolic links are refused; a zip archive that holds a link is not opened at all. '\' counts as '/';
 * repeated slashes and "." are dropped.
 *
 * A file may hold others, as a model may hold its pictures. "models/robot.glb:wood.png" is the one that the opener finds
 * under "wood.png" in models/robot.glb. No other file can have such a path, for ':' stands in none. It is found where
 * that file is; only reading tells whether there is such a picture in it. A trace has the file that holds it, so that a
 * trace is compared without opening models. Patterns match no such path. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "asset/trace.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/missing.h"
#include "base/strings.h"

struct assets;

/* Folders as they were: all that lies below `top` in roots that are folders are these files, sorted by path. The bytes
 * of one are in a file of `objects`, by the name `object`, or, where that is NULL, still at its path below `top`. */
struct assets_tree {
    const char *top, *objects;  /* real paths */
    const struct member *files; /* asset/archive.h */
    size_t count;
};

/* `roots` are real paths of folders and archives, first match first. With a tree, folders below its
 * top are as they were. */
int assets_open(const char *const *roots, size_t root_count, struct assets **out, struct error *err);
int assets_open_as(const char *const *roots, size_t root_count, const struct assets_tree *tree,
                   struct assets **out, struct error *err);
void assets_close(struct assets *assets); /* NULL is fine */

/* A file that holds others, while it is open. Nothing else is found in files meanwhile: one could be in itself. */
struct container {
    struct assets *assets; /* and its path there: for the files that this one names in turn */
    const char *path;
    struct bytes bytes;
    void *opened; /* what the opener makes of it */
};

struct file_opener {
    int (*open)(struct container *container, struct error *err);

    /* Finds the file `name`: *out is the caller's. Fails when there is none of that name. */
    int (*read)(const struct container *container, const char *name, struct blob *out, struct error *err);

    /* What `open` made, also where that or `read` failed; not NULL. */
    void (*close)(void *opened);
};

/* The opener of a file for the file `name` in it. NULL: it fails, for that holds none. */
typedef const struct file_opener *opener_chooser(const struct container *container, const char *name,
                                                 struct error *err);

/* Without one, as at first, no file holds others. */
void assets_set_openers(struct assets *assets, opener_chooser *choose);

/* Whether the path means a file in another; never without openers. */
bool assets_is_embedded(const struct assets *assets, const char *path);

/* The file in which one was read last stays open, with its bytes as they were then, for the next ones: until one in another
 * file is read, or assets_close, or this call, for those who have all they need. It does not where reading failed, or asked
 * for more files. */
void assets_close_container(struct assets *assets);

/* The path as it is spelled in the tree, or NULL when there is no such file. Borrowed until assets_close. */
const char *assets_find(struct assets *assets, const char *path);

/* Why the last question may have found nothing though something is there, or NULL: its path is refused, or a folder on the
 * way cannot be listed. The trace notes the latter. */
const char *assets_trouble(const struct assets *assets);

/* The root that a path comes from, as given to assets_open; NULL when there is no such file. */
const char *assets_root_of(struct assets *assets, const char *path);

/* Whether a path is one file in both, as a file of the work tree is that a revision has, too. Their roots are the same. */
bool assets_share(struct assets *assets, struct assets *others, const char *path);

/* A whole file by any spelling assets_find takes. *out is the caller's. */
int assets_read(struct assets *assets, const char *path, struct blob *out, struct error *err);

/* Notes the hash of the packed bytes of a file in an archive in the trace, without unpacking them. */
void assets_look_at_packed(struct assets *assets, const char *path);

/* Its size in bytes, or -1. */
int64_t assets_size(struct assets *assets, const char *path);

/* Adds all files that match the pattern (base/glob.h, ignoring case), sorted by byte value. Fails, and adds none, where a
 * folder that may hold some cannot be listed. */
int assets_glob(struct assets *assets, const char *pattern, struct strings *out, struct error *err);

/* The files, as far as folders were listed, that no path can mean and no pattern matches, for ':' or '\' in their names or in
 * that of a folder. assets_cure_unusable cuts such a path behind that name, and returns what to do. */
const struct strings *assets_unusable(const struct assets *assets);
const char *assets_cure_unusable(char *path);

/* Adds the files in the folder of `path` that end so, in any case, sorted. */
void assets_find_beside(struct assets *assets, const char *path, const char *suffix, struct strings *out);

/* Notes all that is looked for from now on in `trace`; in none where that is NULL, as at first. Returns the trace
 * before, to be set again. */
struct trace *assets_trace(struct assets *assets, struct trace *trace);

/* The present one, or NULL: for what answers in the place of files, such as indexes. */
struct trace *assets_present_trace(const struct assets *assets);

/* For "did you mean": a file in the same folder (see missing_nearest_file), or else the first of that very name
 * elsewhere; NULL where there is none. The caller's to free. */
char *assets_nearest(struct assets *assets, const char *path, missing_kind *has_kind);

/* Ends the message that there is no such file: with the nearest file, or else, when that is NULL, an archive that is a
 * file at the top of the assets, as games open it by themselves and we do not; "" where there is neither. The caller's
 * to free. */
char *assets_suggestion(const struct assets *assets, const char *nearest);

/* Ends the message that no file matches the pattern: "; 'models' has 5 .glb files", or that there is no such folder.
 * The caller's to free. */
char *assets_instead(struct assets *assets, const char *pattern);

/* The hash, as a trace has it, of the paths that assets_glob added. */
void assets_hash_list(const struct strings *paths, char hash[HASH_SIZE]);

/* Something made of the files that lives as long as the tree is open, such as an index. `key` is any address of the
 * maker's; assets_kept gives what was kept under it, or NULL. */
void assets_keep(struct assets *assets, const void *key, void *item, void (*release)(void *item));
void *assets_kept(const struct assets *assets, const void *key);
