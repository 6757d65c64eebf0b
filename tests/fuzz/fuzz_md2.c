/* Any bytes as an MD2, with both geometries. */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};

    for (int geometry = 0; geometry < 2 && model_format_of(bytes, NULL) == &md2_format; geometry++) {
        struct model_options options = {.geometry = (enum geometry)geometry};
        struct model *model;
        struct error err;

        if (model_load(bytes, &options, &model, &err))
            continue;
        fuzz_pose_clips(model);
        model_free(model);
    }
    return 0;
}
