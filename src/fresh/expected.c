#include "fresh/expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strings.h"
#include "sheet/atlas.h"

/* Whoever adds a field to one of these adds it to the functions below and a case to test_recorded before
 * correcting the size here: a setting that is not recorded leaves sheets as they are when it changes. */
#define RECORDED(type, size)                                                                                      \
    _Static_assert(sizeof(void *) != 8 || sizeof(type) == (size), #type " has fields that may not be recorded")

RECORDED(struct job, 536); /* what a job misses is not recorded: then it is not made */
RECORDED(struct skin_override, 40);
RECORDED(struct attachment, 120);
RECORDED(struct job_socket, 24);
RECORDED(struct job_animation, 176);
RECORDED(struct root_motion, 16);
RECORDED(struct sampling, 80);
RECORDED(struct camera, 72);
RECORDED(struct fit, 24);
RECORDED(struct light_rig, 108);
RECORDED(struct ground, 24);
RECORDED(struct outline, 8);
RECORDED(struct background, 16);
RECORDED(struct sheet_settings, 32);

struct settings {
    struct arena *arena;
    struct record_pair *items;
    size_t count, capacity;
};

/* The name's first part, then `key`: "attach[0]" and "scale" give "attach[0].scale". */
static const char *join(struct settings *settings, const char *prefix, const char *key)
{
    return arena_printf(settings->arena, "%s%s%s", prefix, *prefix ? "." : "", key);
}

static const char *numbered(struct settings *settings, const char *name, size_t i)
{
    return arena_printf(settings->arena, "%s[%zu]", name, i);
}

/* Both live in the arena or for ever. */
static void add(struct settings *settings, const char *name, const char *value)
{
    settings->items = must_grow(settings->items, settings->count, &settings->capacity, sizeof *settings->items);
    settings->items[settings->count++] = (struct record_pair){name, value};
}

/* Nothing where there is no text. */
static void add_text(struct settings *settings, const char *name, const char *text)
{
    if (text)
        add(settings, name, arena_strdup(settings->arena, text));
}

static void add_bool(struct settings *settings, const char *name, bool value)
{
    add(settings, name, value ? "true" : "false");
}

static void add_whole(struct settings *settings, const char *name, uint32_t number)
{
    add(settings, name, arena_printf(settings->arena, "%u", number));
}

/* With as few digits as give the same number when read. */
static const char *number_text(struct settings *settings, double number, int most_digits)
{
    for (int digits = 6; digits < most_digits; digits++) {
        char *text = arena_printf(settings->arena, "%.*g", digits, number);
        if (most_digits == 9 ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number)
            return text;
    }
    return arena_printf(settings->arena, "%.*g", most_digits, number);
}

static const char *float_text(struct settings *settings, float number)
{
    return number_text(settings, number, 9);
}

static const char *double_text(struct settings *settings, double number)
{
    return number_text(settings, number, 17);
}

static const char *vector_text(struct settings *settings, const vec3 v)
{
    return arena_printf(settings->arena, "[%s, %s, %s]", float_text(settings, v[0]), float_text(settings, v[1]),
                        float_text(settings, v[2]));
}

static const char *color_text(struct settings *settings, const uint8_t color[4])
{
    return arena_printf(settings->arena, "#%02x%02x%02x%02x", color[0], color[1], color[2], color[3]);
}

static void add_number(struct settings *settings, const char *name, float number)
{
    add(settings, name, float_text(settings, number));
}

static void add_vector(struct settings *settings, const char *name, const vec3 v)
{
    add(settings, name, vector_text(settings, v));
}

static const char *keep(struct settings *settings, struct buffer *buffer)
{
    const char *text = arena_strdup(settings->arena, buffer->text ? buffer->text : "");
    buffer_release(buffer);
    return text;
}

/* -- Models ------------------------------------------------------------------------------------------------ */

static void add_overrides(struct settings *settings, const char *prefix, const struct skin_override *skins,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = numbered(settings, join(settings, prefix, "skin"), i);
        add_text(settings, join(settings, name, "from"), skins[i].from);
        add_text(settings, join(settings, name, "image"), skins[i].path);
        add_text(settings, join(settings, name, "material"), skins[i].shader);
    }
}

static void add_model(struct settings *settings, const struct job *job)
{
    static const char *const geometries[] = {"triangles", "glcommands"};
    static const char *const interpolations[] = {"local", "object"};
    static const char *const choices[] = {"search", "index", "name", "all"};
    add_text(settings, "model", job->model);
    add_text(settings, "model.def", job->def_name);
    add(settings, "geometry", geometries[job->geometry]);
    add(settings, "interpolation", interpolations[job->interpolation]);
    add(settings, "skin", choices[job->skin_choice]);
    if (job->skin_choice == SKIN_INDEX)
        add_whole(settings, "skin.index", job->skin_index);
    add_text(settings, "skin.file", job->skin_file);
    add_text(settings, "skin.name", job->skin_name);
    add_overrides(settings, "", job->skins, job->skin_count);
}

static void add_attachment(struct settings *settings, const char *prefix, const struct attachment *attachment)
{
    add_text(settings, join(settings, prefix, "name"), attachment->name);
    add_text(settings, join(settings, prefix, "model"), attachment->model);
    add_text(settings, join(settings, prefix, "to"), attachment->to);
    add_text(settings, join(settings, prefix, "at"), attachment->at);
    add_bool(settings, join(settings, prefix, "same_frame"), attachment->same_frame);
    add_text(settings, join(settings, prefix, "animation.name"), attachment->animation);
    add_text(settings, join(settings, prefix, "animation.file"), attachment->animation_file);
    add_overrides(settings, prefix, attachment->skins, attachment->skin_count);
    add_vector(settings, join(settings, prefix, "offset"), attachment->offset);
    add_vector(settings, join(settings, prefix, "rotation"), attachment->rotation_deg);
    add_number(settings, join(settings, prefix, "scale"), attachment->scale);
}

/* -- Animations -------------------------------------------------------------------------------------------- */

static const char *times_text(struct settings *settings, const struct sampling *sampling)
{
    struct buffer text = {0};
    for (size_t i = 0; i < sampling->time_count; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "times: ", double_text(settings, sampling->times_s[i]));
    return keep(settings, &text);
}

static const char *frames_text(struct settings *settings, const struct sampling *sampling)
{
    struct buffer text = {0};
    buffer_printf(&text, "frames: %s", sampling->run_count ? "" : "all");
    for (size_t i = 0; i < sampling->run_count; i++)
        buffer_printf(&text, "%s%u-%u", i ? ", " : "", sampling->runs[i].first, sampling->runs[i].last);
    return keep(settings, &text);
}

static const char *sampling_text(struct settings *settings, const struct sampling *sampling)
{
    switch (sampling->kind) {
    case SAMPLING_TIMES:
        return times_text(settings, sampling);
    case SAMPLING_COUNT:
        return arena_printf(settings->arena, "count: %u", sampling->count);
    case SAMPLING_FPS:
        return arena_printf(settings->arena, "fps: %s", double_text(settings, sampling->fps));
    case SAMPLING_FRAMES:
        return frames_text(settings, sampling);
    case SAMPLING_UNSET:
        break;
    }
    return "none";
}

static void add_sampling(struct settings *settings, const char *prefix, const struct sampling *sampling)
{
    add(settings, join(settings, prefix, "sampling"), sampling_text(settings, sampling));
    if (sampling->has_range)
        add(settings, join(settings, prefix, "sampling.range"),
            arena_printf(settings->arena, "[%s, %s]", double_text(settings, sampling->range_s[0]),
                         double_text(settings, sampling->range_s[1])));
}

static void add_motion(struct settings *settings, const char *prefix, enum loop loop,
                       const struct root_motion *motion)
{
    add(settings, join(settings, prefix, "loop"), loop_names[loop]);
    add(settings, join(settings, prefix, "root_motion"), motion->keep ? "keep" : "remove");
    add_text(settings, join(settings, prefix, "root_motion.joint"), motion->joint);
}

static void add_animation(struct settings *settings, const char *prefix, const struct job_animation *animation)
{
    add_text(settings, join(settings, prefix, "name"), animation->name);
    add_bool(settings, join(settings, prefix, "is_pattern"), animation->is_pattern);
    add_bool(settings, join(settings, prefix, "optional"), animation->is_optional);
    add_text(settings, join(settings, prefix, "file"), animation->file);
    for (size_t i = 0; i < animation->file_count; i++)
        add_text(settings, numbered(settings, join(settings, prefix, "files"), i), animation->files[i]);
    if (animation->has_frames)
        add(settings, join(settings, prefix, "frames"),
            arena_printf(settings->arena, "%u-%u", animation->first_frame, animation->last_frame));
    add_number(settings, join(settings, prefix, "rate"), animation->rate_hz);
    add_sampling(settings, prefix, &animation->sampling);
    add_motion(settings, prefix, animation->loop, &animation->root_motion);
}

static void add_animations(struct settings *settings, const struct job *job)
{
    add(settings, "animations", !job->has_animations ? "all" : job->animation_count ? "listed" : "none");
    for (size_t i = 0; i < job->animation_count; i++)
        add_animation(settings, numbered(settings, "animations", i), &job->animations[i]);
    add_sampling(settings, "", &job->sampling);
    add_motion(settings, "", job->loop, &job->root_motion);
}

/* -- Cameras ----------------------------------------------------------------------------------------------- */

static const char *place_text(struct settings *settings, const struct camera *camera)
{
    if (camera->has_eye)
        return arena_printf(settings->arena, "eye: %s, target: %s, up: %s", vector_text(settings, camera->eye),
                            vector_text(settings, camera->target), vector_text(settings, camera->up));
    return arena_printf(settings->arena, "yaw: %s, pitch: %s, roll: %s", float_text(settings, camera->yaw_deg),
                        float_text(settings, camera->pitch_deg), float_text(settings, camera->roll_deg));
}

/* One text for each: a list may have a thousand, and who changes one sees which part of it differs. */
static void add_camera(struct settings *settings, const char *name, const struct camera *camera)
{
    const char *projection =
        camera->projection == PROJECTION_PERSPECTIVE
            ? arena_printf(settings->arena, "perspective, fov: %s", float_text(settings, camera->fov_deg))
            : "orthographic";
    add(settings, name,
        arena_printf(settings->arena, "%s: %s, %s", camera->name, place_text(settings, camera), projection));
}

static void add_cameras(struct settings *settings, const struct job *job)
{
    static const char *const scopes[] = {"frame", "animation", "job", "group"};
    for (size_t i = 0; i < job->camera_count; i++)
        add_camera(settings, numbered(settings, "cameras", i), &job->cameras[i]);
    add(settings, "fit.scope", scopes[job->fit.scope]);
    if (job->fit.scope == FIT_GROUP)
        add_text(settings, "fit.group", job->fit.group);
    add_number(settings, "fit.margin", job->fit.margin);
    add_number(settings, "fit.pixels_per_unit", job->fit.pixels_per_unit);
}

/* -- Looks ------------------------------------------------------------------------------------------------- */

static void add_directional(struct settings *settings, const char *name, const struct directional_light *light)
{
    add_vector(settings, join(settings, name, "direction"), light->direction);
    add_vector(settings, join(settings, name, "color"), light->color);
}

static void add_light(struct settings *settings, const struct light_rig *light)
{
    add_directional(settings, "light.key", &light->key);
    add_directional(settings, "light.fill", &light->fill);
    add_directional(settings, "light.rim", &light->rim);
    add_vector(settings, "light.sky", light->sky);
    add_vector(settings, "light.ground", light->ground);
    add_vector(settings, "light.ambient", light->ambient);
}

static const char *background_text(struct settings *settings, const struct background *background)
{
    const char *first = color_text(settings, background->colors[0]);
    const char *second = color_text(settings, background->colors[1]);
    switch (background->kind) {
    case BACKGROUND_COLOR:
        return first;
    case BACKGROUND_GRADIENT:
        return arena_printf(settings->arena, "gradient: [%s, %s]", first, second);
    case BACKGROUND_CHECKER:
        return arena_printf(settings->arena, "checkerboard: [%s, %s], size: %u", first, second,
                            background->checker_px);
    case BACKGROUND_TRANSPARENT:
        break;
    }
    return "transparent";
}

static void add_surroundings(struct settings *settings, const struct job *job)
{
    static const char *const kinds[] = {"none", "contact", "shadow", "grid"};
    const struct ground *ground = &job->ground;
    add(settings, "ground.kind", kinds[ground->kind]);
    add(settings, "ground.height", ground->has_height ? float_text(settings, ground->height) : "auto");
    add_number(settings, "ground.strength", ground->strength);
    add_number(settings, "ground.spacing", ground->spacing);
    add(settings, "ground.color", color_text(settings, ground->color));
    add_number(settings, "outline.width", job->outline.width_px);
    add(settings, "outline.color", color_text(settings, job->outline.color));
    add(settings, "background", background_text(settings, &job->background));
}

/* -- Sheets ------------------------------------------------------------------------------------------------ */

static void add_files(struct settings *settings, const struct job *job)
{
    struct buffer text = {0};
    for (unsigned i = 0; i < PASS_COUNT; i++)
        if (job->passes & 1u << i)
            buffer_printf(&text, "%s%s", text.length ? ", " : "", pass_names[i]);
    add(settings, "passes", keep(settings, &text));
    for (unsigned i = 0; i < METADATA_COUNT; i++)
        if (job->metadata & 1u << i)
            buffer_printf(&text, "%s%s", text.length ? ", " : "", metadata_formats[i].name);
    add(settings, "metadata", keep(settings, &text));
}

static void add_sheet(struct settings *settings, const struct sheet_settings *sheet)
{
    static const char *const layouts[] = {"grid", "packed"};
    static const char *const splits[] = {"none", "animation", "camera"};
    add(settings, "sheet.layout", layouts[sheet->layout]);
    add_whole(settings, "sheet.columns", sheet->columns);
    add_whole(settings, "sheet.padding", sheet->padding);
    add_whole(settings, "sheet.extrude", sheet->extrude);
    add_whole(settings, "sheet.max_size", sheet->max_size);
    add_bool(settings, "sheet.trim", sheet->trim);
    add_bool(settings, "sheet.power_of_two", sheet->power_of_two);
    add_whole(settings, "sheet.bleed", sheet->bleed);
    add(settings, "split", splits[sheet->split]);
}

/* -- All --------------------------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(((const struct record_pair *)a)->name, ((const struct record_pair *)b)->name);
}

void job_recorded_settings(const struct job *job, struct arena *arena, struct record_pairs *out)
{
    struct settings settings = {.arena = arena};
    add_model(&settings, job);
    for (size_t i = 0; i < job->attachment_count; i++)
        add_attachment(&settings, numbered(&settings, "attach", i), &job->attachments[i]);
    for (size_t i = 0; i < job->socket_count; i++)
        add_text(&settings, numbered(&settings, "sockets", i), job->sockets[i].name);
    add_animations(&settings, job);
    add_cameras(&settings, job);
    add_light(&settings, &job->light);
    add_surroundings(&settings, job);
    add(&settings, "cell", arena_printf(arena, "[%u, %u]", job->cell_px[0], job->cell_px[1]));
    add_whole(&settings, "supersample", job->supersample);
    add_files(&settings, job);
    add_sheet(&settings, &job->sheet);
    qsort(settings.items, settings.count, sizeof *settings.items, compare_pairs);

    struct record_pair *items = arena_must_alloc(arena, settings.count, sizeof *items);
    memcpy(items, settings.items, settings.count * sizeof *items);
    free(settings.items);
    *out = (struct record_pairs){items, settings.count};
}

/* Texts with the NUL at their end: none runs into the next. */
static void add_hashed(struct buffer *text, const char *part)
{
    buffer_add(text, part, strlen(part) + 1);
}

static void hash_settings(const struct job *job, char hash[HASH_SIZE])
{
    struct arena arena = {0};
    struct buffer text = {0};
    struct record_pairs settings;
    job_recorded_settings(job, &arena, &settings);
    for (size_t i = 0; i < settings.count; i++) {
        add_hashed(&text, settings.items[i].name);
        add_hashed(&text, settings.items[i].value);
    }
    hash_bytes((struct bytes){(const uint8_t *)text.text, text.length}, hash);
    buffer_release(&text);
    arena_release(&arena);
}

void job_recorded_group(const struct job_list *list, const char *group, char hash[HASH_SIZE])
{
    struct strings hashes = {0};
    struct buffer text = {0};
    for (size_t i = 0; i < list->job_count; i++) {
        const struct job *job = &list->jobs[i];
        if (job->missing_count || job->fit.scope != FIT_GROUP || strcmp(job->fit.group, group))
            continue; /* it is framed without jobs that cannot be opened, and anew when they can */
        hash_settings(job, hash);
        strings_add(&hashes, hash);
    }
    strings_sort(&hashes);
    for (size_t i = 0; i < hashes.count; i++)
        if (i == 0 || strcmp(hashes.items[i - 1], hashes.items[i]))
            add_hashed(&text, hashes.items[i]);
    hash_bytes((struct bytes){(const uint8_t *)text.text, text.length}, hash);
    buffer_release(&text);
    strings_release(&hashes);
}

/* -- A job ------------------------------------------------------------------------------------------------- */

/* Of which the hash has been made: it is over all jobs of the group. */
struct hashed_group {
    const struct job_list *list;
    const char *name;
    char hash[HASH_SIZE];
};

struct expected {
    struct identity identity;
    struct record record; /* its arena has the settings of the latest job */
    struct hashed_group *groups;
    size_t group_count, group_capacity;
};

struct expected *expected_new(const struct identity *identity)
{
    struct expected *expected = must_alloc(1, sizeof *expected);
    expected->identity = *identity;
    expected->record = (struct record){
        .output = OUTPUT_VERSION,
        .renderer = expected->identity.name,
        .backend = expected->identity.backend,
        .cpu = expected->identity.cpu,
        .library = expected->identity.library,
        .program = expected->identity.program,
    };
    return expected;
}

void expected_free(struct expected *expected)
{
    if (!expected)
        return;
    arena_release(&expected->record.arena);
    free(expected->groups);
    free(expected);
}

static const char *hash_group(struct expected *expected, const struct job_list *list, const char *name)
{
    for (size_t i = 0; i < expected->group_count; i++)
        if (expected->groups[i].list == list && !strcmp(expected->groups[i].name, name))
            return expected->groups[i].hash;
    expected->groups =
        must_grow(expected->groups, expected->group_count, &expected->group_capacity, sizeof *expected->groups);
    struct hashed_group *group = &expected->groups[expected->group_count++];
    *group = (struct hashed_group){.list = list, .name = name};
    job_recorded_group(list, name, group->hash);
    return group->hash;
}

const struct record *expected_record(struct expected *expected, const struct job_list *list, const struct job *job)
{
    struct record *record = &expected->record;
    arena_release(&record->arena);
    job_recorded_settings(job, &record->arena, &record->settings);
    record->list = list->name;
    record->job = job->name;
    record->group = job->fit.scope == FIT_GROUP ? hash_group(expected, list, job->fit.group) : NULL;
    return record;
}

/* -- Look-ups ---------------------------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* That a file was found where it was looked for is said by its being read. */
static bool is_said(const struct trace *trace, const struct look_up *item)
{
    return item->kind == LOOK_FOUND && !strcmp(item->name, item->value) &&
           trace_find(trace, LOOK_READ, item->name);
}

static void list_pairs(struct record *record, const struct trace *trace, enum look_up_kind kind,
                       struct record_pairs *out)
{
    struct record_pair *items = arena_must_alloc(&record->arena, trace->count, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < trace->count; i++)
        if (trace->items[i].kind == kind && !is_said(trace, &trace->items[i]))
            items[count++] = (struct record_pair){trace->items[i].name, trace->items[i].value};
    if (count)
        qsort(items, count, sizeof *items, compare_pairs);
    *out = (struct record_pairs){items, count};
}

static void list_absent(struct record *record, const struct trace *trace)
{
    const char **items = arena_must_alloc(&record->arena, trace->count, sizeof *items);
    for (size_t i = 0; i < trace->count; i++)
        if (trace->items[i].kind == LOOK_ABSENT)
            items[record->absent_count++] = trace->items[i].name;
    if (record->absent_count)
        qsort(items, record->absent_count, sizeof *items, compare_texts);
    record->absent = items;
}

void expected_with_look_ups(const struct record *expected, const struct trace *trace, struct record *out)
{
    *out = *expected;
    out->arena = (struct arena){0};
    list_pairs(out, trace, LOOK_READ, &out->inputs);
    list_pairs(out, trace, LOOK_FOUND, &out->found);
    list_pairs(out, trace, LOOK_LISTED, &out->listed);
    list_pairs(out, trace, LOOK_DECLARED, &out->declared);
    list_absent(out, trace);
}
