/* Any bytes as the .md5scale of a fixed animation. What loads must also pose both ways. */
#include "fuzz_model.h"
#include "idtech/md5.h"

static const char animation_text[] = "MD5Version 10 numFrames 3 numJoints 2 frameRate 10 numAnimatedComponents 1\n"
                                     "hierarchy { \"a\" -1 1 0 \"b\" 0 0 0 }\n"
                                     "baseframe { (0 0 0) (0 0 0) (0 0 4) (0 0 0) }\n"
                                     "frame 0 { 0 } frame 1 { 1 } frame 2 { 2 }\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model *model;
    struct mesh mesh;
    struct error err;
    if (model_load(fuzz_text(fuzz_md5_mesh), NULL, &model, &err) < 0 || mesh_init(&mesh, model, &err) < 0 ||
        model_add_animation(model, "fuzz", fuzz_text(animation_text), &err) < 0)
        abort();
    if (md5_add_scales(model, (struct bytes){data, size}, &err) == 0)
        for (int kind = INTERPOLATION_LOCAL; kind <= INTERPOLATION_OBJECT; kind++)
            for (uint32_t frame = 0; frame < 3; frame++) {
                struct pose pose = {0, {frame, (frame + 1) % 3, frame * 0.25}, (enum interpolation)kind};
                fuzz_pose(model, &pose, &mesh);
            }
    mesh_release(&mesh);
    model_free(model);
    return 0;
}
