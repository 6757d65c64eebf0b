#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "page/names.h"
#include "job/settings.h"

/* -- skin -------------------------------------------------------------------------------------------------- */

static void check_images(const struct reader *reader, const struct node *node, void *whole)
{
    (void)whole;
    if (node->kind == NODE_MAPPING && node->count == 0)
        reader_expected(reader, node, "'skin' must be a path, or a mapping with at least one");
}

/* "skins/imp.skin#red": a file of Doom 3 skins, and one of those declared in it. */
static bool parse_declared(const struct reader *reader, const struct node *node, struct job *out)
{
    const char *hash = strchr(node->text, '#');
    size_t length = hash ? (size_t)(hash - node->text) : strlen(node->text);
    const char *file = arena_strndup(reader->arena, node->text, length);
    if (strcasecmp(path_suffix(file), ".skin"))
        return false;
    if (hash && hash[1]) {
        out->skin_file = file;
        out->skin_name = hash + 1;
    } else {
        const char *name = strchr(path_base(file), '_'); /* "_red.skin" of Quake III's upper_red.skin */
        SCOPED char *alone = name ? must_printf("; of a Quake III model write 'skin: %.*s'",
                                                (int)(strlen(name + 1) - strlen(".skin")), name + 1)
                                  : must_strdup("");
        problems_add(reader->problems, node->mark,
                     "'%.64s' is a file of skins; name one of them, as in '%.64s#red'%s", file, file, alone);
    }
    return true;
}

static void choose_skin(struct job *job, enum skin_choice choice)
{
    job->skin_choice = choice;
    job->skin_index = 0;
    job->skin_file = job->skin_name = NULL;
    job->skins = NULL;
    job->skin_count = 0;
}

void check_skin(const struct reader *reader, const struct node *node, void *whole)
{
    struct job *job = whole, read = *job;
    double number;
    choose_skin(job, SKIN_SEARCH);
    if (node_is_number(node, &number)) {
        job->skin_choice = SKIN_INDEX;
        read_integer(reader, node, "the number of a skin", (struct range){0, MOST_SKIN}, &job->skin_index);
    } else if (node->kind != NODE_SCALAR || !parse_declared(reader, node, job)) {
        job->skins = read.skins;
        job->skin_count = read.skin_count;
        check_images(reader, node, job);
    }
}

const char *const skins_words[1] = {"all"};

void read_skins(const struct reader *reader, const struct node *node, void *whole)
{
    unsigned word;
    if (read_one_word(reader, node, "'skins'", skins_words, COUNT(skins_words), &word))
        choose_skin(whole, SKIN_ALL);
}

const char *const skin_choice_words[4] = {
    [SKIN_SEARCH] = "search", [SKIN_INDEX] = "index", [SKIN_NAME] = "name", [SKIN_ALL] = "all"};

void record_skin_index(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct job *job = whole;
    if (job->skin_choice == SKIN_INDEX)
        recorder_add(recorder, prefix, "skin.index", arena_printf(recorder->arena, "%u", job->skin_index));
}

/* Rows of records. In a list, the keys of `skin` are names of the model's. */
const struct setting skin_rows[] = {
    {"from", SETTING_TEXT(struct skin_override, from)},
    {"image", SETTING_TEXT(struct skin_override, path), SETTING_MARK(struct skin_override, mark),
     .noun = "the path of a skin"},
    {"material", SETTING_TEXT(struct skin_override, shader)},
    {0},
};

/* -- attachments ------------------------------------------------------------------------------------------- */

static void check_clip_name(const struct reader *reader, const struct node *node, void *whole)
{
    const char *name = ((const struct attachment *)whole)->animation;
    if (glob_is_pattern(name))
        problems_add(reader->problems, node->mark,
                     "'%.64s' holds one of *?[, but an attachment plays one animation", name);
}

const struct setting clip_rows[] = {
    {"name", SETTING_NAME(struct attachment, animation), .check = check_clip_name,
     .noun = "the animation of an attachment", .is_any_of = true, .is_short = true},
    {"file", SETTING_TEXT(struct attachment, animation_file), SETTING_MARK(struct attachment, animation_file_mark),
     .is_any_of = true},
    {"clip", SETTING_TEXT(struct attachment, animation_clip), .is_any_of = true, .not_with = {"name"}},
    {0},
};

/* Names the clip after the chosen one, or else after its file. */
static void check_clip(const struct reader *reader, const struct node *node, void *whole)
{
    struct attachment *attachment = whole;
    (void)node;
    if (attachment->animation_clip)
        attachment->animation = attachment->animation_clip;
    else if (!attachment->animation && attachment->animation_file)
        attachment->animation = path_base_stem(reader->arena, attachment->animation_file);
}

const struct setting attachment_rows[] = {
    {"name", SETTING_TEXT(struct attachment, name)},
    {"model", SETTING_TEXT(struct attachment, model), SETTING_MARK(struct attachment, model_mark),
     .is_needed = true},
    {"to", SETTING_TEXT(struct attachment, to)},
    {"at", SETTING_NAME(struct attachment, at)},
    {"same_frame", SETTING_BOOL(struct attachment, same_frame)},
    {"animation", SETTING_OWN(struct attachment, animation, clip_rows), .noun = "the animation of an attachment",
     .needs = "the animation of an attachment must have a 'clip' or a 'file'", .check = check_clip},
    {"skin", SETTING_LIST(struct attachment, skins, skin_count, skin_rows, NULL), .forms = FORM_NAME | FORM_PAIRS,
     .items = {1, 0}, .check = check_images, .expects = "'skin' must be a path or a mapping here"},
    {"offset", SETTING_VECTOR(struct attachment, offset, -1e6, 1e6)},
    {"rotation", SETTING_VECTOR(struct attachment, rotation_deg, -360, 360)},
    {"scale", SETTING_NUMBER(struct attachment, scale, 0.0001, 10000)},
    {NULL, SETTING_PART(struct attachment, animation_file), SETTING_MARK(struct attachment, animation_file_mark)},
    {NULL, SETTING_PART(struct attachment, animation_clip)},
    {NULL, SETTING_NOTE(struct attachment, mark)},
    {0},
};

const struct attachment default_attachment = {.model = "", .scale = 1};

void check_attachment(const struct reader *reader, const struct node *node, void *item)
{
    struct attachment *attachment = item;
    struct error err;
    if (!strncmp(attachment->model, DEFINITION_PREFIX, strlen(DEFINITION_PREFIX))) {
        problems_add(reader->problems, attachment->model_mark,
                     "'%.64s' must be a file: 'def:' is for a job's own model, not for what is attached to it",
                     attachment->model);
        attachment->model = "";
    }
    const struct node *name = node_get(node, "name");
    if (!name)
        attachment->name = path_base_stem(reader->arena, attachment->model);
    bool is_derived = !name && *attachment->model; /* of a model that is missing it is "", which that says */
    if ((*attachment->name || is_derived) && names_check_label(attachment->name, &err) < 0)
        problems_add(reader->problems, name ? name->mark : attachment->model_mark,
                     "an attachment's name, '%.64s', %s", attachment->name, err.text);
    if (attachment->same_frame && node_get(node, "animation"))
        problems_add(reader->problems, node_key(node, "animation")->mark,
                     "'animation' cannot be given together with 'same_frame'");
}

static size_t find_named(const struct attachment *entries, size_t count, const char *name)
{
    const struct attachment *found = named_find(entries, count, sizeof *entries, name, true);
    return found ? (size_t)(found - entries) : count;
}

/* "'a' to 'b' to 'a'": what cannot be put in order leads to a circle. */
static void fail_circle(const struct reader *reader, const struct attachment *entries, size_t count, size_t i)
{
    SCOPED_BY(buffer_release) struct buffer text = {0};
    for (size_t step = 0; step < count; step++)
        i = find_named(entries, count, entries[i].to);
    const size_t first = i;
    do {
        buffer_printf(&text, "'%.64s' to ", entries[i].name);
        i = find_named(entries, count, entries[i].to);
    } while (i != first);
    problems_add(reader->problems, entries[first].mark, "attachments hang on each other in a circle: %s'%.64s'",
                 text.text, entries[first].name);
}

/* Puts each entry after the one that carries it, and leaves the others in the order of the list. */
static void put_carriers_first(const struct reader *reader, void *items, size_t count)
{
    struct attachment *entries = items;
    for (size_t i = 0; i < count; i++)
        if (entries[i].to && find_named(entries, count, entries[i].to) == count) {
            const struct node to = {.mark = entries[i].mark, .text = entries[i].to};
            reader_unknown(reader, &to, "attachment", entries, count);
            return;
        }
    for (size_t done = 0; done < count; done++) {
        size_t next = done;
        while (next < count && entries[next].to && find_named(entries, done, entries[next].to) == done)
            next++;
        if (next == count) {
            fail_circle(reader, entries, count, done);
            return;
        }
        struct attachment entry = entries[next];
        memmove(&entries[done + 1], &entries[done], (next - done) * sizeof *entries);
        entries[done] = entry;
    }
}

const struct list_kind attachment_list = {
    .noun = "attachment",
    .mend = "; give one of them another 'name'",
    .most = 64, /* a model each to open, pose and draw */
    .check = put_carriers_first,
};

/* -- Lists of names ---------------------------------------------------------------------------------------- */

const struct setting name_rows[] = {
    {"name", SETTING_TEXT(struct job_name, name)},
    {NULL, SETTING_NOTE(struct job_name, mark)},
    {0},
};

const struct list_kind socket_list = {"socket", .minds_case = true, .is_of_names = true, .most = 256},
                       box_list = {"box", .minds_case = true, .is_of_names = true, .most = 256},
                       material_list = {"name", .minds_case = true, .is_of_names = true, .most = 256},
                       mesh_list = {"mesh", .minds_case = true, .is_of_names = true, .most = 256};

/* -- tint ----------------------------------------------------------------------------------------------------- */

const struct setting tint_rows[] = {
    {"material", SETTING_TEXT(struct tint, material.name), SETTING_MARK(struct tint, material.mark)},
    {"color", SETTING_COLOR(struct tint, color), .noun = "the colour of a material", .is_opaque = true},
    {0},
};

/* -- teamcolor ------------------------------------------------------------------------------------------------ */

bool teamcolor_is_given(const struct teamcolor *teamcolor)
{
    return teamcolor->material_count || teamcolor->mesh_count || teamcolor->skin_count ||
           teamcolor->range.hue_deg > 0;
}

const struct setting range_rows[] = {
    {"color", SETTING_COLOR(struct color_range, color), .is_opaque = true, .is_needed = true, .is_new = true},
    {"hue", SETTING_NUMBER(struct color_range, hue_deg, 1, 180), .is_new = true},
    {"saturation", SETTING_NUMBER(struct color_range, saturation, 0, 1), .is_new = true},
    {0},
};

static const struct color_range default_range = {{255, 0, 0, 255}, 20, 0.25f};

static void check_range(const struct reader *reader, const struct node *node, void *member)
{
    const uint8_t *color = ((const struct color_range *)member)->color;
    if (color[0] == color[1] && color[1] == color[2])
        problems_add(reader->problems, node->mark,
                     "the 'color' of a range must have a hue, and this is a grey: name a material or a mesh");
}

const struct setting teamcolor_rows[] = {
    {"material", SETTING_LIST(struct teamcolor, materials, material_count, name_rows, &material_list),
     .is_any_of = true},
    {"mesh", SETTING_LIST(struct teamcolor, meshes, mesh_count, name_rows, &mesh_list), .is_any_of = true},
    {"skin", SETTING_LIST(struct teamcolor, skins, skin_count, name_rows, &material_list), .is_any_of = true},
    {"range", SETTING_MAPPING(struct teamcolor, range, range_rows), .is_anew = true, .starts = &default_range,
     .check = check_range, .of_member = true, .is_any_of = true},
    {0},
};
