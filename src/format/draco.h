/* Meshes that Draco packed, for KHR_draco_mesh_compression. libdraco is C++, and an optional part of the build: without
 * it draco_unpack fails. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

#define DRACO_EXTENSION "KHR_draco_mesh_compression"

struct draco_mesh {
    uint32_t point_count, index_count;
    const uint32_t *indices; /* of triangles */
};

#ifdef WITH_DRACO

/* *out is the caller's to free. */
int draco_unpack(const uint8_t *data, size_t size, struct draco_mesh **out, struct error *err);
void draco_free(struct draco_mesh *mesh); /* NULL is fine */

/* All values of the attribute of that unique id, `width` numbers for each point: float, or else uint32_t. Whole numbers
 * are not divided by their largest, whatever Draco's own flag says. False: there is none, or not as wide. */
bool draco_read(struct draco_mesh *mesh, uint32_t id, uint32_t width, bool as_floats, void *out);

#else

static inline int draco_unpack(const uint8_t *data, size_t size, struct draco_mesh **out, struct error *err)
{
    (void)data, (void)size, (void)out;
    return error_set(err, "this program was built without it");
}

static inline void draco_free(struct draco_mesh *mesh)
{
    (void)mesh;
}

static inline bool draco_read(struct draco_mesh *mesh, uint32_t id, uint32_t width, bool as_floats, void *out)
{
    (void)mesh, (void)id, (void)width, (void)as_floats, (void)out;
    return false;
}
#endif

#ifdef __cplusplus
}
#endif
