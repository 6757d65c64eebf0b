/* Any bytes as the .md5scale of a fixed animation. What loads must also pose, to finite numbers, both ways. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/md5.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char mesh_text[] =
    "MD5Version 10 numJoints 2 numMeshes 1\n"
    "joints { \"a\" -1 (1 2 3) (0 0 0.5) \"b\" 0 (1 2 13) (0.3 -0.2 0.1) }\n"
    "mesh { shader \"s\"\n"
    "numverts 3 vert 0 (0 0) 0 1 vert 1 (1 0) 1 1 vert 2 (1 1) 1 2\n"
    "numtris 1 tri 0 0 1 2\n"
    "numweights 3 weight 0 0 1 (0 0 0) weight 1 0 0.5 (5 0 0) weight 2 1 0.5 (0 5 0) }\n";
static const char animation_text[] = "MD5Version 10 numFrames 3 numJoints 2 frameRate 10 numAnimatedComponents 1\n"
                                     "hierarchy { \"a\" -1 1 0 \"b\" 0 0 0 }\n"
                                     "baseframe { (0 0 0) (0 0 0) (0 0 4) (0 0 0) }\n"
                                     "frame 0 { 0 } frame 1 { 1 } frame 2 { 2 }\n";

static struct bytes text_bytes(const char *text)
{
    return (struct bytes){(const uint8_t *)text, strlen(text)};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model *model;
    struct mesh mesh;
    struct error err;
    if (model_load(text_bytes(mesh_text), NULL, &model, &err) < 0 || mesh_init(&mesh, model, &err) < 0 ||
        model_add_animation(model, "fuzz", text_bytes(animation_text), &err) < 0)
        abort();
    if (md5_add_scales(model, (struct bytes){data, size}, &err) == 0)
        for (int kind = INTERPOLATION_LOCAL; kind <= INTERPOLATION_OBJECT; kind++)
            for (uint32_t frame = 0; frame < 3; frame++) {
                struct pose pose = {0, {frame, (frame + 1) % 3, frame * 0.25}, (enum interpolation)kind};
                model_pose(model, &pose, &mesh);
                for (uint32_t i = 0; i < mesh.point_count * 3; i++)
                    if (!isfinite(mesh.positions[i / 3][i % 3]) || !isfinite(mesh.normals[i / 3][i % 3]))
                        abort();
            }
    mesh_release(&mesh);
    model_free(model);
    return 0;
}
