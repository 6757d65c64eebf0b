/* A growing list of owned strings. A zeroed struct is an empty list. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct strings {
    char **items;
    size_t count, capacity;
};

void strings_add(struct strings *strings, const char *text);
void strings_add_new(struct strings *strings, const char *text); /* unless it is there */
void strings_add_all(struct strings *strings, const struct strings *others);
void strings_printf(struct strings *strings, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool strings_has(const struct strings *strings, const char *text);
void strings_sort(struct strings *strings); /* by byte value */
bool strings_has_sorted(const struct strings *strings, const char *text);
int strings_compare(const void *a, const void *b); /* of what begins with a text: for qsort and bsearch */
void strings_release(struct strings *strings);

/* Items of an array, of `size` bytes each, that begin with a text: words are such items, too. The text of item `i`, and the
 * first item that begins with this one; NULL: none. */
static inline const char *named_at(const void *items, size_t i, size_t size)
{
    return *(const char *const *)((const char *)items + i * size);
}
void *named_find(const void *items, size_t count, size_t size, const char *name, bool ignore_case);

/* The letter in lower case, if it is one of ASCII's capitals, whatever the locale. */
static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The rest of a joint's or clip's name, without what exporters put in front: "Hips" of "mixamorig:Hips", of
 * "Armature|Hips". */
const char *name_without_prefix(const char *name);

/* The text, of such items, nearest to `word` when it is near enough to be a slip of the keyboard (an edit distance, counting a swap
 * of neighbours as one, of at most a third of the word's length and at least 1), else NULL. Case does not count, nor what
 * exporters put in front: "mixamorig:", "Armature|", "Bone.". For messages such as "unknown key 'modle', did you mean 'model'?". */
#define strings_nearest(word, items, count) named_nearest((word), (items), (count), sizeof *(items))
const char *named_nearest(const char *word, const void *items, size_t count, size_t size);
