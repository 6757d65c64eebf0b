/* Any bytes as a glTF or GLB file. What loads must also pose, to finite numbers, and its pictures be there or not. */
#include "fuzz_model.h"

static void check_pose(const struct model *model, int32_t animation)
{
    struct mesh mesh;
    struct error err;
    struct pose pose = {.animation = animation, .moment = {.blend = animation < 0 ? 0 : 0.5}};
    if (animation >= 0 && model->animations[animation].frame_count > 1)
        pose.moment.frame_b = 1;
    if (mesh_init(&mesh, model, &err) < 0)
        abort();
    fuzz_pose(model, &pose, &mesh);
    mesh_release(&mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model *model;
    struct error err;
    const struct bytes bytes = {data, size};
    const struct model_options options = {.path = "a/b.glb", .takes_clips_alone = true};
    if (!gltf_format.matches(bytes))
        return 0;
    fuzz_picture(gltf_format.pictures, options.path, bytes, "0");
    if (model_load(bytes, &options, &model, &err) < 0)
        return 0;
    check_pose(model, -1);
    for (uint32_t i = 0; i < model->animation_count && i < 4; i++)
        check_pose(model, (int32_t)i);
    model_free(model);
    return 0;
}
