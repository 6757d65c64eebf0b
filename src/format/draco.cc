#include "format/draco.h"

#include <draco/compression/decode.h>
#include <exception>
#include <memory>
#include <vector>

/* The whole of a struct draco_mesh. */
struct unpacked : draco_mesh {
    std::unique_ptr<draco::Mesh> mesh;
    std::vector<uint32_t> corners;
};

int draco_unpack(const uint8_t *data, size_t size, struct draco_mesh **out, struct error *err)
{
    try {
        draco::DecoderBuffer buffer;
        buffer.Init(reinterpret_cast<const char *>(data), size);
        auto result = draco::Decoder().DecodeMeshFromBuffer(&buffer);
        if (!result.ok())
            return error_set(err, "libdraco says: %s", result.status().error_msg());
        auto unpacked = std::make_unique<struct unpacked>();
        unpacked->mesh = std::move(result).value();
        for (draco::FaceIndex face(0); face < unpacked->mesh->num_faces(); ++face)
            for (auto point : unpacked->mesh->face(face))
                unpacked->corners.push_back(point.value());
        unpacked->point_count = unpacked->mesh->num_points();
        unpacked->index_count = static_cast<uint32_t>(unpacked->corners.size());
        unpacked->indices = unpacked->corners.data();
        *out = unpacked.release();
        return 0;
    } catch (const std::exception &exception) {
        return error_set(err, "libdraco says: %s", exception.what());
    }
}

void draco_free(struct draco_mesh *mesh)
{
    delete static_cast<unpacked *>(mesh);
}

template <typename T>
static bool read(const struct draco_mesh *mesh, const draco::PointAttribute &attribute, uint32_t width, T *out)
{
    for (draco::PointIndex point(0); point < mesh->point_count; ++point, out += width)
        if (!attribute.ConvertValue<T>(attribute.mapped_index(point), static_cast<int8_t>(width), out))
            return false;
    return true;
}

bool draco_read(struct draco_mesh *mesh, uint32_t id, uint32_t width, bool as_floats, void *out)
{
    draco::Mesh &packed = *static_cast<unpacked *>(mesh)->mesh;
    int32_t index = packed.GetAttributeIdByUniqueId(id);
    if (index < 0 || packed.attribute(index)->num_components() != width)
        return false;
    draco::PointAttribute &attribute = *packed.attribute(index);
    attribute.set_normalized(false);
    return as_floats ? read(mesh, attribute, width, static_cast<float *>(out))
                     : read(mesh, attribute, width, static_cast<uint32_t *>(out));
}
