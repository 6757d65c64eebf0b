#include "cli/clip_args.h"

#include <stdlib.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "job/job.h"

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

bool clip_args_take_frames(const struct command *command, const char *text, void *out)
{
    struct clip_args_frames *frames = out;
    frames->is_given = true;
    if (frame_run_parse(text, &frames->run))
        return true;
    cli_usage_error(command, "--frames: '%s' is not a keyframe or a run of keyframes such as 40-45", text);
    return false;
}

int clip_args_of_frames(const struct model_file *file, const char *name, const struct frame_run *run,
                        struct clip *out, struct error *err)
{
    if (!model_file_has_keyframes(file))
        return error_set(err, "%s: it has no keyframes of its own, so --frames cannot name any", name);
    const struct animation *animation = &file->model->animations[0];
    if (run->last >= animation->frame_count)
        return error_set(err, "%s: no keyframe %u, it has 0-%u", name, run->last, animation->frame_count - 1);
    *out = (struct clip){
        .name = "frames",
        .first_frame = run->first,
        .frame_count = run->last - run->first + 1,
        .rate_hz = animation->rate_hz,
    };
    return 0;
}
