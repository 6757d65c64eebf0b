/* Models and poses that live as long as the test. */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include <stdlib.h>

#include "base/memory.h"
#include "model/model.h"
#include "test.h"

static inline void free_model(void *model)
{
    model_free(model);
}

static inline struct model *kept(struct model *model)
{
    at_end(free_model, model);
    return model;
}

static inline void free_mesh(void *mesh)
{
    mesh_release(mesh);
    free(mesh);
}

static inline struct mesh posed(const struct model *model, struct pose pose)
{
    struct mesh *mesh = must_alloc(1, sizeof *mesh);
    struct error err;
    assert_int_equal(mesh_init(mesh, model, &err), 0);
    at_end(free_mesh, mesh);
    model_pose(model, &pose, mesh);
    return *mesh;
}

#endif
