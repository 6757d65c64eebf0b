/* Any bytes as an FBX, binary or ASCII. What loads must also pose, to finite numbers, and its pictures be there or not. Its
 * clips play on itself and on an MD5, too, as if they were those of another file. */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model *model;
    struct error err;
    const struct bytes bytes = {data, size};
    const struct model_options options = {.path = "a/b.fbx", .takes_clips_alone = true};
    if (!fbx_format.matches(bytes))
        return 0;
    fuzz_picture(fbx_format.pictures, options.path, bytes, "0");
    if (model_load(bytes, &options, &model, &err) < 0)
        return 0;
    fuzz_pose_animation(model, -1);
    for (uint32_t i = 0; i < model->animation_count && i < 4; i++)
        fuzz_pose_animation(model, (int32_t)i);
    fuzz_retarget(model, bytes, &options);
    model_free(model);
    fuzz_retarget_md5(bytes, &options);
    return 0;
}
