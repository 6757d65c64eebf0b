/* For the fuzz targets of models and animations: what loads must also pose, to finite numbers. */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    model_pose(model, pose, mesh);
    for (uint32_t i = 0; i < mesh->point_count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(mesh->positions[i][k]) || !isfinite(mesh->normals[i][k]))
                abort();
}

/* A picture in a file, as it is there or not: twice the same. */
static inline void fuzz_picture(const struct file_opener *opener, const char *path, struct bytes bytes,
                                const char *name)
{
    struct container file = {.path = path, .bytes = bytes};
    struct blob picture, again;
    struct error err;
    if (opener->open(&file, &err) == 0 && opener->read(&file, name, &picture, &err) == 0) {
        if (opener->read(&file, name, &again, &err) < 0 || again.size != picture.size)
            abort();
        blob_release(&picture);
        blob_release(&again);
    }
    opener->close(file.opened);
}

/* Every clip at a few times. */
static inline void fuzz_pose_clips(const struct model *model)
{
    static const double times_s[] = {0, 0.07, -0.31, 1e9};
    struct mesh mesh;
    struct error err;
    if (mesh_init(&mesh, model, &err))
        return;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (size_t t = 0; t < sizeof times_s / sizeof *times_s; t++)
            fuzz_pose(model, &(struct pose){.moment = clip_moment(&model->clips[i], times_s[t], t % 2)}, &mesh);
    mesh_release(&mesh);
}

static inline struct bytes fuzz_text(const char *text)
{
    return (struct bytes){(const uint8_t *)text, strlen(text)};
}

/* A mesh of two joints, a and b, for animations. */
static const char fuzz_md5_mesh[] __attribute__((unused)) =
    "MD5Version 10 numJoints 2 numMeshes 1\n"
    "joints { \"a\" -1 (1 2 3) (0 0 0.5) \"b\" 0 (1 2 13) (0.3 -0.2 0.1) }\n"
    "mesh { shader \"s\"\n"
    "numverts 3 vert 0 (0 0) 0 1 vert 1 (1 0) 1 1 vert 2 (1 1) 1 2\n"
    "numtris 1 tri 0 0 1 2\n"
    "numweights 3 weight 0 0 1 (0 0 0) weight 1 0 0.5 (5 0 0) weight 2 1 0.5 (0 5 0) }\n";

#endif
