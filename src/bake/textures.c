#include "bake/textures.h"

#include <stdlib.h>
#include <string.h>

#include "image/image_program.h"
#include "base/memory.h"

/* Half a dozen 1024x1024 pictures with their mip levels. Models that share textures follow each other, so more
 * would not be used again: all of UFO:AI takes the same time with 16 MiB as with 96. While a large picture is
 * loaded it takes as much again as it keeps, and the worker is to stay well under 300 MB. */
enum { BUDGET_BYTES = 32 * 1024 * 1024 };

/* A small one costs the driver more than its texels say, so they are counted, too. The models with the most parts
 * name some dozens. */
enum { MOST_KEPT = 256 };

/* What one job may have at a time: 48 pictures of 2048x2048 with their mip levels. */
#define JOB_MOST_BYTES ((size_t)1 << 30)

struct kept_texture {
    char *program;
    enum mipmap_kind kind;
    struct trace trace; /* of its making */
    struct texture texture;
    size_t texel_bytes;
    uint64_t last_used;
};

struct textures {
    struct renderer *renderer;
    struct assets *assets;
    struct kept_texture *entries;
    size_t count, capacity;
    size_t texel_bytes;
    uint64_t clock;
    uint64_t job_start; /* entries used later are of the job under way, */
    size_t job_bytes;   /* and have so many bytes */
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
    struct kept_texture *entry = &textures->entries[i];
    renderer_drop_texture(textures->renderer, &entry->texture);
    textures->texel_bytes -= entry->texel_bytes;
    free(entry->program);
    trace_release(&entry->trace);
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

static struct kept_texture *add(struct textures *textures, const char *program, enum mipmap_kind kind,
                                struct error *err)
{
    struct kept_texture fresh = {.program = must_strdup(program), .kind = kind};
    struct image image;
    struct trace *trace = assets_trace(textures->assets, &fresh.trace);
    int result = image_program_load(textures->assets, program, &image, err);
    assets_trace(textures->assets, trace);
    if (result == 0) {
        result = renderer_add_texture(textures->renderer, &image, kind, &fresh.texture, err);
        if (result < 0)
            error_add(err, "%s", program);
        fresh.texel_bytes = (size_t)image.width * image.height * 4 * 4 / 3; /* with its mip levels */
        image_release(&image);
    }
    if (result < 0) {
        free(fresh.program);
        trace_release(&fresh.trace);
        return NULL;
    }
    textures->entries =
        must_grow(textures->entries, textures->count, &textures->capacity, sizeof *textures->entries);
    struct kept_texture *entry = &textures->entries[textures->count++];
    *entry = fresh;
    textures->texel_bytes += entry->texel_bytes;
    return entry;
}

int textures_get(struct textures *textures, const char *program, enum mipmap_kind kind, struct texture *out,
                 struct error *err)
{
    struct kept_texture *entry = NULL;
    for (size_t i = 0; i < textures->count && !entry; i++)
        if (textures->entries[i].kind == kind && !strcmp(textures->entries[i].program, program))
            entry = &textures->entries[i];
    if (!entry && !(entry = add(textures, program, kind, err)))
        return -1;
    /* Counted per job, not by what the cache holds: whether a job fails must not depend on the jobs before it. */
    if (entry->last_used <= textures->job_start) {
        textures->job_bytes += entry->texel_bytes;
        if (textures->job_bytes > JOB_MOST_BYTES)
            return error_set(err,
                             "%.300s: with this picture those of the job take %zu MiB, at most %zu are allowed",
                             program, textures->job_bytes >> 20, JOB_MOST_BYTES >> 20);
    }
    entry->last_used = ++textures->clock;
    *out = entry->texture;
    assets_note_all(textures->assets, &entry->trace);
    return 0;
}

void textures_trim(struct textures *textures)
{
    while (textures->texel_bytes > BUDGET_BYTES || textures->count > MOST_KEPT) {
        size_t oldest = 0;
        for (size_t i = 1; i < textures->count; i++)
            if (textures->entries[i].last_used < textures->entries[oldest].last_used)
                oldest = i;
        drop(textures, oldest);
    }
    textures->job_start = textures->clock;
    textures->job_bytes = 0;
}
