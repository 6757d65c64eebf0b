#include "job/job_attach.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/missing.h"
#include "job/job_skin.h"
#include "job/names.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* "anims/walk.md5anim" -> "walk" */
static const char *stem(const struct reader *reader, const char *path)
{
    const char *base = path_base(path);
    return arena_strndup(reader->arena, base, (size_t)(path_suffix(path) - base));
}

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
static void read_animation(const struct reader *reader, const struct node *node, struct attachment_entry *entry)
{
    static const char *const keys[] = {"name", "file"};
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
        attachment->animation = stem(reader, attachment->animation_file);
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
        attachment->name = stem(reader, attachment->model);
    else if (read_string(reader, map, "name", &attachment->name))
        mark = node_get(map, "name")->mark;
    else
        return;
    if (names_check_label(attachment->name, &err) < 0)
        problems_add(reader->problems, mark, "an attachment's name, '%.64s', %s", attachment->name, err.text);
}

static void read_place(const struct reader *reader, const struct node *map, struct attachment *attachment)
{
    if (node_get(map, "to"))
        read_text(reader, node_get(map, "to"), "'to'", &attachment->to);
    if (node_get(map, "at"))
        read_name_in_model(reader, node_get(map, "at"), "'at'", &attachment->at);
    read_vec3(reader, map, "offset", (struct range){-1e6, 1e6}, attachment->offset);
    read_vec3(reader, map, "rotation", (struct range){-360, 360}, attachment->rotation_deg);
    read_f32(reader, map, "scale", (struct range){0.0001, 10000}, &attachment->scale);
}

static void read_attachment(const struct reader *reader, const struct node *map, struct attachment_entry *entry)
{
    static const char *const keys[] = {"name",      "model", "to",     "at",       "same_frame",
                                       "animation", "skin",  "offset", "rotation", "scale"};
    struct attachment *attachment = &entry->attachment;
    *attachment = (struct attachment){.mark = map->mark, .name = "", .model = "", .scale = 1};
    if (!read_keys(reader, map, "an attachment", keys, COUNT(keys)))
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
    read_place(reader, map, attachment);
    read_bool(reader, map, "same_frame", &attachment->same_frame);
    if (node_get(map, "animation"))
        read_animation(reader, node_get(map, "animation"), entry);
    if (attachment->same_frame && node_get(map, "animation"))
        problems_add(reader->problems, node_key(map, "animation")->mark,
                     "'animation' cannot be given together with 'same_frame'");
    if (node_get(map, "skin"))
        skin_images_read(reader, node_get(map, "skin"), &attachment->skins, &attachment->skin_count);
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

static void fail_no_carrier(const struct reader *reader, const struct attachment_entry *entries, size_t count,
                            const struct attachment *attachment)
{
    const char **names = must_alloc(count, sizeof *names);
    struct error err;
    for (size_t i = 0; i < count; i++)
        names[i] = entries[i].attachment.name;
    missing_fail("attachment", attachment->to, strings_nearest(attachment->to, names, count), names, count, &err);
    problems_add(reader->problems, attachment->mark, "'to': %s", err.text);
    free(names);
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
            fail_no_carrier(reader, entries, count, &entries[i].attachment);
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

void attachments_read(const struct reader *reader, const struct node *list, const struct attachment_entry **out,
                      size_t *count)
{
    struct node_list entries = node_one_or_many(&list);
    if (entries.count > ATTACH_MOST) {
        problems_add(reader->problems, list->mark, "%zu attachments, at most %d are allowed", entries.count,
                     ATTACH_MOST);
        return;
    }
    struct attachment_entry *read = arena_must_alloc(reader->arena, entries.count, sizeof *read);
    for (size_t i = 0; i < entries.count; i++)
        read_attachment(reader, entries.items[i], &read[i]);
    check_different_names(reader, read, entries.count);
    put_carriers_first(reader, read, entries.count);
    *out = read;
    *count = entries.count;
}

static bool has_socket(const struct job_socket *sockets, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(sockets[i].name, name))
            return true;
    return false;
}

void sockets_read(const struct reader *reader, const struct node *list, const struct job_socket **out,
                  size_t *count)
{
    struct node_list entries = node_one_or_many(&list);
    if (entries.count > SOCKETS_MOST) {
        problems_add(reader->problems, list->mark, "%zu sockets, at most %d are allowed", entries.count,
                     SOCKETS_MOST);
        return;
    }
    struct job_socket *sockets = arena_must_alloc(reader->arena, entries.count, sizeof *sockets);
    size_t socket_count = 0;
    for (size_t i = 0; i < entries.count; i++) {
        struct job_socket socket = {.mark = entries.items[i]->mark};
        if (!read_name_in_model(reader, entries.items[i], "a socket", &socket.name))
            continue;
        if (has_socket(sockets, socket_count, socket.name))
            problems_add(reader->problems, socket.mark, "socket '%.64s' is twice in this list", socket.name);
        else
            sockets[socket_count++] = socket;
    }
    *out = sockets;
    *count = socket_count;
}
