/* Any bytes as a glTF or GLB file. What loads must also pose, to finite numbers, and its pictures be there or not. Its clips
 * play on itself, too, as if they were those of another file. */
#include "fuzz_model.h"
#include "model/retarget.h"

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

/* The file as one of clips, on the model that it is as well. */
static void retarget(struct model *model, struct bytes bytes, const struct model_options *options)
{
    struct model_options for_clips = *options;
    struct model *clips;
    struct retarget match;
    struct error err;
    for_clips.is_for_clips = true;
    if (model_load(bytes, &for_clips, &clips, &err) < 0)
        return;
    struct rig from = *rig_of(clips);
    if (retarget_match(rig_of(model), &from, NULL, 0, &match, &err) == 0) {
        for (int mode = RETARGET_AUTO; mode <= RETARGET_REST && from.animation_count > 0; mode++) {
            struct rig_animation animation;
            if (retarget_animation(&match, &from.animations[0], (enum retarget_mode)mode, &model->arena,
                                   &animation, &err) == 0 &&
                rig_add_animation(model, &animation, &err) == 0 && model->animation_count > 0)
                check_pose(model, (int32_t)model->animation_count - 1);
        }
        retarget_release(&match);
    }
    model_free(clips);
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
    retarget(model, bytes, &options);
    model_free(model);
    return 0;
}
