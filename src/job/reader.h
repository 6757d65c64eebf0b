/* Values out of a YAML tree: typed, in range, or a problem that says what was found and what is allowed.
 *
 *     if (!read_keys(reader, node, "a camera", keys, count))     a mapping, with no key but these
 *         return;
 *     read_number(reader, node_get(node, "pitch"), "'pitch'", (struct range){-90, 90}, &pitch_deg);
 *
 * job/rows.h does so for each key of a table. Functions return true when the value is good; else *out may be
 * half written, and the list fails; `name` is what messages call it ("'pitch'", "a time"). Text lives as long as the tree. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "job/yaml.h"

struct presets;

struct reader {
    struct arena *arena; /* for what is made out of the tree, such as arrays */
    struct problems *problems;
    const struct job_places *places; /* NULL: files are at their paths */
    struct bytes text;               /* of the list itself, as in job_options */
    struct presets *presets;         /* what settings can name (job/settings.h) */
    bool of_job;                     /* settings are the job's own, not `defaults` */
    /* The mappings that know a key, such as "'sheet' or 'fit'", which the caller frees; NULL: none does. */
    char *(*homes)(const char *key);
};

struct range {
    double least, most; /* inclusive */
};

/* "<expectation>, found the text 'abc'". */
void reader_expected(const struct reader *reader, const struct node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "no camera is called 'frnt'; did you mean 'front'?", or which there are when none is near and they are few. */
#define reader_unknown(reader, node, what, items, count)                                                          \
    reader_unknown_named((reader), (node), (what), (items), (count), sizeof *(items))
void reader_unknown_named(const struct reader *reader, const struct node *node, const char *what,
                          const void *items, size_t count, size_t size);

/* Whether `node` is a mapping; keys that are not among `keys` are problems, with the nearest one suggested. */
bool read_keys(const struct reader *reader, const struct node *node, const char *what, const char *const *keys,
               size_t key_count);

/* The values of a list; anything but a list counts as a list of one where that is allowed. */
struct node_list {
    const struct node *const *items;
    size_t count;
};
struct node_list node_one_or_many(const struct node *const *value);

bool node_is_number(const struct node *node, double *out);
bool node_is_word(const struct node *node, const char *word);

bool read_number(const struct reader *reader, const struct node *node, const char *name, struct range range,
                 double *out);
bool read_integer(const struct reader *reader, const struct node *node, const char *name, struct range range,
                  uint32_t *out);
bool read_bool(const struct reader *reader, const struct node *node, const char *name, bool *out);
bool read_text(const struct reader *reader, const struct node *node, const char *name, const char **out);

/* '#rrggbb', or a list of 0..255. Three or, `with_alpha`, three or four channels; alpha is 255 where it is not
 * given. */
bool read_color(const struct reader *reader, const struct node *node, const char *name, bool with_alpha,
                uint8_t out[4]);

/* One of `words`; *out is its index. */
bool read_one_word(const struct reader *reader, const struct node *node, const char *name,
                   const char *const *words, size_t word_count, unsigned *out);

/* One or a list of `words`, which are each a `what`; *out has a bit `1 << index` for each. */
bool read_flags(const struct reader *reader, const struct node *node, const char *what, const char *const *words,
                size_t word_count, uint32_t *out);
