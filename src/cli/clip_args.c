#include "cli/clip_args.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/missing.h"
#include "model/format.h"

const struct clip *clip_args_find(const struct model *model, const char *name)
{
    const struct clip *exact = model_find_clip(model, name);
    for (uint32_t i = 0; !exact && i < model->clip_count; i++)
        if (!strcasecmp(model->clips[i].name, name))
            return &model->clips[i];
    return exact;
}

/* What --animation could have named: the model's clips, and the animation files beside it. */
static void list_choices(const struct model_place *place, const struct model *model, struct strings *out)
{
    const struct animation_format *files = model->format->animation_format;
    struct strings found = {0};
    for (uint32_t i = 0; i < model->clip_count; i++)
        strings_add(out, model->clips[i].name);
    if (files && model->joint_count > 0)
        model_place_find_beside(place, files->suffix, &found);
    for (size_t i = 0; i < found.count; i++)
        strings_add(out, path_base(found.items[i]));
    strings_release(&found);
}

char *clip_args_stem(const char *path)
{
    const char *base = path_base(path);
    return must_printf("%.*s", (int)(path_suffix(base) - base), base);
}

/* The choice nearest to what was typed, suffixes left aside, or NULL. */
static const char *nearest_choice(const struct strings *choices, const char *typed)
{
    struct strings stems = {0};
    const char *nearest = NULL;
    char *word = clip_args_stem(typed);
    for (size_t i = 0; i < choices->count; i++) {
        char *stem = clip_args_stem(choices->items[i]);
        strings_add(&stems, stem);
        free(stem);
    }
    const char *stem = strings_nearest(word, (const char *const *)stems.items, stems.count);
    for (size_t i = 0; stem && i < stems.count && !nearest; i++)
        if (!strcmp(stems.items[i], stem))
            nearest = choices->items[i];
    strings_release(&stems);
    free(word);
    return nearest;
}

int clip_args_fail(const struct model_place *place, const struct model *model, const char *file, const char *wanted,
                   struct error *err)
{
    struct strings choices = {0};
    list_choices(place, model, &choices);
    if (choices.count == 0)
        return error_set(err, "%s: no animation '%s', and none beside it", file, wanted);
    missing_fail("animation", wanted, nearest_choice(&choices, wanted), (const char *const *)choices.items,
                 choices.count, err);
    strings_release(&choices);
    return error_add(err, "%s", file);
}

const char *clip_args_find_file(const struct model_place *place, const char *file)
{
    const char *found = assets_find(place->assets, file);
    if (found)
        return found;
    char *folder = path_folder(place->path), *beside = path_join(folder, file);
    found = assets_find(place->assets, beside);
    free(folder);
    free(beside);
    return found;
}
