/* Values out of a YAML tree: typed, in range, or a problem that says what was found and what is allowed.
 *
 *     if (!read_keys(reader, node, "a camera", keys, count))     a mapping, with no key but these
 *         return;
 *     read_f32(reader, node, "pitch", (struct range){-90, 90}, &camera->pitch_deg);
 *
 * Functions that take a key return true when the mapping has it and its value is good, and only then write to
 * *out; a key that is not there is no problem. Text lives as long as the tree. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "job/yaml.h"

struct job_places;
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct presets;

struct reader {
    struct arena *arena; /* for what is made out of the tree, such as arrays */
    struct problems *problems;
    const struct job_places *places; /* NULL: files are at their paths */
    /* Of the settings of a job (job/settings.h). */
    const struct presets *presets; /* what they can name */
    bool of_job;                   /* they are the job's own, not `defaults` */
};

struct range {
    double least, most; /* inclusive */
};

/* "<expectation>, found the text 'abc'". */
void reader_expected(const struct reader *reader, const struct node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "no camera is called 'frnt', did you mean 'front'?", or which there are when none is near and they are few. */
void reader_unknown(const struct reader *reader, const struct node *node, const char *what,
                    const char *const *names, size_t name_count);

/* Whether `node` is a mapping; keys that are not among `keys` are problems, with the nearest one suggested. */
bool read_keys(const struct reader *reader, const struct node *node, const char *what, const char *const *keys,
               size_t key_count);

/* Whether the mapping, of a `what` ("a job"), has the key. Where not, that is a problem, unless one of its keys is
 * likely to mean this one: read_keys has reported that one. */
bool read_needed(const struct reader *reader, const struct node *map, const char *what, const char *key);

/* The values of a list; anything but a list counts as a list of one where that is allowed. */
struct node_list {
    const struct node *const *items;
    size_t count;
};
struct node_list node_one_or_many(const struct node *const *value);

/* One value, whose `name` is used in messages ("'pitch'", "a colour channel"). */
bool node_is_number(const struct node *node, double *out);
bool read_number(const struct reader *reader, const struct node *node, const char *name, struct range range,
                 double *out);
bool read_integer(const struct reader *reader, const struct node *node, const char *name, struct range range,
                  uint32_t *out);
bool read_text(const struct reader *reader, const struct node *node, const char *name, const char **out);

/* One of `words`; *out is its index. */
bool read_one_word(const struct reader *reader, const struct node *node, const char *name,
                   const char *const *words, size_t word_count, unsigned *out);

/* One or a list of `words`, which are each a `what`; *out has a bit `1 << index` for each. */
bool read_flags(const struct reader *reader, const struct node *node, const char *what, const char *const *words,
                size_t word_count, uint32_t *out);

/* The value of a key. */
bool read_f32(const struct reader *reader, const struct node *map, const char *key, struct range range,
              float *out);
bool read_u32(const struct reader *reader, const struct node *map, const char *key, struct range range,
              uint32_t *out);
bool read_bool(const struct reader *reader, const struct node *map, const char *key, bool *out);
bool read_string(const struct reader *reader, const struct node *map, const char *key, const char **out);

/* '#rrggbb', or a list of 0..255. Three or, `with_alpha`, three or four channels; alpha is 255 where it is not
 * given. */
bool read_color(const struct reader *reader, const struct node *node, const char *name, bool with_alpha,
                uint8_t out[4]);

/* A list of exactly three numbers. */
bool read_vec3(const struct reader *reader, const struct node *map, const char *key, struct range range,
               float out[3]);

bool read_word(const struct reader *reader, const struct node *map, const char *key, const char *const *words,
               size_t word_count, unsigned *out);
