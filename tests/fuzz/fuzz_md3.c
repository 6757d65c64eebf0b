/* Any bytes as an MD3. */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct model *model;
    struct error err;

    if (!md3_format.matches(bytes) || model_load(bytes, NULL, &model, &err) < 0)
        return 0;
    fuzz_pose_clips(model);
    model_free(model);
    return 0;
}
