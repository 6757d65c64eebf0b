/* Records: a file beside a page (NAME.sheetbake, a JSON) says of what it was made. That tells, without making it,
 * whether it would come out alike now, and whether its files are still those that were written. docs/formats.md
 * lists the fields.
 *
 * The same struct is filled to write a record and when one is read. A record has a hash of itself: one that is cut
 * off or was changed is broken. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

/* Parsing takes some 25 times the memory, and anybody may have left anything in the output folder. Ten thousand
 * inputs take 1 MiB; what is larger than this is broken. */
enum { RECORD_MOST_TEXT = 16 * 1024 * 1024 };

struct record_pair {
    const char *name, *value;
};

/* Sorted by name, by byte value; each name once. */
struct record_pairs {
    const struct record_pair *items;
    size_t count;
};

/* A file of the page, in the folder of the record. */
struct record_file {
    const char *name;
    uint64_t bytes;
    const char *hash;
};

/* Hashes are XXH3-128 in 32 hexadecimal digits (base/hash.h). */
struct record {
    struct arena arena;   /* of a record that was read; one to be written may leave it empty */
    char hash[HASH_SIZE]; /* of the bytes of one in an output folder (recorded_load) */

    const char *list, *job;    /* names */
    uint32_t page, page_count; /* counted over all sheets of the job */
    uint32_t part, part_count; /* a packed or trimmed sheet is one page of the job, in parts with a record each:
                                  which one this is, of how many; 0 of 1 for others */
    uint32_t output;           /* OUTPUT_VERSION of the program that made it */
    const char *renderer, *backend, *cpu, *library, *program,
        *probe;         /* what drew and wrote it (render/identity.h) */
    const char *assimp; /* of a page that it read something for; NULL for others, and in records of 0.4 */

    struct record_pairs settings; /* the job after defaults: the key in docs/jobs.md, and its value as text */
    const char *group;            /* hash of the settings of all jobs framed together, or NULL */

    /* These only tell what has changed, never whether anything has; none in records of 0.4. */
    struct record_pairs words; /* the settings as the list has them, and... */
    struct record_pairs
        places; /* ...where (job_written_settings); in files only of pages that are read once: lines move */

    /* How look-ups in the assets ended (asset/trace.h). */
    struct record_pairs inputs;   /* path -> hash of its bytes */
    struct record_pairs packed;   /* of these, path -> hash of its packed bytes in an archive */
    struct record_pairs found;    /* path as looked for -> as found, where these differ or it was not read */
    struct record_pairs listed;   /* pattern -> hash of what matched */
    struct record_pairs declared; /* "KIND NAME" -> the file that declares it, or NULL: none */
    const char *const *absent;    /* looked for and not found; sorted, each once */
    size_t absent_count;

    /* Every other file of the page, sorted by name. In a record that was read what describes pictures comes first:
     * files are removed in this order, and after a kill no description is left without its pictures. */
    const struct record_file *files;
    size_t file_count;

    /* For people. */
    const char *const *warnings; /* about the job */
    size_t warning_count;
    struct record_pairs facts; /* of the job's own model (describe_model); none in records of before they were */
    struct record_pairs names; /* page 0: of the "clips" and "joints" in the facts, each between line breaks */

    /* What the list's rules judge besides (job/rules.h); none in records of before they were. A value is a number, or a
     * number, a space and what shows it: a frame, a file. */
    struct record_pairs measured; /* of the page's own picture */
    const char *const *clips;     /* of a job's first page: all that the job plays; else NULL */
    size_t clip_count;
    const char *const *findings; /* of the rules as they were (page/finding.h) */
    size_t finding_count;
};

enum record_extent {
    RECORD_WHOLE,
    RECORD_OF_PAGE, /* list, job, page, part, output and files: that takes a tenth of the time */
};

/* Fails, with a reason, where the file is not as it was written, or what is to be read of it not as record_save writes it:
 * the rest of it may be anything. The caller releases *out. */
int record_load(struct bytes file, enum record_extent extent, struct record *out, struct error *err);
void record_release(struct record *record);

int record_save(const struct record *record, struct blob *out, struct error *err);

/* Hashes a file, with zeros in the place of its own hash, *at. -1 where it has no such place. */
int record_hash(struct bytes file, size_t *at, char hash[HASH_SIZE]);

/* Sorts them by name, as a record has them. */
void record_sort_pairs(struct record_pair *pairs, size_t count);

/* Returns the pair of a name, or NULL where there is none. The value of a name in `declared` may be NULL. */
const struct record_pair *record_find(const struct record_pairs *pairs, const char *name);

/* Adds the page's files, and its templates, to the hash of pages before it, which is "" for the first. */
void record_add_to_hash(const struct record *record, char hash[HASH_SIZE]);

/* -- In an output folder ------------------------------------------------------------------------------------ */

enum record_kind {
    RECORD_NONE, /* there is no such file */
    RECORD_GOOD, /* *out is the caller's to release */
    RECORD_BROKEN, /* it cannot be read, is not as it was written, or is a copy of another page's: *err says why, and *out
                      has its hash, if it can be read, and nothing to release */
};

/* Whether the record belongs at this path: its job, and each of its files, have the name that the path has. */
bool record_is_of(const struct record *record, const char *path);

/* `final` is the path that the record has or gets: its name tells the page. A record whose files are of another page, by
 * their names, is broken: so a record that was copied leads to no other page's files. */
enum record_kind recorded_load(const char *path, const char *final, enum record_extent extent, struct record *out,
                               struct error *err);

enum recorded_state {
    RECORDED_SAME,
    RECORDED_MISSING,
    RECORDED_CHANGED,    /* other bytes, no regular file, or a frame behind a link in the place of its folder */
    RECORDED_UNREADABLE, /* *err says why */
};

enum recorded_state recorded_verify(const char *folder, const struct record_file *file, struct error *err);

/* Removes the file if its bytes are as recorded; else it is somebody else's. */
enum recorded_state recorded_remove(const char *folder, const struct record_file *file, struct error *err);

/* The file of this name, or NULL where the record lists none. */
const struct record_file *record_file(const struct record *record, const char *name);
