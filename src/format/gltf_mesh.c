#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/draco.h"
#include "format/gltf.h"

enum mode { POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN, MODE_COUNT };
enum { MOST_INFLUENCE_SETS = 4 }; /* of four joints each; engines take one or two */

/* A part of a mesh while it is read. */
struct primitive {
    json_t *json, *attributes;
    json_t *draco_ids; /* the attributes that are in `draco`, by name */
    struct draco_mesh *draco;
    uint32_t point_count;
    uint32_t index_count;
    uint32_t *indices;
};

/* -- Attributes --------------------------------------------------------------------------------------------- */

static int unpack_draco(struct gltf *gltf, struct primitive *primitive, struct error *err)
{
    json_t *extension = gltf_extension(primitive->json, DRACO_EXTENSION);
    int32_t view = -1;
    struct bytes packed;
    if (!extension)
        return 0;
    if (gltf_index(extension, "bufferView", gltf_count(gltf, "bufferViews"), &view, err))
        return -1;
    if (view < 0)
        return error_set(err, "it has no bufferView");
    if (gltf_view(gltf, (size_t)view, &packed, NULL, err))
        return -1;
    const char *problem = draco_unpack(packed.data, packed.size, &primitive->draco);
    if (problem)
        return error_set(err, "libdraco says: %s", problem);
    primitive->draco_ids = json_object_get(extension, "attributes");
    return 0;
}

static int read_draco(struct gltf *gltf, const struct primitive *primitive, const char *name, uint32_t width,
                      bool as_floats, const void **out, uint32_t *count, struct error *err)
{
    size_t id = 0;
    *count = primitive->draco->point_count;
    if (gltf_size(primitive->draco_ids, name, &id, err) || gltf_take_numbers(gltf, *count, width, err))
        return -1;
    void *data = arena_alloc(gltf->arena, (size_t)*count * width, sizeof(float), err);
    if (!data)
        return -1;
    if (!draco_read(primitive->draco, (uint32_t)id, width, as_floats, data))
        return error_set(err, "the Draco data have no attribute %zu of %u numbers", id, width);
    *out = data;
    return as_floats ? gltf_check_floats(data, (size_t)*count * width, err) : 0;
}

/* How wide the attribute is in its accessor; 0: there is none. */
static int attribute_width(struct gltf *gltf, json_t *attributes, const char *name, int32_t *index,
                           uint32_t *width, struct error *err)
{
    uint32_t count;
    *index = -1;
    *width = 0;
    if (gltf_index(attributes, name, gltf_count(gltf, "accessors"), index, err))
        return -1;
    return *index < 0 ? 0 : gltf_accessor_shape(gltf, (size_t)*index, width, &count, err);
}

/* *out is NULL for an attribute that is not there. */
static int read_attribute(struct gltf *gltf, const struct primitive *primitive, json_t *attributes,
                          const char *name, uint32_t width, bool as_floats, const void **out, struct error *err)
{
    int32_t index;
    uint32_t stored_width, count;
    int result;
    *out = NULL;
    if (attribute_width(gltf, attributes, name, &index, &stored_width, err))
        return error_add(err, "%s", name);
    if (index < 0)
        return 0;
    if (attributes == primitive->attributes && json_object_get(primitive->draco_ids, name))
        result = read_draco(gltf, primitive, name, width, as_floats, out, &count, err);
    else
        result = gltf_read_accessor(gltf, (size_t)index, width, as_floats, out, &count, err);
    if (!result && primitive->point_count && count != primitive->point_count)
        result = error_set(err, "%u elements, but POSITION has %u", count, primitive->point_count);
    return result ? error_add(err, "%s", name) : 0;
}

/* -- Triangles ---------------------------------------------------------------------------------------------- */

/* The corners as they are listed: by index, or one after the other. */
static int list_corners(struct gltf *gltf, const struct primitive *primitive, const uint32_t **out,
                        uint32_t *count, struct error *err)
{
    int32_t index = -1;
    uint32_t *corners;
    if (gltf_index(primitive->json, "indices", gltf_count(gltf, "accessors"), &index, err))
        return -1;
    if (index >= 0 && !primitive->draco)
        return gltf_read_accessor(gltf, (size_t)index, 1, false, (const void **)out, count, err)
                   ? error_add(err, "indices")
                   : 0;
    *count = primitive->draco ? primitive->draco->index_count : primitive->point_count;
    if (gltf_take_numbers(gltf, *count, 1, err) ||
        !(corners = arena_alloc(&gltf->scratch, *count, sizeof *corners, err)))
        return -1;
    if (primitive->draco)
        draco_indices(primitive->draco, corners);
    for (uint32_t i = 0; !primitive->draco && i < *count; i++)
        corners[i] = i;
    *out = corners;
    return 0;
}

/* The i-th triangle of `corners`, as the modes of GL have it. */
static void triangle_at(const uint32_t *corners, enum mode mode, uint32_t i, uint32_t triangle[3])
{
    uint32_t at[3] = {3 * i, 3 * i + 1, 3 * i + 2};
    if (mode == TRIANGLE_STRIP)
        memcpy(at, (uint32_t[]){i, i + 1 + i % 2, i + 2 - i % 2}, sizeof at);
    else if (mode == TRIANGLE_FAN)
        memcpy(at, (uint32_t[]){i + 1, i + 2, 0}, sizeof at);
    for (int k = 0; k < 3; k++)
        triangle[k] = corners[at[k]];
}

/* Fills `indices` with triangles; those without an area by their indices are left out. */
static int read_triangles(struct gltf *gltf, struct primitive *primitive, enum mode mode, struct error *err)
{
    const uint32_t *corners;
    uint32_t count;
    if (list_corners(gltf, primitive, &corners, &count, err))
        return -1;
    for (uint32_t i = 0; i < count; i++)
        if (corners[i] >= primitive->point_count)
            return error_set(err, "index %u is %u of %u points", i, corners[i], primitive->point_count);
    uint32_t triangle_count = mode == TRIANGLES ? count / 3 : count < 3 ? 0 : count - 2;
    if (mode == TRIANGLES && count % 3)
        gltf_tell(gltf, "corners that make no whole triangle");
    gltf->triangle_count += triangle_count;
    if (gltf->triangle_count > MODEL_MOST_TRIANGLES)
        return error_set(err, "more than %d triangles", MODEL_MOST_TRIANGLES);
    primitive->indices = arena_alloc(gltf->arena, (size_t)triangle_count * 3, sizeof *primitive->indices, err);
    if (!primitive->indices)
        return -1;
    for (uint32_t i = 0; i < triangle_count; i++) {
        uint32_t *triangle = primitive->indices + primitive->index_count;
        triangle_at(corners, mode, i, triangle);
        if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0])
            primitive->index_count += 3;
    }
    return 0;
}

/* -- Colours, influences, morph targets --------------------------------------------------------------------- */

static int read_colors(struct gltf *gltf, const struct primitive *primitive, struct rig_surface *surface,
                       struct error *err)
{
    int32_t index;
    uint32_t width;
    const float *values;
    if (attribute_width(gltf, primitive->attributes, "COLOR_0", &index, &width, err))
        return error_add(err, "COLOR_0");
    if (index < 0)
        return 0;
    if (width != 3 && width != 4)
        return error_set(err, "COLOR_0 has %u numbers (3 and 4 are allowed)", width);
    if (read_attribute(gltf, primitive, primitive->attributes, "COLOR_0", width, true, (const void **)&values,
                       err))
        return -1;
    vec4 *colors = gltf_take_numbers(gltf, surface->point_count, 4, err)
                       ? NULL
                       : arena_alloc(gltf->arena, surface->point_count, sizeof *colors, err);
    for (uint32_t i = 0; colors && i < surface->point_count; i++) {
        colors[i][3] = 1;
        memcpy(colors[i], values + (size_t)i * width, width * sizeof *values);
    }
    surface->colors = (const vec4 *)colors;
    return colors ? 0 : -1;
}

/* The weights of a point become a sum of 1, as the specification wants them and all viewers make them; files miss it by
 * a little. Without any, the first joint has the point. Joints without a weight may be any number. Returns the largest
 * joint. */
static uint32_t fill_influences(const struct rig_surface *surface, const void *const *joint_sets,
                                const void *const *weight_sets, uint32_t *joints, float *weights)
{
    const uint32_t width = surface->influence_count;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < surface->point_count; i++, joints += width, weights += width) {
        double sum = 0;
        for (uint32_t k = 0; k < width; k++) {
            weights[k] = fmaxf(((const float *)weight_sets[k / 4])[4 * i + k % 4], 0);
            sum += weights[k];
        }
        if (!(sum > 0))
            weights[0] = 1, sum = 1;
        for (uint32_t k = 0; k < width; k++) {
            weights[k] = (float)(weights[k] / sum);
            joints[k] = weights[k] > 0 ? ((const uint32_t *)joint_sets[k / 4])[4 * i + k % 4] : 0;
            largest = joints[k] > largest ? joints[k] : largest;
        }
    }
    return largest;
}

static int read_influences(struct gltf *gltf, const struct primitive *primitive, struct rig_surface *surface,
                           uint32_t *largest_joint, struct error *err)
{
    uint32_t set_count = 0;
    const void *joint_sets[MOST_INFLUENCE_SETS], *weight_sets[MOST_INFLUENCE_SETS];
    for (; set_count < MOST_INFLUENCE_SETS; set_count++) {
        char names[2][16];
        snprintf(names[0], sizeof names[0], "JOINTS_%u", set_count);
        snprintf(names[1], sizeof names[1], "WEIGHTS_%u", set_count);
        if (read_attribute(gltf, primitive, primitive->attributes, names[0], 4, false, &joint_sets[set_count],
                           err) ||
            read_attribute(gltf, primitive, primitive->attributes, names[1], 4, true, &weight_sets[set_count],
                           err))
            return -1;
        if (!joint_sets[set_count] || !weight_sets[set_count])
            break;
    }
    if (!set_count)
        return 0;
    if (gltf_take_numbers(gltf, surface->point_count, set_count * 8, err))
        return -1;
    surface->influence_count = set_count * 4;
    size_t count = (size_t)surface->point_count * surface->influence_count;
    uint32_t *joints = arena_alloc(gltf->arena, count, sizeof *joints, err);
    float *weights = arena_alloc(gltf->arena, count, sizeof *weights, err);
    if (!joints || !weights)
        return -1;
    *largest_joint = fill_influences(surface, joint_sets, weight_sets, joints, weights);
    surface->joints = joints;
    surface->weights = weights;
    return 0;
}

static int read_morphs(struct gltf *gltf, const struct primitive *primitive, struct rig_surface *surface,
                       struct error *err)
{
    json_t *targets, *target;
    size_t i;
    if (gltf_list(primitive->json, "targets", &targets, err))
        return -1;
    struct rig_morph *morphs = arena_alloc(gltf->arena, json_array_size(targets), sizeof *morphs, err);
    if (!morphs)
        return -1;
    json_array_foreach(targets, i, target)
    {
        if (read_attribute(gltf, primitive, target, "POSITION", 3, true, (const void **)&morphs[i].positions,
                           err) ||
            read_attribute(gltf, primitive, target, "NORMAL", 3, true, (const void **)&morphs[i].normals, err))
            return error_add(err, "target %zu", i);
        if (json_object_get(target, "TEXCOORD_0") || json_object_get(target, "COLOR_0"))
            gltf_tell(gltf, "morph targets of texture coordinates and colours are left out");
    }
    surface->morphs = morphs;
    surface->morph_count = (uint32_t)json_array_size(targets);
    return 0;
}

/* -- Meshes ------------------------------------------------------------------------------------------------- */

static int read_surface(struct gltf *gltf, struct primitive *primitive, enum mode mode,
                        struct rig_surface *surface, uint32_t *largest_joint, struct error *err)
{
    json_t *attributes = primitive->attributes;
    const void *positions;
    uint32_t width;
    int32_t index;
    if (unpack_draco(gltf, primitive, err))
        return error_add(err, DRACO_EXTENSION);
    if (attribute_width(gltf, attributes, "POSITION", &index, &width, err))
        return -1;
    if (index < 0) {
        gltf_tell(gltf, "parts without positions are left out");
        return 0;
    }
    if (read_attribute(gltf, primitive, attributes, "POSITION", 3, true, &positions, err) ||
        gltf_accessor_shape(gltf, (size_t)index, &width, &primitive->point_count, err))
        return -1;
    if (json_object_get(primitive->draco_ids, "POSITION"))
        primitive->point_count = primitive->draco->point_count;
    if (read_triangles(gltf, primitive, mode, err))
        return -1;
    surface->positions = positions;
    surface->point_count = primitive->point_count;
    surface->indices = primitive->indices;
    surface->index_count = primitive->index_count;
    return read_attribute(gltf, primitive, attributes, "NORMAL", 3, true, (const void **)&surface->normals, err) ||
                   read_attribute(gltf, primitive, attributes, "TEXCOORD_0", 2, true, (const void **)&surface->uvs,
                                  err) ||
                   read_attribute(gltf, primitive, attributes, "TEXCOORD_1", 2, true,
                                  (const void **)&surface->more_uvs, err) ||
                   read_colors(gltf, primitive, surface, err) ||
                   read_influences(gltf, primitive, surface, largest_joint, err) ||
                   read_morphs(gltf, primitive, surface, err) ||
                   gltf_material_of(gltf, primitive->json, &surface->material, err)
               ? -1
               : 0;
}

/* Adds the surface of a primitive to the mesh, unless it has no triangles. */
static int read_primitive(struct gltf *gltf, json_t *json, struct gltf_mesh *mesh, struct error *err)
{
    struct primitive primitive = {.json = json, .attributes = json_object_get(json, "attributes")};
    struct rig_surface surface = {.name = mesh->name, .skin = -1};
    size_t mode = TRIANGLES;
    if (gltf_size(json, "mode", &mode, err))
        return -1;
    if (mode >= MODE_COUNT)
        return error_set(err, "mode is %zu", mode);
    if (mode < TRIANGLES) {
        gltf_tell(gltf, "points and lines are left out");
        return 0;
    }
    int result =
        read_surface(gltf, &primitive, (enum mode)mode, &surface, &mesh->largest_joints[mesh->surface_count], err);
    draco_free(primitive.draco);
    if (result || !surface.index_count)
        return result;
    if (mesh->surface_count && surface.morph_count != mesh->morph_count)
        return error_set(err, "%u morph targets, but the first part has %u", surface.morph_count,
                         mesh->morph_count);
    mesh->morph_count = surface.morph_count;
    mesh->surfaces[mesh->surface_count++] = surface;
    return 0;
}

int gltf_read_weights(struct gltf *gltf, json_t *object, uint32_t count, const float **out, struct error *err)
{
    json_t *list;
    if (gltf_list(object, "weights", &list, err))
        return -1;
    if (!json_array_size(list) || !count)
        return 0;
    double *numbers = arena_alloc(&gltf->scratch, count, sizeof *numbers, err);
    float *weights = arena_alloc(gltf->arena, count, sizeof *weights, err);
    if (!numbers || !weights || gltf_numbers(object, "weights", numbers, count, err))
        return -1;
    for (uint32_t i = 0; i < count; i++)
        weights[i] = (float)numbers[i];
    *out = weights;
    return 0;
}

static int read_mesh(struct gltf *gltf, size_t index, struct gltf_mesh *mesh, struct error *err)
{
    json_t *json = gltf_item(gltf, "meshes", index), *list, *primitive;
    size_t i;
    if (gltf_list(json, "primitives", &list, err))
        return -1;
    mesh->name = arena_strdup(gltf->arena, gltf_text(json, "name"));
    mesh->surfaces = arena_alloc(gltf->arena, json_array_size(list), sizeof *mesh->surfaces, err);
    mesh->largest_joints = arena_alloc(gltf->arena, json_array_size(list), sizeof *mesh->largest_joints, err);
    if (!mesh->surfaces || !mesh->largest_joints)
        return -1;
    json_array_foreach(list, i, primitive)
    {
        if (read_primitive(gltf, primitive, mesh, err))
            return error_add(err, "primitive %zu", i);
    }
    return gltf_read_weights(gltf, json, mesh->morph_count, &mesh->weights, err);
}

int gltf_mesh_of(struct gltf *gltf, size_t index, const struct gltf_mesh **out, struct error *err)
{
    if (!gltf->meshes)
        gltf->meshes = arena_must_alloc(&gltf->scratch, gltf_count(gltf, "meshes"), sizeof *gltf->meshes);
    if (!gltf->meshes[index]) {
        struct gltf_mesh *mesh = arena_must_alloc(&gltf->scratch, 1, sizeof *mesh);
        if (read_mesh(gltf, index, mesh, err))
            return error_add(err, "mesh %zu", index);
        gltf->meshes[index] = mesh;
    }
    *out = gltf->meshes[index];
    return 0;
}
