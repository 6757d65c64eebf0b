#include <cglm/vec3.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "page/names.h"
#include "job/settings.h"

enum {
    MOST_DIRECTIONS = 360,
    MOST_CAMERAS = 1000, /* of a job, with directions expanded */
};

static const float default_fov_deg = 35;

/* Cameras with room for more: the directions of one, or those of a job. */
struct cameras {
    struct camera *items;
    size_t count, capacity;
};

static void add_camera(struct cameras *cameras, const struct camera *camera)
{
    cameras->items = must_grow(cameras->items, cameras->count, &cameras->capacity, sizeof *cameras->items);
    cameras->items[cameras->count++] = *camera;
}

static const struct camera *keep_cameras(const struct reader *reader, struct cameras *cameras)
{
    const struct camera *kept = arena_copy(reader->arena, cameras->items, cameras->count, sizeof *kept);
    free(cameras->items);
    *cameras = (struct cameras){0};
    return kept;
}

/* Within 0.1 degrees of the line of sight, `up` no longer says which side of the picture is up. */
static void check_up(const struct reader *reader, const struct node *map, const struct camera *camera)
{
    const float least_sine = 0.0017f;
    vec3 sight, side;
    glm_vec3_sub((float *)camera->target, (float *)camera->eye, sight);
    glm_vec3_cross(sight, (float *)camera->up, side);
    float up_length = glm_vec3_norm((float *)camera->up);
    const struct node *eye = node_get(map, "eye"), *up = node_get(map, "up");
    if (glm_vec3_norm(sight) < 1e-6f)
        problems_add(reader->problems, eye->mark, "'eye' and 'target' are the same place");
    else if (up && up_length < 1e-6f)
        problems_add(reader->problems, up->mark, "'up' must not be [0, 0, 0]");
    else if (glm_vec3_norm(side) < least_sine * glm_vec3_norm(sight) * up_length)
        problems_add(reader->problems, up ? up->mark : eye->mark,
                     "the camera looks along 'up'%s; give another direction for 'up'",
                     up ? "" : ", which is [0, 0, 1]");
}

static const char *const projection_words[] = {
    [PROJECTION_ORTHOGRAPHIC] = "orthographic",
    [PROJECTION_PERSPECTIVE] = "perspective",
};

static void record_eye(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct camera *camera = whole;
    if (camera->has_eye)
        recorder_add(recorder, prefix, "eye", recorder_vector(recorder, camera->eye));
}

const struct setting camera_rows[] = {
    {"name", SETTING_TEXT(struct camera, name)},
    {"yaw", SETTING_NUMBER(struct camera, yaw_deg, -360, 360), .not_with = {"eye", "directions"}},
    {"pitch", SETTING_NUMBER(struct camera, pitch_deg, -90, 90), .not_with = {"eye"}},
    {"roll", SETTING_NUMBER(struct camera, roll_deg, -360, 360), .not_with = {"eye"}},
    {"projection", SETTING_WORD(struct camera, projection, projection_words)},
    {"fov", SETTING_NUMBER(struct camera, fov_deg, 1, 179)},
    {"eye", SETTING_VECTOR(struct camera, eye, -1e6, 1e6), .record = record_eye},
    {NULL, SETTING_PART(struct camera, has_eye)},
    {"target", SETTING_VECTOR(struct camera, target, -1e6, 1e6), .only_with = "eye"},
    {"up", SETTING_VECTOR(struct camera, up, -1e6, 1e6), .only_with = "eye"},
    /* These make several cameras, which are recorded. */
    {"directions", .kind = SETTING_KIND_PART, .forms = FORM_WHOLE, .range = {1, MOST_DIRECTIONS},
     .not_with = {"eye"}},
    {"start", .kind = SETTING_KIND_PART, .forms = FORM_NUMBER, .range = {-360, 360}, .not_with = {"eye"},
     .only_with = "directions"},
    {0},
};

/* One camera, or one for each direction. Its name is `name` unless it has its own. */
static void read_camera(const struct reader *reader, const struct node *map, const char *name, struct cameras *out)
{
    struct camera camera = {.name = name, .fov_deg = default_fov_deg, .up = {0, 0, 1}};
    size_t problems_before = reader->problems->count;
    if (!rows_read(reader, map, "a camera", camera_rows, &camera))
        return;
    const struct node *directions = node_get(map, "directions"), *start = node_get(map, "start");
    camera.has_eye = node_get(map, "eye");
    if (camera.has_eye && reader->problems->count == problems_before)
        check_up(reader, map, &camera);
    if (reader->problems->count == problems_before && camera.projection == PROJECTION_ORTHOGRAPHIC &&
        node_get(map, "fov"))
        problems_add(reader->problems, node_key(map, "fov")->mark,
                     "'fov' has a meaning only with 'projection: perspective'");
    uint32_t direction_count = 0;
    float start_deg = 0;
    if (start)
        read_float(reader, start, "'start'", (struct range){-360, 360}, &start_deg);
    if (directions)
        read_integer(reader, directions, "'directions'", (struct range){1, MOST_DIRECTIONS}, &direction_count);
    else
        add_camera(out, &camera);
    name = camera.name;
    for (uint32_t i = 0; i < direction_count; i++) {
        camera.name = arena_printf(reader->arena, "%s-%u", name, i);
        double yaw_deg = start_deg + i * 360.0 / direction_count;
        camera.yaw_deg = (float)(yaw_deg >= 360 ? yaw_deg - 360 : yaw_deg);
        add_camera(out, &camera);
    }
}

void read_preset_camera(const struct reader *reader, const struct node *node, struct preset *out)
{
    struct cameras cameras = {0};
    if (node->kind == NODE_MAPPING && node_get(node, "name"))
        problems_add(reader->problems, node_key(node, "name")->mark, "this camera has its name, '%s', in front",
                     out->name);
    read_camera(reader, node, out->name, &cameras);
    out->camera_count = cameras.count;
    out->cameras = keep_cameras(reader, &cameras);
}

void read_cameras(const struct reader *reader, const struct node *node, void *whole)
{
    static const struct list_kind list = {.noun = "camera"};
    struct job *job = whole;
    struct node_list entries = node_one_or_many(&node);
    struct cameras cameras = {0};
    for (size_t i = 0; i < entries.count && cameras.count <= MOST_CAMERAS; i++) {
        const struct node *entry = entries.items[i];
        const struct preset *preset = NULL;
        const struct node *name = entry->kind == NODE_MAPPING ? node_get(entry, "name") : NULL;
        struct error err;
        if (name && name->kind == NODE_SCALAR && names_check_label(name->text, &err) < 0)
            problems_add(reader->problems, name->mark, "a camera's name %s", err.text);
        if (entry->kind == NODE_MAPPING) /* without a name it is called after its place in the list */
            read_camera(reader, entry, arena_printf(reader->arena, "camera-%zu", i + 1), &cameras);
        else if (entry->kind == NODE_SCALAR && !node_is_null(entry))
            preset = preset_find(reader, &reader->presets->cameras, entry, "camera");
        else
            reader_expected(reader, entry, "a camera must be a name or a mapping");
        for (size_t j = 0; preset && j < preset->camera_count && cameras.count <= MOST_CAMERAS; j++)
            add_camera(&cameras, &preset->cameras[j]);
    }
    struct job_name *names = must_alloc(cameras.count, sizeof *names);
    for (size_t i = 0; i < cameras.count; i++)
        names[i] = (struct job_name){node->mark, cameras.items[i].name};
    if (cameras.count > MOST_CAMERAS)
        problems_add(reader->problems, node->mark, "more than %d cameras for one job", MOST_CAMERAS);
    else if (entries.count == 0)
        reader_expected(reader, node, "'cameras' must name at least one camera");
    else
        check_different(reader, &list, names, cameras.count);
    free(names);
    job->camera_count = cameras.count;
    job->cameras = keep_cameras(reader, &cameras);
}

/* One text for each: a list may have a thousand. */
void record_cameras(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct job *job = whole;
    for (size_t i = 0; i < job->camera_count; i++)
        recorder_add(recorder, prefix, recorder_item(recorder, "cameras", i),
                     rows_text(recorder, camera_rows, &job->cameras[i]));
}
