#include "job/job_sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/glob.h"
#include "job/names.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The longest of real clips has some thousand keyframes; the limit leaves sums of them far from overflow. */
static const struct range frame_numbers = {0, 1000000};

/* The day that a time must lie in keeps time * rate exact enough to find a keyframe. */
static const struct range seconds = {0, 86400};

bool frame_run_parse(const char *text, struct frame_run *out)
{
    char *end;
    if (text[strspn(text, "0123456789- ")] || *text < '0' || *text > '9')
        return false;
    unsigned long first = strtoul(text, &end, 10), last = first;
    end += strspn(end, " ");
    if (*end == '-') {
        end += 1 + strspn(end + 1, " ");
        if (*end < '0' || *end > '9')
            return false;
        last = strtoul(end, &end, 10);
    }
    if (*end || last > (unsigned long)frame_numbers.most || first > last)
        return false;
    *out = (struct frame_run){(uint32_t)first, (uint32_t)last};
    return true;
}

static bool read_run(const struct reader *reader, const struct node *node, struct frame_run *out)
{
    if (node->kind == NODE_SCALAR && frame_run_parse(node->text, out))
        return true;
    reader_expected(reader, node, "frames must be a number or a run such as 40-45, from 0 to %.0f",
                    frame_numbers.most);
    return false;
}

static bool read_runs(const struct reader *reader, const struct node *list, struct sampling *out)
{
    if (list->kind == NODE_SCALAR && !strcmp(list->text, "all"))
        return true;
    struct node_list entries = node_one_or_many(&list);
    struct frame_run *runs = arena_must_alloc(reader->arena, entries.count, sizeof *runs);
    size_t total = 0;
    for (size_t i = 0; i < entries.count; i++) {
        if (!read_run(reader, entries.items[i], &runs[i]))
            return false;
        total += (size_t)runs[i].last - runs[i].first + 1;
        if (total > SAMPLING_MAX) {
            problems_add(reader->problems, list->mark, "'frames' asks for more than %d samples", SAMPLING_MAX);
            return false;
        }
    }
    if (entries.count == 0)
        reader_expected(reader, list, "'frames' must be 'all' or at least one number");
    out->runs = runs;
    out->run_count = entries.count;
    return entries.count > 0;
}

static bool read_times(const struct reader *reader, const struct node *list, struct sampling *out)
{
    struct node_list entries = node_one_or_many(&list);
    if (entries.count == 0 || entries.count > SAMPLING_MAX) {
        problems_add(reader->problems, list->mark, "'times' must have 1 to %d numbers, found %zu", SAMPLING_MAX,
                     entries.count);
        return false;
    }
    double *times_s = arena_must_alloc(reader->arena, entries.count, sizeof *times_s);
    for (size_t i = 0; i < entries.count; i++)
        if (!read_number(reader, entries.items[i], "a time", seconds, &times_s[i]))
            return false;
    out->times_s = times_s;
    out->time_count = entries.count;
    return true;
}

/* Above 0, for rates. */
static bool read_rate(const struct reader *reader, const struct node *node, const char *name, double *out)
{
    return read_number(reader, node, name, (struct range){0.001, 1000}, out);
}

/* The value of the one key that says how to sample, and which it is; NULL after a problem. */
static const struct node *find_kind(const struct reader *reader, const struct node *map, enum sampling_kind *kind)
{
    static const char *const kinds[] = {
        [SAMPLING_TIMES - 1] = "times",
        [SAMPLING_COUNT - 1] = "count",
        [SAMPLING_FPS - 1] = "fps",
        [SAMPLING_FRAMES - 1] = "frames",
    };
    const struct node *value = NULL;
    for (unsigned i = 0; i < COUNT(kinds); i++) {
        const struct node *found = node_get(map, kinds[i]);
        if (found && value) {
            problems_add(
                reader->problems, node_key(map, kinds[i])->mark,
                "'%s' cannot be given together with '%s': a sampling has one of times, count, fps, frames",
                kinds[i], kinds[*kind - 1]);
            return NULL;
        }
        if (found) {
            value = found;
            *kind = (enum sampling_kind)(i + 1);
        }
    }
    if (!value)
        problems_add(reader->problems, map->mark, "a sampling must have one of times, count, fps, frames");
    return value;
}

static bool read_kind(const struct reader *reader, const struct node *map, struct sampling *out)
{
    const struct node *value = find_kind(reader, map, &out->kind);
    if (!value)
        return false;
    switch (out->kind) {
    case SAMPLING_TIMES:
        return read_times(reader, value, out);
    case SAMPLING_COUNT:
        return read_integer(reader, value, "'count'", (struct range){1, SAMPLING_MAX}, &out->count);
    case SAMPLING_FPS:
        return read_rate(reader, value, "'fps'", &out->fps);
    case SAMPLING_FRAMES:
        return read_runs(reader, value, out);
    case SAMPLING_UNSET:
        break;
    }
    return false;
}

static bool read_range(const struct reader *reader, const struct node *map, struct sampling *out)
{
    const struct node *node = node_get(map, "range");
    if (!node)
        return true;
    if (node->kind != NODE_SEQUENCE || node->count != 2) {
        reader_expected(reader, node, "'range' must be a list of two times, [from, to]");
        return false;
    }
    for (int i = 0; i < 2; i++)
        if (!read_number(reader, node->values[i], "a time", seconds, &out->range_s[i]))
            return false;
    out->has_range = true;
    if (out->range_s[0] <= out->range_s[1])
        return true;
    problems_add(reader->problems, node->mark, "'range' ends at %g, before it starts at %g", out->range_s[1],
                 out->range_s[0]);
    return false;
}

bool sampling_read(const struct reader *reader, const struct node *map, struct sampling *out)
{
    static const char *const keys[] = {"times", "count", "fps", "frames", "range"};
    struct sampling sampling = {0};
    if (!read_keys(reader, map, "a sampling", keys, COUNT(keys)))
        return false;
    bool is_good = read_kind(reader, map, &sampling);
    if (!read_range(reader, map, &sampling) || !is_good)
        return false;
    *out = sampling;
    return true;
}

const char *const loop_names[LOOP_COUNT] = {
    [LOOP_NONE] = "false",
    [LOOP_FOUND] = "true",
    [LOOP_CLOSED] = "closed",
    [LOOP_OPEN] = "open",
};

bool loop_read(const struct reader *reader, const struct node *map, enum loop *out)
{
    unsigned word;
    if (!read_word(reader, map, "loop", loop_names, LOOP_COUNT, &word))
        return false;
    *out = (enum loop)word;
    return true;
}

bool root_motion_read(const struct reader *reader, const struct node *map, bool of_job, struct root_motion *out)
{
    static const char *const keys[] = {"joint"};
    const struct node *node = node_get(map, "root_motion");
    if (!node)
        return false;
    struct root_motion motion = {.of_job = of_job};
    if (node->kind != NODE_MAPPING) {
        static const char *const words[] = {"remove", "keep"};
        unsigned word;
        if (!read_one_word(reader, node, "'root_motion'", words, COUNT(words), &word))
            return false;
        motion.keep = word;
    } else if (!read_keys(reader, node, "'root_motion'", keys, COUNT(keys)) ||
               !read_needed(reader, node, "'root_motion'", "joint") ||
               !read_string(reader, node, "joint", &motion.joint)) {
        return false;
    }
    *out = motion;
    return true;
}

/* `frames: 40-45`, `[40, 45]` or `40`: which keyframes of the model make this clip. */
static void read_clip_frames(const struct reader *reader, const struct node *map, struct job_animation *out)
{
    const struct node *node = node_get(map, "frames");
    if (!node)
        return;
    struct frame_run run;
    if (node->kind != NODE_SEQUENCE) {
        if (!read_run(reader, node, &run))
            return;
    } else {
        if (node->count != 2) {
            reader_expected(reader, node, "'frames' must be a run such as 40-45 or [40, 45]");
            return;
        }
        if (!read_integer(reader, node->values[0], "the first frame", frame_numbers, &run.first) ||
            !read_integer(reader, node->values[1], "the last frame", frame_numbers, &run.last))
            return;
        if (run.first > run.last) {
            problems_add(reader->problems, node->mark, "'frames' ends at %u, before it starts at %u", run.last,
                         run.first);
            return;
        }
    }
    out->has_frames = true;
    out->first_frame = run.first;
    out->last_frame = run.last;
}

/* "anims/walk.md5anim" -> "walk" */
static const char *stem(const struct reader *reader, const char *path)
{
    const char *base = path_base(path);
    return arena_strndup(reader->arena, base, (size_t)(path_suffix(path) - base));
}

/* A name that makes a clip of its own must be fit for file names; one that only picks clips of the model is
 * whatever the model calls them. */
static void check_animation_name(const struct reader *reader, struct mark mark, bool is_label,
                                 struct job_animation *animation)
{
    struct error err;
    animation->is_pattern = glob_is_pattern(animation->name);
    if (is_label && animation->is_pattern)
        problems_add(reader->problems, mark, "'%.64s' holds one of *?[, but is the name of one clip here",
                     animation->name);
    else if (is_label ? names_check_label(animation->name, &err) < 0
                      : names_check_text(animation->name, strlen(animation->name), &err) < 0)
        problems_add(reader->problems, mark, "an animation's name %s", err.text);
}

static void read_entry_name(const struct reader *reader, const struct node *map, struct job_animation *animation)
{
    bool is_label = node_get(map, "file") || node_get(map, "frames");
    struct mark mark = map->mark;
    if (node_get(map, "name")) {
        mark = node_get(map, "name")->mark;
        if (!read_string(reader, map, "name", &animation->name))
            return;
    } else if (animation->file && glob_is_pattern(animation->file)) {
        animation->name = animation->file; /* each clip is called after its file */
        animation->is_pattern = true;
        return;
    } else if (animation->file) {
        mark = node_get(map, "file")->mark;
        animation->name = stem(reader, animation->file);
    } else {
        problems_add(reader->problems, mark, "an animation must have a 'name'");
        return;
    }
    check_animation_name(reader, mark, is_label, animation);
}

static void read_entry(const struct reader *reader, const struct node *node, bool of_job,
                       struct animation_entry *out)
{
    static const char *const keys[] = {"name",     "file", "frames",      "rate",
                                       "sampling", "loop", "root_motion", "optional"};
    struct job_animation *animation = &out->animation;
    animation->mark = node->mark;
    animation->name = "";
    if (node->kind == NODE_SCALAR) {
        if (read_text(reader, node, "an animation", &animation->name))
            check_animation_name(reader, node->mark, false, animation);
        return;
    }
    if (!read_keys(reader, node, "an animation", keys, COUNT(keys)))
        return;
    if (read_string(reader, node, "file", &animation->file))
        out->file_mark = node_get(node, "file")->mark;
    read_entry_name(reader, node, animation);
    read_clip_frames(reader, node, animation);
    if (node_get(node, "file") && node_get(node, "frames"))
        problems_add(reader->problems, node_key(node, "frames")->mark,
                     "'frames' are the model's own and cannot be given together with 'file'; use 'sampling'");
    double rate_hz;
    const struct node *rate = node_get(node, "rate");
    if (rate && read_rate(reader, rate, "'rate'", &rate_hz))
        animation->rate_hz = (float)rate_hz;
    if (node_get(node, "sampling"))
        sampling_read(reader, node_get(node, "sampling"), &animation->sampling);
    out->has_loop = loop_read(reader, node, &animation->loop);
    out->has_root_motion = root_motion_read(reader, node, of_job, &animation->root_motion);
    read_bool(reader, node, "optional", &animation->is_optional);
}

static int compare_entries(const void *a_item, const void *b_item)
{
    const struct animation_entry *a = *(const struct animation_entry *const *)a_item;
    const struct animation_entry *b = *(const struct animation_entry *const *)b_item;
    int order = strcasecmp(a->animation.name, b->animation.name);
    if (order == 0)
        order = (a > b) - (a < b);
    return order;
}

static void check_different_names(const struct reader *reader, const struct animation_entry *entries, size_t count)
{
    const struct animation_entry **sorted = must_alloc(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &entries[i];
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_entries);
    for (size_t i = 1; i < count; i++) {
        const struct job_animation *a = &sorted[i - 1]->animation, *b = &sorted[i]->animation;
        if (*b->name && !strcasecmp(a->name, b->name))
            problems_add(reader->problems, b->mark, "animation '%.64s' is twice in this list", b->name);
    }
    free(sorted);
}

void animations_read(const struct reader *reader, const struct node *list, bool of_job,
                     const struct animation_entry **out, size_t *count)
{
    struct node_list entries = node_one_or_many(&list);
    if (entries.count > ANIMATIONS_MOST) {
        problems_add(reader->problems, list->mark, "%zu animations, at most %d are allowed", entries.count,
                     ANIMATIONS_MOST);
        return;
    }
    struct animation_entry *read = arena_must_alloc(reader->arena, entries.count, sizeof *read);
    for (size_t i = 0; i < entries.count; i++)
        read_entry(reader, entries.items[i], of_job, &read[i]);
    check_different_names(reader, read, entries.count);
    *out = read;
    *count = entries.count;
}
