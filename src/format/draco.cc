#include "format/draco.h"

#include <draco/compression/decode.h>
#include <exception>
#include <memory>
#include <string>

static const draco::Mesh &data_of(const struct draco_mesh *mesh)
{
    return *static_cast<const draco::Mesh *>(mesh->data);
}

static thread_local std::string problem;

const char *draco_unpack(const uint8_t *data, size_t size, struct draco_mesh **out)
{
    try {
        draco::DecoderBuffer buffer;
        buffer.Init(reinterpret_cast<const char *>(data), size);
        draco::Decoder decoder;
        auto result = decoder.DecodeMeshFromBuffer(&buffer);
        if (!result.ok()) {
            problem = result.status().error_msg_string();
            return problem.c_str();
        }
        std::unique_ptr<draco::Mesh> mesh = std::move(result).value();
        *out = new draco_mesh{mesh->num_points(), mesh->num_faces() * 3, mesh.get()};
        mesh.release();
        return nullptr;
    } catch (const std::exception &exception) {
        problem = exception.what();
        return problem.c_str();
    }
}

void draco_free(struct draco_mesh *mesh)
{
    if (mesh)
        delete static_cast<draco::Mesh *>(mesh->data);
    delete mesh;
}

void draco_indices(const struct draco_mesh *mesh, uint32_t *out)
{
    for (draco::FaceIndex face(0); face < data_of(mesh).num_faces(); ++face)
        for (int i = 0; i < 3; i++)
            *out++ = data_of(mesh).face(face)[i].value();
}

template <typename T> static bool read(const struct draco_mesh *mesh, uint32_t id, uint32_t width, T *out)
{
    const draco::PointAttribute *attribute = data_of(mesh).GetAttributeByUniqueId(id);
    if (!attribute || attribute->num_components() != width)
        return false;
    for (draco::PointIndex point(0); point < mesh->point_count; ++point, out += width)
        if (!attribute->ConvertValue<T>(attribute->mapped_index(point), static_cast<int8_t>(width), out))
            return false;
    return true;
}

bool draco_read(const struct draco_mesh *mesh, uint32_t id, uint32_t width, bool as_floats, void *out)
{
    return as_floats ? read(mesh, id, width, static_cast<float *>(out))
                     : read(mesh, id, width, static_cast<uint32_t *>(out));
}
