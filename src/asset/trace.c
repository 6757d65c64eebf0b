#include "asset/trace.h"

#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare_look_ups(const void *a_item, const void *b_item)
{
    const struct look_up *a = a_item, *b = b_item;
    return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind) : strcmp(a->name, b->name);
}

const struct look_up *trace_find(const struct trace *trace, enum look_up_kind kind, const char *name)
{
    const struct look_up key = {.kind = kind, .name = name};
    const struct look_up *const *found = tfind(&key, &trace->tree, compare_look_ups);
    return found ? *found : NULL;
}

void trace_note(struct trace *trace, enum look_up_kind kind, const char *name, const char *value)
{
    if (!trace || (trace->has_hashes_only && kind != LOOK_READ && kind != LOOK_PACKED))
        return;
    const struct look_up *known = trace_find(trace, kind, name);
    if (known) {
        bool is_same = known->value && value ? !strcmp(known->value, value) : known->value == value;
        if (!trace->changed && !is_same)
            trace->changed = known->name;
        return;
    }
    struct look_up *item = must_alloc(1, sizeof *item);
    *item = (struct look_up){kind, arena_strdup(&trace->arena, name),
                             value ? arena_strdup(&trace->arena, value) : NULL};
    if (!tsearch(item, &trace->tree, compare_look_ups))
        abort(); /* out of memory */
    *MUST_ADD(trace->items, trace->count, trace->capacity) = *item;
}

void trace_note_trouble(struct trace *trace, const char *trouble)
{
    if (trace && trouble && !trace->trouble)
        trace->trouble = arena_strdup(&trace->arena, trouble);
}

void trace_add(struct trace *trace, const struct trace *other)
{
    if (!trace)
        return;
    trace_note_trouble(trace, other->trouble);
    if (other->changed && !trace->changed)
        trace->changed = arena_strdup(&trace->arena, other->changed);
    for (size_t i = 0; i < other->count; i++)
        trace_note(trace, other->items[i].kind, other->items[i].name, other->items[i].value);
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
    tdestroy(trace->tree, free);
    arena_release(&trace->arena);
    free(trace->items);
    *trace = (struct trace){0};
}
