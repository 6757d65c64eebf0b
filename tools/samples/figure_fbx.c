#include "figure_fbx.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/memory.h"
#include "figure_glb.h"

#define CENTIMETRES (100 * FIGURE_METRES)
#define TICKS_PER_S 46186158000LL /* of the format's times */

/* Numbers of objects: plus that of a coat, of a joint, or of a coat times 100 and a joint. */
enum {
    GEOMETRY = 1000,
    MESH = 2000,
    MATERIAL = 3000,
    TEXTURE = 4000,
    SKIN = 5000,
    JOINT = 6000,
    STACK = 8000,
    LAYER = 8001,
    CLUSTER = 10000,
    CURVE_NODE = 20000,
    CURVE = 30000
};

static const double zeros[3];

/* The text of a file: what it holds, and which of that belongs to which. */
struct fbx {
    struct buffer objects, links;
};

/* Rounded, so that all compilers write the same bytes. */
static void add_number(struct buffer *out, double value, const char *before)
{
    buffer_printf(out, "%s%.10g", before, floor(value * 1e6 + 0.5) / 1e6 + 0.0);
}

static void add_array(struct buffer *out, const char *name, const double *values, size_t count)
{
    buffer_printf(out, "%s: *%zu {\na: ", name, count);
    for (size_t i = 0; i < count; i++)
        add_number(out, values[i], i ? "," : "");
    buffer_printf(out, "\n}\n");
}

static void add_link(struct fbx *fbx, int from, int to)
{
    buffer_printf(&fbx->links, "C: \"OO\",%d,%d\n", from, to);
}

static void set_vector(double *out, struct v3 v)
{
    out[0] = v.y;
    out[1] = v.z;
    out[2] = v.x;
}

/* Degrees about x, then y, then z, of the two ways to say it that near the angles before. */
static void set_angles(double *angles, struct quat q, const double *before)
{
    double x = q.y, y = q.z, z = q.x, w = q.w;
    double first[3] = {atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) * 180 / PI,
                       asin(clamp(2 * (w * y - z * x), -1, 1)) * 180 / PI,
                       atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) * 180 / PI};
    double other[3] = {first[0] + 180, 180 - first[1], first[2] + 180}, far = 0, other_far = 0;
    for (int i = 0; i < 3; i++) {
        first[i] -= 360 * floor((first[i] - before[i]) / 360 + 0.5);
        other[i] -= 360 * floor((other[i] - before[i]) / 360 + 0.5);
        far += fabs(first[i] - before[i]);
        other_far += fabs(other[i] - before[i]);
    }
    for (int i = 0; i < 3; i++)
        angles[i] = far <= other_far ? first[i] : other[i];
}

static void add_joints(struct fbx *fbx, const struct rig *rig, const struct stance *rest)
{
    for (int i = 0; i < rig->joint_count; i++) {
        const char *name = rig->joints[i].name;
        struct placement placement = stance_below_parent(rest, rig, i);
        double at[3], angles[3];
        set_vector(at, v3_scale(placement.at, CENTIMETRES));
        set_angles(angles, placement.turn, zeros);
        buffer_printf(&fbx->objects,
                      "Model: %d, \"Model::mixamorig:%c%s\", \"LimbNode\" {\nVersion: 232\nProperties70: {\n",
                      JOINT + i, toupper(name[0]), name + 1);
        for (int k = 0; k < 2; k++) {
            const char *property = k ? "Lcl Rotation" : "Lcl Translation";
            buffer_printf(&fbx->objects, "P: \"%s\", \"%s\", \"\", \"A\"", property, property);
            for (int axis = 0; axis < 3; axis++)
                add_number(&fbx->objects, k ? angles[axis] : at[axis], ",");
            buffer_printf(&fbx->objects, "\n");
        }
        buffer_printf(&fbx->objects, "}\n}\n");
        add_link(fbx, JOINT + i, rig->joints[i].parent < 0 ? 0 : JOINT + rig->joints[i].parent);
    }
}

/* -- Meshes ------------------------------------------------------------------------------------------------- */

static void add_cluster(struct fbx *fbx, const struct figure *figure, const struct stance *rest, int number,
                        int joint)
{
    const struct coat *coat = &figure->coats[number];
    double *vertices = must_alloc((size_t)coat->vertex_count, sizeof *vertices);
    double *shares = must_alloc((size_t)coat->vertex_count, sizeof *shares);
    double there[16] = {[15] = 1}, back[16] = {[15] = 1};
    size_t count = 0;
    for (int i = 0; i < coat->vertex_count; i++) {
        const struct weights *weights = &coat->points[coat->vertices[i].point].weights;
        for (int k = 0; k < weights->count; k++)
            if (weights->items[k].joint == joint) {
                vertices[count] = i;
                shares[count++] = weights->items[k].bias;
            }
    }
    struct placement placement = stance_in_model(rest, &figure->rig, joint);
    for (int i = 0; i < 3; i++) {
        struct v3 axis = v3(i == 2, i == 0, i == 1);
        set_vector(there + 4 * i, quat_rotate(placement.turn, axis));
        set_vector(back + 4 * i, quat_rotate(quat_back(placement.turn), axis));
    }
    set_vector(there + 12, v3_scale(placement.at, CENTIMETRES));
    set_vector(back + 12, quat_rotate(quat_back(placement.turn), v3_scale(placement.at, -CENTIMETRES)));
    if (count > 0) {
        int cluster = CLUSTER + number * 100 + joint;
        buffer_printf(&fbx->objects, "Deformer: %d, \"SubDeformer::\", \"Cluster\" {\nVersion: 100\n", cluster);
        add_array(&fbx->objects, "Indexes", vertices, count);
        add_array(&fbx->objects, "Weights", shares, count);
        add_array(&fbx->objects, "Transform", back, 16);
        add_array(&fbx->objects, "TransformLink", there, 16);
        buffer_printf(&fbx->objects, "}\n");
        add_link(fbx, cluster, SKIN + number);
        add_link(fbx, JOINT + joint, cluster);
    }
    free(vertices);
    free(shares);
}

static void add_geometry(struct fbx *fbx, const struct coat *coat, int number)
{
    size_t count = (size_t)coat->vertex_count, index_count = (size_t)coat->triangle_count * 3;
    struct v3 *rest = must_alloc((size_t)coat->point_count, sizeof *rest);
    struct v3 *outwards = must_alloc((size_t)coat->point_count, sizeof *outwards);
    double *points = must_alloc(count * 3, sizeof *points), *normals = must_alloc(count * 3, sizeof *normals);
    double *uvs = must_alloc(count * 2, sizeof *uvs), *indices = must_alloc(index_count, sizeof *indices);
    for (int i = 0; i < coat->point_count; i++)
        rest[i] = coat->points[i].rest;
    coat_normals(coat, rest, outwards);
    for (size_t i = 0; i < count; i++) {
        set_vector(points + 3 * i, v3_scale(rest[coat->vertices[i].point], CENTIMETRES));
        set_vector(normals + 3 * i, outwards[coat->vertices[i].point]);
        uvs[2 * i] = coat->vertices[i].s;
        uvs[2 * i + 1] = 1 - coat->vertices[i].t;
    }
    for (size_t i = 0; i < index_count; i++) { /* counter-clockwise; the last of a polygon is -1 - its number */
        double vertex = coat->triangles[i / 3][2 - i % 3];
        indices[i] = i % 3 == 2 ? -1 - vertex : vertex;
    }
    static const char per_vertex[] = "Version: 101\nName: \"\"\nMappingInformationType: \"ByVertice\"\n"
                                     "ReferenceInformationType: \"Direct\"\n";
    struct buffer *out = &fbx->objects;
    buffer_printf(out, "Geometry: %d, \"Geometry::%s\", \"Mesh\" {\nGeometryVersion: 124\n", GEOMETRY + number,
                  coat->name);
    add_array(out, "Vertices", points, count * 3);
    add_array(out, "PolygonVertexIndex", indices, index_count);
    buffer_printf(out, "LayerElementNormal: 0 {\n%s", per_vertex);
    add_array(out, "Normals", normals, count * 3);
    buffer_printf(out, "}\nLayerElementUV: 0 {\n%s", per_vertex);
    add_array(out, "UV", uvs, count * 2);
    buffer_printf(
        out, "}\nLayerElementMaterial: 0 {\nMappingInformationType: \"AllSame\"\n"
             "ReferenceInformationType: \"IndexToDirect\"\nMaterials: *1 {\na: 0\n}\n}\nLayer: 0 {\nVersion: 100\n"
             "LayerElement: {\nType: \"LayerElementNormal\"\nTypedIndex: 0\n}\n"
             "LayerElement: {\nType: \"LayerElementUV\"\nTypedIndex: 0\n}\n"
             "LayerElement: {\nType: \"LayerElementMaterial\"\nTypedIndex: 0\n}\n}\n}\n");
    free(rest);
    free(outwards);
    free(points);
    free(normals);
    free(uvs);
    free(indices);
}

static void add_mesh(struct fbx *fbx, const struct figure *figure, const struct stance *rest, int number)
{
    const char *name = figure->coats[number].name;
    add_geometry(fbx, &figure->coats[number], number);
    buffer_printf(
        &fbx->objects,
        "Model: %d, \"Model::%s\", \"Mesh\" {\nVersion: 232\nProperties70: {\n}\n}\n"
        "Deformer: %d, \"Deformer::\", \"Skin\" {\nVersion: 101\nProperties70: {\n}\n}\n"
        "Material: %d, \"Material::%s\", \"\" {\nVersion: 102\nShadingModel: \"lambert\"\nProperties70: {\n"
        "P: \"DiffuseColor\", \"Color\", \"\", \"A\",1,1,1\n}\n}\n"
        "Texture: %d, \"Texture::%s\", \"\" {\nType: \"TextureVideoClip\"\nVersion: 202\n"
        "FileName: \"%s.png\"\nRelativeFilename: \"%s.png\"\nProperties70: {\n}\n}\n",
        MESH + number, name, SKIN + number, MATERIAL + number, name, TEXTURE + number, name, name, name);
    add_link(fbx, MESH + number, 0);
    add_link(fbx, GEOMETRY + number, MESH + number);
    add_link(fbx, MATERIAL + number, MESH + number);
    add_link(fbx, SKIN + number, GEOMETRY + number);
    buffer_printf(&fbx->links, "C: \"OP\",%d,%d,\"DiffuseColor\"\n", TEXTURE + number, MATERIAL + number);
    for (int i = 0; i < figure->rig.joint_count; i++)
        add_cluster(fbx, figure, rest, number, i);
}

/* -- Clips -------------------------------------------------------------------------------------------------- */

/* `values` are three for each key. */
static void add_curves(struct fbx *fbx, const struct motion *motion, int joint, bool turns, const double *values)
{
    int node = CURVE_NODE + 2 * joint + turns, count = motion_key_count(motion);
    double *one = must_alloc((size_t)count, sizeof *one);
    buffer_printf(&fbx->objects, "AnimationCurveNode: %d, \"AnimCurveNode::%c\", \"\" {\nProperties70: {\n}\n}\n",
                  node, turns ? 'R' : 'T');
    add_link(fbx, node, LAYER);
    buffer_printf(&fbx->links, "C: \"OP\",%d,%d,\"%s\"\n", node, JOINT + joint,
                  turns ? "Lcl Rotation" : "Lcl Translation");
    for (int axis = 0; axis < 3; axis++) {
        int curve = CURVE + 3 * (2 * joint + turns) + axis;
        buffer_printf(&fbx->objects,
                      "AnimationCurve: %d, \"AnimCurve::\", \"\" {\nKeyVer: 4008\nKeyTime: *%d {\na: ", curve,
                      count);
        for (int i = 0; i < count; i++) {
            buffer_printf(&fbx->objects, "%s%lld", i ? "," : "", i * (TICKS_PER_S / (long long)motion->rate_hz));
            one[i] = values[3 * i + axis];
        }
        buffer_printf(&fbx->objects, "\n}\n");
        add_array(&fbx->objects, "KeyValueFloat", one, (size_t)count);
        buffer_printf(&fbx->objects, "}\n");
        buffer_printf(&fbx->links, "C: \"OP\",%d,%d,\"d|%c\"\n", curve, node, 'X' + axis);
    }
    free(one);
}

static void add_clip(struct fbx *fbx, const struct rig *rig, const struct motion *motion,
                     const struct stance *frames)
{
    int count = motion_key_count(motion);
    double *places = must_alloc((size_t)count * 3, sizeof *places),
           *angles = must_alloc((size_t)count * 3, sizeof *angles);
    buffer_printf(
        &fbx->objects,
        "AnimationStack: %d, \"AnimStack::mixamo.com\", \"\" {\nProperties70: {\n}\n}\nAnimationLayer: %d, "
        "\"AnimLayer::BaseLayer\", \"\" {\nProperties70: {\n}\n}\n",
        STACK, LAYER);
    add_link(fbx, LAYER, STACK);
    for (int joint = 0; joint < rig->joint_count; joint++) {
        for (int i = 0; i < count; i++) {
            struct placement placement = stance_below_parent(&frames[i % motion->frame_count], rig, joint);
            set_vector(places + 3 * i, v3_scale(placement.at, CENTIMETRES));
            set_angles(angles + 3 * i, placement.turn, i ? angles + 3 * (i - 1) : zeros);
        }
        add_curves(fbx, motion, joint, false, places);
        add_curves(fbx, motion, joint, true, angles);
    }
    free(places);
    free(angles);
}

/* -- Files -------------------------------------------------------------------------------------------------- */

static void save(struct fbx *fbx, struct buffer *out)
{
    static const char *const settings[][2] = {{"UpAxis", "1"},        {"UpAxisSign", "1"}, {"FrontAxis", "2"},
                                              {"FrontAxisSign", "1"}, {"CoordAxis", "0"},  {"CoordAxisSign", "1"}};
    buffer_printf(out,
                  "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n"
                  "Creator: \"sheetbake\"\n}\nGlobalSettings: {\nVersion: 1000\nProperties70: {\n");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        buffer_printf(out, "P: \"%s\", \"int\", \"Integer\", \"\",%s\n", settings[i][0], settings[i][1]);
    buffer_printf(out,
                  "P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",1\n}\n}\nDefinitions: {\nVersion: "
                  "100\n}\nObjects: {\n%s}\nConnections: {\n%s}\n",
                  fbx->objects.text, fbx->links.text);
    buffer_release(&fbx->objects);
    buffer_release(&fbx->links);
}

void figure_fbx_save(const struct figure *figure, struct buffer *out)
{
    struct fbx fbx = {0};
    struct stance rest;
    stance_init(&rest, &figure->rig);
    add_joints(&fbx, &figure->rig, &rest);
    for (int i = 0; i < figure->coat_count; i++)
        add_mesh(&fbx, figure, &rest, i);
    save(&fbx, out);
}

void motion_fbx_save(const struct rig *rig, const struct motion *motion, const struct stance *frames,
                     struct buffer *out)
{
    struct fbx fbx = {0};
    struct stance rest;
    stance_init(&rest, rig);
    add_joints(&fbx, rig, &rest);
    add_clip(&fbx, rig, motion, frames);
    save(&fbx, out);
}
