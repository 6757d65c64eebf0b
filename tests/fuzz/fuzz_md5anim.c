/* Any bytes as an md5anim for a fixed mesh, and alone, as clips of another file for it. What loads on the mesh must also
 * pose both ways. */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model *model;
    struct mesh mesh;
    struct error err;
    if (model_load(fuzz_text(fuzz_md5_mesh), NULL, &model, &err) < 0 || mesh_init(&mesh, model, &err) < 0)
        abort();
    if (model_add_animation(model, "fuzz", (struct bytes){data, size}, &err) == 0) {
        uint32_t last = model->animations[0].frame_count - 1;
        for (int kind = INTERPOLATION_LOCAL; kind <= INTERPOLATION_OBJECT; kind++) {
            fuzz_pose(model, &(struct pose){0, {0, 0, 0}, kind}, &mesh);
            fuzz_pose(model, &(struct pose){0, {last / 2, last, 0.3}, kind}, &mesh);
            fuzz_pose(model, &(struct pose){0, {last, 0, 0.999}, kind}, &mesh);
        }
    }
    mesh_release(&mesh);
    model_free(model);
    const struct model_options options = {.takes_clips_alone = true};
    if (md5_format.matches((struct bytes){data, size}))
        fuzz_retarget_md5((struct bytes){data, size}, &options);
    return 0;
}
