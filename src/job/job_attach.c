#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/missing.h"
#include "page/names.h"
#include "job/settings.h"

/* -- skin -------------------------------------------------------------------------------------------------- */

/* The best known engine draws 32 skins of an MD2, its successors 64; the file's own count is checked on opening
 * it. */
static const struct range skin_numbers = {0, 1023};

/* `skin` of an attachment: a path, or a mapping of names to paths. */
static void skin_images_read(const struct reader *reader, const struct node *node,
                             const struct skin_override **out, size_t *count)
{
    double number;
    if (node_is_number(node, &number)) {
        reader_expected(reader, node, "'skin' must be a path or a mapping here");
        return;
    }
    bool is_map = node->kind == NODE_MAPPING;
    size_t skin_count = is_map ? node->count : 1;
    struct skin_override *skins = arena_must_alloc(reader->arena, skin_count, sizeof *skins);
    for (size_t i = 0; i < skin_count; i++) {
        const struct node *path = is_map ? node->values[i] : node;
        skins[i].mark = path->mark;
        skins[i].from = is_map ? node->keys[i]->text : NULL;
        if (!read_text(reader, path, is_map ? "the path of a skin" : "'skin'", &skins[i].path))
            return;
    }
    if (skin_count == 0)
        reader_expected(reader, node, "'skin' must be a path, or a mapping with at least one");
    *out = skins;
    *count = skin_count;
}

/* "skins/imp.skin#red": a file of Doom 3 skins, and one of those declared in it. */
static bool parse_declared(const struct reader *reader, const struct node *node, struct skin_settings *out)
{
    const char *hash = strchr(node->text, '#');
    size_t length = hash ? (size_t)(hash - node->text) : strlen(node->text);
    const char *file = arena_strndup(reader->arena, node->text, length);
    if (strcasecmp(path_suffix(file), ".skin"))
        return false;
    if (hash && hash[1]) {
        out->file = file;
        out->name = hash + 1;
    } else {
        const char *name = strchr(path_base(file), '_'); /* "_red.skin" of Quake III's upper_red.skin */
        char *alone = name ? must_printf("; of a Quake III model write 'skin: %.*s'",
                                         (int)(strlen(name + 1) - strlen(".skin")), name + 1)
                           : must_strdup("");
        problems_add(reader->problems, node->mark,
                     "'%.64s' is a file of skins; name one of them, as in '%.64s#red'%s", file, file, alone);
        free(alone);
    }
    return true;
}

void read_skin(const struct reader *reader, const struct node *node, void *whole)
{
    struct skin_settings *out = &((struct settings *)whole)->skin;
    double number;
    *out = (struct skin_settings){.mark = node->mark};
    if (node_is_number(node, &number)) {
        out->choice = SKIN_INDEX;
        read_integer(reader, node, "the number of a skin", skin_numbers, &out->index);
    } else if (node->kind != NODE_SCALAR || !parse_declared(reader, node, out)) {
        skin_images_read(reader, node, &out->skins, &out->skin_count);
    }
}

void read_skins(const struct reader *reader, const struct node *node, void *whole)
{
    static const char *const words[] = {"all"};
    unsigned word;
    if (read_one_word(reader, node, "'skins'", words, 1, &word))
        ((struct settings *)whole)->skin = (struct skin_settings){.mark = node->mark, .choice = SKIN_ALL};
}

void record_skin(struct recorder *recorder, const char *prefix, const void *whole)
{
    static const char *const choices[] = {
        [SKIN_SEARCH] = "search", [SKIN_INDEX] = "index", [SKIN_NAME] = "name", [SKIN_ALL] = "all"};
    const struct job *job = whole;
    recorder_add(recorder, prefix, "skin", choices[job->skin_choice]);
    if (job->skin_choice == SKIN_INDEX)
        recorder_add(recorder, prefix, "skin.index", arena_printf(recorder->arena, "%u", job->skin_index));
    recorder_add_text(recorder, prefix, "skin.file", job->skin_file);
    recorder_add_text(recorder, prefix, "skin.name", job->skin_name);
}

/* As they are recorded: keys of `skin` are names of the model's. */
const struct setting skin_rows[] = {
    {"from", SETTING_TEXT(struct skin_override, from)},
    {"image", SETTING_TEXT(struct skin_override, path)},
    {"material", SETTING_TEXT(struct skin_override, shader)},
    {NULL, SETTING_NOTE(struct skin_override, mark)},
    {0},
};

/* -- attachments ------------------------------------------------------------------------------------------- */

/* Text that a model is asked for. */
static bool read_name_in_model(const struct reader *reader, const struct node *node, const char *what,
                               const char **out)
{
    struct error err;
    if (!read_text(reader, node, what, out))
        return false;
    if (names_check_text(*out, strlen(*out), &err) < 0)
        problems_add(reader->problems, node->mark, "%s %s", what, err.text);
    return true;
}

static void read_clip_name(const struct reader *reader, const struct node *node, const char **out)
{
    if (read_name_in_model(reader, node, "the animation of an attachment", out) && glob_is_pattern(*out))
        problems_add(reader->problems, node->mark,
                     "'%.64s' holds one of *?[, but an attachment plays one animation", *out);
}

/* A clip of the attached model, or a file with one. */
static void read_animation(const struct reader *reader, const struct node *node, void *whole)
{
    static const char *const keys[] = {"name", "file"};
    struct attachment_entry *entry = whole;
    struct attachment *attachment = &entry->attachment;
    if (node->kind == NODE_SCALAR) {
        read_clip_name(reader, node, &attachment->animation);
        return;
    }
    if (!read_keys(reader, node, "the animation of an attachment", keys, COUNT(keys)))
        return;
    const struct node *file = node_get(node, "file"), *name = node_get(node, "name");
    if (read_string(reader, node, "file", &attachment->animation_file)) {
        entry->file_mark = file->mark;
        attachment->animation = stem_of(reader, attachment->animation_file);
    }
    if (name)
        read_clip_name(reader, name, &attachment->animation);
    else if (!file)
        problems_add(reader->problems, node->mark,
                     "the animation of an attachment must have a 'name' or a 'file'");
}

static void read_name(const struct reader *reader, const struct node *map, struct attachment_entry *entry)
{
    struct attachment *attachment = &entry->attachment;
    struct error err;
    struct mark mark = entry->model_mark;
    if (!node_get(map, "name"))
        attachment->name = stem_of(reader, attachment->model);
    else if (read_string(reader, map, "name", &attachment->name))
        mark = node_get(map, "name")->mark;
    else
        return;
    if (names_check_label(attachment->name, &err) < 0)
        problems_add(reader->problems, mark, "an attachment's name, '%.64s', %s", attachment->name, err.text);
}

static void record_animation(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct attachment *attachment = whole;
    recorder_add_text(recorder, prefix, "animation.name", attachment->animation);
    recorder_add_text(recorder, prefix, "animation.file", attachment->animation_file);
}

static void read_at(const struct reader *reader, const struct node *node, void *whole)
{
    read_name_in_model(reader, node, "'at'", &((struct attachment_entry *)whole)->attachment.at);
}

static void read_images(const struct reader *reader, const struct node *node, void *whole)
{
    struct attachment *attachment = &((struct attachment_entry *)whole)->attachment;
    skin_images_read(reader, node, &attachment->skins, &attachment->skin_count);
}

const struct setting attachment_rows[] = {
    {"name", SETTING_TEXT(struct attachment, name), .by_caller = true},
    {"model", SETTING_TEXT(struct attachment, model), .by_caller = true},
    {"to", SETTING_TEXT(struct attachment, to)},
    {"at", SETTING_TEXT(struct attachment, at), .read = read_at},
    {"same_frame", SETTING_BOOL(struct attachment, same_frame)},
    {"animation", SETTING_CALL(struct attachment, animation, read_animation, record_animation)},
    {NULL, SETTING_PART(struct attachment, animation_file)},
    {"skin", SETTING_LIST(struct attachment, skins, skin_count, skin_rows, read_images)},
    {"offset", SETTING_VECTOR(struct attachment, offset, -1e6, 1e6)},
    {"rotation", SETTING_VECTOR(struct attachment, rotation_deg, -360, 360)},
    {"scale", SETTING_NUMBER(struct attachment, scale, 0.0001, 10000)},
    {NULL, SETTING_NOTE(struct attachment, mark)},
    {0},
};

static void read_attachment(const struct reader *reader, const struct node *map, struct attachment_entry *entry)
{
    struct attachment *attachment = &entry->attachment;
    *attachment = (struct attachment){.mark = map->mark, .name = "", .model = "", .scale = 1};
    if (!rows_read(reader, map, "an attachment", attachment_rows, entry))
        return;
    if (read_string(reader, map, "model", &attachment->model)) {
        entry->model_mark = node_get(map, "model")->mark;
        if (!strncmp(attachment->model, DEFINITION_PREFIX, strlen(DEFINITION_PREFIX))) {
            problems_add(reader->problems, entry->model_mark,
                         "'%.64s' must be a file: 'def:' is for a job's own model, not for what is attached to it",
                         attachment->model);
            attachment->model = "";
        } else {
            read_name(reader, map, entry);
        }
    } else {
        read_needed(reader, map, "an attachment", "model");
    }
    if (attachment->same_frame && node_get(map, "animation"))
        problems_add(reader->problems, node_key(map, "animation")->mark,
                     "'animation' cannot be given together with 'same_frame'");
}

static void check_different_names(const struct reader *reader, const struct attachment_entry *entries,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (*entries[i].attachment.name &&
                !strcasecmp(entries[i].attachment.name, entries[j].attachment.name)) {
                problems_add(reader->problems, entries[i].attachment.mark,
                             "two attachments are called '%.64s'; give one of them another 'name'",
                             entries[i].attachment.name);
                break;
            }
}

static size_t find_named(const struct attachment_entry *entries, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcasecmp(entries[i].attachment.name, name))
        i++;
    return i;
}

/* "'a' to 'b' to 'a'": what cannot be put in order leads to a circle. */
static void fail_circle(const struct reader *reader, const struct attachment_entry *entries, size_t count,
                        size_t i)
{
    struct buffer text = {0};
    for (size_t step = 0; step < count; step++)
        i = find_named(entries, count, entries[i].attachment.to);
    const size_t first = i;
    do {
        buffer_printf(&text, "'%.64s' to ", entries[i].attachment.name);
        i = find_named(entries, count, entries[i].attachment.to);
    } while (i != first);
    problems_add(reader->problems, entries[first].attachment.mark,
                 "attachments hang on each other in a circle: %s'%.64s'", text.text,
                 entries[first].attachment.name);
    buffer_release(&text);
}

/* Puts each entry after the one that carries it, and leaves the others in the order of the list. */
static void put_carriers_first(const struct reader *reader, struct attachment_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].attachment.to && find_named(entries, count, entries[i].attachment.to) == count) {
            const char **names = must_alloc(count, sizeof *names);
            struct error err;
            for (size_t j = 0; j < count; j++)
                names[j] = entries[j].attachment.name;
            missing_fail("attachment", entries[i].attachment.to,
                         strings_nearest(entries[i].attachment.to, names, count), names, count, &err);
            problems_add(reader->problems, entries[i].attachment.mark, "'to': %s", err.text);
            free(names);
            return;
        }
    for (size_t done = 0; done < count; done++) {
        size_t next = done;
        while (next < count && entries[next].attachment.to &&
               find_named(entries, done, entries[next].attachment.to) == done)
            next++;
        if (next == count) {
            fail_circle(reader, entries, count, done);
            return;
        }
        struct attachment_entry entry = entries[next];
        memmove(&entries[done + 1], &entries[done], (next - done) * sizeof *entries);
        entries[done] = entry;
    }
}

void read_attachments(const struct reader *reader, const struct node *node, void *whole)
{
    struct settings *settings = whole;
    struct node_list entries = node_one_or_many(&node);
    if (entries.count > ATTACH_MOST) {
        problems_add(reader->problems, node->mark, "%zu attachments, at most %d are allowed", entries.count,
                     ATTACH_MOST);
        return;
    }
    struct attachment_entry *read = arena_must_alloc(reader->arena, entries.count, sizeof *read);
    for (size_t i = 0; i < entries.count; i++)
        read_attachment(reader, entries.items[i], &read[i]);
    check_different_names(reader, read, entries.count);
    put_carriers_first(reader, read, entries.count);
    settings->attachments = read;
    settings->attachment_count = entries.count;
}

/* -- sockets, hide ----------------------------------------------------------------------------------------- */

const struct setting name_rows[] = {
    {"name", SETTING_TEXT(struct job_name, name)},
    {NULL, SETTING_NOTE(struct job_name, mark)},
    {0},
};

/* `what` is "a socket", and `noun` the same without its article. */
static void read_names(const struct reader *reader, const struct node *node, const char *what, const char *noun,
                       const struct job_name **out, size_t *out_count)
{
    struct node_list entries = node_one_or_many(&node);
    if (entries.count > NAMES_MOST) {
        problems_add(reader->problems, node->mark, "%zu names, at most %d are allowed", entries.count, NAMES_MOST);
        return;
    }
    struct job_name *names = arena_must_alloc(reader->arena, entries.count, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < entries.count; i++) {
        struct job_name name = {.mark = entries.items[i]->mark};
        if (!read_name_in_model(reader, entries.items[i], what, &name.name))
            continue;
        size_t same = 0;
        while (same < count && strcmp(names[same].name, name.name))
            same++;
        if (same < count)
            problems_add(reader->problems, name.mark, "%s '%.64s' is twice in this list", noun, name.name);
        else
            names[count++] = name;
    }
    *out = names;
    *out_count = count;
}

void read_sockets(const struct reader *reader, const struct node *node, void *whole)
{
    struct job *job = &((struct settings *)whole)->job;
    read_names(reader, node, "a socket", "socket", &job->sockets, &job->socket_count);
}

void read_hide(const struct reader *reader, const struct node *node, void *whole)
{
    struct job *job = &((struct settings *)whole)->job;
    read_names(reader, node, "a mesh", "mesh", &job->hidden, &job->hidden_count);
}
