#include "plan/model_cache.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT_MODELS = 256,
    KEPT_BYTES = 64 * 1024 * 1024,
};

struct model_cache {
    struct kept_model *first; /* the one used last */
};

struct model_cache *model_cache_new(void)
{
    return must_alloc(1, sizeof(struct model_cache));
}

void added_clip_release(struct added_clip *added)
{
    free(added->key);
    trace_release(&added->trace);
    strings_release(&added->warnings);
}

static void free_kept(struct kept_model *kept)
{
    model_file_release(&kept->file);
    for (size_t i = 0; i < kept->added_count; i++)
        added_clip_release(&kept->added[i]);
    free(kept->added);
    trace_release(&kept->opened);
    free((char *)kept->options.scene);
    free((char *)kept->options.skin);
    free(kept);
}

void model_cache_free(struct model_cache *cache)
{
    while (cache && cache->first) {
        struct kept_model *next = cache->first->next;
        free_kept(cache->first);
        cache->first = next;
    }
    free(cache);
}

void model_cache_trim(struct model_cache *cache)
{
    size_t count = 0, size = 0;
    for (struct kept_model **at = &cache->first; *at;) {
        struct kept_model *kept = *at;
        size += kept->size;
        if (++count <= KEPT_MODELS && size <= KEPT_BYTES) {
            at = &kept->next;
        } else {
            *at = kept->next;
            free_kept(kept);
        }
    }
}

static char *copy_or_null(const char *text)
{
    return text ? must_strdup(text) : NULL;
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool fits(const struct kept_model *kept, const char *path, const struct model_options *options)
{
    const struct model_options *own = &kept->options;
    return own->geometry == options->geometry && own->via == options->via && own->colors == options->colors &&
           !memcmp(&own->transform, &options->transform, sizeof own->transform) &&
           own->is_for_clips == options->is_for_clips && is_same_text(own->scene, options->scene) &&
           (!kept->file.model->format->has_skin_files || is_same_text(own->skin, options->skin)) &&
           !strcmp(kept->file.path, path);
}

int model_cache_open(struct model_cache *cache, struct assets *assets, const char *path,
                     const struct model_options *options, struct model_file *out, struct error *err)
{
    if (!cache)
        return model_file_open(assets, path, options, out, err);
    struct kept_model **at = &cache->first, *kept;
    while (*at && !fits(*at, path, options))
        at = &(*at)->next;
    if ((kept = *at)) {
        *at = kept->next;
        assets_set_openers(assets, model_picture_opener); /* as opening it would */
    } else {
        struct model_file file;
        struct trace opened = {0}, *asks = assets_trace(assets, &opened);
        int result = model_file_open(assets, path, options, &file, err);
        assets_trace(assets, asks);
        if (result < 0) {
            trace_add(asks, &opened);
            trace_release(&opened);
            return -1;
        }
        kept = must_alloc(1, sizeof *kept);
        *kept = (struct kept_model){
            .file = file,
            .options = *options,
            .opened = opened,
            .own_animation_count = file.model->animation_count,
            .own_clip_count = file.model->clip_count,
            .size = arena_size(&file.model->arena),
            .cache = cache,
        };
        kept->options.scene = copy_or_null(options->scene);
        kept->options.skin = copy_or_null(options->skin);
    }
    trace_add(assets_present_trace(assets), &kept->opened);
    kept->next = cache->first;
    cache->first = kept;

    const struct model_file *file = &kept->file;
    *out = *file;
    out->arena = (struct arena){0};
    out->warnings = (struct strings){0};
    out->kept = kept;
    out->model = model_share(file->model, kept->own_animation_count, kept->own_clip_count);
    strings_add_all(&out->warnings, &file->warnings);
    return 0;
}
