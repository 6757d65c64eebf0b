

#include "asset/assets.h"
#include "idtech/md2.h"
#include "base/buffer.h"
#include "model/root_motion.h"
#include "models.h"
#include "plain_md3.h"
#include "plain_md5.h"
#include "test.h"

/* Every clip of the sample models, compared with a second implementation (plain.h). What we promise is 1e-4 of the
 * model's size and 1 degree; what we hold it to is a tenth of that. */
#define POSITION_LIMIT 1e-5
#define ANGLE_LIMIT_DEG 0.1

#define PIP "jobs/assets/models/pip/"
#define BOLT "jobs/assets/models/players/bolt/"
#define PLUM "jobs/assets/models/plum/"

static double worst_distance, worst_angle_deg; /* of the test that runs */

static struct model *load(const char *path)
{
    struct error err;
    struct model *model;
    struct blob blob = read_file(path);
    if (model_load(blob_bytes(&blob), NULL, &model, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    blob_release(&blob);
    worst_distance = worst_angle_deg = 0;
    return model;
}

/* -- Comparing --------------------------------------------------------------------------------------------- */

/* The diagonal of the box around the bind pose. */
static double size_of(const struct model *model)
{
    struct mesh mesh;
    struct error err;
    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    model_pose(model, &(struct pose){.animation = -1}, &mesh);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t p = 0; p < mesh.point_count; p++) {
            low = fmin(low, (double)mesh.positions[p][i]);
            high = fmax(high, (double)mesh.positions[p][i]);
        }
        sum += (high - low) * (high - low);
    }
    mesh_release(&mesh);
    return sqrt(sum);
}

static double distance(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Of unit vectors; by the chord, which is exact for small angles. */
static double angle_deg(const double a[3], const double b[3])
{
    return 2 * asin(fmin(1, distance(a, b) / 2)) * 180 / 3.14159265358979323846;
}

static void compare(const double position[3], const double normal[3], const double expected_position[3],
                    const double expected_normal[3], double model_size)
{
    double off = distance(position, expected_position) / model_size;
    double turned_deg = angle_deg(normal, expected_normal);
    if (!(off <= POSITION_LIMIT))
        fail_msg("(%g %g %g) is not (%g %g %g)", position[0], position[1], position[2], expected_position[0],
                 expected_position[1], expected_position[2]);
    if (!(turned_deg <= ANGLE_LIMIT_DEG))
        fail_msg("the normal (%g %g %g) is not (%g %g %g)", normal[0], normal[1], normal[2], expected_normal[0],
                 expected_normal[1], expected_normal[2]);
    worst_distance = fmax(worst_distance, off);
    worst_angle_deg = fmax(worst_angle_deg, turned_deg);
}

/* What is posed, and what it should be: the positions, then the normals. */
struct sample {
    const struct model *model;
    const struct clip *clip;
    double model_size;
    struct mesh mesh;
    double (*expected)[3];
};

static struct sample sample_of(const struct model *model, const struct clip *clip)
{
    struct sample sample = {.model = model, .clip = clip, .model_size = size_of(model)};
    struct error err;
    assert_int_equal(mesh_init(&sample.mesh, model, &err), 0);
    sample.expected = must_alloc(2 * (size_t)model->point_count, sizeof *sample.expected);
    return sample;
}

static void sample_release(struct sample *sample)
{
    mesh_release(&sample->mesh);
    free(sample->expected);
}

static void widen(const float *from, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)from[i];
}

static struct pose pose_at(const struct sample *sample, double position, enum plain_end end,
                           enum interpolation interpolation)
{
    struct clip clip = *sample->clip;
    clip.closes = end == PLAIN_CLOSED;
    return (struct pose){(int32_t)clip.animation,
                         clip_moment(&clip, position / (double)clip.rate_hz, end != PLAIN_STAYS), interpolation};
}

static void pose_and_compare(struct sample *sample, double position, enum plain_end end,
                             enum interpolation interpolation)
{
    struct pose pose = pose_at(sample, position, end, interpolation);
    uint32_t count = sample->model->point_count;
    model_pose(sample->model, &pose, &sample->mesh);
    for (uint32_t i = 0; i < count; i++) {
        double at[3], normal[3];
        widen(sample->mesh.positions[i], at);
        widen(sample->mesh.normals[i], normal);
        compare(at, normal, sample->expected[i], sample->expected[count + i], sample->model_size);
    }
}

/* The n-th line of the OBJ text that starts with `keyword`, and those after it. */
static void compare_lines(const char *text, const char *keyword, uint32_t count, double (*out)[3])
{
    const char *line = strstr(text, keyword);
    for (uint32_t i = 0; i < count; i++, line = strchr(line, '\n') + 1) {
        char *end = (char *)line + strlen(keyword);
        assert_true(strncmp(line, keyword, strlen(keyword)) == 0);
        for (int axis = 0; axis < 3; axis++)
            out[i][axis] = strtod(end, &end);
        assert_int_equal(*end, '\n');
    }
}

/* The numbers of the text that `sheetbake pose` writes of the mesh that was posed last. */
static void compare_obj(const struct sample *sample)
{
    uint32_t count = sample->model->point_count;
    struct buffer text = {0};
    double(*read)[3] = must_alloc(2 * (size_t)count, sizeof *read);
    mesh_save_obj(sample->model, &sample->mesh, &text);
    compare_lines(text.text, "v ", count, read);
    compare_lines(text.text, "vn ", count, read + count);
    for (uint32_t i = 0; i < count; i++)
        compare(read[i], read[count + i], sample->expected[i], sample->expected[count + i], sample->model_size);
    free(read);
    buffer_release(&text);
}

/* Calls `check` with each keyframe, moments after it, and times on both sides of the clip. */
static void at_all_moments(struct sample *sample, void (*check)(struct sample *, const void *, double),
                           const void *with)
{
    static const double after[] = {0, 0.25, 0.5, 0.8125};
    double count = sample->clip->frame_count;
    for (double frame = 0; frame < count; frame++)
        for (size_t i = 0; i < sizeof after / sizeof *after; i++)
            check(sample, with, frame + after[i]);
    check(sample, with, -0.375);
    check(sample, with, -count - 1.25);
    check(sample, with, count);
    check(sample, with, 3 * count + 1.75);
}

/* -- MD5 --------------------------------------------------------------------------------------------------- */

struct plain_pip {
    struct plain_md5mesh *mesh;
    struct plain_md5anim *anim;
};

static void expect_md5(const struct plain_md5mesh *mesh, const struct plain_joint *joints, struct sample *sample)
{
    for (int i = 0; i < mesh->point_count; i++)
        plain_md5_position(mesh, joints, i, sample->expected[i]);
    plain_md5_normals(mesh, sample->expected, sample->expected + mesh->point_count);
}

/* How far a joint is from its place at bind pose, over the ground. */
static void compare_root_motion(const struct plain_md5mesh *mesh, const struct plain_joint *joints,
                                const struct sample *sample, const struct pose *pose)
{
    for (uint32_t j = 0; j < sample->model->joint_count; j++) {
        vec2 moved;
        root_motion_at(sample->model, &(struct clip){.root = j}, pose, moved);
        for (int i = 0; i < 2; i++)
            assert_true(fabs((double)moved[i] - (joints[j].position[i] - mesh->bind[j].position[i])) <=
                        POSITION_LIMIT * sample->model_size);
    }
}

static void check_md5(struct sample *sample, const void *with, double position)
{
    const struct plain_pip *pip = with;
    struct plain_joint joints[PLAIN_JOINTS];
    for (int end = PLAIN_STAYS; end <= PLAIN_CLOSED; end++)
        for (int is_object = 0; is_object < 2; is_object++) {
            plain_skeleton(pip->mesh, pip->anim, plain_moment(position, pip->anim->frame_count, end), is_object,
                           joints);
            expect_md5(pip->mesh, joints, sample);
            enum interpolation interpolation = is_object ? INTERPOLATION_OBJECT : INTERPOLATION_LOCAL;
            pose_and_compare(sample, position, end, interpolation);
            struct pose pose = pose_at(sample, position, end, interpolation);
            compare_root_motion(pip->mesh, joints, sample, &pose);
        }
}

static void assert_pip(const char *name)
{
    struct model *model = load(PIP "pip.md5mesh");
    struct error err;
    char *path = must_printf(PIP "%s.md5anim", name);
    struct blob blob = read_file(path);
    if (model_add_animation(model, name, blob_bytes(&blob), &err) < 0)
        fail_msg("%s", err.text);
    blob_release(&blob);

    struct plain_pip pip = {plain_read_md5mesh(PIP "pip.md5mesh"), plain_read_md5anim(path)};
    assert_int_equal(pip.mesh->point_count, model->point_count);
    assert_int_equal(pip.anim->frame_count, model->clips[0].frame_count);
    assert_true(pip.anim->rate_hz == (double)model->clips[0].rate_hz);
    struct sample sample = sample_of(model, &model->clips[0]);
    at_all_moments(&sample, check_md5, &pip);
    compare_obj(&sample);
    print_message("%s: within %.1e of the size, %.1e degrees\n", name, worst_distance, worst_angle_deg);
    sample_release(&sample);
    free(pip.mesh);
    free(pip.anim);
    free(path);
    model_free(model);
}

TEST(the_bind_pose_of_pip_is_exact)
{
    struct model *model = load(PIP "pip.md5mesh");
    struct plain_md5mesh *mesh = plain_read_md5mesh(PIP "pip.md5mesh");
    struct sample sample = sample_of(model, NULL);
    expect_md5(mesh, mesh->bind, &sample);
    model_pose(model, &(struct pose){.animation = -1}, &sample.mesh);
    compare_obj(&sample);
    sample_release(&sample);
    free(mesh);
    model_free(model);
}

TEST(pip_idles_exactly)
{
    assert_pip("idle");
}

TEST(pip_walks_exactly)
{
    assert_pip("walk");
}

TEST(pip_jumps_exactly)
{
    assert_pip("jump");
}

TEST(pip_waves_exactly)
{
    assert_pip("wave");
}

/* -- MD2 --------------------------------------------------------------------------------------------------- */

struct plain_plum {
    struct plain_md2 md2;
    struct plain_sequence sequence;
};

static void check_md2(struct sample *sample, const void *with, double position)
{
    const struct plain_plum *plum = with;
    int count = plum->md2.point_count;
    for (int loop = 0; loop < 2; loop++) {
        struct plain_moment moment = plain_moment(position, plum->sequence.count, loop);
        for (int i = 0; i < count; i++) {
            double a[3], b[3], *at = sample->expected[i], *normal = sample->expected[count + i];
            int normal_a = plain_md2_point(&plum->md2, plum->sequence.first + moment.a, i, a);
            int normal_b = plain_md2_point(&plum->md2, plum->sequence.first + moment.b, i, b);
            assert_true(normal_a < MD2_NORMAL_COUNT && normal_b < MD2_NORMAL_COUNT);
            for (int axis = 0; axis < 3; axis++) {
                at[axis] = (1 - moment.blend) * a[axis] + moment.blend * b[axis];
                normal[axis] = (1 - moment.blend) * (double)md2_normals[normal_a][axis] +
                               moment.blend * (double)md2_normals[normal_b][axis];
            }
            plain_normalise(normal);
        }
        pose_and_compare(sample, position, loop, INTERPOLATION_LOCAL);
    }
}

TEST(every_sequence_of_plum_is_exact)
{
    struct model *model = load(PLUM "plum.md2");
    struct plain_plum plum = {.md2 = plain_read_md2(PLUM "plum.md2")};
    assert_int_equal(plum.md2.point_count, model->point_count);
    uint32_t clips = 0;
    for (int first = 0; first < plum.md2.frame_count; first += plum.sequence.count, clips++) {
        plum.sequence = plain_sequence(&plum.md2, first);
        const struct clip *clip = model_find_clip(model, plum.sequence.name);
        if (!clip || (int)clip->frame_count != plum.sequence.count)
            fail_msg("no clip '%s' of %d frames", plum.sequence.name, plum.sequence.count);
        struct sample sample = sample_of(model, clip);
        at_all_moments(&sample, check_md2, &plum);
        compare_obj(&sample);
        sample_release(&sample);
    }
    assert_int_equal(clips, model->clip_count);
    print_message("plum: within %.1e of the size, %.1e degrees\n", worst_distance, worst_angle_deg);
    free(plum.md2.bytes);
    model_free(model);
}

/* -- MD3 --------------------------------------------------------------------------------------------------- */

static void check_md3(struct sample *sample, const void *with, double position)
{
    const struct plain_md3 *md3 = with;
    int count = (int)sample->model->point_count;
    for (int loop = 0; loop < 2; loop++) {
        struct plain_moment moment = plain_moment(position, md3->frame_count, loop);
        for (int i = 0; i < count; i++) {
            double a[3], b[3], normal_a[3], normal_b[3];
            double *at = sample->expected[i], *normal = sample->expected[count + i];
            assert_true(plain_md3_point(md3, moment.a, i, a, normal_a));
            assert_true(plain_md3_point(md3, moment.b, i, b, normal_b));
            for (int axis = 0; axis < 3; axis++) {
                at[axis] = (1 - moment.blend) * a[axis] + moment.blend * b[axis];
                normal[axis] = (1 - moment.blend) * normal_a[axis] + moment.blend * normal_b[axis];
            }
            plain_normalise(normal);
        }
        pose_and_compare(sample, position, loop, INTERPOLATION_LOCAL);
    }
}

TEST(the_parts_of_bolt_are_exact)
{
    static const char *const files[] = {BOLT "lower.md3", BOLT "upper.md3", BOLT "head.md3"};
    for (int i = 0; i < 3; i++) {
        struct model *model = load(files[i]);
        struct plain_md3 md3 = plain_read_md3(files[i]);
        struct sample sample = sample_of(model, &model->clips[0]);
        at_all_moments(&sample, check_md3, &md3);
        compare_obj(&sample);
        sample_release(&sample);
        free(md3.bytes);
        model_free(model);
    }
}

static struct model *load_bolt(struct assets **assets)
{
    static const char *const roots[] = {"jobs/assets"};
    struct model *model;
    struct error err;
    struct blob blob = read_file(BOLT "animation.cfg");
    assert_int_equal(assets_open(roots, 1, assets, &err), 0);
    struct model_options options = {.path = "models/players/bolt/animation.cfg", .assets = *assets};
    assert_int_equal(model_load(blob_bytes(&blob), &options, &model, &err), 0);
    blob_release(&blob);
    worst_distance = worst_angle_deg = 0;
    return model;
}

/* The parts of the player with legs and torso at these frames of theirs: the torso is on the legs' tag, the head on the
 * torso's. */
static void expect_player(const struct plain_md3 parts[3], int legs, int torso, struct sample *sample)
{
    const int frames[] = {legs, torso, 0};
    int count = (int)sample->model->point_count, first = 0;
    for (int part = 0; part < 3; part++)
        for (int i = 0;; i++) {
            double position[3], normal[3];
            if (!plain_md3_point(&parts[part], frames[part], i, position, normal))
                break;
            for (int is_point = 0; is_point < 2; is_point++) {
                double *p = is_point ? position : normal;
                if (part == 2)
                    plain_md3_on_tag(&parts[1], torso, "tag_head", is_point, p);
                if (part > 0)
                    plain_md3_on_tag(&parts[0], legs, "tag_torso", is_point, p);
                memcpy(sample->expected[first + (is_point ? 0 : count)], p, sizeof position);
            }
            first++;
        }
    assert_int_equal(first, count);
}

TEST(bolt_is_exact_at_keyframes_of_legs_and_torso)
{
    static const struct {
        const char *clip;
        int legs, torso, legs_step, torso_step, frame_count;
    } rows[] = {
        {"BOTH_DEATH1", 0, 0, 1, 1, 4}, {"LEGS_RUN", 4, 11, 1, 0, 8},   {"LEGS_BACK", 11, 11, -1, 0, 8},
        {"LEGS_JUMP", 12, 11, 1, 0, 2}, {"LEGS_IDLE", 14, 11, 1, 0, 4}, {"TORSO_STAND", 14, 11, 1, 0, 4},
        {"BOTH_DEAD3", 3, 3, 0, 0, 1},
    };
    struct plain_md3 parts[] = {plain_read_md3(BOLT "lower.md3"), plain_read_md3(BOLT "upper.md3"),
                                plain_read_md3(BOLT "head.md3")};
    struct assets *assets;
    struct model *model = load_bolt(&assets);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct sample sample = sample_of(model, model_find_clip(model, rows[r].clip));
        assert_int_equal(sample.clip->frame_count, rows[r].frame_count);
        for (int frame = 0; frame < rows[r].frame_count; frame++) {
            expect_player(parts, rows[r].legs + rows[r].legs_step * frame,
                          rows[r].torso + rows[r].torso_step * frame, &sample);
            pose_and_compare(&sample, frame, PLAIN_STAYS, INTERPOLATION_LOCAL);
        }
        sample_release(&sample);
    }
    fact(
        "an attack of 12 Hz leads, and legs of 16 Hz run under it: at its frame 3 they would be at their frame 4");
    struct sample sample = sample_of(model, model_find_clip(model, "LEGS_RUN+TORSO_ATTACK"));
    assert_int_equal(sample.clip->frame_count, 3);
    expect_player(parts, 4, 8, &sample);
    pose_and_compare(&sample, 0, PLAIN_STAYS, INTERPOLATION_LOCAL);
    print_message("bolt: within %.1e of the size, %.1e degrees\n", worst_distance, worst_angle_deg);
    sample_release(&sample);
    for (int i = 0; i < 3; i++)
        free(parts[i].bytes);
    model_free(model);
    assets_close(assets);
}
