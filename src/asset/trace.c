#include "asset/trace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { FIRST_PLACES = 64 }; /* a power of two; the table is at most half full */

/* Where the look-up is in the table, or where it would go. */
static size_t *place_of(const struct trace *trace, enum look_up_kind kind, const char *name)
{
    uint64_t hash = hash_number((struct bytes){(const uint8_t *)name, strlen(name)}) + kind;
    size_t mask = trace->place_count - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        if (!trace->places[i])
            return &trace->places[i];
        const struct look_up *item = &trace->items[trace->places[i] - 1];
        if (item->kind == kind && !strcmp(item->name, name))
            return &trace->places[i];
    }
}

void trace_note(struct trace *trace, enum look_up_kind kind, const char *name, const char *value)
{
    if (2 * (trace->count + 1) > trace->place_count) {
        free(trace->places);
        trace->place_count = trace->place_count ? 2 * trace->place_count : FIRST_PLACES;
        trace->places = must_alloc(trace->place_count, sizeof *trace->places);
        for (size_t i = 0; i < trace->count; i++)
            *place_of(trace, trace->items[i].kind, trace->items[i].name) = i + 1;
    }
    size_t *place = place_of(trace, kind, name);
    if (*place) {
        const struct look_up *item = &trace->items[*place - 1];
        bool is_same = item->value && value ? !strcmp(item->value, value) : item->value == value;
        if (!trace->changed && !is_same)
            trace->changed = item->name;
        return;
    }
    trace->items = must_grow(trace->items, trace->count, &trace->capacity, sizeof *trace->items);
    trace->items[trace->count] = (struct look_up){kind, arena_strdup(&trace->arena, name),
                                                  value ? arena_strdup(&trace->arena, value) : NULL};
    *place = ++trace->count;
}

void trace_note_trouble(struct trace *trace, const char *trouble)
{
    if (!trace->trouble)
        trace->trouble = arena_strdup(&trace->arena, trouble);
}

void trace_add(struct trace *trace, const struct trace *other)
{
    if (other->trouble)
        trace_note_trouble(trace, other->trouble);
    if (other->changed && !trace->changed)
        trace->changed = arena_strdup(&trace->arena, other->changed);
    for (size_t i = 0; i < other->count; i++)
        trace_note(trace, other->items[i].kind, other->items[i].name, other->items[i].value);
}

const struct look_up *trace_find(const struct trace *trace, enum look_up_kind kind, const char *name)
{
    size_t found = trace->count ? *place_of(trace, kind, name) : 0;
    return found ? &trace->items[found - 1] : NULL;
}

bool trace_is_sure(const struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        if (trace->items[i].kind == LOOK_READ && !strcmp(trace->items[i].value, TRACE_UNREADABLE))
            return false;
    return trace->count && !trace->trouble && !trace->changed;
}

void trace_release(struct trace *trace)
{
    arena_release(&trace->arena);
    free(trace->items);
    free(trace->places);
    *trace = (struct trace){0};
}
