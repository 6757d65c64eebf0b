#include <math.h>
#include <meshoptimizer.h>
#include <stdlib.h>
#include <string.h>

#include "format/gltf.h"

enum component { BYTE = 5120, UNSIGNED_BYTE, SHORT, UNSIGNED_SHORT, UNSIGNED_INT = 5125, FLOAT };

/* What was asked for so far. */
struct gltf_view {
    struct bytes bytes;
    size_t stride;
};

struct gltf_numbers {
    const void *as_uints, *as_floats;
};

struct accessor {
    enum component component;
    bool is_normalized;
    uint32_t width, count;
    bool has_view;
    struct bytes bytes; /* from the first element on */
    size_t stride;
    json_t *sparse;
    float *floats;   /* where the numbers go: either these */
    uint32_t *uints; /* or these */
};

int gltf_take_numbers(struct gltf *gltf, size_t count, size_t width, struct error *err)
{
    gltf->number_count += count * width;
    if (gltf->number_count > GLTF_MOST_NUMBERS)
        return error_set(err, "more than %d numbers are to be read", GLTF_MOST_NUMBERS);
    return 0;
}

/* -- Buffer views ------------------------------------------------------------------------------------------- */

/* A piece of a buffer, as views and their compressed forms name it. */
static int read_piece(struct gltf *gltf, json_t *object, struct bytes *out, size_t *stride, struct error *err)
{
    int32_t buffer = -1;
    size_t offset = 0, length = 0;
    struct bytes bytes;
    if (gltf_index(object, "buffer", gltf_count(gltf, "buffers"), &buffer, err) ||
        gltf_size(object, "byteOffset", &offset, err) || gltf_size(object, "byteLength", &length, err) ||
        gltf_size(object, "byteStride", stride, err))
        return -1;
    if (buffer < 0)
        return error_set(err, "it has no buffer");
    if (gltf_buffer(gltf, (size_t)buffer, &bytes, err))
        return -1;
    if (!bytes_hold(bytes, offset, length, 1))
        return error_set(err, "%zu bytes at %zu run past the end of buffer %d (%zu bytes)", length, offset, buffer,
                         bytes.size);
    *out = (struct bytes){bytes.data + offset, length};
    return 0;
}

static int decode_meshopt(const char *mode, void *out, size_t count, size_t stride, struct bytes packed,
                          struct error *err)
{
    if (!strcmp(mode, "ATTRIBUTES")) {
        if (stride % 4 || stride > 256)
            return error_set(err, "a stride of %zu (a multiple of 4 up to 256 is allowed)", stride);
        return meshopt_decodeVertexBuffer(out, count, stride, packed.data, packed.size);
    }
    if (stride != 2 && stride != 4)
        return error_set(err, "a stride of %zu for indices (2 and 4 are allowed)", stride);
    if (!strcmp(mode, "INDICES"))
        return meshopt_decodeIndexSequence(out, count, stride, packed.data, packed.size);
    if (strcmp(mode, "TRIANGLES") || count % 3)
        return error_set(err, "%zu items in mode '%s'", count, mode);
    return meshopt_decodeIndexBuffer(out, count, stride, packed.data, packed.size);
}

static int filter_meshopt(const char *filter, void *data, size_t count, size_t stride, struct error *err)
{
    if (!*filter || !strcmp(filter, "NONE"))
        return 0;
    if (!strcmp(filter, "OCTAHEDRAL") && (stride == 4 || stride == 8))
        meshopt_decodeFilterOct(data, count, stride);
    else if (!strcmp(filter, "QUATERNION") && stride == 8)
        meshopt_decodeFilterQuat(data, count, stride);
    else if (!strcmp(filter, "EXPONENTIAL") && stride % 4 == 0)
        meshopt_decodeFilterExp(data, count, stride);
    else
        return error_set(err, "filter '%s' with a stride of %zu", filter, stride);
    return 0;
}

static int unpack_meshopt(struct gltf *gltf, json_t *extension, struct gltf_view *view, struct error *err)
{
    struct bytes packed;
    size_t count = 0, stride = 0;
    if (read_piece(gltf, extension, &packed, &stride, err) || gltf_size(extension, "count", &count, err) ||
        (stride < 2 || stride > 256 ? error_set(err, "a stride of %zu", stride) : 0) ||
        gltf_take_numbers(gltf, count, stride / 2, err))
        return -1;
    uint8_t *data = arena_alloc(&gltf->scratch, count, stride, err);
    if (!data)
        return -1;
    int result = decode_meshopt(gltf_text(extension, "mode"), data, count, stride, packed, err);
    if (result < -1 || result > 0)
        error_set(err, "the packed data are broken");
    if (result || filter_meshopt(gltf_text(extension, "filter"), data, count, stride, err))
        return -1;
    *view = (struct gltf_view){{data, count * stride}, stride};
    return 0;
}

int gltf_view(struct gltf *gltf, size_t index, struct bytes *out, size_t *stride, struct error *err)
{
    if (!gltf->views)
        gltf->views = arena_must_alloc(&gltf->scratch, gltf_count(gltf, "bufferViews"), sizeof *gltf->views);
    struct gltf_view *view = &gltf->views[index];
    json_t *json = gltf_item(gltf, "bufferViews", index);
    json_t *meshopt = gltf_extension(json, "EXT_meshopt_compression");
    if (!view->bytes.data && (meshopt ? unpack_meshopt(gltf, meshopt, view, err)
                                      : read_piece(gltf, json, &view->bytes, &view->stride, err)))
        return error_add(err, "bufferView %zu%s", index, meshopt ? " (meshopt)" : "");
    *out = view->bytes;
    if (stride)
        *stride = view->stride;
    return 0;
}

/* -- Accessors ---------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t size;
    bool is_unsigned;
    double largest;
} components[] = {{1, false, INT8_MAX}, {1, true, UINT8_MAX},  {2, false, INT16_MAX}, {2, true, UINT16_MAX},
                  {0, false, 0},        {4, true, UINT32_MAX}, {4, false, 0}};

static size_t component_size(enum component component)
{
    return components[component - BYTE].size;
}

static int read_component(json_t *object, enum component *out, struct error *err)
{
    size_t type = 0;
    if (gltf_size(object, "componentType", &type, err))
        return -1;
    if (type < BYTE || type > FLOAT || !component_size((enum component)type))
        return error_set(err, "componentType is %zu", type);
    *out = (enum component)type;
    return 0;
}

static int read_width(json_t *json, uint32_t *width, struct error *err)
{
    static const struct {
        const char *name;
        uint32_t width;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(gltf_text(json, "type"), types[i].name)) {
            *width = types[i].width;
            return 0;
        }
    return error_set(err, "type is '%s' (SCALAR, VEC2, VEC3, VEC4 and MAT4 are read)", gltf_text(json, "type"));
}

/* Where `count` elements of `size` bytes are in a view. */
static int find_elements(struct gltf *gltf, json_t *object, size_t count, size_t size, struct bytes *out,
                         size_t *stride, struct error *err)
{
    int32_t view = -1;
    size_t offset = 0;
    struct bytes bytes;
    if (gltf_index(object, "bufferView", gltf_count(gltf, "bufferViews"), &view, err) ||
        gltf_size(object, "byteOffset", &offset, err))
        return -1;
    if (view < 0)
        return error_set(err, "it has no bufferView");
    if (gltf_view(gltf, (size_t)view, &bytes, stride, err))
        return -1;
    if (!*stride)
        *stride = size;
    if (*stride < size)
        return error_set(err, "elements of %zu bytes with a stride of %zu", size, *stride);
    /* The last element need not be followed by the rest of its stride. */
    if (!bytes_hold(bytes, offset, count - 1, *stride) ||
        !bytes_hold(bytes, offset + (count - 1) * *stride, 1, size))
        return error_set(err, "%zu elements at %zu run past the end of bufferView %d (%zu bytes)", count, offset,
                         view, bytes.size);
    *out = (struct bytes){bytes.data + offset, bytes.size - offset};
    return 0;
}

int gltf_accessor_shape(struct gltf *gltf, size_t index, uint32_t *width, uint32_t *count, struct error *err)
{
    json_t *json = gltf_item(gltf, "accessors", index);
    size_t size = 0;
    if (read_width(json, width, err) || gltf_size(json, "count", &size, err) ||
        (size < 1 || size > GLTF_MOST_NUMBERS ? error_set(err, "count is %zu", size) : 0))
        return error_add(err, "accessor %zu", index);
    *count = (uint32_t)size;
    return 0;
}

static int describe(struct gltf *gltf, size_t index, struct accessor *out, struct error *err)
{
    json_t *json = gltf_item(gltf, "accessors", index);
    if (read_component(json, &out->component, err))
        return -1;
    out->is_normalized = json_is_true(json_object_get(json, "normalized"));
    out->sparse = json_object_get(json, "sparse");
    out->has_view = json_object_get(json, "bufferView");
    return out->has_view ? find_elements(gltf, json, out->count, out->width * component_size(out->component),
                                         &out->bytes, &out->stride, err)
                         : 0;
}

static double number_at(const uint8_t *data, enum component component)
{
    struct cursor cursor = {.bytes = {data, 4}};
    switch (component) {
    case BYTE:
        return (int8_t)*data;
    case UNSIGNED_BYTE:
        return *data;
    case SHORT:
        return cursor_i16(&cursor);
    case UNSIGNED_SHORT:
        return cursor_u16(&cursor);
    case UNSIGNED_INT:
        return cursor_u32(&cursor);
    case FLOAT:
        break;
    }
    return (double)cursor_f32(&cursor);
}

static void read_element(const struct accessor *accessor, const uint8_t *data, size_t element)
{
    const size_t size = component_size(accessor->component), first = element * accessor->width;
    const double largest = components[accessor->component - BYTE].largest;
    if (accessor->component == FLOAT && accessor->floats) {
        memcpy(&accessor->floats[first], data, accessor->width * sizeof(float));
        return;
    }
    for (uint32_t i = 0; i < accessor->width; i++, data += size) {
        double value = number_at(data, accessor->component);
        if (accessor->uints)
            accessor->uints[first + i] = (uint32_t)value;
        else
            accessor->floats[first + i] =
                (float)(accessor->is_normalized && largest > 0 ? fmax(value / largest, -1) : value);
    }
}

/* Puts the elements in that a sparse accessor has in the place of others. */
static int apply_sparse(struct gltf *gltf, const struct accessor *accessor, struct error *err)
{
    json_t *indices = json_object_get(accessor->sparse, "indices"),
           *values = json_object_get(accessor->sparse, "values");
    enum component component;
    struct bytes places, elements;
    size_t count = 0, place_stride, stride, size = accessor->width * component_size(accessor->component);
    if (gltf_size(accessor->sparse, "count", &count, err) || read_component(indices, &component, err))
        return -1;
    if (count < 1 || count > accessor->count)
        return error_set(err, "count is %zu of %u", count, accessor->count);
    if (!components[component - BYTE].is_unsigned)
        return error_set(err, "componentType of its indices is %d", component);
    if (find_elements(gltf, indices, count, component_size(component), &places, &place_stride, err) ||
        find_elements(gltf, values, count, size, &elements, &stride, err))
        return -1;
    for (size_t i = 0; i < count; i++) {
        double place = number_at(places.data + i * place_stride, component);
        if (!(place >= 0 && place < accessor->count))
            return error_set(err, "index %zu is %g of %u", i, place, accessor->count);
        read_element(accessor, elements.data + i * stride, (size_t)place);
    }
    return 0;
}

int gltf_check_floats(const float *values, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(values[i]) <= (float)RIG_LARGEST_NUMBER))
            return error_set(err, "number %zu is %g (up to %g is allowed)", i, values[i], RIG_LARGEST_NUMBER);
    return 0;
}

/* Reads the accessor, once, as numbers of the one kind or the other. */
static int read_accessor(struct gltf *gltf, size_t index, struct accessor *accessor, bool as_floats,
                         const void **out, struct error *err)
{
    const size_t count = (size_t)accessor->count * accessor->width;
    if (describe(gltf, index, accessor, err) || gltf_take_numbers(gltf, count, 1, err))
        return -1;
    if (!as_floats && !components[accessor->component - BYTE].is_unsigned)
        return error_set(err, "componentType is %d, where whole numbers are needed", accessor->component);
    void *data = arena_alloc(gltf->arena, count, sizeof(float), err);
    if (!data)
        return -1;
    accessor->floats = as_floats ? data : NULL;
    accessor->uints = as_floats ? NULL : data;
    for (size_t i = 0; accessor->has_view && i < accessor->count; i++)
        read_element(accessor, accessor->bytes.data + i * accessor->stride, i);
    if (accessor->sparse && apply_sparse(gltf, accessor, err))
        return error_add(err, "sparse");
    if (as_floats && gltf_check_floats(data, count, err))
        return -1;
    *out = data;
    return 0;
}

int gltf_read_accessor(struct gltf *gltf, size_t index, uint32_t width, bool as_floats, const void **out,
                       uint32_t *count, struct error *err)
{
    struct accessor accessor = {0};
    if (!gltf->numbers)
        gltf->numbers = arena_must_alloc(&gltf->scratch, gltf_count(gltf, "accessors"), sizeof *gltf->numbers);
    struct gltf_numbers *numbers = &gltf->numbers[index];
    const void **data = as_floats ? &numbers->as_floats : &numbers->as_uints;
    if (gltf_accessor_shape(gltf, index, &accessor.width, &accessor.count, err))
        return -1;
    if (accessor.width != width)
        return error_set(err, "accessor %zu has %u numbers in an element, where %u are needed", index,
                         accessor.width, width);
    if (!*data && read_accessor(gltf, index, &accessor, as_floats, data, err))
        return error_add(err, "accessor %zu", index);
    *out = *data;
    *count = accessor.count;
    return 0;
}
