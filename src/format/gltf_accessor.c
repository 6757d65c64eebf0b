#include <math.h>
#include <meshoptimizer.h>
#include <string.h>

#include "format/gltf.h"

/* Numbers read out of buffers: the positions of a million points have three million. A file can name the same bytes
 * again and again, or none for numbers that are zero. */
enum { MOST_NUMBERS = 1 << 27 };

/* componentType; those from BYTE to UNSIGNED_INT are in the order of enum number_type. */
enum { BYTE = 5120, INT = 5124, UNSIGNED_INT, FLOAT };

/* An accessor that is read, and where its numbers go: either to `floats` or to `uints`. */
struct accessor {
    enum number_type component;
    uint32_t width, count;
    float *floats;
    uint32_t *uints;
};

/* Elements in a buffer, all inside it. */
struct elements {
    const uint8_t *data;
    size_t stride;
};

int gltf_take_numbers(struct gltf *gltf, size_t count, size_t width)
{
    gltf->number_count += count * width;
    if (gltf->number_count > MOST_NUMBERS)
        gltf_fail(gltf, "more than %d numbers are to be read", MOST_NUMBERS);
    return gltf_failed(gltf) ? -1 : 0;
}

void *gltf_alloc_numbers(struct gltf *gltf, size_t count, size_t width)
{
    return gltf_take_numbers(gltf, count, width) < 0
               ? NULL
               : arena_alloc(gltf->arena, count * width, sizeof(uint32_t), &gltf->err);
}

/* -- Buffer views ------------------------------------------------------------------------------------------- */

/* A piece of a buffer, as views and their compressed forms name it. */
static int read_piece(struct gltf *gltf, const struct json *object, struct gltf_view *out)
{
    const int32_t buffer = gltf_index(gltf, object, "buffer", "buffers");
    const size_t offset = gltf_size(gltf, object, "byteOffset", 0);
    const size_t length = gltf_size(gltf, object, "byteLength", 0);
    const size_t stride = gltf_size(gltf, object, "byteStride", 0);
    struct bytes bytes;
    if (buffer < 0)
        gltf_fail(gltf, "it has no buffer");
    if (gltf_failed(gltf))
        return -1;
    if (gltf_buffer(gltf, (size_t)buffer, &bytes) < 0)
        return error_add(&gltf->err, "buffer %d", buffer);
    if (!bytes_hold(bytes, offset, length, 1))
        return gltf_fail(gltf, "%zu bytes at %zu run past the end of buffer %d (%zu bytes)", length, offset,
                         buffer, bytes.size);
    *out = (struct gltf_view){{bytes.data + offset, length}, stride};
    return 0;
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

static int unpack_meshopt(struct gltf *gltf, const struct json *extension, struct gltf_view *view)
{
    enum { ATTRIBUTES, TRIANGLES, VERTEX_VERSION_0 = 0xa0 };
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static int (*const decoders[])(void *, size_t, size_t, const unsigned char *, size_t) = {
        meshopt_decodeVertexBuffer, meshopt_decodeIndexBuffer, meshopt_decodeIndexSequence};
    struct gltf_view packed;
    const int mode = gltf_word(gltf_text(extension, "mode"), modes, 3);
    const size_t count = gltf_size(gltf, extension, "count", 0);
    if (read_piece(gltf, extension, &packed) < 0)
        return -1;
    const size_t stride = packed.stride;
    /* The decoders assert both. */
    if (mode < 0 || (mode == TRIANGLES && count % 3))
        return gltf_fail(gltf, "%zu items in mode '%s'", count, gltf_text(extension, "mode"));
    if (mode == ATTRIBUTES ? stride % 4 || stride < 4 || stride > 256 : stride != 2 && stride != 4)
        return gltf_fail(gltf, "a stride of %zu%s", stride,
                         mode == ATTRIBUTES ? " (4, 8, 12, ... 256 are allowed)"
                                            : " for indices (2 and 4 are allowed)");
    uint8_t *data = gltf_take_numbers(gltf, count, stride / 2) < 0
                        ? NULL
                        : arena_alloc(&gltf->scratch, count, stride, &gltf->err);
    if (!data)
        return -1;
    if (decoders[mode](data, count, stride, packed.bytes.data, packed.bytes.size))
        return mode == ATTRIBUTES && packed.bytes.size && *packed.bytes.data > VERTEX_VERSION_0 &&
                       MESHOPTIMIZER_VERSION < 250
                   ? gltf_fail(gltf,
                               "packed vertices of version %d, which needs a program with meshoptimizer 0.25",
                               *packed.bytes.data - VERTEX_VERSION_0)
                   : gltf_fail(gltf, "the packed data are broken");
    *view = (struct gltf_view){{data, count * stride}, stride};
    return filter_meshopt(gltf_text(extension, "filter"), data, count, stride, &gltf->err);
}

const struct gltf_view *gltf_view_of(struct gltf *gltf, const struct json *object)
{
    const int32_t index = gltf_index(gltf, object, "bufferView", "bufferViews");
    if (index < 0)
        gltf_fail(gltf, "it has no bufferView");
    if (gltf_failed(gltf))
        return NULL;
    struct gltf_view *view = &gltf->views[index];
    const struct json *json = gltf_item(gltf, "bufferViews", (size_t)index);
    const struct json *meshopt = gltf_extension(json, "KHR_meshopt_compression");
    if (!meshopt)
        meshopt = gltf_extension(json, "EXT_meshopt_compression");
    int result = view->bytes.data ? 0
                 : meshopt        ? unpack_meshopt(gltf, meshopt, view)
                                  : read_piece(gltf, json, view);
    if (result == 0)
        return view;
    error_add(&gltf->err, "bufferView %d%s", index, meshopt ? " (meshopt)" : "");
    return NULL;
}

/* -- Accessors ---------------------------------------------------------------------------------------------- */

static enum number_type component_type(struct gltf *gltf, const struct json *object)
{
    const size_t type = gltf_size(gltf, object, "componentType", 0);
    if (type >= BYTE && type <= UNSIGNED_INT && type != INT)
        return (enum number_type)(type - BYTE);
    if (type != FLOAT)
        gltf_fail(gltf, "componentType is %zu", type);
    return NUMBER_FLOAT;
}

uint32_t gltf_accessor_width(const struct gltf *gltf, size_t index)
{
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT4"};
    static const uint32_t widths[] = {0, 1, 2, 3, 4, 16};
    return widths[1 + gltf_word(gltf_text(gltf_item(gltf, "accessors", index), "type"), types, 5)];
}

int gltf_accessor_divisor(struct gltf *gltf, size_t index, double *out)
{
    const struct json *json = gltf_item(gltf, "accessors", index);
    const enum number_type component = component_type(gltf, json);
    *out = component == NUMBER_FLOAT                          ? 0
           : gltf_is(gltf_get(json, "normalized"), GLTF_TRUE) ? number_rows[component].largest
                                                              : 1;
    return gltf_failed(gltf) ? error_add(&gltf->err, "accessor %zu", index) : 0;
}

/* Where `count` elements of `size` bytes are in the view of an object. */
static int find_elements(struct gltf *gltf, const struct json *object, size_t count, size_t size,
                         struct elements *out)
{
    const struct gltf_view *view = gltf_view_of(gltf, object);
    const size_t offset = gltf_size(gltf, object, "byteOffset", 0);
    if (!view || gltf_failed(gltf))
        return -1;
    const size_t stride = view->stride ? view->stride : size;
    if (stride < size)
        return gltf_fail(gltf, "elements of %zu bytes with a stride of %zu", size, stride);
    /* The last element need not be followed by the rest of its stride. */
    if (!bytes_hold(view->bytes, offset, count - 1, stride) ||
        !bytes_hold(view->bytes, offset + (count - 1) * stride, 1, size))
        return gltf_fail(gltf, "%zu elements at %zu run past the end of bufferView %td (%zu bytes)", count, offset,
                         view - gltf->views, view->bytes.size);
    *out = (struct elements){view->bytes.data + offset, stride};
    return 0;
}

static void read_element(const struct accessor *accessor, const uint8_t *data, size_t element)
{
    const size_t size = accessor->width * number_rows[accessor->component].size, first = element * accessor->width;
    struct cursor cursor = {.bytes = {data, size}};
    if (accessor->component == NUMBER_FLOAT && accessor->floats) {
        memcpy(&accessor->floats[first], data, size);
        return;
    }
    for (uint32_t i = 0; i < accessor->width; i++) {
        double value = cursor_component(&cursor, accessor->component);
        if (accessor->uints)
            accessor->uints[first + i] = (uint32_t)value;
        else
            accessor->floats[first + i] = (float)value;
    }
}

/* Puts the elements in that a sparse accessor has in the place of others. */
static int apply_sparse(struct gltf *gltf, const struct json *sparse, const struct accessor *accessor)
{
    const struct json *indices = gltf_get(sparse, "indices"), *values = gltf_get(sparse, "values");
    struct elements places, elements;
    const size_t size = accessor->width * number_rows[accessor->component].size;
    const size_t count = gltf_size(gltf, sparse, "count", 0);
    const enum number_type component = component_type(gltf, indices);
    uint32_t place;
    const struct accessor index = {.component = component, .width = 1, .uints = &place};
    if (gltf_failed(gltf))
        return -1;
    if (count < 1 || count > accessor->count)
        return gltf_fail(gltf, "count is %zu of %u", count, accessor->count);
    if (!number_rows[component].is_unsigned)
        return gltf_fail(gltf, "componentType of its indices is %zu",
                         gltf_size(gltf, indices, "componentType", 0));
    if (find_elements(gltf, indices, count, number_rows[component].size, &places) < 0 ||
        find_elements(gltf, values, count, size, &elements) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        read_element(&index, places.data + i * places.stride, 0);
        if (place >= accessor->count)
            return gltf_fail(gltf, "index %zu is %u of %u", i, place, accessor->count);
        read_element(accessor, elements.data + i * elements.stride, place);
    }
    return 0;
}

int gltf_finish_floats(struct gltf *gltf, float *values, size_t count, double divisor)
{
    for (size_t i = 0; i < count; i++) {
        if (divisor > 1)
            values[i] = (float)fmax(values[i] / divisor, -1);
        if (gltf->reads_weights && !isfinite(values[i])) {
            values[i] = 0;
            gltf_warn(gltf, "weights that are not finite count as 0");
        }
        if (!(fabsf(values[i]) <= (float)MODEL_LARGEST_NUMBER))
            return gltf_fail(gltf, "number %zu is %g (up to %g is allowed)", i, values[i], MODEL_LARGEST_NUMBER);
    }
    return 0;
}

static int read_accessor(struct gltf *gltf, size_t index, bool as_floats, struct gltf_numbers *out)
{
    const struct json *json = gltf_item(gltf, "accessors", index), *sparse = gltf_get(json, "sparse");
    struct elements elements = {0};
    struct accessor accessor = {.width = gltf_accessor_width(gltf, index)};
    double divisor;
    if (!accessor.width)
        return gltf_fail(gltf, "type is '%s' (SCALAR, VEC2, VEC3, VEC4 and MAT4 are read)",
                         gltf_text(json, "type"));
    const size_t count = gltf_size(gltf, json, "count", 0);
    accessor.component = component_type(gltf, json);
    if (count < 1 || count > MOST_NUMBERS)
        gltf_fail(gltf, "count is %zu", count);
    const size_t size = accessor.width * number_rows[accessor.component].size;
    if (gltf_failed(gltf) ||
        (gltf_get(json, "bufferView") && find_elements(gltf, json, count, size, &elements) < 0))
        return -1;
    if (!as_floats && !number_rows[accessor.component].is_unsigned)
        return gltf_fail(gltf, "componentType is %zu, where whole numbers are needed",
                         gltf_size(gltf, json, "componentType", 0));
    void *data = gltf_alloc_numbers(gltf, count, accessor.width);
    if (!data)
        return -1;
    accessor.count = (uint32_t)count;
    accessor.floats = as_floats ? data : NULL;
    accessor.uints = as_floats ? NULL : data;
    if (elements.data)
        for (size_t i = 0; i < count; i++)
            read_element(&accessor, elements.data + i * elements.stride, i);
    if (sparse && apply_sparse(gltf, sparse, &accessor) < 0)
        return error_add(&gltf->err, "sparse");
    if (as_floats && (gltf_accessor_divisor(gltf, index, &divisor) < 0 ||
                      gltf_finish_floats(gltf, data, count * accessor.width, divisor) < 0))
        return -1;
    out->width = accessor.width;
    out->count = accessor.count;
    *(as_floats ? &out->as_floats : &out->as_uints) = data;
    return 0;
}

const void *gltf_read_accessor(struct gltf *gltf, int32_t index, uint32_t width, bool as_floats, uint32_t *count)
{
    if (index < 0 || gltf_failed(gltf))
        return NULL;
    struct gltf_numbers *numbers = &gltf->numbers[index];
    const void **data = as_floats ? &numbers->as_floats : &numbers->as_uints;
    if (!*data && read_accessor(gltf, (size_t)index, as_floats, numbers) < 0)
        error_add(&gltf->err, "accessor %d", index);
    else if (numbers->width != width)
        gltf_fail(gltf, "accessor %d has %u numbers in an element, where %u are needed", index, numbers->width,
                  width);
    *count = numbers->count;
    return gltf_failed(gltf) ? NULL : *data;
}
