#include "cli/clip_args.h"

#include <stdlib.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"

const struct clip *clip_args_find(const struct model *model, const char *name)
{
    const struct clip *exact = model_find_clip(model, name);
    for (uint32_t i = 0; !exact && i < model->clip_count; i++)
        if (!strcasecmp(model->clips[i].name, name))
            return &model->clips[i];
    return exact;
}

char *clip_args_stem(const char *path)
{
    const char *base = path_base(path);
    return must_printf("%.*s", (int)(path_suffix(base) - base), base);
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
