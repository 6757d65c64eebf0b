/* Models and poses that live as long as the test, and files that are none. */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "blobs.h"
#include "format/formats.h"
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

static inline struct blob read_file(const char *path)
{
    struct blob blob;
    struct error err;
    if (file_read(path, 1 << 24, &blob, &err) < 0)
        fail_msg("%s", err.text);
    return blob;
}

static inline void expect_no_model(struct bytes bytes, const char *message)
{
    struct model *model = NULL;
    struct error err;
    if (model_load(bytes, NULL, &model, &err) == 0)
        fail_msg("it is read: %s", message);
    assert_string_equal(err.text, message);
    assert_null(model);
}

/* No beginning of the bytes, from one of `least` bytes, may be a model. */
static inline void expect_no_cut_loads(struct bytes bytes, size_t least)
{
    for (size_t size = least; size < bytes.size; size++) {
        struct bytes cut = exact_copy(bytes.data, size);
        struct model *model;
        struct error err;
        if (model_load(cut, NULL, &model, &err) == 0)
            fail_msg("%zu bytes of %zu are enough", size, bytes.size);
        free((void *)cut.data);
    }
}

#endif
