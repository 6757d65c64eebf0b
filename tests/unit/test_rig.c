#include "base/memory.h"
#include "model/clip.h"
#include "model/model.h"
#include "model/rig.h"
#include "model/root_motion.h"
#include "plain_rig.h"
#include "test.h"

/* Rigs made at random, posed at random moments, and compared with plain_rig.h. What we promise is 1e-4 of the model's
 * size; what we hold it to is a fiftieth of that. */
#define POSITION_LIMIT 2e-6
#define NORMAL_LIMIT 2e-5

enum { RIGS = 300, MOMENTS = 6, NODES = 12 };

static uint32_t dice;

static uint32_t below(uint32_t count)
{
    dice = dice * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(dice >> 8) * count >> 24);
}

static double between(double low, double high)
{
    return low + (high - low) * below(1 << 24) / (1 << 24);
}

/* -- Making rigs -------------------------------------------------------------------------------------------- */

static void *make(struct model *model, size_t count, size_t size)
{
    return arena_must_alloc(&model->arena, count, size);
}

static float *random_floats(struct model *model, size_t count, double low, double high)
{
    float *out = make(model, count, sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = (float)between(low, high);
    return out;
}

static const double *random_matrix(struct model *model)
{
    double *out = make(model, 16, sizeof *out);
    for (int i = 0; i < 16; i++)
        out[i] = i % 4 == 3 ? i == 15 : (i % 5 == 0) + between(-0.4, 0.4);
    return out;
}

static struct rig_node random_node(struct model *model, uint32_t number)
{
    struct rig_node node = {.name = "node", .parent = number == 0 ? -1 : (int32_t)below(number + 1) - 1};
    for (int i = 0; i < 3; i++) {
        node.local.translation[i] = between(-1, 1);
        node.local.scale[i] = between(0.6, 1.5) * (below(12) ? 1 : -1);
    }
    for (int i = 0; i < 4; i++)
        node.local.rotation[i] = between(-1, 1);
    node.matrix = below(5) ? NULL : random_matrix(model);
    node.weight_count = below(4);
    node.weights = below(2) ? random_floats(model, node.weight_count, 0, 1) : NULL;
    return node;
}

static struct rig_skin random_skin(struct model *model, uint32_t node_count)
{
    struct rig_skin skin = {.joint_count = 1 + below(6)};
    uint32_t *joints = make(model, skin.joint_count, sizeof *joints);
    double *inverses = make(model, skin.joint_count, 16 * sizeof *inverses);
    for (uint32_t i = 0; i < skin.joint_count; i++) {
        joints[i] = below(node_count);
        memcpy(&inverses[16 * i], random_matrix(model), 16 * sizeof *inverses);
    }
    skin.joints = joints;
    skin.inverse_binds = below(4) ? inverses : NULL;
    return skin;
}

static vec3 *random_vectors(struct model *model, uint32_t count)
{
    return (vec3 *)random_floats(model, (size_t)count * 3, -1, 1);
}

static void add_influences(struct model *model, const struct rig *rig, struct rig_surface *surface)
{
    surface->influence_count = 1 + below(5);
    size_t count = (size_t)surface->point_count * surface->influence_count;
    uint32_t *joints = make(model, count, sizeof *joints);
    float *weights = random_floats(model, count, 0, 2. / surface->influence_count);
    for (size_t i = 0; i < count; i++) {
        joints[i] = below(rig->skins[surface->skin].joint_count);
        weights[i] = below(3) || i % surface->influence_count == 0 ? weights[i] : 0;
    }
    surface->joints = joints;
    surface->weights = weights;
}

static struct rig_surface random_surface(struct model *model, const struct rig *rig)
{
    struct rig_surface surface = {.name = "same", .node = below(rig->node_count), .point_count = 3 + below(20)};
    surface.skin = below(2) ? (int32_t)below(rig->skin_count) : -1;
    surface.positions = (const vec3 *)random_vectors(model, surface.point_count);
    surface.normals = below(3) ? (const vec3 *)random_vectors(model, surface.point_count) : NULL;
    surface.uvs = below(2) ? (const vec2 *)random_floats(model, surface.point_count * (size_t)2, 0, 1) : NULL;
    surface.colors = below(2) ? (const vec4 *)random_floats(model, surface.point_count * (size_t)4, 0, 1) : NULL;
    if (surface.skin >= 0)
        add_influences(model, rig, &surface);
    surface.morph_count = rig->nodes[surface.node].weight_count;
    struct rig_morph *morphs = make(model, surface.morph_count, sizeof *morphs);
    for (uint32_t i = 0; i < surface.morph_count; i++) {
        morphs[i].positions = below(4) ? (const vec3 *)random_vectors(model, surface.point_count) : NULL;
        morphs[i].normals = below(2) ? (const vec3 *)random_vectors(model, surface.point_count) : NULL;
    }
    surface.morphs = morphs;
    surface.index_count = 3 * (1 + below(20));
    uint32_t *indices = make(model, surface.index_count, sizeof *indices);
    for (uint32_t i = 0; i < surface.index_count; i++)
        indices[i] = below(surface.point_count);
    surface.indices = indices;
    return surface;
}

static struct rig_track random_track(struct model *model, const struct rig *rig, uint32_t node,
                                     enum rig_target target, double begin_s)
{
    static const uint32_t widths[] = {3, 4, 3};
    struct rig_track track = {.node = node, .target = target, .key_count = 1 + below(6)};
    track.width = target == RIG_WEIGHTS ? rig->nodes[node].weight_count : widths[target];
    track.interpolation = (enum rig_interpolation)below(3);
    float *times_s = make(model, track.key_count, sizeof *times_s);
    for (uint32_t i = 0; i < track.key_count; i++)
        times_s[i] = (float)(begin_s += between(0.01, 0.3));
    track.times_s = times_s;
    size_t count = (size_t)track.key_count * track.width * (track.interpolation == RIG_CUBIC ? 3 : 1);
    track.values = random_floats(model, count, target == RIG_SCALE ? 0.5 : -1, 1.5);
    return track;
}

static struct rig_animation random_animation(struct model *model, const struct rig *rig)
{
    struct rig_animation animation = {.name = "moves"};
    struct rig_track *tracks = make(model, rig->node_count * (size_t)4, sizeof *tracks);
    double begin_s = between(0, 2);
    for (uint32_t node = 0; node < rig->node_count; node++)
        for (enum rig_target target = RIG_TRANSLATION; target <= RIG_WEIGHTS; target++)
            if ((below(3) == 0 || node + target == 0) &&
                (target != RIG_WEIGHTS || rig->nodes[node].weight_count > 0))
                tracks[animation.track_count++] = random_track(model, rig, node, target, begin_s);
    animation.tracks = tracks;
    return animation;
}

static struct rig *random_rig(struct model *model)
{
    struct rig *rig = make(model, 1, sizeof *rig);
    rig->node_count = 1 + below(NODES);
    rig->skin_count = 2;
    rig->surface_count = 1 + below(4);
    rig->animation_count = 2;
    struct rig_node *nodes = make(model, rig->node_count, sizeof *nodes);
    struct rig_skin *skins = make(model, rig->skin_count, sizeof *skins);
    struct rig_surface *surfaces = make(model, rig->surface_count, sizeof *surfaces);
    struct rig_animation *animations = make(model, rig->animation_count, sizeof *animations);
    memcpy(rig->to_model, rig_y_up_z_forward, sizeof rig->to_model);
    for (uint32_t i = 0; i < rig->node_count; i++)
        nodes[i] = random_node(model, i);
    rig->nodes = nodes;
    for (uint32_t i = 0; i < rig->skin_count; i++)
        skins[i] = random_skin(model, rig->node_count);
    rig->skins = skins;
    for (uint32_t i = 0; i < rig->surface_count; i++)
        surfaces[i] = random_surface(model, rig);
    rig->surfaces = surfaces;
    for (uint32_t i = 0; i < rig->animation_count; i++)
        animations[i] = random_animation(model, rig);
    rig->animations = animations;
    return rig;
}

static struct model *build(struct model *model, const struct rig *rig)
{
    struct error err;
    if (rig_build(model, rig, &err) < 0)
        fail_msg("%s", err.text);
    return model;
}

/* -- Comparing ---------------------------------------------------------------------------------------------- */

static double size_of(const struct mesh *mesh)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t p = 0; p < mesh->point_count; p++) {
            low = fmin(low, (double)mesh->positions[p][i]);
            high = fmax(high, (double)mesh->positions[p][i]);
        }
        sum += (high - low) * (high - low);
    }
    return sqrt(sum);
}

static double worst_position, worst_normal;

static void compare(const float *found, const double expected[3], double size, double limit, double *worst)
{
    double squares = 0;
    for (int i = 0; i < 3; i++)
        squares += ((double)found[i] - expected[i]) * ((double)found[i] - expected[i]);
    double off = sqrt(squares) / size;
    *worst = fmax(*worst, off);
    if (!(off <= limit))
        fail_msg("(%g %g %g) is not (%g %g %g)", (double)found[0], (double)found[1], (double)found[2], expected[0],
                 expected[1], expected[2]);
}

static bool shows_mirror_image(const struct rig *rig, const struct rig_animation *animation, double time_s,
                               const struct rig_surface *surface)
{
    uint32_t at = 0; /* the first influence in the order of the triangles */
    if (surface->skin >= 0)
        for (at = surface->indices[0] * surface->influence_count; surface->weights[at] == 0;)
            at++;
    struct plain_matrix matrix = surface->skin < 0
                                     ? plain_world(rig, animation, time_s, surface->node)
                                     : plain_on_joint(rig, animation, time_s, surface->skin, surface->joints[at]);
    return plain_determinant(&matrix) < 0;
}

static void check_flat_normal(const double corners[3][3], bool is_turned, const float *normal)
{
    double sides[2][3], expected[3];
    for (int i = 0; i < 3; i++) {
        sides[0][i] = corners[1][i] - corners[0][i];
        sides[1][i] = corners[2][i] - corners[0][i];
    }
    plain_cross(sides[is_turned], sides[!is_turned], expected);
    double length = sqrt(expected[0] * expected[0] + expected[1] * expected[1] + expected[2] * expected[2]);
    if (length < 1e-2) /* rounding of the corners shows */
        return;
    plain_normalise(expected);
    compare(normal, expected, 1, 100 * NORMAL_LIMIT, &worst_normal);
}

static void check_triangle(const struct model *model, const struct rig *rig, const struct rig_animation *animation,
                           double time_s, const struct mesh *mesh, uint32_t s, uint32_t triangle)
{
    const struct rig_surface *surface = &rig->surfaces[s];
    const uint32_t *expected = &surface->indices[triangle], *found = NULL;
    found = &model->indices[model->surfaces[s].first_index + triangle];
    bool is_turned = shows_mirror_image(rig, NULL, 0, surface),
         is_mirrored = shows_mirror_image(rig, animation, time_s, surface);
    assert_int_equal(mesh->is_turned[s], is_turned != is_mirrored);
    double corners[3][3], size = size_of(mesh);
    for (uint32_t corner = 0; corner < 3; corner++) {
        uint32_t vertex = found[corner > 0 && !is_turned ? 3 - corner : corner], i = expected[corner];
        uint32_t point = model->vertex_points[vertex];
        plain_point(rig, animation, time_s, surface, i, 1, corners[corner]);
        compare(mesh->positions[point], corners[corner], size, POSITION_LIMIT, &worst_position);
        if (surface->normals) {
            double normal[3];
            plain_point(rig, animation, time_s, surface, i, 0, normal);
            double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
            plain_normalise(normal);
            if (length > 0.02) /* others are the rest of sums that cancel out */
                compare(mesh->normals[point], normal, 1, NORMAL_LIMIT, &worst_normal);
        }
        for (int k = 0; k < 2; k++)
            assert_true(model->uvs[vertex][k] == (surface->uvs ? surface->uvs[i][k] : 0));
        for (int k = 0; k < 4 && model->colors; k++)
            assert_true(model->colors[vertex][k] == (surface->colors ? surface->colors[i][k] : 1));
    }
    if (!surface->normals)
        check_flat_normal((const double(*)[3])corners, is_mirrored, mesh->normals[found[0]]);
}

static void check_pose(const struct model *model, const struct rig *rig, const struct pose *pose, double time_s)
{
    const struct rig_animation *animation = pose->animation < 0 ? NULL : &rig->animations[pose->animation];
    struct mesh mesh;
    struct error err;
    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    model_pose(model, pose, &mesh);
    for (uint32_t s = 0; s < rig->surface_count; s++)
        for (uint32_t i = 0; i < rig->surfaces[s].index_count; i += 3)
            check_triangle(model, rig, animation, time_s, &mesh, s, i);
    mesh_release(&mesh);
}

static double first_key_s(const struct rig_animation *animation)
{
    double first = INFINITY;
    for (uint32_t i = 0; i < animation->track_count; i++)
        first = fmin(first, (double)animation->tracks[i].times_s[0]);
    return first;
}

TEST(random_rigs_are_exact)
{
    for (dice = 1; dice <= RIGS; dice++) {
        uint32_t seed = dice;
        struct model *model = must_alloc(1, sizeof *model);
        const struct rig *rig = random_rig(model);
        build(model, rig);
        check_pose(model, rig, &(struct pose){.animation = -1}, 0);
        for (uint32_t c = 0; c < rig->animation_count; c++) {
            const struct clip *clip = &model->clips[c];
            for (int i = 0; i < MOMENTS; i++) {
                double time_s = between(0, clip_duration_s(clip, false));
                struct pose pose = {(int32_t)clip->animation, clip_moment(clip, time_s, i % 2),
                                    INTERPOLATION_LOCAL};
                check_pose(model, rig, &pose, time_s + first_key_s(&rig->animations[c]));
            }
        }
        model_free(model);
        dice = seed;
    }
    print_message("positions are off by %.1e of the model's size at most, normals by %.1e\n", worst_position,
                  worst_normal);
}

/* -- Dual quaternions ---------------------------------------------------------------------------------------- */

/* A turn and a move as a number a + e * b of two quaternions, w last, where e * e is 0. */
struct dual {
    double a[4], b[4];
};

static void add_product(const double a[4], const double b[4], double out[4])
{
    for (int i = 0; i < 3; i++)
        out[i] += a[3] * b[i] + b[3] * a[i] + a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    out[3] += a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static struct dual dual_product(struct dual x, struct dual y)
{
    struct dual out = {{0}, {0}};
    add_product(x.a, y.a, out.a);
    add_product(x.a, y.b, out.b);
    add_product(x.b, y.a, out.b);
    return out;
}

static struct dual dual_of(const struct transform *transform)
{
    const double *t = transform->translation, half[4] = {t[0] / 2, t[1] / 2, t[2] / 2, 0};
    struct dual out = {{0}, {0}};
    memcpy(out.a, transform->rotation, sizeof out.a);
    plain_unit4(out.a);
    add_product(half, out.a, out.b);
    return out;
}

/* x * (1 + e * v) * x's conjugate, where that of e is -e, and x is unit in its first part. */
static void dual_move(struct dual x, const double v[3], double out[3])
{
    struct dual point = {{0, 0, 0, 1}, {v[0], v[1], v[2], 0}};
    struct dual back = {{-x.a[0], -x.a[1], -x.a[2], x.a[3]}, {x.b[0], x.b[1], x.b[2], -x.b[3]}};
    point = dual_product(dual_product(x, point), back);
    memcpy(out, point.b, 3 * sizeof *out);
}

/* A point of a chain of joints, none of which but the last has a size; or with w = 0 its normal. */
static void plain_turned(const struct rig *rig, const struct rig_surface *surface, uint32_t i, double w,
                         double out[3])
{
    const float *from = w == 0 ? surface->normals[i] : surface->positions[i];
    struct dual world = {{0.5, 0.5, 0.5, 0.5}, {0}}, joints[3], sum = {{0}, {0}}; /* Y up to Z up */
    double sizes[3] = {0}, at[3], linear[3], length = 0;
    for (uint32_t j = 0; j < 3; j++)
        joints[j] = world = dual_product(world, dual_of(&rig->nodes[j].local));
    const uint32_t *own = surface->joints + i * surface->influence_count;
    for (uint32_t k = 0; k < surface->influence_count; k++) {
        double weight = (double)surface->weights[i * surface->influence_count + k], along = 0;
        for (int n = 0; n < 4; n++)
            along += joints[own[k]].a[n] * joints[own[0]].a[n];
        for (int n = 0; n < 4; n++) {
            sum.a[n] += (along < 0 ? -weight : weight) * joints[own[k]].a[n];
            sum.b[n] += (along < 0 ? -weight : weight) * joints[own[k]].b[n];
        }
        for (int n = 0; n < 3; n++)
            sizes[n] += weight * rig->nodes[own[k]].local.scale[n];
    }
    for (int n = 0; n < 4; n++)
        length += sum.a[n] * sum.a[n];
    for (int n = 0; n < 4; n++) {
        sum.a[n] /= sqrt(length);
        sum.b[n] = w * sum.b[n] / sqrt(length);
    }
    for (int n = 0; n < 3; n++)
        at[n] = w == 0 ? (double)from[n] / sizes[n] : (double)from[n] * sizes[n];
    dual_move(sum, at, out);
    plain_point(rig, NULL, 0, surface, i, w, linear);
    if (w == 0) {
        plain_normalise(out);
        plain_normalise(linear);
    }
    for (int n = 0; n < 3; n++)
        out[n] = linear[n] + (out[n] - linear[n]) * (double)surface->turn_weights[i];
}

/* Joints bend and twist by 90 to 170 degrees. */
TEST(dual_quaternions_are_exact)
{
    for (dice = 1; dice <= 40; dice++) {
        uint32_t seed = dice;
        struct model *model = must_alloc(1, sizeof *model);
        struct rig_node nodes[3];
        struct rig_skin skin = {.joint_count = 3, .joints = (const uint32_t[]){0, 1, 2}};
        struct rig rig = {.nodes = nodes, .node_count = 3, .skins = &skin, .skin_count = 1, .surface_count = 1};
        memcpy(rig.to_model, rig_y_up_z_forward, sizeof rig.to_model);
        for (int j = 0; j < 3; j++) {
            double half = between(M_PI / 4, M_PI * 85 / 180), axis[3] = {between(-1, 1), between(-1, 1), 1};
            nodes[j] = (struct rig_node){"node", NULL, j - 1, {{0, 1, between(-1, 1)}, {0}, {1, 1, 1}}};
            plain_normalise(axis);
            for (int i = 0; i < 4; i++)
                nodes[j].local.rotation[i] = i < 3 ? sin(half) * axis[i] : cos(half);
        }
        for (int i = 0; i < 3; i++)
            nodes[2].local.scale[i] = between(0.5, 2);
        struct rig_surface surface = random_surface(model, &rig);
        surface.skin = 0;
        add_influences(model, &rig, &surface);
        surface.normals = (const vec3 *)random_vectors(model, surface.point_count);
        float *turn_weights = random_floats(model, surface.point_count, 0, 1);
        turn_weights[0] = turn_weights[1] = 1;
        surface.turn_weights = turn_weights;
        rig.surfaces = &surface;
        build(model, &rig);
        struct mesh mesh;
        struct error err;
        assert_int_equal(mesh_init(&mesh, model, &err), 0);
        model_pose(model, &(struct pose){.animation = -1}, &mesh);
        for (uint32_t i = 0; i < surface.index_count; i++) {
            const uint32_t order[] = {0, 2, 1}, own = model->indices[i - i % 3 + order[i % 3]];
            double position[3], normal[3];
            plain_turned(&rig, &surface, surface.indices[i], 1, position);
            plain_turned(&rig, &surface, surface.indices[i], 0, normal);
            compare(mesh.positions[own], position, size_of(&mesh), POSITION_LIMIT, &worst_position);
            double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
            plain_normalise(normal);
            if (length > 0.1) /* others are the rest of sums that cancel out */
                compare(mesh.normals[own], normal, 1, NORMAL_LIMIT, &worst_normal);
        }
        mesh_release(&mesh);
        model_free(model);
        dice = seed;
    }
}

/* -- By hand ------------------------------------------------------------------------------------------------- */

static const vec3 corner_positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const uint32_t corner_indices[] = {0, 1, 2};

/* A triangle on each of `node_count` nodes, all of them roots; in our axes. */
static struct rig *triangles(struct model *model, uint32_t node_count)
{
    struct rig *rig = make(model, 1, sizeof *rig);
    struct rig_node *nodes = make(model, node_count, sizeof *nodes);
    struct rig_surface *surfaces = make(model, node_count, sizeof *surfaces);
    for (uint32_t i = 0; i < node_count; i++) {
        nodes[i] = (struct rig_node){
            .name = "node", .parent = -1, .local = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
        surfaces[i] = (struct rig_surface){.name = "part",
                                           .node = i,
                                           .skin = -1,
                                           .point_count = 3,
                                           .positions = corner_positions,
                                           .indices = corner_indices,
                                           .index_count = 3};
    }
    *rig =
        (struct rig){.nodes = nodes, .node_count = node_count, .surfaces = surfaces, .surface_count = node_count};
    for (int i = 0; i < 4; i++)
        rig->to_model[5 * i] = 1;
    return rig;
}

/* An animation that moves a node along x. */
static struct rig_animation slide(struct model *model, uint32_t node, enum rig_interpolation interpolation,
                                  const float *times_s, const float *places, uint32_t count)
{
    struct rig_track *track = make(model, 1, sizeof *track);
    float *values = make(model, count, 3 * sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        values[3 * i] = places[i];
    *track = (struct rig_track){node, RIG_TRANSLATION, interpolation, count, times_s, 3, values};
    return (struct rig_animation){.name = "slide", .tracks = track, .track_count = 1};
}

/* x of the first point of a surface. */
static double place_at(const struct model *model, uint32_t surface, const struct pose *pose)
{
    struct mesh mesh;
    struct error err;
    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    model_pose(model, pose, &mesh);
    double x = (double)mesh.positions[model->indices[model->surfaces[surface].first_index]][0];
    mesh_release(&mesh);
    return x;
}

static double place_in_clip(const struct model *model, uint32_t surface, const char *name, double time_s,
                            bool loop)
{
    const struct clip *clip = model_find_clip(model, name);
    assert_non_null(clip);
    return place_at(model, surface, &(struct pose){(int32_t)clip->animation, clip_moment(clip, time_s, loop)});
}

static const float two_times_s[] = {1, 3}, two_places[] = {0, 10};

TEST(animations_of_different_nodes_play_at_once_as_all)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 2);
    const float later_s[] = {2, 4};
    const struct rig_animation animations[] = {slide(model, 0, RIG_LINEAR, two_times_s, two_places, 2),
                                               slide(model, 1, RIG_LINEAR, later_s, two_places, 2)};
    rig->animations = animations;
    rig->animation_count = 2;
    build(model, rig);
    assert_int_equal(model->clip_count, 3);
    assert_string_equal(model->clips[1].name, "slide_2");
    assert_float_equal(clip_duration_s(model_find_clip(model, "all"), true), 3, 0);
    assert_float_equal(place_in_clip(model, 0, "all", 1.5, true), 7.5, 1e-6);
    assert_float_equal(place_in_clip(model, 1, "all", 1.5, true), 2.5, 1e-6);
    assert_float_equal(place_in_clip(model, 1, "slide", 1.5, true), 0, 0);
    model_free(model);
}

TEST(animations_of_one_node_do_not_play_at_once)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 1);
    const struct rig_animation animations[] = {slide(model, 0, RIG_LINEAR, two_times_s, two_places, 2),
                                               slide(model, 0, RIG_STEP, two_times_s, two_places, 2)};
    rig->animations = animations;
    rig->animation_count = 2;
    build(model, rig);
    assert_int_equal(model->clip_count, 2);
    model_free(model);
}

/* Where times differ by rounding alone, a keyframe shows what all tracks have from there on. */
TEST(keys_at_almost_one_time_are_one_keyframe)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 2);
    const float times_s[] = {0, 1, 2}, others_s[] = {0, 1.000004f, 2}, places[] = {0, 10, 20};
    const struct rig_track tracks[] = {
        *slide(model, 0, RIG_STEP, times_s, places, 3).tracks,
        *slide(model, 1, RIG_STEP, others_s, places, 3).tracks,
    };
    rig->animations = &(struct rig_animation){.name = "", .tracks = tracks, .track_count = 2};
    rig->animation_count = 1;
    build(model, rig);
    assert_string_equal(model->clips[0].name, "animation");
    assert_int_equal(model->clips[0].frame_count, 3);
    for (uint32_t surface = 0; surface < 2; surface++)
        assert_float_equal(place_at(model, surface, &(struct pose){0, {1, 1, 0}, 0}), 10, 0);
    model_free(model);
}

TEST(an_open_loop_blends_its_last_keyframe_into_the_first)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 1);
    const struct rig_animation slides = slide(model, 0, RIG_LINEAR, two_times_s, two_places, 2);
    rig->animations = &slides;
    rig->animation_count = 1;
    build(model, rig);
    assert_true(model->clips[0].closes);
    assert_float_equal(place_in_clip(model, 0, "slide", 2.5, true), 2.5, 1e-6);
    model->clips[0].closes = false;
    assert_float_equal(place_in_clip(model, 0, "slide", 2.5, true), 7.5, 1e-6);
    model_free(model);
}

/* Whether a clip that turns a node about z, by so many degrees at its keys, is said to play once. */
static bool turning_plays_once(const float *degrees, uint32_t count)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 1);
    float times_s[40], turns[40][4] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        times_s[i] = (float)i;
        turns[i][2] = sinf(degrees[i] * (float)M_PI / 360);
        turns[i][3] = cosf(degrees[i] * (float)M_PI / 360);
    }
    const struct rig_track track = {0, RIG_ROTATION, RIG_LINEAR, count, times_s, 4, turns[0], NULL};
    rig->animations = &(struct rig_animation){.name = "turn", .tracks = &track, .track_count = 1};
    rig->animation_count = 1;
    build(model, rig);
    bool plays_once = clip_plays_once(&model->clips[0]);
    model_free(model);
    return plays_once;
}

TEST(a_clip_that_ends_in_another_pose_plays_once)
{
    float wheel[36];
    for (int i = 0; i < 36; i++)
        wheel[i] = 10 * (float)i;
    assert_true(turning_plays_once((const float[]){0, 20, 40, 60}, 4));     /* a body falls */
    assert_false(turning_plays_once((const float[]){0, 30, 0, -30, 0}, 5)); /* a leg swings */
    assert_false(turning_plays_once((const float[]){0, 30, 0, -29}, 4));    /* without its last keyframe */
    assert_false(turning_plays_once(wheel, 36));                            /* 350 degrees are 10 */
    assert_false(turning_plays_once((const float[]){0, 6, 12, 18}, 4));     /* sways */
    assert_false(turning_plays_once((const float[]){0, 90}, 2));            /* too few keyframes to say */
}

TEST(object_interpolation_goes_along_lines)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 1);
    const float turns[] = {0, 0, 0, 1, 0, 0, 1, 0};
    const struct rig_track track = {0, RIG_ROTATION, RIG_LINEAR, 2, two_times_s, 4, turns, NULL};
    rig->animations = &(struct rig_animation){.name = "turn", .tracks = &track, .track_count = 1};
    rig->animation_count = 1;
    build(model, rig);
    struct mesh mesh;
    struct error err;
    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    model_pose(model, &(struct pose){0, {0, 1, 0.25}, INTERPOLATION_OBJECT}, &mesh);
    assert_float_equal(mesh.positions[1][0], 0.5, 1e-6);
    assert_float_equal(mesh.positions[1][1], 0, 1e-6);
    model_pose(model, &(struct pose){0, {0, 1, 0.25}, INTERPOLATION_LOCAL}, &mesh);
    assert_float_equal(mesh.positions[1][0], sqrt(0.5), 1e-6);
    mesh_release(&mesh);
    model_free(model);
}

/* A joint that a job names; how the clip loops is for its file to say. */
TEST(root_motion_of_a_named_joint_can_be_taken_out)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 2);
    const struct rig_animation slides = slide(model, 1, RIG_LINEAR, two_times_s, two_places, 2);
    struct error err;
    rig->animations = &slides;
    rig->animation_count = 1;
    build(model, rig);
    struct clip *clip = &model->clips[0];
    assert_int_equal(clip_measure(model, 0, clip, &err), 0);
    assert_false(clip_travels(clip));
    assert_int_equal(clip_measure(model, 1, clip, &err), 0);
    assert_float_equal(clip->travel[0], 10, 1e-6);
    assert_true(clip->closes);
    assert_int_equal(clip_measure(model, -1, clip, &err), 0);
    assert_false(clip_travels(clip));
    model_free(model);
}

/* What hangs on a node has our axes, and is not scaled with it. */
TEST(joints_turn_and_move_what_hangs_on_them)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 2);
    struct rig_node *nodes = (struct rig_node *)rig->nodes;
    memcpy(rig->to_model, rig_y_up_z_forward, sizeof rig->to_model);
    nodes[0].local.scale[0] = nodes[0].local.scale[1] = 0.01;
    nodes[1].local = (struct transform){{1, 2, 3}, {0, sqrt(0.5), 0, sqrt(0.5)}, {2, -2, 2}}; /* about file's up */
    build(model, rig);
    mat4 joints[2];
    const mat4 none = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    const mat4 turned = {{0, 1, 0, 0}, {-1, 0, 0, 0}, {0, 0, 1, 0}, {3, 1, 2, 1}};
    model_pose_joints(model, &(struct pose){.animation = -1}, joints);
    for (int i = 0; i < 16; i++) {
        assert_float_equal(joints[0][i / 4][i % 4], none[i / 4][i % 4], 1e-6);
        assert_float_equal(joints[1][i / 4][i % 4], turned[i / 4][i % 4], 1e-6);
    }
    model_free(model);
}

TEST(surfaces_have_names_of_their_own)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 4);
    struct rig_surface *surfaces = (struct rig_surface *)rig->surfaces;
    surfaces[2].name = "part_2";
    surfaces[3].name = "";
    build(model, rig);
    assert_string_equal(model->surfaces[0].name, "part");
    assert_string_equal(model->surfaces[1].name, "part_2");
    assert_string_equal(model->surfaces[2].name, "part_2_3");
    assert_string_equal(model->surfaces[3].name, "mesh");
    model_free(model);
}

/* Chains of scales leave the range of a float; what they carry stays in it. */
TEST(numbers_stay_finite)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 60);
    struct rig_node *nodes = (struct rig_node *)rig->nodes;
    struct rig_surface *surfaces = (struct rig_surface *)rig->surfaces;
    for (uint32_t i = 0; i < rig->node_count; i++) {
        nodes[i].parent = (int32_t)i - 1;
        for (int axis = 0; axis < 3; axis++)
            nodes[i].local.scale[axis] = nodes[i].local.translation[axis] = axis == 1 ? -1e9 : 1e9;
        surfaces[i].normals = i % 2 ? corner_positions : NULL;
    }
    build(model, rig);
    struct mesh mesh;
    struct error err;
    mat4 *joints = make(model, rig->node_count, sizeof *joints);
    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    model_pose(model, &(struct pose){.animation = -1}, &mesh);
    model_pose_joints(model, &(struct pose){.animation = -1}, joints);
    for (uint32_t i = 0; i < mesh.point_count * 3; i++)
        assert_true(isfinite(mesh.positions[i / 3][i % 3]) && isfinite(mesh.normals[i / 3][i % 3]));
    for (uint32_t i = 0; i < rig->node_count * 16; i++)
        assert_true(isfinite(joints[i / 16][i / 4 % 4][i % 4]));
    mesh_release(&mesh);
    model_free(model);
}

/* The sum of the first ones would be 1 again in 32 bits. */
TEST(too_many_morph_targets_are_refused)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 4);
    struct rig_node *nodes = make(model, 4, sizeof *nodes);
    struct rig_surface surface = rig->surfaces[0];
    struct error err;
    memcpy(nodes, rig->nodes, 4 * sizeof *nodes);
    for (int i = 0; i < 4; i++)
        nodes[i].weight_count = i ? 1u << 30 : (1u << 30) + 1;
    rig->nodes = nodes;
    assert_int_equal(rig_build(model, rig, &err), -1);
    assert_string_equal(err.text, "more than 1048576 weights of morph targets at all nodes");
    for (int i = 0; i < 4; i++)
        nodes[i].weight_count = 1 << 18;
    surface.morph_count = 1 << 18;
    surface.morphs = make(model, surface.morph_count, sizeof *surface.morphs);
    surface.index_count = 3 << 7;
    uint32_t *indices = make(model, surface.index_count, sizeof *indices);
    surface.indices = indices;
    surface.normals = NULL;
    rig->surfaces = &surface;
    rig->surface_count = 1;
    assert_int_equal(rig_build(model, rig, &err), -1);
    assert_string_equal(err.text, "morph targets move more than 67108864 points");
    model_free(model);
}

TEST(long_names_are_refused)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct rig *rig = triangles(model, 2);
    struct rig_node *nodes = make(model, 2, sizeof *nodes);
    struct error err;
    memcpy(nodes, rig->nodes, 2 * sizeof *nodes);
    rig->nodes = nodes;
    nodes[1].name = arena_printf(&model->arena, "%01023d", 0);
    assert_int_equal(rig_build(model, rig, &err), 0);
    nodes[1].name = arena_printf(&model->arena, "%01024d", 0);
    assert_int_equal(rig_build(model, rig, &err), -1);
    assert_string_equal(err.text, "the name of node 1 has 1024 bytes, at most 1023 are allowed");
    model_free(model);
}

TEST(too_many_nodes_are_refused)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct error err;
    assert_int_equal(rig_build(model, triangles(model, MODEL_MOST_JOINTS + 1), &err), -1);
    assert_string_equal(err.text, "65537 nodes, at most 65536 are allowed");
    model_free(model);
}
