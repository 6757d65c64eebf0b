#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "asset/assets.h"
#include "base/file.h"
#include "idtech/md3.h"
#include "model/rig.h"

/* A player of Quake III: a folder with three models, lower.md3, upper.md3 (on lower's tag_torso) and head.md3 (on upper's
 * tag_head), and animation.cfg, which is what is opened here. It has words (sex, footsteps, ...) that are passed over,
 * and in this order the animations of `names`, a line of four numbers each: first frame, number of frames, how many of
 * them loop, and rate.
 *
 *     153  8  8  20     // LEGS_WALKCR
 *
 * Frames are counted as if legs and torso were one model: those of LEGS_ come after those of TORSO_, which lower.md3
 * does not have, so they are moved back. A negative number of frames plays backwards. */

enum part { LOWER, UPPER, HEAD, PART_COUNT };

static const char *const part_files[PART_COUNT] = {"lower.md3", "upper.md3", "head.md3"};

/* Of the game itself, then of its extension, Team Arena, which files may leave out. */
static const char *const names[MD3_MOST_RANGES] = {
    "BOTH_DEATH1",    "BOTH_DEAD1",    "BOTH_DEATH2",     "BOTH_DEAD2",   "BOTH_DEATH3",    "BOTH_DEAD3",
    "TORSO_GESTURE",  "TORSO_ATTACK",  "TORSO_ATTACK2",   "TORSO_DROP",   "TORSO_RAISE",    "TORSO_STAND",
    "TORSO_STAND2",   "LEGS_WALKCR",   "LEGS_WALK",       "LEGS_RUN",     "LEGS_BACK",      "LEGS_SWIM",
    "LEGS_JUMP",      "LEGS_LAND",     "LEGS_JUMPB",      "LEGS_LANDB",   "LEGS_IDLE",      "LEGS_IDLECR",
    "LEGS_TURN",      "TORSO_GETFLAG", "TORSO_GUARDBASE", "TORSO_PATROL", "TORSO_FOLLOWME", "TORSO_AFFIRMATIVE",
    "TORSO_NEGATIVE",
};

enum { TORSO_GESTURE = 6, TORSO_STAND = 11, LEGS_WALKCR = 13, LEGS_IDLE = 22, TORSO_GETFLAG = 25 };

struct player {
    struct model parts[PART_COUNT];
    uint32_t first_points[PART_COUNT];
    const struct tag *torso, *head;
    const struct motion *rest; /* what stands for the bind pose */
};

/* -- animation.cfg ----------------------------------------------------------------------------------------- */

static bool is_passed_over(const char *line)
{
    static const char *const words[] = {"//", "sex", "headoffset", "footsteps", "fixedlegs", "fixedtorso"};
    bool found = false;
    line += strspn(line, " \t");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found |= !strncasecmp(line, words[i], strlen(words[i]));
    return found;
}

uint32_t md3_read_ranges(struct bytes bytes, struct md3_range ranges[MD3_MOST_RANGES])
{
    uint32_t count = 0;
    for (size_t at = 0, length; at < bytes.size && count < MD3_MOST_RANGES; at += length + 1) {
        const char *text = (const char *)bytes.data + at, *end = memchr(text, '\n', bytes.size - at);
        char line[256];
        double n[4];
        length = end ? (size_t)(end - text) : bytes.size - at;
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        int number_count = sscanf(line, "%lf %lf %lf %lf", &n[0], &n[1], &n[2], &n[3]);
        if (number_count == EOF || (number_count == 0 && is_passed_over(line)))
            continue;
        if (number_count < 4 || !(n[0] >= 0 && n[0] <= MODEL_MOST_FRAMES && fabs(n[1]) <= MODEL_MOST_FRAMES))
            return 0;
        ranges[count++] = (struct md3_range){
            .first = (uint32_t)n[0],
            .frame_count = (uint32_t)fmax(fabs(n[1]), 1),
            .is_reversed = (n[1] < 0),
            .loops = (n[2] > 0),
            .rate_hz = n[3] >= 0.01 && n[3] <= 1000 ? (float)n[3] : 1, /* the game takes 0 for 1 */
        };
    }
    return count;
}

/* -- Parts ------------------------------------------------------------------------------------------------- */

static int load_part(const struct model_options *options, enum part number, struct model *model,
                     struct player *player, struct error *err)
{
    struct model *part = &player->parts[number];
    SCOPED char *folder = path_folder(options->path), *path = path_join(folder, part_files[number]);
    SCOPED_BY(blob_release) struct blob blob = {0};
    struct model_options at = *options;
    int result = assets_read(options->assets, path, &blob, err);
    at.path = path;
    /* All wear the first skin that one of them has. */
    if (at.skin && !*at.skin)
        for (enum part i = LOWER; i < number; i++)
            if (player->parts[i].skin_count > 0) {
                at.skin = player->parts[i].skins[0];
                break;
            }
    part->format = &md3_format;
    if (result == 0) {
        result = bytes_start_with(blob_bytes(&blob), md3_format.start)
                     ? md3_format.load(blob_bytes(&blob), &at, part, err)
                     : error_set(err, "not an MD3");
        if (result < 0)
            error_add(err, "%s", path);
    }
    if (result == 0)
        for (size_t i = 0; i < part->oddities.count; i++)
            strings_printf(&model->oddities, "%s: %s", part_files[number], part->oddities.items[i]);
    /* The player plays clips of its own, and keeps the rest. */
    arena_join(&model->arena, &part->arena);
    strings_release(&part->oddities);
    free(part->animations);
    free(part->clips);
    part->animations = NULL;
    part->clips = NULL;
    return result;
}

/* NULL: the part does not have it. */
static const struct tag *find_tag(const struct player *player, enum part number, const char *name,
                                  struct error *err)
{
    const struct tags *tags = &player->parts[number].tags;
    const struct tag *tag = named_find(tags->items, tags->tag_count, sizeof *tags->items, name, true);
    if (!tag)
        error_set(err, "%s has no tag '%s'", part_files[number], name);
    return tag;
}

static int load_parts(const struct model_options *options, struct model *model, struct player *player,
                      struct error *err)
{
    for (enum part i = LOWER; i < PART_COUNT; i++) {
        struct model *part = &player->parts[i];
        if (load_part(options, i, model, player, err) < 0)
            return -1;
        player->first_points[i] = model->point_count;
        model->point_count = model->vertex_count += part->point_count;
        model->index_count += part->index_count;
        model->surface_count += part->surface_count;
        if (model->point_count > MODEL_MOST_POINTS || model->index_count / 3 > MODEL_MOST_TRIANGLES)
            return error_set(err, "%u vertices and %u triangles up to %s (at most %d and %d)", model->point_count,
                             model->index_count / 3, part_files[i], MODEL_MOST_POINTS, MODEL_MOST_TRIANGLES);
    }
    player->torso = find_tag(player, LOWER, "tag_torso", err);
    player->head = player->torso ? find_tag(player, UPPER, "tag_head", err) : NULL;
    return player->head ? 0 : -1;
}

/* -- Skins ------------------------------------------------------------------------------------------------- */

/* All that any part has. A part wears its own of that name, or else its first. */
static void join_skins(struct model *model, const struct player *player, struct surface *surfaces)
{
    uint32_t most = 0, count = 0;
    for (int i = 0; i < PART_COUNT; i++)
        most += player->parts[i].skin_count;
    const char **skins = arena_must_alloc(&model->arena, most, sizeof *skins);
    for (int i = 0; i < PART_COUNT; i++)
        for (uint32_t k = 0; k < player->parts[i].skin_count; k++)
            if (!named_find(skins, count, sizeof *skins, player->parts[i].skins[k], true))
                skins[count++] = player->parts[i].skins[k];
    model->skins = skins;
    model->skin_count = count;
    if (count == 0)
        return;
    for (int i = 0; i < PART_COUNT; i++) {
        const struct model *part = &player->parts[i];
        for (uint32_t s = 0; s < part->surface_count; s++, surfaces++) {
            const char **shaders = arena_must_alloc(&model->arena, count, sizeof *shaders);
            for (uint32_t k = 0; k < count; k++) {
                const char *const *own =
                    named_find(part->skins, part->skin_count, sizeof *part->skins, skins[k], true);
                shaders[k] = part->skin_count ? surfaces->material.skin_names[own ? own - part->skins : 0]
                                              : surfaces->material.name;
            }
            surfaces->material.skin_names = shaders;
        }
    }
}

/* -- One mesh ---------------------------------------------------------------------------------------------- */

static void join_meshes(struct model *model, const struct player *player)
{
    struct model_arrays arrays = model_alloc_arrays(model);
    uint32_t index = 0, surface = 0;
    for (int i = 0; i < PART_COUNT; i++) {
        const struct model *part = &player->parts[i];
        for (uint32_t s = 0; s < part->surface_count; s++, surface++) {
            arrays.surfaces[surface] = part->surfaces[s];
            arrays.surfaces[surface].first_index += index;
        }
        for (uint32_t k = 0; k < part->index_count; k++)
            arrays.indices[index++] = player->first_points[i] + part->indices[k];
        if (part->point_count > 0)
            memcpy(arrays.uvs[player->first_points[i]], part->uvs, part->point_count * sizeof(vec2));
    }
    model_name_surfaces(model, arrays.surfaces);
    join_skins(model, player, arrays.surfaces);
}

/* -- Clips ------------------------------------------------------------------------------------------------- */

/* The range on a part, without what is past its frames; false where nothing is left. */
static bool clip_of_range(const struct md3_range *range, const char *name, const struct player *player,
                          enum part number, struct clip *out, struct model *model)
{
    uint32_t frame_count = player->parts[number].tags.frame_count;
    uint32_t left = range->first < frame_count ? frame_count - range->first : 0;
    if (left < range->frame_count) {
        SCOPED char *oddity =
            must_printf("%s: frames %u-%u, but %s has 0-%u", name, range->first,
                        range->first + range->frame_count - 1, part_files[number], frame_count - 1);
        strings_add_new(&model->oddities, oddity);
    }
    *out = (struct clip){
        .first_frame = range->first,
        .frame_count = left < range->frame_count ? left : range->frame_count,
        .rate_hz = range->rate_hz,
        .ending = range->loops ? ENDING_LOOP : ENDING_ONCE,
    };
    return left > 0;
}

/* Whether the torso leads the legs: a clip that plays once leads, or else the one that takes longer. */
static bool leads(const struct clip *torso, const struct clip *legs)
{
    bool torso_ends = clip_plays_once(torso) && torso->frame_count > 1;
    bool legs_end = clip_plays_once(legs) && legs->frame_count > 1;
    return torso_ends == legs_end ? clip_duration_s(torso, true) > clip_duration_s(legs, true) : torso_ends;
}

/* The clip of these two ranges, unless nothing of one is there. */
static void add_pair(struct model *model, struct player *player, const struct md3_range *ranges, int legs,
                     int torso, const char *name, bool is_extra)
{
    struct motion *motion = arena_must_alloc(&model->arena, 1, sizeof *motion);
    struct rig_play *plays = arena_must_alloc(&model->arena, PART_COUNT, sizeof *plays);
    if (!clip_of_range(&ranges[legs], names[legs], player, LOWER, &plays[LOWER].clip, model) ||
        !clip_of_range(&ranges[torso], names[torso], player, UPPER, &plays[UPPER].clip, model))
        return;
    plays[LOWER].is_reversed = ranges[legs].is_reversed;
    plays[UPPER].is_reversed = ranges[torso].is_reversed;
    plays[HEAD].clip = (struct clip){.frame_count = 1, .rate_hz = 1, .ending = ENDING_ONCE};
    motion->plays = plays;
    motion->lead = leads(&plays[UPPER].clip, &plays[LOWER].clip) ? UPPER : LOWER;
    struct clip clip = plays[motion->lead].clip;
    clip.name = name;
    clip.animation = model->animation_count;
    clip.first_frame = 0;
    clip.is_extra = is_extra;
    model_add_animation_entry(
        model, &(struct animation){
                   .name = name, .frame_count = clip.frame_count, .rate_hz = clip.rate_hz, .motion = motion});
    model_add_clip(model, &clip);
    if (legs == LEGS_IDLE && torso == TORSO_STAND)
        player->rest = motion;
}

static bool is_of(int number, const char *prefix)
{
    return !strncmp(names[number], prefix, strlen(prefix));
}

/* Clips of legs or torso alone, the other part being at rest, and those of both; then all pairs. */
static void add_clips(struct model *model, struct player *player, const struct md3_range *ranges, int count)
{
    for (int i = 0; i < count; i++)
        add_pair(model, player, ranges, is_of(i, "TORSO_") ? LEGS_IDLE : i, is_of(i, "LEGS_") ? TORSO_STAND : i,
                 names[i], false);
    for (int legs = LEGS_WALKCR; legs < TORSO_GETFLAG && legs < count; legs++)
        for (int torso = 0; torso < count; torso++)
            if (is_of(torso, "TORSO_"))
                add_pair(model, player, ranges, legs, torso,
                         arena_printf(&model->arena, "%s+%s", names[legs], names[torso]), true);
}

/* -- The rig ------------------------------------------------------------------------------------------------ */

/* The parts hang on each other like joints, and so do the tags of each. Those that two parts have are of the lower. */
static void fill_joints(struct model *model, const struct player *player, struct rig *rig)
{
    uint32_t most = 1, count = 0;
    for (int i = 0; i < PART_COUNT; i++)
        most += player->parts[i].tags.tag_count;
    struct joint *joints = arena_must_alloc(&model->arena, most, sizeof *joints);
    struct rig_hold *holds = arena_must_alloc(&model->arena, most, sizeof *holds);
    joints[count++] = (struct joint){"origin", -1};
    int32_t parent = 0;
    for (int i = 0; i < PART_COUNT; i++) {
        const struct tags *tags = &player->parts[i].tags;
        const char *next = i == LOWER ? player->torso->name : player->head->name;
        int32_t next_parent = parent;
        for (uint32_t t = 0; t < tags->tag_count; t++) {
            if (named_find(joints, count, sizeof *joints, tags->items[t].name, true))
                continue;
            if (!strcmp(tags->items[t].name, next))
                next_parent = (int32_t)count;
            holds[count] = (struct rig_hold){(uint32_t)i, &tags->items[t]};
            joints[count++] = (struct joint){tags->items[t].name, parent};
        }
        parent = next_parent;
    }
    model->joints = joints;
    model->joint_count = count;
    rig->holds = holds;
}

static const struct rig *make_rig(struct model *model, const struct player *player)
{
    const struct tag *const tags[PART_COUNT] = {NULL, player->torso, player->head};
    struct rig_frames frames[PART_COUNT];
    for (int i = 0; i < PART_COUNT; i++) {
        frames[i] = *player->parts[i].rig->frames;
        frames[i].first_point = player->first_points[i];
        frames[i].tag = tags[i];
    }
    struct rig *rig = rig_of_frames(&model->arena, frames, PART_COUNT);
    rig->rest = player->rest;
    fill_joints(model, player, rig);
    return rig;
}

/* -- The format -------------------------------------------------------------------------------------------- */

/* Such a text has no magic word, so it has to be one as a whole. */
static bool matches(struct bytes bytes)
{
    struct md3_range ranges[MD3_MOST_RANGES];
    return bytes.size <= MD3_LARGEST_RANGES && !memchr(bytes.data, '\0', bytes.size) &&
           md3_read_ranges(bytes, ranges) > 0;
}

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    struct md3_range ranges[MD3_MOST_RANGES];
    struct player player = {0};
    uint32_t count = md3_read_ranges(bytes, ranges);
    if (count < TORSO_GETFLAG)
        return error_set(err, "%u animations (players have %d)", count, TORSO_GETFLAG);
    if (!options->assets || !options->path)
        return error_set(err, "a player has models in files beside it");
    int64_t skip = (int64_t)ranges[LEGS_WALKCR].first - ranges[TORSO_GESTURE].first;
    for (int i = LEGS_WALKCR; i < TORSO_GETFLAG; i++) /* the legs' frames come behind those that are of both */
        ranges[i].first = skip < ranges[i].first ? (uint32_t)(ranges[i].first - skip) : 0;
    if (load_parts(options, model, &player, err) < 0)
        return -1;
    join_meshes(model, &player);
    add_clips(model, &player, ranges, (int)count);
    if (!player.rest)
        return error_set(err, "its models lack the frames of LEGS_IDLE or TORSO_STAND");
    model->rig = make_rig(model, &player);
    return 0;
}

const struct model_format md3_player_format = {
    .name = "Quake III player",
    .suffixes = (const struct model_suffix[]){{.text = ".cfg"}, {0}},
    .reads = "a folder: lower, upper and head on tags, with the clips of animation.cfg",
    .in_folder = "animation.cfg",
    .matches = matches,
    .has_skin_files = true,
    .load = load,
};
