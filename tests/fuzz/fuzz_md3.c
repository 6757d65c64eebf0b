/* Any bytes as an MD3. */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct model *model;
    struct error err;

    if (model_format_of(bytes, NULL) != &md3_format || model_load(bytes, NULL, &model, &err) < 0)
        return 0;
    fuzz_pose_clips(model);
    model_free(model);
    return 0;
}
