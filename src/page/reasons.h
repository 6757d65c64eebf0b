/* Why a page has to be made: what has changed since its record was written. A page that is up to date has no reasons. */
#pragma once

#include <stddef.h>

#include "page/record.h"

/* Of each, `subject` names what it is about; `was` is how the record has it and `is` how it is now; `place` is where the list
 * says so, or NULL. */
enum reason_kind {
    REASON_NEW,      /* there is no record of it. No subject */
    REASON_BROKEN,   /* the record `subject` cannot be read, because of `is` */
    REASON_EDITED,   /* the description `subject` was changed by somebody else */
    REASON_OWNER,    /* the JSON `subject` was made for another job, `was` */
    REASON_FILE,     /* the file `subject` had another size; `is` NULL: it is missing */
    REASON_PARTS,    /* of a packed or trimmed sheet there were so many, and are so many. No subject */
    REASON_RULE,     /* what the rule `subject` judges was not measured when it was made */
    REASON_FORCED,   /* --force. No subject */
    REASON_OUTPUT,   /* made by a version whose sheets come out differently. No subject */
    REASON_RENDERER, /* `subject`: name, backend, library, processor or program */
    REASON_LIBRARY,  /* the build of this library; NULL: it is not, or was not, used */
    REASON_SETTING, /* a key of the job, or what the list says of it: "cameras[compass].pitch"; NULL: it is not, or was
                        not, there */
    REASON_GROUP,    /* the group that the job is framed with: `is` says what happened to it */
    REASON_INPUT,    /* the bytes of this asset; `is` NULL: it is gone */
    REASON_LOOKUP,   /* a path that was looked for, and what it led to; NULL: nothing */
    REASON_LISTED,   /* the files that match this pattern, by their hash; NULL: none. Where none did, `is` is the
                        first */
    REASON_DECLARED, /* "KIND NAME", and the file that declares it; NULL: none */
    REASON_ASSETS,   /* the list's assets, or a folder of them, cannot be opened: `is` */
    REASON_MISSING,  /* it cannot be made: the job names what is not in the assets, `is` */
    REASON_USE,      /* this asset is read now (`was` NULL), or no longer (`is` NULL): between two records */
};

struct reason {
    enum reason_kind kind;
    char *subject, *was, *is, *place;
};

struct reasons {
    struct reason *items;
    size_t count, capacity;
};

/* Texts are copied; NULL where there are none. */
void reasons_add(struct reasons *reasons, enum reason_kind kind, const char *subject, const char *was,
                 const char *is);
void reasons_copy(struct reasons *to, const struct reasons *from);
void reasons_release(struct reasons *reasons);

/* Adds what draws and writes pages and is not as it was: each library that is another build, came or went, and all
 * else as a whole. */
void reasons_add_renderer(struct reasons *reasons, const struct record *was, const struct record *expected);

/* Adds each setting that is not as it was: of a key, in the words of the list where these differ, or else as numbers. And
 * the group. */
void reasons_add_settings(struct reasons *reasons, const struct record *was, const struct record *is);

/* Adds the differences between two records that decide about a page's files, the most specific first: inputs, what is
 * declared and found elsewhere, settings, which inputs are used, the group, the renderer, the output version. */
void reasons_compare(struct reasons *reasons, const struct record *was, const struct record *is);

/* Returns a text for people: "input models/grunt.md2 changed", "camera compass: pitch 30 -> 35 (jobs/orcs.yaml:8)". The
 * caller frees it. */
char *reason_text(const struct reason *reason);

/* Returns the text of the first, which there must be, and how many more there are: "input models/grunt.md2 changed (and 2
 * more)". The caller frees it. */
char *reasons_text(const struct reasons *reasons);

/* Returns the name for programs: "input". */
const char *reason_name(enum reason_kind kind);
