#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "page/names.h"
#include "job/settings.h"

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
        return read_number(reader, value, "'fps'", (struct range){0.001, 1000}, &out->fps);
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

const struct setting sampling_rows[] = {
    {"times", SETTING_PART(struct sampling, times_s), .by_caller = true},
    {NULL, SETTING_PART(struct sampling, time_count)},
    {"count", SETTING_PART(struct sampling, count), .by_caller = true},
    {"fps", SETTING_PART(struct sampling, fps), .by_caller = true},
    {"frames", SETTING_PART(struct sampling, runs), .by_caller = true},
    {NULL, SETTING_PART(struct sampling, run_count)},
    {"range", SETTING_PART(struct sampling, range_s), .by_caller = true},
    {NULL, SETTING_PART(struct sampling, has_range)},
    {NULL, SETTING_PART(struct sampling, kind)},
    {0},
};

void read_sampling(const struct reader *reader, const struct node *map, void *member)
{
    struct sampling sampling = {0};
    if (!rows_read(reader, map, "a sampling", sampling_rows, &sampling))
        return;
    bool is_good = read_kind(reader, map, &sampling);
    if (read_range(reader, map, &sampling) && is_good)
        *(struct sampling *)member = sampling;
}

void record_sampling(struct recorder *recorder, const char *prefix, const void *member)
{
    const struct sampling *sampling = member;
    struct buffer text = {0};
    switch (sampling->kind) {
    case SAMPLING_TIMES:
        for (size_t i = 0; i < sampling->time_count; i++)
            buffer_printf(&text, "%s%s", i ? ", " : "times: ", recorder_double(recorder, sampling->times_s[i]));
        break;
    case SAMPLING_COUNT:
        buffer_printf(&text, "count: %u", sampling->count);
        break;
    case SAMPLING_FPS:
        buffer_printf(&text, "fps: %s", recorder_double(recorder, sampling->fps));
        break;
    case SAMPLING_FRAMES:
        buffer_printf(&text, "frames: %s", sampling->run_count ? "" : "all");
        for (size_t i = 0; i < sampling->run_count; i++)
            buffer_printf(&text, "%s%u-%u", i ? ", " : "", sampling->runs[i].first, sampling->runs[i].last);
        break;
    case SAMPLING_UNSET:
        buffer_printf(&text, "none");
    }
    recorder_add_text(recorder, prefix, "sampling", text.text);
    buffer_release(&text);
    if (sampling->has_range)
        recorder_add(recorder, prefix, "sampling.range",
                     arena_printf(recorder->arena, "[%s, %s]", recorder_double(recorder, sampling->range_s[0]),
                                  recorder_double(recorder, sampling->range_s[1])));
}

/* -- root_motion ---------------------------------------------------------------------------------------------- */

const char *const root_motion_words[2] = {"remove", "keep"};

const struct setting root_motion_rows[] = {
    {"joint", SETTING_TEXT(struct root_motion, joint)},
    {NULL, SETTING_PART(struct root_motion, keep)},
    {NULL, SETTING_NOTE(struct root_motion, of_job)},
    {0},
};

void read_root_motion(const struct reader *reader, const struct node *node, void *member)
{
    struct root_motion motion = {.of_job = reader->of_job};
    unsigned word;
    if (node->kind != NODE_MAPPING) {
        if (!read_one_word(reader, node, "'root_motion'", root_motion_words, COUNT(root_motion_words), &word))
            return;
        motion.keep = word;
    } else if (!rows_read(reader, node, "'root_motion'", root_motion_rows, &motion) ||
               !read_needed(reader, node, "'root_motion'", "joint")) {
        return;
    }
    *(struct root_motion *)member = motion;
}

void record_root_motion(struct recorder *recorder, const char *prefix, const void *member)
{
    recorder_add(recorder, prefix, "root_motion", root_motion_words[((const struct root_motion *)member)->keep]);
}

/* -- animations ----------------------------------------------------------------------------------------------- */

/* `frames: 40-45`, `[40, 45]` or `40`: which keyframes of the model make this clip. */
static void read_clip_frames(const struct reader *reader, const struct node *node, void *whole)
{
    struct job_animation *out = &((struct animation_entry *)whole)->animation;
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

const char *stem_of(const struct reader *reader, const char *path)
{
    const char *base = path_base(path);
    return arena_strndup(reader->arena, base, (size_t)(path_suffix(base) - base));
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
        animation->name = stem_of(reader, animation->file);
    } else {
        problems_add(reader->problems, mark, "an animation must have a 'name'");
        return;
    }
    check_animation_name(reader, mark, is_label, animation);
}

static void record_clip_frames(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct job_animation *animation = whole;
    if (animation->has_frames)
        recorder_add(recorder, prefix, "frames",
                     arena_printf(recorder->arena, "%u-%u", animation->first_frame, animation->last_frame));
}

static void read_clip_file(const struct reader *reader, const struct node *node, void *whole)
{
    struct animation_entry *entry = whole;
    if (read_text(reader, node, "'file'", &entry->animation.file))
        entry->file_mark = node->mark;
}

static void record_clip_file(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct job_animation *animation = whole;
    recorder_add(recorder, prefix, "is_pattern", animation->is_pattern ? "true" : "false");
    recorder_add_text(recorder, prefix, "file", animation->file);
    for (size_t i = 0; i < animation->file_count; i++)
        recorder_add_text(recorder, prefix, recorder_item(recorder, "files", i), animation->files[i]);
}

const struct setting animation_rows[] = {
    {"name", SETTING_TEXT(struct job_animation, name), .by_caller = true},
    {"file", SETTING_CALL(struct job_animation, file, read_clip_file, record_clip_file)},
    {NULL, SETTING_PART(struct job_animation, is_pattern)},
    {NULL, SETTING_PART(struct job_animation, files)},
    {NULL, SETTING_PART(struct job_animation, file_count)},
    {"frames", SETTING_CALL(struct job_animation, has_frames, read_clip_frames, record_clip_frames)},
    {NULL, SETTING_PART(struct job_animation, first_frame)},
    {NULL, SETTING_PART(struct job_animation, last_frame)},
    {"rate", SETTING_NUMBER(struct job_animation, rate_hz, 0.001, 1000)},
    {"sampling", SETTING_CALL(struct job_animation, sampling, read_sampling, record_sampling), .of_member = true,
     .rows = sampling_rows},
    {"loop", SETTING_WORD(struct job_animation, loop, loop_words)},
    {"root_motion", SETTING_CALL(struct job_animation, root_motion, read_root_motion, record_root_motion),
     .of_member = true, .rows = root_motion_rows},
    {"optional", SETTING_BOOL(struct job_animation, is_optional)},
    {NULL, SETTING_NOTE(struct job_animation, mark)},
    {0},
};

static void read_entry(const struct reader *reader, const struct node *node, struct animation_entry *entry)
{
    struct job_animation *animation = &entry->animation;
    animation->mark = node->mark;
    animation->name = "";
    if (node->kind == NODE_SCALAR) {
        if (read_text(reader, node, "an animation", &animation->name))
            check_animation_name(reader, node->mark, false, animation);
        return;
    }
    if (!rows_read(reader, node, "an animation", animation_rows, entry))
        return;
    read_entry_name(reader, node, animation);
    if (node_get(node, "file") && node_get(node, "frames"))
        problems_add(reader->problems, node_key(node, "frames")->mark,
                     "'frames' are the model's own and cannot be given together with 'file'; use 'sampling'");
    entry->has_loop = node_get(node, "loop") != NULL;
    entry->has_root_motion = node_get(node, "root_motion") != NULL;
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

void read_animations(const struct reader *reader, const struct node *node, void *whole)
{
    struct settings *settings = whole;
    struct node_list entries = node_one_or_many(&node);
    if (entries.count > ANIMATIONS_MOST) {
        problems_add(reader->problems, node->mark, "%zu animations, at most %d are allowed", entries.count,
                     ANIMATIONS_MOST);
        return;
    }
    struct animation_entry *read = arena_must_alloc(reader->arena, entries.count, sizeof *read);
    for (size_t i = 0; i < entries.count; i++)
        read_entry(reader, entries.items[i], &read[i]);
    check_different_names(reader, read, entries.count);
    settings->job.has_animations = true;
    settings->animations = read;
    settings->animation_count = entries.count;
}
