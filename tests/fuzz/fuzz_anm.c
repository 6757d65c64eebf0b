/* Any bytes as the .anm of a model of 100 frames. */
#include "idtech/md2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct error err;

    md2_init(model, 1, 100);
    if (!md2_add_clips(model, (struct bytes){data, size}, &err)) {
        for (uint32_t i = 0; i < model->clip_count; i++) {
            const struct clip *clip = &model->clips[i];
            struct moment moment = clip_moment(clip, 0.123, true);

            if (moment.frame_a >= 100 || moment.frame_b >= 100 || !(clip->rate_hz > 0))
                __builtin_trap();
        }
    }
    model_free(model);
    return 0;
}
