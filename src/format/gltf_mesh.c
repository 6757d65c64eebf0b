#include <math.h>
#include <string.h>

#include "format/draco.h"
#include "format/gltf.h"

enum mode { POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN };
enum { MOST_INFLUENCE_SETS = 4 }; /* of four joints each; engines take one or two */

/* A part of a mesh while it is read. */
struct primitive {
    struct gltf *gltf;
    const struct json *json, *attributes;
    const struct json *draco_ids; /* the attributes that are in `draco`, by name */
    struct draco_mesh *draco;
    struct rig_surface surface; /* as far as it is known */
    uint32_t largest_joint;
};

/* -- Attributes --------------------------------------------------------------------------------------------- */

static void unpack_draco(struct primitive *primitive)
{
    const struct json *extension = gltf_extension(primitive->json, DRACO_EXTENSION);
    struct error *err = &primitive->gltf->err;
    if (!extension || gltf_failed(primitive->gltf))
        return;
    const struct gltf_view *packed = gltf_view_of(primitive->gltf, extension);
    if (!packed || draco_unpack(packed->bytes.data, packed->bytes.size, &primitive->draco, err) < 0)
        error_add(err, DRACO_EXTENSION);
    primitive->draco_ids = gltf_get(extension, "attributes");
}

/* Reads an attribute out of the packed mesh. The accessor says what its numbers mean: not all encoders set Draco's
 * flag. */
static const void *read_draco(const struct primitive *primitive, const char *name, int32_t accessor,
                              uint32_t width, bool as_floats, uint32_t *count)
{
    struct gltf *gltf = primitive->gltf;
    const size_t id = gltf_size(gltf, primitive->draco_ids, name, 0);
    double divisor;
    *count = primitive->draco->point_count;
    float *data = gltf_accessor_divisor(gltf, (size_t)accessor, &divisor) < 0
                      ? NULL
                      : gltf_alloc_numbers(gltf, *count, width);
    if (data && !draco_read(primitive->draco, (uint32_t)id, width, as_floats, data))
        gltf_fail(gltf, "the Draco data have no attribute %zu of %u numbers", id, width);
    else if (data && as_floats)
        gltf_finish_floats(gltf, data, (size_t)*count * width, divisor);
    return gltf_failed(gltf) ? NULL : data;
}

/* Reads an attribute; NULL: it is not there. POSITION is read first, and says how many points there are. */
static const void *read_attribute(struct primitive *primitive, const struct json *attributes, const char *name,
                                  uint32_t width, bool as_floats)
{
    struct gltf *gltf = primitive->gltf;
    uint32_t count, *point_count = &primitive->surface.point_count;
    const int32_t index = gltf_index(gltf, attributes, name, "accessors");
    if (index < 0 || gltf_failed(gltf))
        return NULL;
    bool is_packed = attributes == primitive->attributes && gltf_get(primitive->draco_ids, name);
    const void *numbers = is_packed ? read_draco(primitive, name, index, width, as_floats, &count)
                                    : gltf_read_accessor(gltf, index, width, as_floats, &count);
    if (!numbers) {
        error_add(&gltf->err, "%s", name);
        return NULL;
    }
    if (!*point_count)
        *point_count = count;
    if (count == *point_count)
        return numbers;
    gltf_fail(gltf, "%s: %u elements, but POSITION has %u", name, count, *point_count);
    return NULL;
}

static const void *read_floats(struct primitive *primitive, const char *name, uint32_t width)
{
    return read_attribute(primitive, primitive->attributes, name, width, true);
}

/* -- Triangles ---------------------------------------------------------------------------------------------- */

/* Finds the corners as the file lists them; NULL: they follow each other. */
static const uint32_t *list_corners(const struct primitive *primitive, uint32_t *count)
{
    struct gltf *gltf = primitive->gltf;
    if (primitive->draco) {
        *count = primitive->draco->index_count;
        return primitive->draco->indices;
    }
    *count = primitive->surface.point_count;
    const int32_t index = gltf_index(gltf, primitive->json, "indices", "accessors");
    const uint32_t *corners = gltf_read_accessor(gltf, index, 1, false, count);
    if (index >= 0 && !corners)
        error_add(&gltf->err, "indices");
    return corners;
}

/* The i-th triangle of `corners`, as the modes of GL have it. */
static void triangle_at(const uint32_t *corners, enum mode mode, uint32_t i, uint32_t triangle[3])
{
    const uint32_t first = mode == TRIANGLES ? 3 * i : mode == TRIANGLE_FAN ? i + 1 : i;
    const uint32_t turned = mode == TRIANGLE_STRIP && i % 2;
    const uint32_t places[3] = {first, first + 1 + turned, mode == TRIANGLE_FAN ? 0 : first + 2 - turned};
    for (int k = 0; k < 3; k++)
        triangle[k] = corners ? corners[places[k]] : places[k];
}

/* Reads the triangles, but for those with an index twice. */
static void read_triangles(struct primitive *primitive, enum mode mode)
{
    struct gltf *gltf = primitive->gltf;
    struct rig_surface *surface = &primitive->surface;
    uint32_t count;
    const uint32_t *corners = list_corners(primitive, &count);
    for (uint32_t i = 0; corners && i < count; i++)
        if (corners[i] >= surface->point_count)
            gltf_fail(gltf, "index %u is %u of %u points", i, corners[i], surface->point_count);
    uint32_t triangle_count = mode == TRIANGLES ? count / 3 : count < 3 ? 0 : count - 2;
    if (mode == TRIANGLES && count % 3)
        gltf_add_oddity(gltf, "corners that make no whole triangle");
    uint32_t *indices = gltf_alloc_numbers(gltf, triangle_count, 3);
    for (uint32_t i = 0; indices && i < triangle_count; i++) {
        uint32_t *triangle = indices + surface->index_count;
        triangle_at(corners, mode, i, triangle);
        if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0])
            surface->index_count += 3;
    }
    surface->indices = indices;
}

/* -- Colours, influences, morph targets --------------------------------------------------------------------- */

static void read_colors(struct primitive *primitive)
{
    struct gltf *gltf = primitive->gltf;
    struct rig_surface *surface = &primitive->surface;
    const int32_t index = gltf_index(gltf, primitive->attributes, "COLOR_0", "accessors");
    const uint32_t width = index < 0 ? 4 : gltf_accessor_width(gltf, (size_t)index);
    if (width != 3 && width != 4)
        gltf_fail(gltf, "COLOR_0 has %u numbers (3 and 4 are allowed)", width);
    const vec3 *values = read_floats(primitive, "COLOR_0", width);
    surface->colors = (const vec4 *)values;
    if (!values || width == 4)
        return;
    vec4 *colors = gltf_alloc_numbers(gltf, surface->point_count, 4);
    for (uint32_t i = 0; colors && i < surface->point_count; i++) {
        memcpy(colors[i], values[i], sizeof(vec3));
        colors[i][3] = 1;
    }
    surface->colors = (const vec4 *)colors;
}

/* The weights of a point become a sum of 1, as the specification wants them and all viewers make them; files miss it by
 * a little. Without any, the first joint has the point, as in three.js: FBX2glTF writes four NaN for such points, whose
 * triangles would be missed. Joints without a weight may be any number. Returns the largest joint. */
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

static void read_influences(struct primitive *primitive)
{
    struct gltf *gltf = primitive->gltf;
    struct rig_surface *surface = &primitive->surface;
    uint32_t set_count = 0;
    const void *joint_sets[MOST_INFLUENCE_SETS], *weight_sets[MOST_INFLUENCE_SETS];
    for (; set_count < MOST_INFLUENCE_SETS; set_count++) {
        char joints[16], weights[16];
        snprintf(joints, sizeof joints, "JOINTS_%u", set_count);
        snprintf(weights, sizeof weights, "WEIGHTS_%u", set_count);
        joint_sets[set_count] = read_attribute(primitive, primitive->attributes, joints, 4, false);
        gltf->reads_weights = true;
        weight_sets[set_count] = read_floats(primitive, weights, 4);
        gltf->reads_weights = false;
        if (!joint_sets[set_count] || !weight_sets[set_count])
            break;
    }
    if (!set_count)
        return;
    uint32_t *joints = gltf_alloc_numbers(gltf, surface->point_count, set_count * 4);
    float *weights = gltf_alloc_numbers(gltf, surface->point_count, set_count * 4);
    if (!joints || !weights)
        return;
    surface->influence_count = set_count * 4;
    primitive->largest_joint = fill_influences(surface, joint_sets, weight_sets, joints, weights);
    surface->joints = joints;
    surface->weights = weights;
}

static void read_morphs(struct primitive *primitive)
{
    struct gltf *gltf = primitive->gltf;
    const struct json *targets = gltf_list(gltf, primitive->json, "targets"), *target;
    struct rig_morph *morphs = arena_must_alloc(gltf->arena, gltf_length(targets), sizeof *morphs);
    for (size_t i = 0; !gltf_failed(gltf) && (target = gltf_at(targets, i)); i++) {
        morphs[i].positions = read_attribute(primitive, target, "POSITION", 3, true);
        morphs[i].normals = read_attribute(primitive, target, "NORMAL", 3, true);
        if (gltf_failed(gltf))
            error_add(&gltf->err, "target %zu", i);
        if (gltf_get(target, "TEXCOORD_0") || gltf_get(target, "COLOR_0"))
            gltf_add_oddity(gltf, "morph targets of texture coordinates and colours are left out");
    }
    primitive->surface.morphs = morphs;
    primitive->surface.morph_count = (uint32_t)gltf_length(targets);
}

/* -- Meshes ------------------------------------------------------------------------------------------------- */

static void read_surface(struct primitive *primitive)
{
    struct gltf *gltf = primitive->gltf;
    struct rig_surface *surface = &primitive->surface;
    const size_t mode = gltf_size(gltf, primitive->json, "mode", TRIANGLES);
    if (mode > TRIANGLE_FAN)
        gltf_fail(gltf, "mode is %zu", mode);
    if (mode < TRIANGLES) {
        gltf_add_oddity(gltf, "points and lines are left out");
        return;
    }
    unpack_draco(primitive);
    surface->positions = read_floats(primitive, "POSITION", 3);
    if (!surface->positions) {
        gltf_add_oddity(gltf, "parts without positions are left out");
        return;
    }
    read_triangles(primitive, (enum mode)mode);
    surface->normals = read_floats(primitive, "NORMAL", 3);
    surface->uvs = read_floats(primitive, "TEXCOORD_0", 2);
    surface->more_uvs = read_floats(primitive, "TEXCOORD_1", 2);
    read_colors(primitive);
    read_influences(primitive);
    read_morphs(primitive);
    gltf_read_material(gltf, primitive->json, &surface->material);
}

/* Adds the surface of a primitive to the mesh, unless it has no triangles. */
static void read_primitive(struct gltf *gltf, const struct json *json, struct gltf_mesh *mesh)
{
    struct primitive primitive = {.gltf = gltf,
                                  .json = json,
                                  .attributes = gltf_get(json, "attributes"),
                                  .surface = {.name = mesh->name, .skin = -1}};
    const struct rig_surface *surface = &primitive.surface;
    read_surface(&primitive);
    draco_free(primitive.draco);
    if (gltf_failed(gltf) || !surface->index_count)
        return;
    if (mesh->surface_count && surface->morph_count != mesh->morph_count)
        gltf_fail(gltf, "%u morph targets, but the first part has %u", surface->morph_count, mesh->morph_count);
    mesh->morph_count = surface->morph_count;
    mesh->largest_joints[mesh->surface_count] = primitive.largest_joint;
    mesh->surfaces[mesh->surface_count++] = *surface;
}

void gltf_read_weights(struct gltf *gltf, const struct json *object, uint32_t count, const float **out)
{
    const struct json *list = gltf_list(gltf, object, "weights");
    if (!gltf_length(list) || !count)
        return;
    double *numbers = arena_must_alloc(&gltf->scratch, count, sizeof *numbers);
    float *weights = arena_must_alloc(gltf->arena, count, sizeof *weights);
    gltf_numbers(gltf, object, "weights", numbers, count);
    for (uint32_t i = 0; i < count; i++)
        weights[i] = (float)numbers[i];
    *out = weights;
}

static void read_mesh(struct gltf *gltf, size_t index, struct gltf_mesh *mesh)
{
    const struct json *json = gltf_item(gltf, "meshes", index), *primitive;
    const struct json *list = gltf_list(gltf, json, "primitives");
    mesh->name = arena_strdup(gltf->arena, gltf_text(json, "name"));
    mesh->surfaces = arena_must_alloc(gltf->arena, gltf_length(list), sizeof *mesh->surfaces);
    mesh->largest_joints = arena_must_alloc(gltf->arena, gltf_length(list), sizeof *mesh->largest_joints);
    for (size_t i = 0; !gltf_failed(gltf) && (primitive = gltf_at(list, i)); i++) {
        read_primitive(gltf, primitive, mesh);
        if (gltf_failed(gltf))
            error_add(&gltf->err, "primitive %zu", i);
    }
    gltf_read_weights(gltf, json, mesh->morph_count, &mesh->weights);
}

const struct gltf_mesh *gltf_mesh_of(struct gltf *gltf, size_t index)
{
    if (!gltf->meshes[index]) {
        gltf->meshes[index] = arena_must_alloc(&gltf->scratch, 1, sizeof **gltf->meshes);
        read_mesh(gltf, index, gltf->meshes[index]);
        if (gltf_failed(gltf))
            error_add(&gltf->err, "mesh %zu", index);
    }
    return gltf_failed(gltf) ? NULL : gltf->meshes[index];
}
