/* A trace: every question that was asked of the assets for one purpose, with its answer. Where the questions have the
 * same answers as before, a page would come out as before (page/record.h).
 *
 * assets_trace sets the trace in which look-ups are noted. A texture or the framing of a group is made once and used for
 * several jobs. It keeps a trace of its own, which is added to that of each job that uses it: a record does not depend
 * on what its worker did before. A zeroed struct is an empty trace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

enum look_up_kind {
    LOOK_READ,     /* a path as found -> the hash of the file's bytes, or TRACE_UNREADABLE */
    LOOK_PACKED,   /* the same path, of a file in an archive -> the hash of its packed bytes (asset/archive.h) */
    LOOK_FOUND,    /* a path as asked for -> as found */
    LOOK_ABSENT,   /* a path that led nowhere -> NULL */
    LOOK_LISTED,   /* a pattern -> the hash of what matched, which may be nothing */
    LOOK_DECLARED, /* a name in an index of declarations -> see material/declaration_index.h */
};

/* Stands for the hash of a file that is there and cannot be read. No file has this hash. */
#define TRACE_UNREADABLE "00000000000000000000000000000000"

struct look_up {
    enum look_up_kind kind;
    const char *name, *value;
};

struct trace {
    struct arena arena;
    struct look_up *items; /* in the order in which they were first noted, each kind and name once */
    size_t count, capacity;
    const char *changed; /* the first name that later had another answer: a file was changed meanwhile; or NULL */
    /* Why answers may be wrong, or NULL: the first folder that could not be listed, or file that could not be read. */
    const char *trouble;
    bool has_hashes_only; /* set before anything is noted: of files and packed bytes, so that each is read once */
    void *tree; /* of tsearch, by kind and name: hostile files can name much, and choose names for any hash */
};

/* These note nothing where `trace` is NULL, and the second nothing where `trouble` is. */
void trace_note(struct trace *trace, enum look_up_kind kind, const char *name, const char *value);
void trace_note_trouble(struct trace *trace, const char *trouble);
void trace_add(struct trace *trace, const struct trace *other);

const struct look_up *trace_find(const struct trace *trace, enum look_up_kind kind, const char *name);

/* Whether something was asked, and each answer was had: what was not found is not there. */
bool trace_is_sure(const struct trace *trace);
void trace_release(struct trace *trace);
