/* Any bytes as an IQM, and as an animation for itself. What loads must also pose, to finite numbers. */
#include "fuzz_model.h"

static void pose(const struct model *model, const struct pose *pose, struct mesh *mesh, mat4 *joints)
{
    fuzz_pose(model, pose, mesh);
    model_pose_joints(model, pose, joints);
    for (uint32_t i = 0; i < model->joint_count * 16; i++)
        if (!isfinite(joints[i / 16][i / 4 % 4][i % 4]))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double times_s[] = {0, 0.07, -0.31, 1e9};
    const struct bytes bytes = {data, size};
    const struct model_options options = {.takes_clips_alone = true};
    struct model *model;
    struct mesh mesh;
    struct error err;
    if (!iqm_format.matches(bytes) || model_load(bytes, &options, &model, &err) < 0)
        return 0;
    model_add_animation(model, "fuzz", bytes, &err);
    mat4 *joints = must_alloc(model->joint_count, sizeof *joints);
    if (mesh_init(&mesh, model, &err) == 0) {
        pose(model, &(struct pose){.animation = -1}, &mesh, joints);
        for (uint32_t i = 0; i < model->clip_count && i < 4; i++)
            for (size_t t = 0; t < sizeof times_s / sizeof *times_s; t++)
                pose(model,
                     &(struct pose){(int32_t)model->clips[i].animation,
                                    clip_moment(&model->clips[i], times_s[t], t > 0), (enum interpolation)(t % 2)},
                     &mesh, joints);
        mesh_release(&mesh);
    }
    free(joints);
    model_free(model);
    fuzz_retarget_md5(bytes, &options);
    return 0;
}
