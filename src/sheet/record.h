/* What a page was made of, as its JSON says under meta.sheetbake: enough to tell, without making it, whether it
 * would come out alike today, and whether its files are still those that were written. docs/formats.md lists the
 * fields.
 *
 * The same struct is filled to write a page (sheet/atlas.h) and when one is read. Reading looks at the record
 * alone, not at the frames, and only in the form that we write: a JSON that another program has formatted anew is
 * broken. */
#ifndef SHEET_RECORD_H
#define SHEET_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

/* Raised whenever the same inputs give other bytes than with the release before. */
#define OUTPUT_VERSION 2
#define OUTPUT_VERSION_TEXT "2" /* where other formats have the version of a program */

/* Parsing takes some 25 times the memory, and whoever could write into the output folder may have left anything there. Ten
 * thousand inputs take 1 MiB; what is larger than this is broken. */
enum { RECORD_MOST_TEXT = 16 * 1024 * 1024 };

struct record_pair {
    const char *name, *value;
};

/* Sorted by name, by byte value; each name once. */
struct record_pairs {
    const struct record_pair *items;
    size_t count;
};

/* A file beside the JSON. The name is that of a plain file in the JSON's own folder. */
struct record_file {
    const char *name;
    uint64_t bytes;
    const char *hash;
};

/* Hashes are XXH3-128 in 32 hexadecimal digits (base/hash.h). */
struct record {
    struct arena arena; /* of a record that was read; of one to be written whatever its maker likes */

    const char *list, *job;              /* names */
    uint32_t page, page_count;           /* counted over all sheets of the job */
    uint32_t part, part_count;           /* a packed or trimmed sheet is one page of the job, in parts with a JSON each:
                                            which one this is, of how many; 0 of 1 for others */
    uint32_t output;                     /* OUTPUT_VERSION of the program that made it */
    const char *backend, *cpu, *library, *program; /* what drew and wrote it (render/fingerprint.h) */

    struct record_pairs settings; /* the job after defaults: the key in docs/jobs.md, and its value as text */
    const char *group;            /* hash of the settings of all jobs framed together, or NULL */

    /* How look-ups in the assets ended (asset/trace.h). */
    struct record_pairs inputs;   /* path -> hash of its bytes */
    struct record_pairs found;    /* path as looked for -> as found, where these differ or it was not read */
    struct record_pairs listed;   /* pattern -> hash of what matched */
    struct record_pairs declared; /* "KIND NAME" -> the file that declares it, or NULL: none */
    const char *const *absent;    /* looked for and not found; sorted, each once */
    size_t absent_count;

    const struct record_file *files; /* every other file of the page; sorted by name */
    size_t file_count;

    /* Read only; a JSON has them without its record's help. */
    bool is_intact; /* the JSON has not changed since it was written */
    const char *const *warnings; /* about the job */
    size_t warning_count;
};

enum record_kind {
    RECORD_NONE,   /* nothing of ours: no JSON, or that of another program or kind */
    RECORD_GOOD,   /* *out is the caller's to release */
    RECORD_BROKEN, /* a page's JSON whose record is not there or cannot be trusted: *err says why */
};

enum record_kind record_load(struct bytes json, struct record *out, struct error *err);
void record_release(struct record *record);

/* Puts the hash of a page's JSON, which has a record, into its place: the last thing done to the file. */
void record_seal(struct blob *json);

/* The value under a name, or NULL where there is none; a name in `declared` may have none. */
const struct record_pair *record_find(const struct record_pairs *pairs, const char *name);

#endif
