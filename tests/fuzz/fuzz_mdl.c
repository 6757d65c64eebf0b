/* Any bytes as an MDL; poses every clip at a few times, and reads every skin. */
#include "model/format.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void pose_clips(const struct model *model)
{
    static const double times_s[] = {0, 0.07, -0.31, 1e9};
    struct mesh mesh;
    struct error err;
    if (mesh_init(&mesh, model, &err))
        return;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (size_t t = 0; t < sizeof times_s / sizeof times_s[0]; t++) {
            struct pose pose = {.moment = clip_moment(&model->clips[i], times_s[t], t % 2)};
            model_pose(model, &pose, &mesh);
        }
    mesh_release(&mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct model *model;
    struct error err;
    if (!mdl_format.matches(bytes) || model_load(bytes, NULL, &model, &err))
        return 0;
    pose_clips(model);
    for (uint32_t i = 0; i < model->skin_count; i++) {
        struct blob picture;
        if (model_read_picture(NULL, "x.mdl", bytes, model->skins[i], &picture, &err) == 0)
            blob_release(&picture);
    }
    model_free(model);
    return 0;
}
