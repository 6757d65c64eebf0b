#include "base/strings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

enum { NEAREST_LONGEST = 48 }; /* no key is longer */

void strings_add(struct strings *strings, const char *text)
{
    *MUST_ADD(strings->items, strings->count, strings->capacity) = must_strdup(text);
}

void strings_add_all(struct strings *strings, const struct strings *others)
{
    for (size_t i = 0; i < others->count; i++)
        strings_add(strings, others->items[i]);
}

void strings_printf(struct strings *strings, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = must_vprintf(format, args);
    va_end(args);
    *MUST_ADD(strings->items, strings->count, strings->capacity) = text;
}

void *named_find(const void *items, size_t count, size_t size, const char *name, bool ignore_case)
{
    const char *item = items;
    for (size_t i = 0; i < count; i++, item += size)
        if (!(ignore_case ? strcasecmp : strcmp)(*(const char *const *)item, name))
            return (void *)item;
    return NULL;
}

bool strings_has(const struct strings *strings, const char *text)
{
    return named_find(strings->items, strings->count, sizeof *strings->items, text, false);
}

void strings_add_new(struct strings *strings, const char *text)
{
    if (!strings_has(strings, text))
        strings_add(strings, text);
}

int strings_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void strings_sort(struct strings *strings)
{
    SORT(strings->items, strings->count, strings_compare);
}

bool strings_has_sorted(const struct strings *strings, const char *text)
{
    return strings->count &&
           bsearch(&text, strings->items, strings->count, sizeof *strings->items, strings_compare);
}

void strings_release(struct strings *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(strings->items[i]);
    free(strings->items);
    *strings = (struct strings){0};
}

static bool is_same_letter(char a, char b)
{
    return ascii_lower(a) == ascii_lower(b);
}

/* The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][NEAREST_LONGEST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];

    for (size_t j = 0; j <= b_length; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t shorter = above[j] < row[j - 1] ? above[j] : row[j - 1];
            size_t replaced = above[j - 1] + !is_same_letter(a[i - 1], b[j - 1]);
            row[j] = shorter + 1 < replaced ? shorter + 1 : replaced;
            bool swapped =
                i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) && is_same_letter(a[i - 2], b[j - 1]);
            if (swapped && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_length];
}

const char *name_without_prefix(const char *name)
{
    const char *bare = name;
    for (const char *at = name; *at; at++)
        if ((*at == ':' || *at == '|') && at[1])
            bare = at + 1;
    return bare;
}

static const char word_marks[] = " -._|:/";

/* Whether two names differ only in case, and in what is neither a letter nor a digit: "hand_r" and "Hand.R". */
static bool is_same_word(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, word_marks);
        b += strspn(b, word_marks);
        if (!*a || !*b || !is_same_letter(*a, *b))
            return !*a && !*b;
    }
}

/* Whether the candidate is the word, or ends with it behind a mark: "Bone.Head3" with "Head3". */
static bool ends_with_word(const char *candidate, const char *word)
{
    bool is_found = is_same_word(candidate, word);
    for (const char *at = candidate; !is_found && *at && strlen(word) > 2; at++)
        is_found = strchr(word_marks, *at) && is_same_word(at, word);
    return is_found;
}

const char *named_nearest(const char *word, const void *items, size_t count, size_t size)
{
    word = name_without_prefix(word);
    size_t length = strlen(word);
    if (length > NEAREST_LONGEST)
        return NULL;
    size_t best_distance = length / 3 > 1 ? length / 3 : 1;
    const char *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *candidate = name_without_prefix(named_at(items, i, size));
        size_t candidate_length = strlen(candidate);
        if (candidate_length > NEAREST_LONGEST)
            continue;
        size_t distance =
            ends_with_word(candidate, word) ? 0 : edit_distance(word, length, candidate, candidate_length);
        if (distance < best_distance || (distance == best_distance && !best)) {
            best_distance = distance;
            best = named_at(items, i, size);
        }
    }
    return best;
}
