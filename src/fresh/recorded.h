/* Files of an output folder against what the record beside them says (fresh/record.h). */
#ifndef FRESH_RECORDED_H
#define FRESH_RECORDED_H

#include "fresh/record.h"

enum record_kind {
    RECORD_NONE,   /* there is no such file */
    RECORD_GOOD,   /* *out is the caller's to release */
    RECORD_BROKEN, /* it cannot be read, or is not as it was written: *err says why */
};

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
