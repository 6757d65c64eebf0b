/* Files of an output folder against what the JSON beside them records (sheet/record.h). */
#ifndef RUN_RECORDED_H
#define RUN_RECORDED_H

#include "sheet/record.h"

/* A JSON of ten thousand frames has some 5 MB. */
enum { RECORDED_MAX_JSON = 256 * 1024 * 1024 };

/* The record in the JSON at `path`; as record_load. A file that cannot be read is RECORD_NONE when it is not
 * there, else RECORD_BROKEN. */
enum record_kind recorded_load(const char *path, struct record *out, struct error *err);

enum recorded_state {
    RECORDED_SAME,
    RECORDED_MISSING,
    RECORDED_CHANGED,    /* other bytes, or no regular file */
    RECORDED_UNREADABLE, /* *err says why */
};

enum recorded_state recorded_check(const char *folder, const struct record_file *file, struct error *err);

/* Whether the record lists a file of this name. */
bool recorded_has(const struct record *record, const char *name);

#endif
