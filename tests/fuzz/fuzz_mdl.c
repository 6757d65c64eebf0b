/* Any bytes as an MDL; reads every skin, too. */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct model *model;
    struct error err;
    if (model_format_of(bytes, NULL) != &mdl_format || model_load(bytes, NULL, &model, &err))
        return 0;
    fuzz_pose_clips(model);
    for (uint32_t i = 0; i < model->skin_count; i++)
        fuzz_picture(mdl_format.pictures, "x.mdl", bytes, model->skins[i]);
    model_free(model);
    return 0;
}
