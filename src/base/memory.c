#include "base/memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

size_t sorted_place(const void *items, size_t count, size_t size, const void *key,
                    int (*compare)(const void *item, const void *key))
{
    size_t first = 0;
    while (first < count) {
        const size_t middle = first + (count - first) / 2;
        if (compare((const char *)items + middle * size, key) < 0)
            first = middle + 1;
        else
            count = middle;
    }
    return first;
}

int doubles_compare(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

enum { LARGE_PAGE = 2 << 20 };

/* The first block of an arena is small: there may be many thousands that hold little. Each further one is twice as large. */
enum { ARENA_FIRST_BLOCK = 512, ARENA_BLOCK_SIZE = 16 * 1024, ARENA_ALIGNMENT = 16 };

struct arena_block {
    _Alignas(ARENA_ALIGNMENT) struct arena_block *next;
    size_t size, used; /* of the bytes that follow this header */
};

/* These are the process's, as memory is. */
static void (*on_failure)(void *context, size_t size);
static void *failure_context;
static uint64_t allowed;

void memory_on_failure(void (*handle)(void *context, size_t size), void *context)
{
    on_failure = handle;
    failure_context = context;
}

void memory_failed(size_t size)
{
    if (on_failure)
        on_failure(failure_context, size);
}

void memory_allow(uint64_t most)
{
    allowed = most;
}

int memory_check(uint64_t bytes, struct error *err)
{
    return !allowed || bytes <= allowed
               ? 0
               : error_set(err, "they take some %ju MiB of memory, and %ju MiB are allowed (--memory)",
                           (uintmax_t)(bytes >> 20), (uintmax_t)(allowed >> 20));
}

static void *fail_out_of_memory(size_t size)
{
    memory_failed(size);
    fputs("sheetbake: out of memory\n", stderr);
    abort();
}

void memory_use_large_pages(void *memory, size_t size)
{
    const size_t before = -(uintptr_t)memory % LARGE_PAGE;
    if (size >= before + LARGE_PAGE)
        madvise((char *)memory + before, (size - before) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
}

/* Takes the place of the C library's function, also for the libraries that draw: their pictures come in large pages. */
int posix_memalign(void **out, size_t alignment, size_t size)
{
    const bool is_large = size >= LARGE_PAGE && alignment < LARGE_PAGE;
    void *memory = memalign(is_large ? LARGE_PAGE : alignment, size);
    if (!memory)
        return ENOMEM;
    memory_use_large_pages(memory, size);
    *out = memory;
    return 0;
}

void *memory_alloc(size_t count, size_t size, struct error *err)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        error_set(err, "%zu items of %zu bytes are more than memory can hold", count, size);
        return NULL;
    }
    void *memory = calloc(1, total ? total : 1);
    if (!memory) {
        memory_failed(total);
        error_set(err, "out of memory asking for %zu bytes", total);
    } else
        memory_use_large_pages(memory, total);
    return memory;
}

void *must_alloc(size_t count, size_t size)
{
    struct error err;
    void *memory = memory_alloc(count, size, &err);
    return memory ? memory : fail_out_of_memory(count * size);
}

void *must_realloc(void *old, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return fail_out_of_memory(SIZE_MAX);
    void *memory = realloc(old, total ? total : 1);
    return memory ? memory : fail_out_of_memory(total);
}

char *must_strdup(const char *text)
{
    char *copy = strdup(text);
    return copy ? copy : fail_out_of_memory(strlen(text) + 1);
}

char *must_vprintf(const char *format, va_list args)
{
    char *text = NULL;
    return vasprintf(&text, format, args) >= 0 ? text : fail_out_of_memory(strlen(format));
}

char *must_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = must_vprintf(format, args);
    va_end(args);
    return text;
}

void *must_grow(void *items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity ? *capacity * 2 : 8;
    return must_realloc(items, *capacity, item_size);
}

void *arena_alloc(struct arena *arena, size_t count, size_t size, struct error *err)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total) || total > SIZE_MAX / 2) {
        error_set(err, "%zu items of %zu bytes are more than memory can hold", count, size);
        return NULL;
    }
    total = (total + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);

    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < total) {
        size_t block_size = block ? block->size * 2 : ARENA_FIRST_BLOCK;
        block_size = block_size < ARENA_BLOCK_SIZE ? block_size : ARENA_BLOCK_SIZE;
        block_size = block_size > total ? block_size : total;
        struct arena_block *fresh = memory_alloc(1, sizeof *fresh + block_size, err);
        if (!fresh)
            return NULL;
        fresh->size = block_size;
        /* A large request must not end the use of a block that still has room. */
        if (block && total > ARENA_BLOCK_SIZE) {
            fresh->next = block->next;
            block->next = fresh;
        } else {
            fresh->next = block;
            arena->blocks = fresh;
        }
        block = fresh;
    }
    void *memory = (unsigned char *)(block + 1) + block->used;
    block->used += total;
    return memory;
}

void *arena_must_alloc(struct arena *arena, size_t count, size_t size)
{
    struct error err;
    void *memory = arena_alloc(arena, count, size, &err);
    return memory ? memory : fail_out_of_memory(count * size);
}

void *arena_copy(struct arena *arena, const void *items, size_t count, size_t size)
{
    void *copy = arena_must_alloc(arena, count, size);
    if (count)
        memcpy(copy, items, count * size);
    return copy;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    length = strnlen(text, length);
    char *copy = arena_must_alloc(arena, length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_take(struct arena *arena, char *text)
{
    char *kept = arena_strdup(arena, text);
    free(text);
    return kept;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    char text[256]; /* most texts are short, and need no memory of their own on the way */
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof text)
        return arena_strndup(arena, text, sizeof text);
    va_start(args, format);
    char *longer = must_vprintf(format, args);
    va_end(args);
    return arena_take(arena, longer);
}

void arena_join(struct arena *into, struct arena *from)
{
    struct arena_block **end = &into->blocks;
    while (*end)
        end = &(*end)->next;
    *end = from->blocks;
    from->blocks = NULL;
}

size_t arena_size(const struct arena *arena)
{
    size_t size = 0;
    for (const struct arena_block *block = arena->blocks; block; block = block->next)
        size += block->size;
    return size;
}

void arena_release(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
