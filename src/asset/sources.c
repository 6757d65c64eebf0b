#include "asset/sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void sources_add(struct sources *sources, const char *path, const char *hash)
{
    for (size_t i = 0; i < sources->count; i++)
        if (!strcmp(sources->items[i].path, path))
            return;
    sources->items = must_grow(sources->items, sources->count, &sources->capacity, sizeof *sources->items);
    struct source *source = &sources->items[sources->count++];
    source->path = must_strdup(path);
    memcpy(source->hash, hash, HASH_SIZE);
}

void sources_add_file(struct sources *sources, const char *path, struct bytes bytes)
{
    char hash[HASH_SIZE];
    hash_bytes(bytes, hash);
    sources_add(sources, path, hash);
}

void sources_release(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        free(sources->items[i].path);
    free(sources->items);
    *sources = (struct sources){0};
}
