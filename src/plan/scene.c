#include "plan/scene.h"

#include <cglm/affine.h>
#include <cglm/mat4.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "model/root_motion.h"

/* -- The parts at one sample ------------------------------------------------------------------------------- */

int scene_init(struct scene *scene, const struct plan *plan, bool has_normals, struct error *err)
{
    SCOPED_BY(scene_release)
    struct scene fresh = {.plan = plan, .parts = must_alloc(plan->part_count, sizeof *fresh.parts)};
    for (size_t i = 0; i < plan->part_count; i++) {
        const struct model *model = plan->parts[i].model;
        struct posed_part *part = &fresh.parts[i];
        if ((has_normals ? mesh_init : mesh_init_positions)(&part->mesh, model, err) < 0 ||
            !(part->joint_to_model = memory_alloc(model->joint_count, sizeof(mat4), err)))
            return -1;
    }
    *scene = fresh;
    fresh = (struct scene){0};
    return 0;
}

void scene_release(struct scene *scene)
{
    for (size_t i = 0; scene->plan && i < scene->plan->part_count; i++) {
        mesh_release(&scene->parts[i].mesh);
        free(scene->parts[i].joint_to_model);
    }
    free(scene->parts);
    *scene = (struct scene){0};
}

static void pose_joints(struct scene *scene, uint32_t part, uint32_t take, uint32_t sample)
{
    const struct plan *plan = scene->plan;
    struct posed_part *posed = &scene->parts[part];
    posed->pose = plan_pose(plan, part, &plan->takes[take], sample);
    bool are_needed = passes_need(plan->job->passes, SHOWS_SKELETON) || (part == 0 && plan->socket_count > 0);
    for (size_t i = 1; i < plan->part_count; i++)
        are_needed |= plan->parts[i].at.kind == PLACE_JOINT && plan->parts[i].at.part == part;
    if (are_needed)
        model_pose_joints(plan->parts[part].model, &posed->pose, posed->joint_to_model);
}

void scene_pose(struct scene *scene, uint32_t take, uint32_t sample)
{
    const struct plan *plan = scene->plan;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct part *part = &plan->parts[i];
        struct posed_part *posed = &scene->parts[i];
        mat4 place;
        pose_joints(scene, i, take, sample);
        glm_mat4_copy((vec4 *)part->local, posed->to_world);
        if (i > 0) {
            scene_place(scene, &part->at, place);
            glm_mat4_mul(place, (vec4 *)part->local, posed->to_world);
        } else if (plan->takes[take].is_in_place) {
            vec3 moved = {0};
            root_motion_at(part->model, plan->takes[take].clip, &posed->pose, moved);
            glm_vec3_negate(moved);
            glm_translate(posed->to_world, moved);
        }
        model_pose(part->model, &posed->pose, &posed->mesh);
    }
}

void scene_place(const struct scene *scene, const struct place *place, mat4 place_to_world)
{
    const struct part *part = &scene->plan->parts[place->part];
    mat4 place_to_model = GLM_MAT4_IDENTITY_INIT;
    if (place->kind == PLACE_JOINT)
        glm_mat4_copy(scene->parts[place->part].joint_to_model[place->index], place_to_model);
    else if (place->kind == PLACE_TAG)
        tag_place(&part->model->tags.items[place->index], &scene->parts[place->part].pose.moment, place_to_model);
    if (place->kind != PLACE_JOINT && part->model->is_transformed) /* what hangs on a model goes along with it */
        glm_mat4_mul((vec4 *)part->model->transform, place_to_model, place_to_model);
    /* Root motion goes over the origin of the job's own model and leaves it where it is. */
    const mat4 *model_to_world =
        place->kind == PLACE_ORIGIN && place->part == 0 ? &part->local : &scene->parts[place->part].to_world;
    glm_mat4_mul((vec4 *)*model_to_world, place_to_model, place_to_world);
}

bool scene_box(const struct scene *scene, vec3 box[2])
{
    glm_vec3_fill(box[0], INFINITY);
    glm_vec3_fill(box[1], -INFINITY);
    for (size_t i = 0; i < scene->plan->part_count; i++) {
        const struct part *part = &scene->plan->parts[i];
        for (uint32_t p = 0; p < part->visible_point_count; p++) {
            vec3 point;
            glm_mat4_mulv3(scene->parts[i].to_world, scene->parts[i].mesh.positions[part->visible_points[p]], 1,
                           point);
            glm_vec3_minv(box[0], point, box[0]);
            glm_vec3_maxv(box[1], point, box[1]);
        }
    }
    return box[0][0] <= box[1][0];
}

/* -- Rows: what is framed together ------------------------------------------------------------------------- */

/* A row stands for the samples that share their framing, with one framing and one view per camera. */
static void assign_rows(struct views *views, const struct plan *plan, enum fit_scope scope)
{
    views->camera_count = plan->job->camera_count;
    views->per_sample = scope == FIT_FRAME;
    views->first_rows = must_alloc(plan->take_count, sizeof *views->first_rows);
    for (size_t t = 0; t < plan->take_count; t++) {
        views->first_rows[t] = views->row_count;
        if (scope == FIT_FRAME)
            views->row_count += plan->takes[t].sample_count;
        else if (scope == FIT_ANIMATION)
            views->row_count++;
    }
    if (views->row_count == 0)
        views->row_count = 1;
}

static size_t row_of(const struct views *views, size_t take, size_t sample)
{
    return views->first_rows[take] + (views->per_sample ? sample : 0);
}

static size_t place_of(const struct views *views, size_t take, size_t sample, size_t camera)
{
    return row_of(views, take, sample) * views->camera_count + camera;
}

/* Makes a framing for each view, which has seen nothing yet; the caller frees them. */
static struct framing *new_framings(const struct views *views, const struct job *job, struct error *err)
{
    size_t count = views->row_count * views->camera_count;
    struct framing *framings = memory_alloc(count, sizeof *framings, err);
    for (size_t i = 0; framings && i < count; i++)
        framing_init(&framings[i], &job->cameras[i % job->camera_count], &job->fit, job->cell_px);
    return framings;
}

/* A few points of the model in the first sample of a take, the latest and the one before, and how far any of them moved. */
enum { TRACKED = 64 };

struct tracks {
    vec3 points[3][TRACKED];
    float largest; /* from one sample to the next, squared */
};

static size_t track(const struct scene *scene, vec3 out[TRACKED])
{
    size_t count = 0;
    for (size_t i = 0; i < scene->plan->part_count; i++) {
        const struct part *part = &scene->plan->parts[i];
        size_t wanted = (TRACKED - count) / (scene->plan->part_count - i),
               step = part->visible_point_count / (wanted ? wanted : 1) + 1;
        for (size_t p = 0; p < part->visible_point_count && count < TRACKED; p += step)
            glm_mat4_mulv3(scene->parts[i].to_world, scene->parts[i].mesh.positions[part->visible_points[p]], 1,
                           out[count++]);
    }
    return count;
}

static float most_moved(vec3 *from, vec3 *to, size_t count)
{
    float most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmaxf(most, glm_vec3_distance2(from[i], to[i]));
    return most;
}

/* A loop that is hardly seen to move does not jump. */
static void follow(struct tracks *tracks, const struct scene *scene, uint32_t take, uint32_t sample, float size,
                   struct movement *movement)
{
    const struct take *of = &scene->plan->takes[take];
    const float hardly = 0.01f;
    if (!of->loop || of->sample_count < 3)
        return;
    vec3 *now = tracks->points[sample == 0 ? 0 : 1 + sample % 2],
         *before = tracks->points[sample <= 1 ? 0 : 2 - sample % 2];
    size_t count = track(scene, now);
    if (sample == 0)
        tracks->largest = 0;
    else
        tracks->largest = fmaxf(tracks->largest, most_moved(before, now, count));
    if (sample + 1 < of->sample_count)
        return;
    float jump = sqrtf(most_moved(now, tracks->points[0], count)) / fmaxf(sqrtf(tracks->largest), hardly * size);
    if (isfinite(jump) && jump > movement->jump) {
        movement->jump = jump;
        movement->jump_take = take;
    }
}

static void stand(const struct framing *framing, uint32_t take, uint32_t sample, struct movement *movement)
{
    float lowest = framing_lowest(framing);
    movement->highest = fmaxf(movement->highest, framing->most[FRAMING_UP]);
    if (lowest < movement->lowest) {
        movement->lowest = lowest;
        movement->low_take = take;
        movement->low_sample = sample;
    }
}

/* Poses every sample, and lets the cameras look at it. */
static int look_anew(const struct views *views, const struct plan *plan, struct framing *framings,
                     struct movement *movement, struct error *err)
{
    struct scene scene;
    struct tracks tracks;
    *movement = (struct movement){.lowest = INFINITY, .highest = -INFINITY};
    if (scene_init(&scene, plan, false, err) < 0)
        return -1;
    for (uint32_t t = 0; t < plan->take_count; t++)
        for (uint32_t s = 0; s < plan->takes[t].sample_count; s++) {
            scene_pose(&scene, t, s);
            if (t == 0 && s == 0)
                mesh_box(plan->parts[0].model, &scene.parts[0].mesh, movement->box);
            for (size_t c = 0; c < views->camera_count; c++)
                for (size_t i = 0; i < plan->part_count; i++) {
                    const struct part *part = &plan->parts[i];
                    framing_add(&framings[place_of(views, t, s, c)], part->visible_points,
                                part->visible_point_count, &scene.parts[i].mesh,
                                (const vec4 *)scene.parts[i].to_world);
                }
            stand(&framings[place_of(views, t, s, 0)], t, s, movement);
            follow(&tracks, &scene, t, s, movement->highest - movement->lowest, movement);
        }
    scene_release(&scene);
    return 0;
}

#define ADD(out, value) buffer_add((out), (const char *)&(value), sizeof(value))

/* Adds what scene_pose takes of a part at a sample. */
static void add_pose(struct buffer *out, const struct plan *plan, uint32_t part, const struct take *take,
                     size_t sample)
{
    const struct pose pose = plan_pose(plan, part, take, sample);
    const struct model *model = plan->parts[part].model;
    const bool has_none = pose.animation < 0, is_in_place = part == 0 && take->is_in_place;
    struct {
        const void *motion;
        double numbers[4];
        vec2 moved;
    } asked = {has_none ? NULL : model->animations[pose.animation].motion,
               {has_none, pose.moment.frame_a, pose.moment.frame_b, pose.moment.blend},
               {is_in_place ? (float)take->clip->root : 0}};
    if (is_in_place && take->clip->keeps_sway) /* then the clip tells it without a pose */
        root_motion_at(model, take->clip, &pose, asked.moved);
    ADD(out, asked);
}

/* Adds all that look_anew reads. False where that is not known: no cache has a model, or the job has read tags of its own. */
static bool add_look(struct buffer *out, const struct views *views, const struct plan *plan,
                     const struct framing *framings)
{
    bool is_known = true;
    const size_t numbers[] = {plan->part_count, views->row_count, views->camera_count, views->per_sample,
                              plan->job->interpolation};
    ADD(out, numbers);
    for (size_t i = 0; i < plan->part_count && is_known; i++) {
        const struct part *part = &plan->parts[i];
        const struct model_memo *memo = model_file_memo(&part->file);
        is_known = memo && part->at.kind != PLACE_TAG;
        if (memo)
            ADD(out, memo->number);
        ADD(out, part->at);
        ADD(out, part->local);
        ADD(out, part->visible_point_count);
        buffer_add(out, (const char *)part->visible_points,
                   part->visible_point_count * sizeof *part->visible_points);
    }
    for (size_t c = 0; c < views->camera_count; c++)
        ADD(out, framings[c].weights);
    for (const struct take *take = plan->takes; is_known && take < plan->takes + plan->take_count; take++) {
        const size_t kinds[] = {take->sample_count, take->loop, take->is_in_place,
                                take->is_in_place && take->clip->keeps_sway};
        ADD(out, kinds);
        for (size_t s = 0; s < take->sample_count; s++)
            for (uint32_t i = 0; i < plan->part_count; i++)
                add_pose(out, plan, i, take, s);
    }
    return is_known;
}

/* Adds what cameras have seen, as bytes: of a memo, and of a measure, which another process may read. */
static void add_seen(struct buffer *out, const struct framing *framings, size_t count,
                     const struct movement *movement)
{
    ADD(out, *movement);
    for (size_t i = 0; i < count; i++)
        ADD(out, framings[i].most);
}

static void take_seen(struct cursor *cursor, struct framing *framings, size_t count, struct movement *movement)
{
    const uint8_t *moved = cursor_take(cursor, sizeof *movement);
    if (moved)
        memcpy(movement, moved, sizeof *movement);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < FRAMING_LANES; k++)
            framings[i].most[k] = cursor_f32(cursor);
}

static struct bytes bytes_of(const struct buffer *buffer)
{
    return (struct bytes){(const uint8_t *)buffer->text, buffer->length};
}

/* Lets the cameras look at every sample. Jobs that differ in style alone see the same: what the latest has seen is kept with
 * the model. */
static int look_at_samples(const struct views *views, const struct plan *plan, struct framing *framings,
                           struct movement *movement, struct error *err)
{
    struct model_memo *memo = model_file_memo(&plan->parts[0].file);
    const size_t count = views->row_count * views->camera_count;
    SCOPED_BY(buffer_release) struct buffer look = {0};
    char hash[HASH_SIZE] = "";
    if (add_look(&look, views, plan, framings))
        hash_bytes(bytes_of(&look), hash);
    if (*hash && !strcmp(memo->question, hash)) {
        struct cursor answer = cursor_at(bytes_of(&memo->answer), 0);
        take_seen(&answer, framings, count, movement);
        return 0;
    }
    if (look_anew(views, plan, framings, movement, err) < 0)
        return -1;
    if (*hash) {
        memcpy(memo->question, hash, sizeof hash);
        buffer_clear(&memo->answer);
        add_seen(&memo->answer, framings, count, movement);
    }
    return 0;
}

/* -- Groups ------------------------------------------------------------------------------------------------ */

static struct framing *find_in_group(const struct group *group, const struct framing *framing)
{
    for (size_t i = 0; i < group->framing_count; i++)
        if (framing_matches(&group->framings[i], framing))
            return &group->framings[i];
    return NULL;
}

/* Makes one framing for each camera of a job, of all its samples, whatever its scope; the caller frees them. */
static struct framing *look_at_job(const struct plan *plan, struct movement *movement, struct error *err)
{
    SCOPED_BY(views_release) struct views row = {0};
    assign_rows(&row, plan, FIT_GROUP);
    struct framing *framings = new_framings(&row, plan->job, err);
    if (framings && look_at_samples(&row, plan, framings, movement, err) < 0) {
        free(framings);
        framings = NULL;
    }
    return framings;
}

static void add_to_group(struct group *group, const struct job *job, const struct framing *framings,
                         const struct movement *movement)
{
    for (size_t c = 0; c < job->camera_count; c++) {
        struct framing *alike = find_in_group(group, &framings[c]);
        if (alike) {
            framing_merge(alike, &framings[c]);
            continue;
        }
        *MUST_ADD(group->framings, group->framing_count, group->framing_capacity) = framings[c];
    }
    /* All cameras have seen the same. */
    float cell_px = fminf(job->cell_px[0], job->cell_px[1]);
    *MUST_ADD(group->jobs, group->job_count, group->job_capacity) =
        (struct group_job){job, cell_px / framing_fitting_scale(&framings[0]), *movement};
}

/* Adds the measure of a job, which has the look-ups alone where the job cannot be opened: it reports that itself. */
static int measure_job(struct model_cache *models, struct assets *assets, const struct job *job,
                       struct trace *trace, struct buffer *out, struct error *err)
{
    struct trace *before = assets_trace(assets, trace);
    SCOPED struct framing *framings = NULL;
    struct movement movement;
    struct plan *plan;
    struct error ignored;
    bool is_open = plan_open(models, assets, job, &plan, &ignored) == 0;
    if (is_open) {
        framings = look_at_job(plan, &movement, err);
        plan_free(plan);
        if (models)
            model_cache_trim(models, 0);
    }
    assets_trace(assets, before);
    if (is_open && !framings)
        return -1;
    if (is_open) {
        buffer_add(out, "o", 1);
        add_seen(out, framings, job->camera_count, &movement);
    } else {
        group_measure_nothing(out);
    }
    for (size_t i = 0; i < trace->count; i++) {
        const struct look_up *item = &trace->items[i];
        const char kind = (char)item->kind, *value = item->value ? item->value : "";
        buffer_add(out, &kind, 1);
        buffer_add(out, item->name, strlen(item->name) + 1);
        buffer_add(out, value, strlen(value) + 1);
    }
    return 0;
}

int group_measure(struct model_cache *models, struct assets *assets, const struct job *job, struct buffer *out,
                  struct error *err)
{
    SCOPED_BY(trace_release) struct trace trace = {0};
    if (measure_job(models, assets, job, &trace, out, err) < 0)
        return -1;
    const char *trouble = trace.trouble ? trace.trouble : trace.changed;
    return trouble ? error_set(err, "%s", trouble) : 0;
}

void group_measure_nothing(struct buffer *out)
{
    buffer_add(out, "f", 1);
}

/* NULL past the end. */
static const char *take_text(struct cursor *cursor)
{
    const void *end = memchr(cursor->bytes.data + cursor->at, '\0', cursor_left(cursor));
    return end ? (const char *)cursor_take(cursor,
                                           (size_t)((const uint8_t *)end - cursor->bytes.data) + 1 - cursor->at)
               : NULL;
}

/* False for what group_measure did not make: a worker that was taken over may have sent it. */
static bool add_measure(struct group *group, const struct job *job, const struct buffer *from, struct error *err)
{
    SCOPED_BY(trace_release) struct trace trace = {0};
    struct cursor cursor = cursor_at(bytes_of(from), 0);
    const struct views row = {.row_count = 1, .camera_count = job->camera_count};
    SCOPED struct framing *framings = new_framings(&row, job, err);
    struct movement movement = {0};
    bool is_open = cursor_u8(&cursor) == 'o';
    if (framings && is_open)
        take_seen(&cursor, framings, job->camera_count, &movement);
    if (!framings || cursor.overrun)
        return false;
    while (cursor_left(&cursor) > 0) {
        uint8_t kind = cursor_u8(&cursor);
        const char *name = take_text(&cursor), *value = take_text(&cursor);
        bool may_be_empty = kind == LOOK_ABSENT || kind == LOOK_DECLARED;
        if (kind > LOOK_DECLARED || !name || !value || !(*value || may_be_empty))
            return false;
        trace_note(&trace, kind, name, *value ? value : NULL);
    }
    trace_add(&group->trace, &trace);
    if (is_open)
        add_to_group(group, job, framings, &movement);
    return true;
}

int group_frame(struct group *group, struct model_cache *models, struct assets *assets,
                const struct job_list *list, const char *name, const struct buffer *measures, struct error *err)
{
    SCOPED_BY(group_release) struct group fresh = {.list = list, .name = name, .scale = INFINITY};
    for (size_t i = 0; i < list->job_count; i++) {
        const struct job *job = &list->jobs[i];
        SCOPED_BY(buffer_release) struct buffer measure = {0};
        SCOPED_BY(trace_release) struct trace trace = {0};
        if (job->fit.scope != FIT_GROUP || strcmp(job->fit.group, name) != 0 ||
            (measures && measures[i].length && add_measure(&fresh, job, &measures[i], err)))
            continue;
        if (measure_job(models, assets, job, &trace, &measure, err) < 0 ||
            !add_measure(&fresh, job, &measure, err))
            return -1;
        trace_add(&fresh.trace, &trace);
    }
    framings_place(fresh.framings, fresh.framing_count);
    for (size_t i = 0; i < fresh.framing_count; i++)
        fresh.scale = fminf(fresh.scale, framing_scale(&fresh.framings[i]));
    *group = fresh;
    fresh = (struct group){0};
    return 0;
}

int group_frame_pair(struct group *group, const struct job *const jobs[2], const struct buffer *const measures[2],
                     struct error *err)
{
    SCOPED_BY(group_release) struct group fresh = {.scale = INFINITY};
    for (int i = 0; i < 2; i++)
        if (!measures[i] || !measures[i]->length || !add_measure(&fresh, jobs[i], measures[i], err) ||
            fresh.job_count <= (size_t)i)
            return error_set(err, "what it shows %s could not be found out", i ? "now" : "before");
    framings_place(fresh.framings, fresh.framing_count);
    for (size_t i = 0; i < fresh.framing_count; i++)
        fresh.scale = fminf(fresh.scale,
                            fminf(framing_scale(&fresh.framings[i]), framing_fitting_scale(&fresh.framings[i])));
    *group = fresh;
    fresh = (struct group){0};
    return 0;
}

void group_release(struct group *group)
{
    free(group->framings);
    free(group->jobs);
    free(group->colors);
    trace_release(&group->trace);
    trace_release(&group->color_trace);
    *group = (struct group){0};
}

/* -- Views ------------------------------------------------------------------------------------------------- */

/* Below nothing the ground is that of the world. */
static float height_or_0(float lowest)
{
    return isfinite(lowest) ? lowest : 0;
}

/* Where the scale is not given, its origin may be why it is small. */
static void find_gain(struct views *views, const struct job *job, const struct framing *framings, size_t count)
{
    if (job->fit.has_origin && !(job->fit.pixels_per_unit > 0))
        views->gain = framings_gain(framings, count, views->best_origin);
}

static int view_samples(struct views *views, const struct plan *plan, struct framing *framings, struct error *err)
{
    if (look_at_samples(views, plan, framings, &views->movement, err) < 0)
        return -1;
    /* Cells that can be compared are all at the smallest scale that any of them needs: those of a row, but in the
     * scope of a frame not even the cameras share one. */
    size_t count = views->row_count * views->camera_count;
    size_t step = plan->job->fit.scope == FIT_FRAME ? 1 : views->camera_count;
    framings_place(framings, count);
    find_gain(views, plan->job, framings, count);
    for (size_t first = 0; first < count; first += step) {
        float scale = INFINITY;
        for (size_t i = first; i < first + step; i++)
            scale = fminf(scale, framing_scale(&framings[i]));
        for (size_t i = first; i < first + step; i++)
            framing_view(&framings[i], scale, &views->items[i]);
    }
    for (size_t row = 0; row < views->row_count; row++) /* all cameras of a row have seen the same */
        views->lowest[row] = height_or_0(framing_lowest(&framings[row * views->camera_count]));
    return 0;
}

static void view_group(struct views *views, const struct plan *plan, const struct group *group,
                       const struct framing *framings)
{
    views->movement = (struct movement){.lowest = INFINITY, .highest = -INFINITY};
    const float rounding = 1.05f;
    float least = INFINITY;
    for (size_t c = 0; c < views->camera_count; c++) {
        const struct framing *shared = find_in_group(group, &framings[c]);
        framing_view(shared ? shared : &framings[c], group->scale, &views->items[c]);
        least = fminf(least, framing_scale(shared ? shared : &framings[c]));
    }
    if (least < rounding * group->scale)
        find_gain(views, plan->job, group->framings, group->framing_count);
    for (size_t i = 0; i < group->job_count; i++)
        if (group->jobs[i].job == plan->job)
            views->movement = group->jobs[i].movement;
    views->lowest[0] = height_or_0(views->movement.lowest);
}

/* The origin may be asked for where it cannot be seen, or at an edge behind which the model goes on. */
static int check_origins(const struct views *views, const struct job *job, struct error *err)
{
    for (size_t i = 0; job->fit.has_origin && i < views->row_count * views->camera_count; i++)
        if (!(views->items[i].pixels_per_unit > 0))
            return error_set(err,
                             "seen by '%s', no scale fits around `origin` of `fit`, or it is behind the camera",
                             job->cameras[i % views->camera_count].name);
    return 0;
}

void views_release(struct views *views)
{
    free(views->items);
    free(views->lowest);
    free(views->first_rows);
    *views = (struct views){0};
}

static void warn_flat_depths(const struct views *views, struct plan *plan)
{
    size_t flat = 0, count = views->row_count * views->camera_count;
    while (flat < count && !views->items[flat].is_flat)
        flat++;
    if (flat < count && passes_need(plan->job->passes, HAS_DISTANCES))
        strings_printf(&plan->warnings,
                       "%s: the depth pass shows no depth: seen by '%s' all of it lies at one distance",
                       plan->job->model, plan->job->cameras[flat % views->camera_count].name);
}

/* The number is rounded down, so that it fits as it is written. */
static void warn_cropped(const struct views *views, struct plan *plan)
{
    const struct job *job = plan->job;
    const struct view *worst = NULL;
    for (size_t i = 0; i < views->row_count * views->camera_count; i++)
        if (views->items[i].is_cropped && (!worst || views->items[i].fitting_scale < worst->fitting_scale))
            worst = &views->items[i];
    if (worst)
        strings_printf(&plan->warnings,
                       "%s: `pixels_per_unit` cuts it off: a cell of %ux%u, seen by '%s', holds it at %.4g",
                       job->model, job->cell_px[0], job->cell_px[1],
                       job->cameras[(size_t)(worst - views->items) % views->camera_count].name,
                       worst->fitting_scale * 0.9995);
}

/* Where all has room around the origin, but little: most of the cell stays free. In a group another job may be why it is
 * small, and has the warning. */
static void warn_origin(const struct views *views, struct plan *plan)
{
    const float worth_telling = 2, *best = views->best_origin;
    const struct job *job = plan->job;
    if (views->gain > worth_telling)
        strings_printf(
            &plan->warnings,
            "%s: `fit.origin` [%.4g, %.4g] has little room on one side, and makes it small: with [%.2f, %.2f] it "
            "would be up to %.1f times as large",
            job->model, (double)views->origin[0], (double)views->origin[1], (double)best[0], (double)best[1],
            (double)views->gain);
}

/* Said once, by the smallest, which is hardly seen. */
static void warn_unlike_sizes(const struct group *group, struct plan *plan)
{
    const float most = 100;
    const struct group_job *smallest = NULL, *largest = NULL;
    for (size_t i = 0; i < group->job_count; i++) {
        const struct group_job *job = &group->jobs[i];
        if (job->size > 0 && (!smallest || job->size < smallest->size))
            smallest = job;
        if (!largest || job->size > largest->size)
            largest = job;
    }
    if (smallest && smallest->job == plan->job && largest->size > most * smallest->size)
        strings_printf(&plan->warnings,
                       "group '%s': '%s' is %.0f times as large as '%s'; where a file has another unit, "
                       "`transform: {scale: ...}` of its job changes that",
                       group->name, largest->job->name, (double)(largest->size / smallest->size),
                       smallest->job->name);
}

int views_init(struct views *views, struct plan *plan, const struct group *group, struct error *err)
{
    SCOPED_BY(views_release) struct views fresh = {.gain = 1};
    assign_rows(&fresh, plan, group ? FIT_GROUP : plan->job->fit.scope);
    SCOPED struct framing *framings = new_framings(&fresh, plan->job, err);
    fresh.items = memory_alloc(fresh.row_count * fresh.camera_count, sizeof *fresh.items, err);
    fresh.lowest = memory_alloc(fresh.row_count, sizeof *fresh.lowest, err);
    if (!framings || !fresh.items || !fresh.lowest)
        return -1;
    if (group)
        view_group(&fresh, plan, group, framings);
    else if (view_samples(&fresh, plan, framings, err) < 0)
        return -1;
    for (int axis = 0; axis < 2; axis++) {
        const float given = plan->job->fit.origin[axis];
        fresh.origin[axis] =
            given == ORIGIN_AUTO ? fresh.items[0].pivot_px[axis] / (float)plan->job->cell_px[axis] : given;
        fresh.best_origin[axis] = fresh.gain > 1 ? fresh.best_origin[axis] : fresh.origin[axis];
    }
    if (check_origins(&fresh, plan->job, err) < 0)
        return -1;
    warn_flat_depths(&fresh, plan);
    warn_cropped(&fresh, plan);
    warn_origin(&fresh, plan);
    if (group && group->name)
        warn_unlike_sizes(group, plan);
    *views = fresh;
    fresh = (struct views){0};
    return 0;
}

uint32_t views_hash(const struct views *views, const struct job *job)
{
    SCOPED_BY(buffer_release) struct buffer all = {0};
    for (size_t i = 0; i < views->row_count * views->camera_count; i++) {
        const struct view *view = &views->items[i];
        bool has_depths = passes_need(job->passes, HAS_DISTANCES);
        const float numbers[] = {
            view->pixels_per_unit,           view->pivot_px[0], view->pivot_px[1], has_depths ? view->nearest : 0,
            has_depths ? view->farthest : 0,
        };
        buffer_add(&all, (const char *)numbers, sizeof numbers);
    }
    buffer_add(&all, (const char *)job->cell_px, sizeof job->cell_px);
    uint32_t hash = (uint32_t)hash_number(bytes_of(&all));
    return hash ? hash : 1;
}

const struct view *views_of(const struct views *views, const struct cell *cell)
{
    return &views->items[place_of(views, cell->take, cell->sample, cell->camera)];
}

float views_lowest(const struct views *views, const struct cell *cell)
{
    return views->lowest[row_of(views, cell->take, cell->sample)];
}
