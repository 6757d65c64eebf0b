#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "page/names.h"
#include "job/settings.h"

enum {
    MOST_DIRECTIONS = 360,
    MOST_CAMERAS = 1000, /* of a job, with directions expanded */
    MOST_OCTAHEDRAL = 31,
};

static const float default_fov_deg = 35;

/* Cameras with room for more: the directions of one, or those of a job. */
struct cameras {
    struct camera *items;
    size_t count, capacity;
};

static void add_camera(struct cameras *cameras, const struct camera *camera)
{
    *MUST_ADD(cameras->items, cameras->count, cameras->capacity) = *camera;
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

static const char *const turn_words[] = {"counterclockwise", "clockwise"},
                         *const sphere_words[] = {"half", "full"},
                         *const mirror_words[] = {"false", "true", "force"};
enum { CLOCKWISE = 1, FULL_SPHERE = 1, MIRROR_FORCED = 2 };

static void record_mirrored(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct camera *camera = whole;
    recorder_add(recorder, prefix, camera->is_forced ? "mirror by force" : "mirror", camera->mirrored);
}

const struct setting camera_rows[] = {
    {"name", SETTING_TEXT(struct camera, name), .not_with = {"names"}},
    {"camera", .kind = SETTING_KIND_PART, .forms = FORM_TEXT, .not_with = {"eye"}, .presets = "cameras"},
    {"yaw", SETTING_NUMBER(struct camera, yaw_deg, -360, 360), .not_with = {"eye", "directions", "octahedral"}},
    {"pitch", SETTING_NUMBER(struct camera, pitch_deg, -90, 90), .not_with = {"eye", "octahedral"}},
    {"roll", SETTING_NUMBER(struct camera, roll_deg, -360, 360), .not_with = {"eye"}},
    {"projection", SETTING_WORD(struct camera, projection, projection_words)},
    {"fov", SETTING_NUMBER(struct camera, fov_deg, 1, 179)},
    {"eye", SETTING_VECTOR(struct camera, eye, -1e6, 1e6), SETTING_HAS(struct camera, has_eye)},
    {"target", SETTING_VECTOR(struct camera, target, -1e6, 1e6), .only_with = "eye"},
    {"up", SETTING_VECTOR(struct camera, up, -1e6, 1e6), .only_with = "eye"},
    /* These make several cameras, which are recorded. */
    {"directions", SETTING_WHOLE(struct camera_settings, directions, 1, MOST_DIRECTIONS), .not_with = {"eye"},
     .is_unrecorded = true},
    {"start", SETTING_NUMBER(struct camera_settings, start_deg, -360, 360), .not_with = {"eye"},
     .only_with = "directions", .is_unrecorded = true},
    {"turn", SETTING_WORD(struct camera_settings, turn, turn_words), .only_with = "directions",
     .is_unrecorded = true},
    {"names", .kind = SETTING_KIND_PART, .forms = FORM_TEXT | FORM_LIST, .items = {1, MOST_DIRECTIONS},
     .only_with = "directions"},
    {"mirror", SETTING_WORD(struct camera_settings, mirror, mirror_words), .only_with = "directions",
     .record = record_mirrored},
    {NULL, SETTING_PART(struct camera, mirrored)},
    {NULL, SETTING_PART(struct camera, is_forced)},
    {"octahedral", SETTING_WHOLE(struct camera_settings, octahedral, 2, MOST_OCTAHEDRAL),
     .not_with = {"directions", "eye"}, .is_unrecorded = true},
    {"sphere", SETTING_WORD(struct camera_settings, sphere, sphere_words), .only_with = "octahedral",
     .is_unrecorded = true},
    {0},
};

/* The camera that the mapping starts from, which its other keys change. */
static void read_base(const struct reader *reader, const struct node *map, struct camera *camera)
{
    const struct node *base = node_get(map, "camera");
    const struct preset *preset = NULL;
    const char *name = camera->name, *ignored;
    if (base && read_text(reader, base, "'camera'", &ignored))
        preset = preset_find(reader, &reader->presets->cameras, base, "camera");
    if (preset && (preset->camera_count != 1 || preset->cameras->has_eye))
        problems_add(reader->problems, base->mark, "'%s' %s, so no other camera can be made of it", preset->name,
                     preset->camera_count != 1 ? "is several cameras" : "stands at its 'eye'");
    else if (preset)
        *camera = preset->cameras[0];
    camera->name = name;
}

/* The name that the list gives to a direction, or else its number. */
static const char *direction_name(const struct reader *reader, const struct node *map, const char *name,
                                  uint32_t i)
{
    const struct node *names = node_get(map, "names");
    const struct node_list list = names ? node_one_or_many(&names) : (struct node_list){0};
    struct error err;
    name = arena_printf(reader->arena, "%s-%u", name, i);
    if (i < list.count && read_text(reader, list.items[i], "the name of a direction", &name) &&
        names_check_label(name, &err) < 0)
        problems_add(reader->problems, list.items[i]->mark, "the name of a direction %s", err.text);
    return name;
}

static void add_directions(const struct reader *reader, const struct node *map,
                           const struct camera_settings *settings, struct cameras *out)
{
    const struct node *names = node_get(map, "names");
    const size_t first = out->count, named = names ? node_one_or_many(&names).count : 0;
    const uint32_t count = settings->directions;
    if (names && named != count)
        problems_add(reader->problems, names->mark, "%zu names for %u directions", named, count);
    for (uint32_t i = 0; i < count; i++) {
        double yaw_deg = settings->start_deg + (settings->turn == CLOCKWISE ? -360.0 : 360.0) * i / count;
        struct camera camera = settings->camera, *twin = NULL;
        camera.name = direction_name(reader, map, camera.name, i);
        camera.yaw_deg = (float)(yaw_deg >= 360 ? yaw_deg - 360 : yaw_deg < -360 ? yaw_deg + 360 : yaw_deg);
        camera.is_forced = settings->mirror == MIRROR_FORCED;
        for (size_t t = first; t < out->count && settings->mirror; t++)
            if (fabs(remainder((double)out->items[t].yaw_deg + camera.yaw_deg, 360)) < 1e-3)
                twin = &out->items[t];
        if (twin)
            twin->mirrored = camera.name;
        else
            add_camera(out, &camera);
    }
    if (settings->mirror && (out->count - first == count || settings->camera.roll_deg != 0))
        problems_add(reader->problems, node_key(map, "mirror")->mark,
                     "no direction is the mirror image of another: that of yaw 45 is yaw -45, without roll");
}

/* The views of octahedral impostors, in rows from the top left, as the impostor add-on of Godot has them: the square is a
 * pyramid seen from above, or with both spheres an octahedron whose lower faces are folded out. */
static void add_octahedral(const struct reader *reader, const struct camera_settings *settings,
                           struct cameras *out)
{
    const uint32_t side = settings->octahedral;
    const bool is_full = settings->sphere == FULL_SPHERE;
    for (uint32_t i = 0; i < side * side; i++) {
        double u = (double)(i % side) / (side - 1), v = (double)(i / side) / (side - 1); /* 0..1 */
        double left = is_full ? 2 * u - 1 : u - v, front = is_full ? 2 * v - 1 : u + v - 1;
        double up = 1 - fabs(left) - fabs(front), folded = 1 - fabs(front);
        if (up < 0 && is_full) {
            front = copysign(1 - fabs(left), front);
            left = copysign(folded, left);
        }
        struct camera camera = settings->camera;
        bool is_pole = hypot(left, front) < 1e-9; /* where the front is towards the top */
        camera.name = arena_printf(reader->arena, "%s-%u", camera.name, i);
        camera.yaw_deg =
            is_pole ? (up > 0 ? 180 : 0) : (float)(round(atan2(left, front) * (180e4 / M_PI)) / 1e4 + 0.0);
        camera.pitch_deg = (float)(round(atan2(up, hypot(left, front)) * (180e4 / M_PI)) / 1e4 + 0.0);
        add_camera(out, &camera);
    }
}

/* One camera, or one for each direction, or view of an impostor. Its name is `name` unless it has its own. */
static void read_camera(const struct reader *reader, const struct node *map, const char *name, struct cameras *out)
{
    struct camera_settings settings = {{.name = name, .fov_deg = default_fov_deg, .up = {0, 0, 1}}, .mirror = 0};
    struct camera *camera = &settings.camera;
    size_t problems_before = reader->problems->count;
    if (map->kind == NODE_MAPPING)
        read_base(reader, map, camera);
    if (!rows_read(reader, map, "a camera", camera_rows, &settings))
        return;
    if (camera->has_eye && reader->problems->count == problems_before)
        check_up(reader, map, camera);
    if (reader->problems->count == problems_before && camera->projection == PROJECTION_ORTHOGRAPHIC &&
        node_get(map, "fov"))
        problems_add(reader->problems, node_key(map, "fov")->mark,
                     "'fov' has a meaning only with 'projection: perspective'");
    if (settings.directions)
        add_directions(reader, map, &settings, out);
    else if (settings.octahedral)
        add_octahedral(reader, &settings, out);
    else
        add_camera(out, camera);
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
        if (entry->kind == NODE_MAPPING && entry->count && entry->values[0]->kind == NODE_MAPPING) {
            reader_expected(reader, entry,
                            "'cameras' of a job must be a list, such as [front, {name: low, pitch: 10}]");
            continue;
        }
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
    SCOPED struct job_name *names = must_alloc(2 * cameras.count, sizeof *names);
    size_t name_count = 0;
    for (size_t i = 0; i < cameras.count; i++) {
        names[name_count++] = (struct job_name){cameras.items[i].name, node->mark};
        if (cameras.items[i].mirrored)
            names[name_count++] = (struct job_name){cameras.items[i].mirrored, node->mark};
    }
    if (cameras.count > MOST_CAMERAS)
        problems_add(reader->problems, node->mark, "more than %d cameras for one job", MOST_CAMERAS);
    else if (entries.count == 0)
        reader_expected(reader, node, "'cameras' must name at least one camera");
    else
        check_different(reader, &list, names, name_count);
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
