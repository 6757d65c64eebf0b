/* Any bytes as an md5mesh. What loads must also pose, to finite numbers. */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model *model;
    struct mesh mesh;
    struct error err;
    if (model_load((struct bytes){data, size}, &(struct model_options){0}, &model, &err) < 0)
        return 0;
    if (mesh_init(&mesh, model, &err) < 0)
        abort();
    fuzz_pose(model, &(struct pose){.animation = -1}, &mesh);
    mesh_release(&mesh);
    model_free(model);
    return 0;
}
