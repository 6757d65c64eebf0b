#include "run/textures.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sheet/atlas.h"

/* Half a dozen 1024x1024 pictures with their mip levels. Models that share textures follow each other, so more
 * would not be used again: all of UFO:AI takes the same time with 16 MiB as with 96. While a large picture is
 * loaded it takes as much again as it keeps, and the worker is to stay well under 300 MB. */
enum { BUDGET_BYTES = 32 * 1024 * 1024 };

struct entry {
    char *path;
    char hash[33];
    struct texture texture;
    size_t texel_bytes;
    uint64_t last_used;
};

struct textures {
    struct renderer *renderer;
    struct assets *assets;
    struct entry *entries;
    size_t count, capacity;
    size_t texel_bytes;
    uint64_t clock;
};

struct textures *textures_new(struct renderer *renderer, struct assets *assets)
{
    struct textures *textures = must_alloc(1, sizeof *textures);
    textures->renderer = renderer;
    textures->assets = assets;
    return textures;
}

static void drop(struct textures *textures, size_t i)
{
    struct entry *entry = &textures->entries[i];
    renderer_drop_texture(textures->renderer, &entry->texture);
    textures->texel_bytes -= entry->texel_bytes;
    free(entry->path);
    *entry = textures->entries[--textures->count];
}

void textures_free(struct textures *textures)
{
    if (!textures)
        return;
    while (textures->count)
        drop(textures, textures->count - 1);
    free(textures->entries);
    free(textures);
}

static int load(struct textures *textures, const char *path, struct entry *entry, struct error *err)
{
    struct blob blob;
    struct image image;
    if (assets_read(textures->assets, path, &blob, err) < 0)
        return -1;
    atlas_hash(blob_bytes(&blob), entry->hash);
    int result = image_load(blob_bytes(&blob), &image, err);
    blob_release(&blob);
    if (result < 0)
        return error_add(err, "%s", path);
    result = renderer_add_texture(textures->renderer, &image, &entry->texture, err);
    entry->texel_bytes = (size_t)image.width * image.height * 4 * 4 / 3; /* with its mip levels */
    image_release(&image);
    return result < 0 ? error_add(err, "%s", path) : 0;
}

int textures_get(struct textures *textures, const char *path, struct texture *out, const char **hash,
                 struct error *err)
{
    struct entry *entry = NULL;
    for (size_t i = 0; i < textures->count && !entry; i++)
        if (!strcmp(textures->entries[i].path, path))
            entry = &textures->entries[i];
    if (!entry) {
        struct entry fresh = {0};
        if (load(textures, path, &fresh, err) < 0)
            return -1;
        fresh.path = must_strdup(path);
        textures->entries =
            must_grow(textures->entries, textures->count, &textures->capacity, sizeof *textures->entries);
        entry = &textures->entries[textures->count++];
        *entry = fresh;
        textures->texel_bytes += entry->texel_bytes;
    }
    entry->last_used = ++textures->clock;
    *out = entry->texture;
    *hash = entry->hash;
    return 0;
}

void textures_trim(struct textures *textures)
{
    while (textures->texel_bytes > BUDGET_BYTES) {
        size_t oldest = 0;
        for (size_t i = 1; i < textures->count; i++)
            if (textures->entries[i].last_used < textures->entries[oldest].last_used)
                oldest = i;
        drop(textures, oldest);
    }
}
