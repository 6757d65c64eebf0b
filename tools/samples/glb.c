#include "glb.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

int glb_add_view(struct glb *glb, const void *data, size_t size)
{
    static const char padding[4];
    buffer_printf(&glb->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}",
                  glb->view_count ? "," : "", glb->binary.length, size);
    buffer_add(&glb->binary, data, size);
    buffer_add(&glb->binary, padding, -size & 3);
    return glb->view_count++;
}

int glb_add_accessor(struct glb *glb, const void *data, size_t size, int component, const char *type, size_t count,
                     const char *more)
{
    buffer_printf(&glb->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"type\":\"%s\",\"count\":%zu%s}",
                  glb->accessor_count ? "," : "", glb_add_view(glb, data, size), component, type, count, more);
    return glb->accessor_count++;
}

int glb_add_floats(struct glb *glb, const float *values, int width, size_t count)
{
    static const char *const types[] = {[1] = "SCALAR", [2] = "VEC2", [3] = "VEC3", [4] = "VEC4", [16] = "MAT4"};
    return glb_add_accessor(glb, values, count * (size_t)width * sizeof *values, GLB_FLOAT, types[width], count,
                            "");
}

int glb_add_positions(struct glb *glb, float (*points)[3], size_t count)
{
    float least[3] = {1e9f, 1e9f, 1e9f}, most[3] = {-1e9f, -1e9f, -1e9f};
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            least[k] = fminf(least[k], points[i][k]);
            most[k] = fmaxf(most[k], points[i][k]);
        }
    char *more = must_printf(",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", least[0], least[1], least[2],
                             most[0], most[1], most[2]);
    int accessor = glb_add_accessor(glb, points, count * sizeof *points, GLB_FLOAT, "VEC3", count, more);
    free(more);
    return accessor;
}

int glb_add_times(struct glb *glb, const float *times_s, size_t count)
{
    char *more = must_printf(",\"min\":[%.9g],\"max\":[%.9g]", times_s[0], times_s[count - 1]);
    int accessor = glb_add_accessor(glb, times_s, count * sizeof *times_s, GLB_FLOAT, "SCALAR", count, more);
    free(more);
    return accessor;
}

int glb_add_indices(struct glb *glb, const uint16_t *indices, size_t count)
{
    return glb_add_accessor(glb, indices, count * sizeof *indices, GLB_UNSIGNED_SHORT, "SCALAR", count, "");
}

static void add_u32(struct buffer *out, uint32_t value)
{
    buffer_add(out, (char[]){(char)value, (char)(value >> 8), (char)(value >> 16), (char)(value >> 24)}, 4);
}

static void add_chunk(struct buffer *out, const char type[4], struct buffer *data, char padding)
{
    while (data->length % 4)
        buffer_add(data, &padding, 1);
    add_u32(out, (uint32_t)data->length);
    buffer_add(out, type, 4);
    buffer_add(out, data->text, data->length);
    buffer_release(data);
}

void glb_save(struct glb *glb, struct buffer *json, struct buffer *out)
{
    buffer_printf(json, ",\"bufferViews\":[%s],\"accessors\":[%s],\"buffers\":[{\"byteLength\":%zu}]}",
                  glb->views.text, glb->accessors.text, glb->binary.length);
    uint32_t json_size = (uint32_t)(json->length + 3) & ~3u;
    buffer_add(out, "glTF", 4);
    add_u32(out, 2);
    add_u32(out, 12 + 8 + json_size + 8 + (uint32_t)glb->binary.length);
    add_chunk(out, "JSON", json, ' ');
    add_chunk(out, "BIN\0", &glb->binary, 0);
    buffer_release(&glb->views);
    buffer_release(&glb->accessors);
}
