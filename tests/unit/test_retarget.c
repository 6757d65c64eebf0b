/* Clips on other rigs, against a second implementation: matrices of rotation and uniform scales, by the formulas of
 * model/retarget.h. Trees, poses, names and axes are random, the same in each run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/retarget.h"
#include "test.h"

enum { JOINTS = 9, KEYS = 5, NODES = 2 * JOINTS + 2 };

/* -- Plain poses -------------------------------------------------------------------------------------------- */

struct place {
    double turn[3][3], at[3], size; /* rows */
};

static struct place times(const struct place *a, const struct place *b)
{
    struct place out = {.size = a->size * b->size};
    for (int i = 0; i < 3; i++) {
        out.at[i] = a->at[i];
        for (int k = 0; k < 3; k++) {
            out.at[i] += a->size * a->turn[i][k] * b->at[k];
            for (int j = 0; j < 3; j++)
                out.turn[i][j] += a->turn[i][k] * b->turn[k][j];
        }
    }
    return out;
}

static struct place inverse(const struct place *a)
{
    struct place out = {.size = 1 / a->size};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out.turn[i][k] = a->turn[k][i];
            out.at[i] -= a->turn[k][i] * a->at[k] / a->size;
        }
    return out;
}

/* Only its turn. */
static struct place turn_of(const struct place *a)
{
    struct place out = *a;
    memset(out.at, 0, sizeof out.at);
    out.size = 1;
    return out;
}

static struct place place_of(const double at[3], const double q[4], double size)
{
    double x = q[0], y = q[1], z = q[2], w = q[3], n = 2 / (x * x + y * y + z * z + w * w);
    struct place out = {{{1 - n * (y * y + z * z), n * (x * y - z * w), n * (x * z + y * w)},
                         {n * (x * y + z * w), 1 - n * (x * x + z * z), n * (y * z - x * w)},
                         {n * (x * z - y * w), n * (y * z + x * w), 1 - n * (x * x + y * y)}},
                        {at[0], at[1], at[2]},
                        size};
    return out;
}

static struct place place_of_columns(const double matrix[16])
{
    struct place out = {.size = sqrt(matrix[0] * matrix[0] + matrix[1] * matrix[1] + matrix[2] * matrix[2])};
    for (int i = 0; i < 3; i++) {
        out.at[i] = matrix[12 + i];
        for (int k = 0; k < 3; k++)
            out.turn[i][k] = matrix[4 * k + i] / out.size;
    }
    return out;
}

static void columns_of(const struct place *place, double out[16])
{
    memset(out, 0, 16 * sizeof *out);
    for (int i = 0; i < 3; i++) {
        out[12 + i] = place->at[i];
        for (int k = 0; k < 3; k++)
            out[4 * k + i] = place->turn[i][k] * place->size;
    }
    out[15] = 1;
}

/* -- Random rigs -------------------------------------------------------------------------------------------- */

static double chance(double least, double most)
{
    return least + (most - least) * rand() / RAND_MAX;
}

static void random_turn(double most, double q[4])
{
    double length = 0;
    for (int i = 0; i < 3; i++)
        q[i] = chance(-most, most), length += q[i] * q[i];
    q[3] = 1;
    length = sqrt(length + 1);
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

struct test_rig {
    struct rig rig;
    struct rig_node nodes[NODES];
    char names[NODES][64];
    struct rig_skin skin;
    uint32_t joints[NODES];
    double inverse_binds[16 * NODES];
    uint32_t of_joint[JOINTS]; /* nodes */
    struct rig_animation animation;
    struct rig_track tracks[3 * NODES];
    float times_s[KEYS], values[NODES][3][4 * KEYS];
};

static uint32_t add_node(struct test_rig *out, int32_t parent, const char *name, const char *suffix)
{
    uint32_t n = out->rig.node_count++;
    snprintf(out->names[n], sizeof out->names[n], "%s%s", name, suffix);
    struct rig_node *node = &out->nodes[n];
    *node = (struct rig_node){.name = out->names[n], .parent = parent};
    for (int i = 0; i < 3; i++)
        node->local.translation[i] = chance(-1, 1);
    random_turn(1, node->local.rotation);
    node->local.scale[0] = node->local.scale[1] = node->local.scale[2] = chance(0.7, 1.4);
    return n;
}

struct shape {
    const char *prefix;
    bool has_more_nodes, is_large, is_upper, has_skin;
};

static void add_tracks(struct test_rig *out, uint32_t n)
{
    static const uint32_t widths[] = {3, 4, 3};
    for (int target = RIG_TRANSLATION; target <= RIG_SCALE; target++) {
        float *values = out->values[n][target];
        for (int key = 0; key < KEYS; key++) {
            double v[4];
            random_turn(1, v);
            if (target != RIG_ROTATION)
                v[0] = v[1] = v[2] = chance(0.5, 2);
            if (target == RIG_TRANSLATION)
                v[1] = chance(-1, 1), v[2] = chance(-1, 1);
            for (uint32_t i = 0; i < widths[target]; i++)
                values[widths[target] * (size_t)key + i] = (float)v[i];
        }
        out->tracks[out->animation.track_count++] =
            (struct rig_track){n, (enum rig_target)target, RIG_LINEAR, KEYS, out->times_s, widths[target], values};
    }
}

static void place_all(const struct test_rig *of, const struct rig_animation *animation, int key,
                      struct place *out);

/* `parents` of the joints, which both rigs have; other nodes stand between them. */
static void fill_rig(struct test_rig *out, const int32_t *parents, const struct shape *shape)
{
    memset(out, 0, sizeof *out);
    struct place axes = place_of_columns(rig_y_up_z_forward);
    axes.size = shape->is_large ? 100 : 1;
    columns_of(&axes, out->rig.to_model);
    for (int i = 0; i < JOINTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%c%d", shape->prefix, shape->is_upper ? 'J' : 'j', i);
        int32_t above = parents[i] < 0 ? -1 : (int32_t)out->of_joint[parents[i]];
        if (shape->has_more_nodes && i % 3 == 1)
            above = (int32_t)add_node(out, above, name, " twist");
        out->of_joint[i] = add_node(out, above, name, "");
    }
    out->rig.nodes = out->nodes;
    out->animation = (struct rig_animation){.name = "clip", .tracks = out->tracks};
    for (int key = 0; key < KEYS; key++)
        out->times_s[key] = (float)(key / 30.0);
    for (uint32_t n = 0; n < out->rig.node_count; n++)
        if (!strstr(out->names[n], "twist"))
            add_tracks(out, n);
    out->rig.animations = &out->animation;
    out->rig.animation_count = 1;
    if (!shape->has_skin)
        return;
    struct place rest[NODES], other = place_of((double[]){1, 2, 3}, (double[]){0, 0, 0, 1}, 1);
    for (uint32_t n = 0; n < out->rig.node_count; n++)
        random_turn(0.3, out->nodes[n].local.rotation); /* which is not how it is bound */
    place_all(out, NULL, 0, rest);
    for (uint32_t n = 0; n < out->rig.node_count; n++) {
        struct place bound = times(&other, &rest[n]), back = inverse(&bound);
        columns_of(&back, &out->inverse_binds[16 * n]);
        out->joints[n] = n;
        if (n > 0)
            random_turn(0.3, out->nodes[n].local.rotation);
    }
    out->skin = (struct rig_skin){out->rig.node_count, out->joints, out->inverse_binds, false};
    out->rig.skins = &out->skin;
    out->rig.skin_count = 1;
}

/* -- The second implementation ------------------------------------------------------------------------------ */

/* Of all nodes, at a key or (NULL) at rest. */
static void place_all(const struct test_rig *of, const struct rig_animation *animation, int key, struct place *out)
{
    const struct place to_model = place_of_columns(of->rig.to_model);
    for (uint32_t n = 0; n < of->rig.node_count; n++) {
        struct transform local = of->nodes[n].local;
        for (uint32_t t = 0; animation && t < animation->track_count; t++) {
            const struct rig_track *track = &animation->tracks[t];
            double *to[] = {local.translation, local.rotation, local.scale};
            for (uint32_t i = 0; track->node == n && i < track->width; i++)
                to[track->target][i] = (double)track->values[track->width * (uint32_t)key + i];
        }
        const struct place own = place_of(local.translation, local.rotation, local.scale[0]);
        out[n] = times(of->nodes[n].parent < 0 ? &to_model : &out[of->nodes[n].parent], &own);
    }
}

static void place_bind(const struct test_rig *of, struct place *out)
{
    place_all(of, NULL, 0, out);
    for (uint32_t n = 0; n < of->rig.node_count && of->rig.skin_count; n++) {
        if (of->nodes[n].parent < 0)
            continue;
        struct place up = place_of_columns(&of->inverse_binds[16 * of->nodes[n].parent]);
        struct place down = place_of_columns(&of->inverse_binds[16 * n]), bound = inverse(&down);
        bound = times(&up, &bound);
        out[n] = times(&out[of->nodes[n].parent], &bound);
    }
}

static bool is_from_root_to(const struct test_rig *rig, int32_t hips, uint32_t node)
{
    while (hips >= 0 && (uint32_t)hips != node)
        hips = rig->nodes[hips].parent;
    return hips >= 0;
}

/* What of the way between two joints of the clip's file the clip adds to that of the bind pose, in the axes of the first. */
static void find_way(const struct place *on_bind, const struct place *bind, const struct place *on,
                     const struct place *now, double way[3])
{
    const struct place back = inverse(on), bind_back = inverse(on_bind);
    const struct place moved = times(&back, now), bound = times(&bind_back, bind);
    for (int i = 0; i < 3; i++)
        way[i] = (moved.at[i] - bound.at[i]) * on_bind->size;
}

static struct place grip_of(const struct retarget *match, uint32_t n)
{
    return place_of((double[]){0, 0, 0}, match->grips[n], 1);
}

static void expect_places(const struct test_rig *rig, const struct test_rig *from, const struct retarget *match,
                          bool is_exact, int key, struct place *out)
{
    struct place rest[NODES], bind[NODES], from_bind[NODES], now[NODES];
    place_all(rig, NULL, 0, rest);
    place_bind(rig, bind);
    place_bind(from, from_bind);
    place_all(from, &from->animation, key, now);
    for (uint32_t n = 0; n < rig->rig.node_count; n++) {
        const int32_t source = match->sources[n], parent = rig->nodes[n].parent;
        if (source < 0) {
            struct place to_model = place_of_columns(rig->rig.to_model);
            struct place back = inverse(parent < 0 ? &to_model : &rest[parent]), local = times(&back, &rest[n]);
            out[n] = times(parent < 0 ? &to_model : &out[parent], &local);
            continue;
        }
        int32_t carrier = parent;
        while (carrier >= 0 && match->sources[carrier] < 0)
            carrier = rig->nodes[carrier].parent;
        const struct place now_turn = turn_of(&now[source]), grip = grip_of(match, n);
        out[n] = is_exact ? now_turn : times(&now_turn, &grip);
        out[n].size = bind[n].size * (is_exact ? now[source].size / from_bind[source].size : 1);
        const bool goes_along = is_from_root_to(rig, match->hips, n);
        if (carrier < 0 || (!is_exact && goes_along)) {
            for (int i = 0; i < 3; i++)
                out[n].at[i] = bind[n].at[i] + (is_exact || goes_along) * match->scale *
                                                   (now[source].at[i] - from_bind[source].at[i]);
            continue;
        }
        const int32_t on = match->sources[carrier];
        const struct place back = inverse(&bind[carrier]);
        struct place offset = times(&back, &bind[n]), way = {{{0}}, {0}, 1};
        find_way(&from_bind[on], &from_bind[source], &now[on], &now[source], way.at);
        if (!is_exact) {
            const struct place held = grip_of(match, (uint32_t)carrier), unheld = inverse(&held);
            way = times(&unheld, &way);
        }
        for (int i = 0; i < 3 && (is_exact || is_from_root_to(rig, match->hips, (uint32_t)carrier)); i++)
            offset.at[i] += way.at[i] * match->scale / bind[carrier].size;
        const struct place placed = times(&out[carrier], &offset);
        memcpy(out[n].at, placed.at, sizeof placed.at);
    }
}

static double difference(const struct place *a, const struct place *b)
{
    double most = fabs(a->size - b->size) / b->size;
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(a->at[i] - b->at[i]) / (10 * b->size));
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(a->turn[i][k] - b->turn[i][k]));
    }
    return most;
}

static void check_pair(const struct test_rig *rig, const struct test_rig *from, enum retarget_mode mode)
{
    struct retarget match;
    struct arena arena = {0};
    struct rig_animation animation;
    struct error err;
    assert_int_equal(retarget_match(&rig->rig, &from->rig, NULL, 0, &match, &err), 0);
    assert_int_equal(match.matched_count, JOINTS);
    for (int i = 0; i < JOINTS; i++)
        assert_int_equal(match.sources[rig->of_joint[i]], from->of_joint[i]);
    assert_int_equal(retarget_animation(&match, &from->animation, mode, &arena, &animation, &err), 0);
    for (int key = 0; key < KEYS; key++) {
        struct place expected[NODES], found[NODES];
        expect_places(rig, from, &match, mode == RETARGET_EXACT, key, expected);
        place_all(rig, &animation, key, found);
        for (uint32_t n = 0; n < rig->rig.node_count; n++) {
            double off = difference(&found[n], &expected[n]);
            if (!(off < 1e-4))
                fail_msg("%s is off by %g at key %d", rig->names[n], off, key);
        }
    }
    arena_release(&arena);
    retarget_release(&match);
}

static void check_random(const struct shape *shape, const struct shape *from_shape, enum retarget_mode mode)
{
    static struct test_rig rig, from;
    srand(7);
    for (int round = 0; round < 30; round++) {
        int32_t parents[JOINTS] = {-1};
        for (int i = 1; i < JOINTS; i++)
            parents[i] = rand() % i;
        fill_rig(&rig, parents, shape);
        fill_rig(&from, parents, from_shape);
        check_pair(&rig, &from, mode);
    }
}

static const struct shape plain = {.prefix = ""}, mixamo = {.prefix = "mixamorig:"},
                          fbx = {.prefix = "Armature|", .is_large = true},
                          bushy = {.prefix = "", .has_more_nodes = true}, upper = {.prefix = "", .is_upper = true},
                          skinned = {.prefix = "", .has_skin = true};

TEST(rest_mode_is_the_formula)
{
    check_random(&plain, &mixamo, RETARGET_REST);
    check_random(&plain, &fbx, RETARGET_REST);
    check_random(&bushy, &upper, RETARGET_REST);
    check_random(&fbx, &bushy, RETARGET_REST);
    check_random(&skinned, &plain, RETARGET_REST);
    check_random(&plain, &skinned, RETARGET_REST);
}

TEST(exact_mode_is_the_formula)
{
    check_random(&plain, &mixamo, RETARGET_EXACT);
    check_random(&mixamo, &fbx, RETARGET_EXACT);
    check_random(&bushy, &upper, RETARGET_EXACT);
    check_random(&fbx, &bushy, RETARGET_EXACT);
    check_random(&skinned, &skinned, RETARGET_EXACT);
}

/* -- What the formulas do not say --------------------------------------------------------------------------- */

static const int32_t chain[JOINTS] = {-1, 0, 1, 2, 1, 4, 1, 6, 7};

static struct test_rig one, other;

static int match_pair(const struct joint_pair *pairs, size_t count, struct retarget *out, struct error *err)
{
    return retarget_match(&one.rig, &other.rig, pairs, count, out, err);
}

static void fill_pair(const struct shape *a, const struct shape *b)
{
    srand(3);
    fill_rig(&one, chain, a);
    srand(3);
    fill_rig(&other, chain, b);
}

TEST(keys_of_the_same_rig_are_the_same)
{
    struct retarget match;
    struct arena arena = {0};
    struct rig_animation animation;
    struct error err;
    fill_pair(&plain, &plain);
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_true(retarget_is_exact(&match, RETARGET_AUTO));
    assert_int_equal(retarget_animation(&match, &other.animation, RETARGET_AUTO, &arena, &animation, &err), 0);
    assert_int_equal(animation.track_count, other.animation.track_count);
    for (uint32_t t = 0; t < animation.track_count; t++) {
        const struct rig_track *a = &animation.tracks[t], *b = &other.tracks[t];
        assert_int_equal(a->node, b->node);
        assert_int_equal(a->key_count, b->key_count);
        assert_memory_equal(a->values, b->values, a->key_count * a->width * sizeof(float));
        assert_true(a->values != b->values && a->times_s != b->times_s); /* they outlive the clip's file */
    }
    arena_release(&arena);
    retarget_release(&match);
}

/* Of two clips one moves the node that all hang on, which is in metres here and in centimetres there. */
TEST(keys_are_not_the_same_where_the_clip_leaves_a_node_alone_that_differs)
{
    struct retarget match;
    struct arena arena = {0};
    struct rig_animation animation;
    struct error err;
    struct place there[NODES], here[NODES];
    fill_pair(&plain, &plain);
    const struct rig_animation clips[] = {other.animation,
                                          {.name = "b", .tracks = other.tracks + 3, .track_count = 3}};
    other.rig.animations = clips;
    other.rig.animation_count = 2;
    for (int i = 0; i < 3; i++) {
        other.nodes[0].local.scale[i] /= 100;
        other.nodes[1].local.translation[i] *= 100;
        other.nodes[1].local.scale[i] *= 100;
        for (int key = 0; key < KEYS; key++)
            other.values[1][RIG_TRANSLATION][3 * key + i] *= 100;
    }
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_true(match.scale == 1);
    assert_int_equal(retarget_animation(&match, &clips[1], RETARGET_EXACT, &arena, &animation, &err), 0);
    place_all(&other, &clips[1], 0, there);
    place_all(&one, &animation, 0, here);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(here[1].at[i] - there[1].at[i]) < 1e-3);
    arena_release(&arena);
    retarget_release(&match);
}

TEST(lengths_go_by_the_height_of_the_hips)
{
    struct retarget match;
    struct error err;
    fill_pair(&plain, &(struct shape){.prefix = "", .is_large = true});
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_true(retarget_is_exact(&match, RETARGET_AUTO)); /* but for size */
    assert_true(fabs(match.scale - 0.01) < 1e-6);
    assert_int_equal(match.hips, 1); /* 0 carries but one */
    retarget_release(&match);
}

static void rename_node(struct test_rig *of, uint32_t node, const char *name)
{
    snprintf(of->names[node], sizeof of->names[node], "%s", name);
}

TEST(poses_do_not_say_whether_joints_are_built_alike)
{
    struct retarget match;
    struct error err;
    fill_pair(&plain, &plain);
    for (int i = 0; i < JOINTS; i++)
        random_turn(0.3, one.nodes[i].local.rotation), random_turn(0.3, other.nodes[i].local.rotation);
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_true(retarget_is_exact(&match, RETARGET_AUTO));
    assert_true(match.built_rad < 1e-6);
    assert_true(match.apart_rad > 0.1);
    retarget_release(&match);
    for (int i = 0; i < JOINTS; i++) { /* axes turned by a quarter: y was x */
        double *at = one.nodes[i].local.translation;
        memcpy(at, (double[]){-at[1], at[0], at[2]}, 3 * sizeof *at);
    }
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_false(retarget_is_exact(&match, RETARGET_AUTO));
    assert_true(retarget_is_exact(&match, RETARGET_EXACT));
    retarget_release(&match);
}

TEST(a_quaternion_of_other_signs_is_the_same_turn)
{
    struct retarget match;
    struct error err;
    fill_pair(&plain, &plain);
    rename_node(&one, 7, "tail");
    for (uint32_t t = 0; t < other.animation.track_count; t++) {
        const struct rig_node *node = &other.nodes[other.tracks[t].node];
        const double *rest[] = {node->local.translation, node->local.rotation, node->local.scale};
        for (uint32_t i = 0; i < KEYS * other.tracks[t].width; i++)
            other.values[other.tracks[t].node][other.tracks[t].target][i] =
                (float)(rest[other.tracks[t].target][i % other.tracks[t].width] *
                        (other.tracks[t].target == RIG_ROTATION && i / 4 % 2 ? -1 : 1));
    }
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_int_equal(match.missing_count, 0);
    retarget_release(&match);
}

/* -- Stick figures ------------------------------------------------------------------------------------------ */

/* Y up, hips 1 above the ground, as a T; `arms_deg` is by how much arms hang from there. Bones lie along y of their joints,
 * or with `other_axes` along x; if rolled, by a quarter turn about them. */
struct figure {
    double arms_deg, whole[4];
    bool other_axes, is_rolled, has_fingers;
};

enum { STICKS = 11, FINGERS = 6 };

static void turn_about(double x, double y, double z, double angle_deg, double q[4])
{
    const double half = angle_deg * 3.14159265358979323846 / 360;
    memcpy(q, (double[]){x * sin(half), y * sin(half), z * sin(half), cos(half)}, 4 * sizeof *q);
}

/* Joints hang on each other with turns of the model, `q` of them; their own axes come last. */
static void fill_figure(struct test_rig *out, const struct figure *figure)
{
    static const struct {
        const char *name;
        int up;
        double at[3], angle_deg; /* about z, on what carries it: from along y */
    } sticks[STICKS] = {
        {"Hips", -1, {0, 1, 0}, 0},        {"Spine", 0, {0, .2, 0}, 0},     {"Head", 1, {0, .5, 0}, 0},
        {"LeftArm", 1, {.2, .35, 0}, -90}, {"LeftHand", 3, {0, .5, 0}, 0},  {"RightArm", 1, {-.2, .35, 0}, 90},
        {"RightHand", 5, {0, .5, 0}, 0},   {"LeftLeg", 0, {.1, 0, 0}, 180}, {"LeftFoot", 7, {0, .9, 0}, 0},
        {"RightLeg", 0, {-.1, 0, 0}, 180}, {"RightFoot", 9, {0, .9, 0}, 0}};
    memset(out, 0, sizeof *out);
    memcpy(out->rig.to_model, rig_y_up_z_forward, sizeof out->rig.to_model);
    double axes[4], back[4];
    turn_about(0, figure->is_rolled, !figure->is_rolled, figure->other_axes || figure->is_rolled ? 90 : 0, axes);
    quaternion_invert(axes, back);
    for (int i = 0; i < STICKS + (figure->has_fingers ? FINGERS : 0); i++) {
        const int stick = i < STICKS ? i : 4;
        char name[32];
        snprintf(name, sizeof name, i < STICKS ? "%s" : "%sFinger%d", sticks[stick].name, i);
        const int up = i < STICKS ? sticks[i].up : 4;
        uint32_t n = add_node(out, up, name, "");
        struct transform *local = &out->nodes[n].local;
        struct transform at = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}, unturn = at, q = at;
        memcpy(at.translation, sticks[stick].at, sizeof at.translation);
        if (up >= 0)
            memcpy(unturn.rotation, back, sizeof back);
        const double side = sticks[stick].angle_deg < 0 ? -1 : 1;
        const double more = i < STICKS && strstr(name, "Arm") ? side * figure->arms_deg : 0;
        turn_about(0, 0, 1, i < STICKS ? sticks[i].angle_deg + more : 0, q.rotation);
        if (up < 0)
            memcpy(q.rotation, figure->whole, sizeof q.rotation);
        *local = transform_multiply(&unturn, &at);
        quaternion_multiply(unturn.rotation, q.rotation, local->rotation);
        quaternion_multiply(local->rotation, axes, local->rotation);
        memcpy(local->scale, at.scale, sizeof at.scale);
    }
    out->rig.nodes = out->nodes;
    out->animation = (struct rig_animation){.name = "hang", .tracks = out->tracks};
    out->rig.animations = &out->animation;
    out->rig.animation_count = 1;
}

/* Gives each joint one key, that of the pose that another figure stands in. */
static void play_figure(struct test_rig *out, const struct figure *pose)
{
    static struct test_rig posed;
    fill_figure(&posed, pose);
    for (uint32_t n = 0; n < out->rig.node_count; n++) {
        for (int i = 0; i < 4; i++)
            out->values[n][RIG_ROTATION][i] = (float)posed.nodes[n].local.rotation[i];
        out->tracks[out->animation.track_count++] = (struct rig_track){
            n, RIG_ROTATION, RIG_LINEAR, 1, out->times_s, 4, out->values[n][RIG_ROTATION], NULL};
    }
}

static const double upright[] = {0, 0, 0, 1};

/* The figure plays a clip in which arms hang straight down, of a figure in a T that looks ahead. */
static void check_hangs(const struct figure *figure, const struct figure *clip, enum retarget_mode mode,
                        bool is_exact)
{
    struct retarget match;
    struct arena arena = {0};
    struct rig_animation animation;
    struct error err;
    struct place at[NODES];
    struct figure hanging = *clip;
    fill_figure(&one, figure);
    fill_figure(&other, clip);
    hanging.arms_deg = 90;
    memcpy(hanging.whole, upright, sizeof upright);
    play_figure(&other, &hanging);
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_true(match.fits);
    assert_int_equal(retarget_is_exact(&match, mode), is_exact);
    assert_int_equal(retarget_animation(&match, &other.animation, mode, &arena, &animation, &err), 0);
    place_all(&one, &animation, 0, at);
    for (int i = 0; i < 3; i++) { /* ours: Z up, X forward */
        const double down = i == 2 ? -.5 : 0;
        assert_true(fabs(at[4].at[i] - at[3].at[i] - down) < 1e-3 &&
                    fabs(at[6].at[i] - at[5].at[i] - down) < 1e-3);
        assert_true(fabs(at[2].at[i] - at[0].at[i] - (i == 2 ? .7 : 0)) < 1e-3);
        assert_true(fabs(at[3].at[i] - at[5].at[i] - (i == 1 ? .4 : 0)) < 1e-3);
        assert_true(fabs(at[0].at[i] - (i == 2)) < 1e-3);
    }
    arena_release(&arena);
    retarget_release(&match);
}

TEST(a_figure_holds_its_limbs_as_the_clip_does_however_it_is_bound)
{
    struct figure t = {.whole = {0, 0, 0, 1}}, figure = t;
    const double wholes[][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int turned = 0; turned < 3; turned++)
        for (int i = 0; i < 3; i++)
            for (int arms = -30; arms < 90; arms += 75) {
                figure = (struct figure){.arms_deg = arms, .other_axes = turned == 1, .is_rolled = turned == 2};
                turn_about(wholes[i][0], wholes[i][1], wholes[i][2], i * 90, figure.whole);
                check_hangs(&figure, &t, RETARGET_AUTO, !turned);
                check_hangs(&figure, &t, RETARGET_REST, false);
                check_hangs(&t, &figure, RETARGET_AUTO, !turned); /* a clip that rests so */
                check_hangs(&t, &figure, RETARGET_REST, false);
            }
}

TEST(fingers_do_not_decide_whether_a_clip_fits)
{
    const struct figure bare = {.whole = {0, 0, 0, 1}}, fingers = {.whole = {0, 0, 0, 1}, .has_fingers = true};
    check_hangs(&bare, &fingers, RETARGET_AUTO, true);
    check_hangs(&fingers, &bare, RETARGET_AUTO, true);
}

TEST(a_clip_fits_by_a_third_of_the_joints_with_weights_and_by_their_hips)
{
    struct retarget match;
    struct error err;
    const struct figure figure = {.whole = {0, 0, 0, 1}};
    fill_figure(&one, &figure);
    fill_figure(&other, &figure);
    play_figure(&other, &figure);
    for (int i = 0; i < STICKS; i++)
        other.values[i][RIG_ROTATION][0] += 0.2F; /* all are moved */
    for (int i = 4; i < STICKS; i++)
        other.names[i][0] = '_'; /* 4 of 11 are left */
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_true(match.fits && match.is_strange);
    assert_int_equal(match.weighted_count, STICKS);
    assert_int_equal(match.untracked_count, STICKS - 4);
    retarget_release(&match);
    other.names[3][0] = '_';
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_false(match.fits);
    retarget_release(&match);
    /* Of four with weights three are enough, if the hips are one of them. */
    const uint32_t joints[] = {0, 1, 2, 3};
    const float weights[] = {1, 1, 1, 1};
    const struct rig_skin skin = {4, joints, NULL, true};
    const struct rig_surface surface = {
        .point_count = 2, .influence_count = 2, .joints = joints, .weights = weights};
    one.rig.surfaces = &surface;
    one.rig.surface_count = 1;
    one.rig.skins = &skin;
    one.rig.skin_count = 1;
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_int_equal(match.weighted_count, 4);
    assert_true(match.fits);
    retarget_release(&match);
    other.names[1][0] = '_'; /* the spine: with head and arm above it, it carries most but the hips */
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_false(match.fits);
    retarget_release(&match);
}

static void fails_with(const struct joint_pair *pairs, size_t count, const char *message)
{
    struct retarget match;
    struct error err;
    assert_int_equal(match_pair(pairs, count, &match, &err), -1);
    if (!strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
}

TEST(ambiguity_names_both)
{
    fill_pair(&plain, &plain);
    rename_node(&one, 3, "a:j5");
    rename_node(&one, 5, "b:j5");
    fails_with(NULL, 0, "joint 'j5' of the clip could be 'a:j5' or 'b:j5' of the model");
    fill_pair(&plain, &plain);
    rename_node(&other, 3, "a:j5");
    rename_node(&other, 5, "b:j5");
    fails_with(NULL, 0, "joint 'j5' of the model could be 'a:j5' or 'b:j5' of the clip");
    /* An exact name is no question. */
    struct retarget match;
    struct error err;
    fill_pair(&plain, &plain);
    rename_node(&one, 3, "x:j5");
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_int_equal(match.sources[5], 5);
    assert_int_equal(match.sources[3], -1);
    retarget_release(&match);
}

TEST(pairs_come_first_and_name_joints)
{
    struct retarget match;
    struct error err;
    fill_pair(&plain, &plain);
    const struct joint_pair swapped[] = {{"j3", "j5"}, {"j5", "j3"}, {"not there", "j1"}};
    assert_int_equal(match_pair(swapped, 3, &match, &err), 0);
    assert_int_equal(match.sources[3], 5);
    assert_int_equal(match.sources[5], 3);
    retarget_release(&match);
    fails_with((struct joint_pair[]){{"j3", "j55"}}, 1, "`joints`: no joint 'j55', did you mean 'j");
    fails_with((struct joint_pair[]){{"j3", "j5"}, {"j4", "j5"}}, 2, "more than one joint for 'j4' or 'j5'");
}

TEST(a_part_that_is_called_as_its_joint_is_none)
{
    struct retarget match;
    struct error err;
    fill_pair(&plain, &plain);
    uint32_t part = add_node(&one, 5, "j5", "");
    one.rig.surfaces = &(struct rig_surface){.node = part};
    one.rig.surface_count = 1;
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_int_equal(match.sources[5], 5);
    assert_int_equal(match.sources[part], -1);
    retarget_release(&match);
}

TEST(joints_without_a_match_are_listed)
{
    struct retarget match;
    struct error err;
    fill_pair(&plain, &plain);
    rename_node(&one, 7, "tail");
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_int_equal(match.missing_count, 1);
    assert_int_equal(match.matched_count, JOINTS - 1);
    assert_string_equal(match.missing[0], "j7");
    retarget_release(&match);
}

TEST(a_clip_with_a_rate_keeps_its_keys_and_steps_stay_steps)
{
    struct retarget match;
    struct arena arena = {0};
    struct rig_animation animation;
    struct error err;
    fill_pair(&plain, &upper);
    for (int key = 0; key < KEYS; key++)
        other.times_s[key] = (float)(key / 10.0);
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    assert_int_equal(retarget_animation(&match, &other.animation, RETARGET_REST, &arena, &animation, &err), 0);
    assert_int_equal(animation.tracks[0].key_count, 3 * (KEYS - 1) + 1);
    other.animation.rate_hz = 10;
    assert_int_equal(retarget_animation(&match, &other.animation, RETARGET_REST, &arena, &animation, &err), 0);
    assert_int_equal(animation.tracks[0].key_count, KEYS);
    assert_true(animation.rate_hz == 10);
    other.animation.rate_hz = 0;
    for (uint32_t t = 0; t < other.animation.track_count; t++)
        other.tracks[t].interpolation = RIG_STEP;
    assert_int_equal(retarget_animation(&match, &other.animation, RETARGET_REST, &arena, &animation, &err), 0);
    for (uint32_t t = 0; t < animation.track_count; t++) {
        assert_int_equal(animation.tracks[t].key_count, KEYS);
        assert_int_equal(animation.tracks[t].interpolation, RIG_STEP);
    }
    arena_release(&arena);
    retarget_release(&match);
}

TEST(too_many_new_keys_are_refused)
{
    static float times_s[1 << 16], values[4 << 16];
    struct retarget match;
    struct arena arena = {0};
    struct rig_animation animation;
    struct error err;
    fill_pair(&plain, &plain);
    random_turn(0.1, one.nodes[2].local.rotation);
    for (int i = 0; i < 1 << 16; i++)
        times_s[i] = (float)i;
    for (int i = 0; i < 4 << 16; i++)
        values[i] = 1;
    struct rig_track long_track = {2, RIG_ROTATION, RIG_LINEAR, 1 << 16, times_s, 4, values, NULL};
    struct rig_animation long_clip = {.name = "long", .tracks = &long_track, .track_count = 1};
    one.rig.node_count = 4;
    assert_int_equal(match_pair(NULL, 0, &match, &err), 0);
    struct rig large = other.rig;
    struct rig_node *nodes = arena_must_alloc(&arena, 200, sizeof *nodes);
    for (int i = 0; i < 200; i++)
        nodes[i] = other.nodes[i < JOINTS ? i : 0];
    large.nodes = nodes;
    large.node_count = 200;
    match.from = &large;
    assert_int_equal(retarget_animation(&match, &long_clip, RETARGET_REST, &arena, &animation, &err), -1);
    assert_string_equal(err.text, "clip 'long': 65536 keys for 4 joints are too many");
    arena_release(&arena);
    retarget_release(&match);
}
