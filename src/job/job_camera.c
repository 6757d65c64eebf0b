#include <cglm/vec3.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "job/names.h"
#include "job/settings.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

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
    struct camera *kept = arena_must_alloc(reader->arena, cameras->count, sizeof *kept);
    if (cameras->count)
        memcpy(kept, cameras->items, cameras->count * sizeof *kept);
    free(cameras->items);
    *cameras = (struct cameras){0};
    return kept;
}

/* `key` says nothing beside `other`, and both are given. */
static void check_conflict(const struct reader *reader, const struct node *map, const char *other, const char *key)
{
    if (node_get(map, other) && node_get(map, key))
        problems_add(reader->problems, node_key(map, key)->mark, "'%s' cannot be given together with '%s'", key,
                     other);
}

static void check_needs(const struct reader *reader, const struct node *map, const char *key, const char *needed)
{
    if (node_get(map, key) && !node_get(map, needed))
        problems_add(reader->problems, node_key(map, key)->mark, "'%s' has a meaning only together with '%s'", key,
                     needed);
}

static void check_combination(const struct reader *reader, const struct node *map)
{
    static const char *const angles[] = {"yaw", "pitch", "roll", "directions", "start"};
    for (size_t i = 0; i < COUNT(angles); i++)
        check_conflict(reader, map, "eye", angles[i]);
    check_conflict(reader, map, "directions", "yaw");
    check_needs(reader, map, "start", "directions");
    check_needs(reader, map, "target", "eye");
    check_needs(reader, map, "up", "eye");
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
    {"name", SETTING_TEXT(struct camera, name), .by_caller = true},
    {"yaw", SETTING_NUMBER(struct camera, yaw_deg, -360, 360)},
    {"pitch", SETTING_NUMBER(struct camera, pitch_deg, -90, 90)},
    {"roll", SETTING_NUMBER(struct camera, roll_deg, -360, 360)},
    {"projection", SETTING_WORD(struct camera, projection, projection_words)},
    {"fov", SETTING_NUMBER(struct camera, fov_deg, 1, 179)},
    {"eye", SETTING_VECTOR(struct camera, eye, -1e6, 1e6), .record = record_eye},
    {NULL, SETTING_PART(struct camera, has_eye)},
    {"target", SETTING_VECTOR(struct camera, target, -1e6, 1e6)},
    {"up", SETTING_VECTOR(struct camera, up, -1e6, 1e6)},
    {"directions", .kind = SETTING_KIND_PART, .by_caller = true}, /* make several cameras, which are recorded */
    {"start", .kind = SETTING_KIND_PART, .by_caller = true},
    {0},
};

static float turn(float start_deg, uint32_t i, uint32_t count)
{
    double yaw_deg = start_deg + i * 360.0 / count;
    return (float)(yaw_deg >= 360 ? yaw_deg - 360 : yaw_deg);
}

/* One camera, or one for each direction; `name` is the reader's to keep. */
static void read_camera(const struct reader *reader, const struct node *map, const char *name, struct cameras *out)
{
    struct camera camera = {.name = name, .fov_deg = default_fov_deg, .up = {0, 0, 1}};
    size_t problems_before = reader->problems->count;
    if (!rows_read(reader, map, "a camera", camera_rows, &camera))
        return;
    camera.has_eye = node_get(map, "eye") != NULL;
    if (camera.has_eye && reader->problems->count == problems_before)
        check_up(reader, map, &camera);
    if (reader->problems->count == problems_before && camera.projection == PROJECTION_ORTHOGRAPHIC &&
        node_get(map, "fov"))
        problems_add(reader->problems, node_key(map, "fov")->mark,
                     "'fov' has a meaning only with 'projection: perspective'");
    check_combination(reader, map);

    uint32_t direction_count = 0;
    float start_deg = 0;
    read_f32(reader, map, "start", (struct range){-360, 360}, &start_deg);
    if (!read_u32(reader, map, "directions", (struct range){1, CAMERA_MOST_DIRECTIONS}, &direction_count)) {
        add_camera(out, &camera);
        return;
    }
    for (uint32_t i = 0; i < direction_count; i++) {
        camera.name = arena_printf(reader->arena, "%s-%u", name, i);
        camera.yaw_deg = turn(start_deg, i, direction_count);
        add_camera(out, &camera);
    }
}

static void check_label(const struct reader *reader, struct mark mark, const char *name)
{
    struct error err;
    if (names_check_label(name, &err) < 0)
        problems_add(reader->problems, mark, "a camera's name %s", err.text);
}

static struct named_camera *find_named(const struct camera_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (!strcmp(set->items[i].name, name))
            return &set->items[i];
    return NULL;
}

static void add_named(const struct reader *reader, struct camera_set *set, const struct named_camera *camera)
{
    struct named_camera *other = find_named(set, camera->name);
    if (other && other->is_preset) {
        *other = *camera;
    } else if (other) {
        problems_add(reader->problems, camera->mark, "camera '%s' is already described at %s:%u:%u", camera->name,
                     other->mark.file, other->mark.line, other->mark.column);
    } else {
        set->items = must_grow(set->items, set->count, &set->capacity, sizeof *set->items);
        set->items[set->count++] = *camera;
    }
}

void camera_set_read(const struct reader *reader, struct camera_set *set, const struct node *map, bool is_preset)
{
    if (map->kind != NODE_MAPPING) {
        reader_expected(reader, map, "'cameras' must be a mapping (name: camera)");
        return;
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct node *key = map->keys[i];
        if (node_key(map, key->text) != key) /* given twice, which was reported */
            continue;
        if (set->count == CAMERA_MOST_NAMED) {
            problems_add(reader->problems, key->mark, "more than %d cameras", CAMERA_MOST_NAMED);
            return;
        }
        if (map->values[i]->kind == NODE_MAPPING && node_get(map->values[i], "name"))
            problems_add(reader->problems, node_key(map->values[i], "name")->mark,
                         "this camera has its name, '%s', in front", key->text);
        struct cameras cameras = {0};
        check_label(reader, key->mark, key->text);
        read_camera(reader, map->values[i], key->text, &cameras);
        struct named_camera camera = {key->text, key->mark, is_preset, NULL, cameras.count};
        camera.cameras = keep_cameras(reader, &cameras);
        add_named(reader, set, &camera);
    }
}

void camera_set_release(struct camera_set *set)
{
    free(set->items);
    *set = (struct camera_set){0};
}

static void add_unknown_camera(const struct reader *reader, const struct camera_set *set, const struct node *node)
{
    if (reader->problems->count >= PROBLEM_LIMIT)
        return problems_add(reader->problems, node->mark, "no camera of this name");
    const char **names = must_alloc(set->count, sizeof *names);
    for (size_t i = 0; i < set->count; i++)
        names[i] = set->items[i].name;
    reader_unknown(reader, node, "camera", names, set->count);
    free(names);
}

static void add_by_name(const struct reader *reader, const struct camera_set *set, const struct node *node,
                        struct cameras *out)
{
    const struct named_camera *named = find_named(set, node->text);
    if (!named) {
        add_unknown_camera(reader, set, node);
        return;
    }
    for (size_t i = 0; i < named->count && out->count <= CAMERA_MOST_OF_JOB; i++)
        add_camera(out, &named->cameras[i]);
}

/* A camera on the spot needs no name; without one it is called after its place in the list. */
static void add_inline(const struct reader *reader, const struct node *node, size_t number, struct cameras *out)
{
    const char *name = NULL;
    if (read_string(reader, node, "name", &name))
        check_label(reader, node_get(node, "name")->mark, name);
    else
        name = arena_printf(reader->arena, "camera-%zu", number);
    read_camera(reader, node, name, out);
}

static int compare_names(const void *a, const void *b)
{
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_different_names(const struct reader *reader, const struct node *list,
                                  const struct cameras *cameras)
{
    const char **names = must_alloc(cameras->count, sizeof *names);
    for (size_t i = 0; i < cameras->count; i++)
        names[i] = cameras->items[i].name;
    if (cameras->count)
        qsort(names, cameras->count, sizeof *names, compare_names);
    for (size_t i = 1; i < cameras->count; i++)
        if (!strcasecmp(names[i - 1], names[i]) && (i < 2 || strcasecmp(names[i - 2], names[i])))
            problems_add(reader->problems, list->mark, "camera '%s' is twice in this list", names[i]);
    free(names);
}

void read_cameras(const struct reader *reader, const struct node *node, void *whole)
{
    struct job *job = &((struct settings *)whole)->job;
    struct node_list entries = node_one_or_many(&node);
    struct cameras cameras = {0};
    for (size_t i = 0; i < entries.count && cameras.count <= CAMERA_MOST_OF_JOB; i++) {
        const struct node *entry = entries.items[i];
        if (entry->kind == NODE_MAPPING)
            add_inline(reader, entry, i + 1, &cameras);
        else if (entry->kind == NODE_SCALAR && !node_is_null(entry))
            add_by_name(reader, &reader->presets->cameras, entry, &cameras);
        else
            reader_expected(reader, entry, "a camera must be a name or a mapping");
    }
    if (cameras.count > CAMERA_MOST_OF_JOB)
        problems_add(reader->problems, node->mark, "more than %d cameras for one job", CAMERA_MOST_OF_JOB);
    else if (entries.count == 0)
        reader_expected(reader, node, "'cameras' must name at least one camera");
    else
        check_different_names(reader, node, &cameras);
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
