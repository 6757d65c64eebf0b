/* Allocation. A size that a file claims goes through the functions that can fail. The must_ functions end the process when
 * memory is out: they are for small things whose size the program decides, and for what takes no more than a small multiple
 * of bytes that are in memory already, such as a copy of a name or an item for each one that was read. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The number of items of an array. */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Sorts an array, which may be empty: then it may be NULL, which qsort does not take. */
#define SORT(items, count, compare) ((count) ? qsort((items), (count), sizeof *(items), (compare)) : (void)0)

/* The number of items of a sorted array that come before the key. */
size_t sorted_place(const void *items, size_t count, size_t size, const void *key,
                    int (*compare)(const void *item, const void *key));

int doubles_compare(const void *a, const void *b); /* for SORT; none is NaN */

/* `handle` is called with the bytes asked for when memory is out, before anything else: a worker ends there. NULL: none. */
void memory_on_failure(void (*handle)(void *context, size_t size), void *context);

/* Call this when a library says that memory is out; 0: it does not say how much it asked for. */
void memory_failed(size_t size);

/* Sets the bytes, as --memory or the machine allows, above which memory_check fails; 0: it never does. */
void memory_allow(uint64_t most);

/* Whether this process may take so many bytes: to be asked before it reads what is large. */
int memory_check(uint64_t bytes, struct error *err);

/* Has memory that is written from end to end come in pages of 2 MiB, where the kernel has them: a quarter of the time of a
 * large picture goes into pages of 4 KiB. */
void memory_use_large_pages(void *memory, size_t size);

/* count * size zeroed bytes from malloc; NULL and an error on overflow or when memory is out. A count of 0
 * gives a pointer that can be freed but not read. */
void *memory_alloc(size_t count, size_t size, struct error *err);

void *must_alloc(size_t count, size_t size); /* zeroed */
void *must_realloc(void *old, size_t count, size_t size);
char *must_strdup(const char *text);
char *must_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *must_vprintf(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* Makes room for one more item in a growing array: returns `items`, moved where needed, with
 * *capacity > count afterwards. */
void *must_grow(void *items, size_t count, size_t *capacity, size_t item_size);

/* The place of one more item of a growing array, whose count and capacity these are; the caller fills it. */
#define MUST_ADD(items, count, capacity)                                                                          \
    ((items) = must_grow((items), (count), &(capacity), sizeof *(items)), &(items)[(count)++])

/* Stands before a variable of a function, which is initialised: what the pointer is to, or what the struct holds, is freed where
 * the scope of the variable ends, whichever way. Who hands it on puts NULL, or an empty struct, in its place. */
#define SCOPED __attribute__((cleanup(pointer_free)))
#define SCOPED_BY(release) __attribute__((cleanup(release)))

static inline void pointer_free(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

/* An arena: many allocations, one release. A zeroed struct is an empty arena. */
struct arena {
    struct arena_block *blocks;
};

/* Zeroed, aligned to 16 bytes. NULL and an error on overflow or when memory is out. */
void *arena_alloc(struct arena *arena, size_t count, size_t size, struct error *err);

/* The same, as the must_ functions. Strings come back NUL-terminated. */
void *arena_must_alloc(struct arena *arena, size_t count, size_t size);
void *arena_copy(struct arena *arena, const void *items, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_take(struct arena *arena, char *text); /* a copy of what malloc gave, which it frees */
char *arena_strndup(struct arena *arena, const char *text, size_t length); /* stops at a NUL within length */
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Moves all of `from` into `into`, which releases it. */
void arena_join(struct arena *into, struct arena *from);

/* The bytes that it holds. */
size_t arena_size(const struct arena *arena);

void arena_release(struct arena *arena);
