/* The keys of a mapping as rows: what each is called, what it takes, and where in a struct that goes.
 *
 *     static const struct setting sheet_rows[] = {
 *         {"padding", SETTING_WHOLE(struct sheet_settings, padding, 0, 1024)},
 *         {"trim", SETTING_BOOL(struct sheet_settings, trim)},
 *         {0},
 *     };
 *
 * The same rows read the mapping (rows_read), write what was read into the records of pages (rows_record), and are
 * compared with docs/jobs.md by tests/unit/test_settings.c. So a new key is a member and its row. The test also
 * finds members without a row, in padding, too: each is a setting, a part of one (SETTING_PART), or a note
 * (SETTING_NOTE) that changes no picture and is not recorded.
 *
 * Where the struct that is read is not the one that is recorded (struct settings and struct job), the second is the
 * first member of the first. */
#pragma once

#include <stddef.h>

#include "job/reader.h"
#include "page/record.h"

/* Gathers settings: the names of keys, such as "sheet.padding" or "attach[0].scale", with values as text. */
struct recorder {
    struct arena *arena; /* has the texts */
    struct record_pair *items;
    size_t count, capacity;
    ptrdiff_t other; /* how far another struct is: plain values that both have are left out; 0: there is none */
    const struct record_pairs *others; /* unless NULL, its settings: they give the texts of what both have */
};

enum setting_kind {
    SETTING_KIND_PART, /* the row's neighbours record it; it may have a key */
    SETTING_KIND_NOTE,
    SETTING_KIND_BOOL,
    SETTING_KIND_WHOLE,
    SETTING_KIND_NUMBER,
    SETTING_KIND_COLOR,
    SETTING_KIND_WORD,
    SETTING_KIND_FLAGS,
    SETTING_KIND_TEXT,
    SETTING_KIND_NAMES,
    SETTING_KIND_MAPPING,
    SETTING_KIND_LIST,
    SETTING_KIND_CALL,
};

/* Both get the whole struct that the table is about. The second also gets the struct's name ("attach[0]", "" for the
 * job), which stands in front of the key. */
typedef void setting_read(const struct reader *reader, const struct node *node, void *whole);
typedef void setting_record(struct recorder *recorder, const char *prefix, const void *whole);
typedef void setting_check(const struct reader *reader, void *items, size_t count);

/* Forms of a value for the schema (schema.c), of rows whose own function reads it. `words` of the row count, too. */
enum setting_form {
    FORM_BOOL = 1,
    FORM_WHOLE = 2,
    FORM_NUMBER = 4,
    FORM_COLOR = 8,
    FORM_TEXT = 16,
    FORM_NAME = 32,      /* text, but no number */
    FORM_RUN = 64,       /* "40-45" */
    FORM_MAPPING = 128,  /* of `rows` */
    FORM_PAIRS = 256,    /* a mapping of any names to what the second of `rows` takes */
    FORM_LIST = 512,     /* or a list of what the others are, of so many `items` */
    FORM_IN_LIST = 1024, /* only such a list */
    FORM_ENDING = 2048,  /* text that ends in `ending` */
    FORM_PERCENT = 4096, /* "20 %" */
    FORM_EVENTS = 8192,  /* a mapping of any names to mappings of numbers to texts */
};

/* A word of a row that is no SETTING_WORD or SETTING_FLAGS stands for all 0: its first, such as `none`. */
struct setting {
    const char *key; /* NULL: of a member without a key of its own */
    enum setting_kind kind;
    size_t offset, size; /* of the member */
    size_t mark_offset;  /* of a member that gets the place of the value; 0: none */
    size_t has_offset;   /* of a member that says whether there is a value; 0: none */

    /* What a value may be. */
    struct range range; /* of numbers */
    const char *const *words;
    unsigned word_count;
    size_t times;       /* a list of so many in place of one; 0: one */
    bool takes_auto;    /* a number may be `auto`, which is 0, or: */
    float auto_is;      /* also of each in a list */
    bool is_percent;    /* a number may be followed by '%' */
    bool is_opaque;     /* a colour has no alpha */
    bool is_name;       /* text that a model is asked for, or a game gets */
    struct range items; /* of a list or of FORM_PAIRS: least and most; 0: any */
    const struct list_kind *list;
    size_t count_offset, item_size;
    const struct setting *rows; /* of a mapping, or of each item of a list */
    bool is_own;                /* such a mapping's rows are about the whole struct */
    const void *starts;         /* what a mapping changes where the member, or an item, is all 0 */
    bool is_anew;               /* nothing is left of what a level below says */
    unsigned forms;             /* enum setting_form; 0: as the kind has it */
    const char *ending;         /* of FORM_ENDING */
    const char *presets;        /* "cameras" or "lights", of which a text is the name of one */

    /* What it may be in the mapping of its neighbours. */
    bool is_needed;
    bool is_one_of, is_any_of; /* the mapping has exactly one, or at least one, of the rows so marked */
    bool is_short;             /* a value in place of the mapping is this row's ... */
    bool is_alone;             /* ... and ends what the others are */
    bool is_meant; /* a number in place of the mapping is a mistake, and likely to be meant for this key */
    const char *not_with[3], *only_with; /* keys */

    /* What messages say. */
    const char *noun; /* a flag ("pass"), or the value, if not by its key ("a sampling") */
    const char *
        expects; /* to a word (of one with a short row: to a list or nothing) in place of a mapping, or to what is no list or mapping of names */
    const char *needs; /* to an empty mapping */
    bool tells_first;  /* of `times` values, the first bad one alone is told */

    /* What records say. */
    const char *as;      /* the name, in place of the key */
    const char *without; /* where there is no value; NULL: nothing */
    bool is_unrecorded;
    bool is_new; /* only where it is not what it `starts` as, or 0: records from before the row are as good */

    setting_read *read;     /* in place of what the kind does; without one its caller reads a part or a note */
    setting_read *check;    /* judges a value, or each item of a list, once it is read */
    setting_record *record; /* in place of what the kind does, but for the items of a list */
    bool of_member;         /* its functions get the member, not the whole struct */
};

/* A list, or one item alone. Items start with the members of struct job_name: no two may have one
 * name, but for the empty one of an item that is a problem. */
struct list_kind {
    const char *noun;     /* "attachment" */
    const char *mend;     /* what a message about two of one name ends with, or NULL */
    bool minds_case;      /* "a" and "A" are two names */
    bool is_of_names;     /* an item is its name alone */
    size_t most;          /* items */
    setting_check *check; /* gets all items, or NULL */
};

/* The place of a member; does not compile where that is not of the type `wanted`. */
#define SETTING_IN(type, member, wanted)                                                                          \
    .offset = _Generic(((type *)0)->member, wanted : offsetof(type, member)), .size = sizeof((type *)0)->member
#define SETTING_MARK(type, member)                                                                                \
    .mark_offset = _Generic(((type *)0)->member, struct mark : offsetof(type, member))
#define SETTING_HAS(type, member) .has_offset = _Generic(((type *)0)->member, bool : offsetof(type, member))
#define SETTING_AT(type, member) .offset = offsetof(type, member), .size = sizeof((type *)0)->member

#define SETTING_BOOL(type, member) .kind = SETTING_KIND_BOOL, SETTING_IN(type, member, bool)
#define SETTING_WHOLE(type, member, least, most)                                                                  \
    .kind = SETTING_KIND_WHOLE, SETTING_IN(type, member, uint32_t), .range = {least, most}
#define SETTING_NUMBER(type, member, least, most)                                                                 \
    .kind = SETTING_KIND_NUMBER, SETTING_IN(type, member, float), .range = {least, most}
#define SETTING_DOUBLE(type, member, least, most)                                                                 \
    .kind = SETTING_KIND_NUMBER, SETTING_IN(type, member, double), .range = {least, most}
#define SETTING_VECTOR(type, member, least, most)                                                                 \
    .kind = SETTING_KIND_NUMBER, SETTING_IN(type, member, float *), .range = {least, most}, .times = 3,           \
    .tells_first = true
#define SETTING_COLOR(type, member) .kind = SETTING_KIND_COLOR, SETTING_IN(type, member, uint8_t *)
#define SETTING_TEXT(type, member) .kind = SETTING_KIND_TEXT, SETTING_IN(type, member, const char *)

#define SETTING_NAME(type, member) SETTING_TEXT(type, member), .is_name = true

/* One text or a list. */
#define SETTING_NAMES(type, member) .kind = SETTING_KIND_NAMES, SETTING_IN(type, member, struct patterns)

/* The words of an array. */
#define SETTING_WORDS(names) .words = names, .word_count = sizeof names / sizeof *names

/* An enum: the place of the word in the array. */
#define SETTING_WORD(type, member, names)                                                                         \
    .kind = SETTING_KIND_WORD, SETTING_IN(type, member, unsigned), SETTING_WORDS(names)

/* A bit for each word of the array. */
#define SETTING_FLAGS(type, member, names, what)                                                                  \
    .kind = SETTING_KIND_FLAGS, SETTING_IN(type, member, uint32_t), SETTING_WORDS(names), .noun = what

/* A struct with rows of its own; and a member that more rows about its struct set. */
#define SETTING_MAPPING(type, member, table) .kind = SETTING_KIND_MAPPING, SETTING_AT(type, member), .rows = table
#define SETTING_OWN(type, member, table) SETTING_MAPPING(type, member, table), .is_own = true

/* An array with rows for each item. Without `how` it is read from a mapping: the first row gets the name, the second the value. */
#define SETTING_LIST(type, member, count, table, how)                                                             \
    .kind = SETTING_KIND_LIST, SETTING_AT(type, member), .rows = table, .count_offset = offsetof(type, count),    \
    .item_size = sizeof *((type *)0)->member, .list = how

/* Anything else: one function reads it, another records it. */
#define SETTING_CALL(type, member, reads, records)                                                                \
    .kind = SETTING_KIND_CALL, SETTING_AT(type, member), .read = reads, .record = records

#define SETTING_PART(type, member) .kind = SETTING_KIND_PART, SETTING_AT(type, member)
#define SETTING_NOTE(type, member) .kind = SETTING_KIND_NOTE, SETTING_AT(type, member)

/* Reads the keys of a mapping, of a `what` ("a job"), into the struct; false where it is not a mapping. */
bool rows_read(const struct reader *reader, const struct node *map, const char *what, const struct setting *rows,
               void *whole);
void rows_record(struct recorder *recorder, const char *prefix, const struct setting *rows, const void *whole);

/* Reads the value of a row into the struct; `name` is what messages call it. False where it is not good. */
bool row_read(const struct reader *reader, const struct node *node, const struct setting *row, const char *name,
              void *whole);

/* The row that is short for a mapping of the rows. NULL: none. */
const struct setting *rows_short(const struct setting *rows);

/* Text that a model is asked for, or a game gets; `what` is "a socket". */
bool read_name(const struct reader *reader, const struct node *node, const char *what, const char **out);

/* Adds a problem for each name that is there before: "camera 'a' is twice in this list". Sorts the names. */
void check_different(const struct reader *reader, const struct list_kind *kind, struct job_name *names,
                     size_t count);

/* -- For functions that record ------------------------------------------------------------------------------ */

/* The name of an item: "attach[0]". */
const char *recorder_item(struct recorder *recorder, const char *name, size_t i);

/* The value is the arena's, or constant. A NULL is not recorded. */
void recorder_add(struct recorder *recorder, const char *prefix, const char *key, const char *value);

/* The value is copied. */
void recorder_add_text(struct recorder *recorder, const char *prefix, const char *key, const char *value);

/* Spells a number with as few digits as give the same number when read. */
const char *recorder_number(struct recorder *recorder, double number, bool is_float);
const char *recorder_color(struct recorder *recorder, const uint8_t color[4]);

/* The pairs that rows_record would add, as one text: "yaw: 30, pitch: 20". */
const char *rows_text(struct recorder *recorder, const struct setting *rows, const void *whole);
