/* Any bytes as an md5anim for a fixed mesh. What loads must also pose, to finite numbers, both ways. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char mesh_text[] =
    "MD5Version 10 numJoints 2 numMeshes 1\n"
    "joints { \"a\" -1 (1 2 3) (0 0 0.5) \"b\" 0 (1 2 13) (0.3 -0.2 0.1) }\n"
    "mesh { shader \"s\"\n"
    "numverts 3 vert 0 (0 0) 0 1 vert 1 (1 0) 1 1 vert 2 (1 1) 1 2\n"
    "numtris 1 tri 0 0 1 2\n"
    "numweights 3 weight 0 0 1 (0 0 0) weight 1 0 0.5 (5 0 0) weight 2 1 0.5 (0 5 0) }\n";

static void pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    model_pose(model, pose, mesh);
    for (uint32_t i = 0; i < mesh->point_count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(mesh->positions[i][k]) || !isfinite(mesh->normals[i][k]))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes mesh_bytes = {(const uint8_t *)mesh_text, strlen(mesh_text)};
    struct model *model;
    struct mesh mesh;
    struct error err;
    if (model_load(mesh_bytes, &(struct model_options){0}, &model, &err) < 0 || mesh_init(&mesh, model, &err) < 0)
        abort();
    if (model_add_animation(model, "fuzz", (struct bytes){data, size}, &err) == 0) {
        uint32_t last = model->animations[0].frame_count - 1;
        for (int kind = INTERPOLATION_LOCAL; kind <= INTERPOLATION_OBJECT; kind++) {
            pose(model, &(struct pose){0, {0, 0, 0}, kind}, &mesh);
            pose(model, &(struct pose){0, {last / 2, last, 0.3}, kind}, &mesh);
            pose(model, &(struct pose){0, {last, 0, 0.999}, kind}, &mesh);
        }
    }
    mesh_release(&mesh);
    model_free(model);
    return 0;
}
