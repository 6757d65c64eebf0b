#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "page/names.h"
#include "job/settings.h"

/* The longest of real clips has some thousand keyframes; the limit leaves sums of them far from overflow. */
#define FRAME_NUMBERS 0, 1000000
static const struct range frame_numbers = {FRAME_NUMBERS};

/* The day that a time must lie in keeps time * rate exact enough to find a keyframe. */
#define SECONDS 0, 86400
static const struct range seconds = {SECONDS};

bool frame_run_parse(const char *text, struct frame_run *out)
{
    struct frame_run run;
    int end = 0;
    if (text[strspn(text, "0123456789- ")] || *text < '0' || *text > '9')
        return false;
    if (sscanf(text, "%9" SCNu32 " %n- %9" SCNu32 "%n", &run.first, &end, &run.last, &end) == 1)
        run.last = run.first;
    if (text[end] || run.last > frame_numbers.most || run.first > run.last)
        return false;
    *out = run;
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

static const char *const runs_words[] = {"all"};

static void read_runs(const struct reader *reader, const struct node *list, void *whole)
{
    struct sampling *out = whole;
    struct node_list entries = node_one_or_many(&list);
    if (node_is_word(list, runs_words[0]))
        return;
    struct frame_run *runs = arena_must_alloc(reader->arena, entries.count, sizeof *runs);
    size_t total = 0;
    for (size_t i = 0; i < entries.count; i++) {
        if (!read_run(reader, entries.items[i], &runs[i]))
            return;
        total += (size_t)runs[i].last - runs[i].first + 1;
        if (total > SAMPLING_MAX) {
            problems_add(reader->problems, list->mark, "'frames' asks for more than %d samples", SAMPLING_MAX);
            return;
        }
    }
    if (entries.count == 0)
        reader_expected(reader, list, "'frames' must be 'all' or at least one number");
    out->runs = runs;
    out->run_count = entries.count;
}

static void read_times(const struct reader *reader, const struct node *list, void *whole)
{
    struct sampling *out = whole;
    struct node_list entries = node_one_or_many(&list);
    if (entries.count == 0 || entries.count > SAMPLING_MAX) {
        problems_add(reader->problems, list->mark, "'times' must have 1 to %d numbers, found %zu", SAMPLING_MAX,
                     entries.count);
        return;
    }
    double *times_s = arena_must_alloc(reader->arena, entries.count, sizeof *times_s);
    for (size_t i = 0; i < entries.count; i++)
        if (!read_number(reader, entries.items[i], "a time", seconds, &times_s[i]))
            return;
    out->times_s = times_s;
    out->time_count = entries.count;
}

static void check_range(const struct reader *reader, const struct node *node, void *whole)
{
    const double *range_s = ((const struct sampling *)whole)->range_s;
    if (range_s[0] > range_s[1])
        problems_add(reader->problems, node->mark, "'range' ends at %g, before it starts at %g", range_s[1],
                     range_s[0]);
}

const struct setting sampling_rows[] = {
    {"times", SETTING_PART(struct sampling, times_s), .read = read_times, .is_one_of = true,
     .forms = FORM_NUMBER | FORM_LIST, .range = {SECONDS}, .items = {1, SAMPLING_MAX}},
    {NULL, SETTING_PART(struct sampling, time_count)},
    {"count", SETTING_WHOLE(struct sampling, count, 1, SAMPLING_MAX), .is_one_of = true, .is_meant = true},
    {"fps", SETTING_DOUBLE(struct sampling, fps, 0.001, 1000), .is_one_of = true},
    {"frames", SETTING_PART(struct sampling, runs), .read = read_runs, .is_one_of = true,
     SETTING_WORDS(runs_words), .forms = FORM_WHOLE | FORM_RUN | FORM_LIST, .range = {FRAME_NUMBERS},
     .items = {1, 0}},
    {NULL, SETTING_PART(struct sampling, run_count)},
    {"range", .kind = SETTING_KIND_NUMBER, SETTING_IN(struct sampling, range_s, double *), .range = {SECONDS},
     .times = 2, .tells_first = true, SETTING_HAS(struct sampling, has_range), .check = check_range,
     .noun = "a time", .expects = "'range' must be a list of two times, [from, to]"},
    {NULL, SETTING_PART(struct sampling, kind)},
    {0},
};

void check_sampling(const struct reader *reader, const struct node *map, void *member)
{
    struct sampling *out = member;
    (void)reader, (void)map;
    out->kind = out->time_count ? SAMPLING_TIMES
                : out->count    ? SAMPLING_COUNT
                : out->fps > 0  ? SAMPLING_FPS
                                : SAMPLING_FRAMES;
}

void record_sampling(struct recorder *recorder, const char *prefix, const void *member)
{
    const struct sampling *sampling = member;
    SCOPED_BY(buffer_release) struct buffer text = {0};
    switch (sampling->kind) {
    case SAMPLING_TIMES:
        for (size_t i = 0; i < sampling->time_count; i++)
            buffer_printf(&text, "%s%s",
                          i ? ", " : "times: ", recorder_number(recorder, sampling->times_s[i], false));
        break;
    case SAMPLING_COUNT:
        buffer_printf(&text, "count: %u", sampling->count);
        break;
    case SAMPLING_FPS:
        buffer_printf(&text, "fps: %s", recorder_number(recorder, sampling->fps, false));
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
    if (sampling->has_range)
        recorder_add(recorder, prefix, "sampling.range",
                     arena_printf(recorder->arena, "[%s, %s]",
                                  recorder_number(recorder, sampling->range_s[0], false),
                                  recorder_number(recorder, sampling->range_s[1], false)));
}

/* -- root_motion ---------------------------------------------------------------------------------------------- */

const char *const root_motion_words[ROOT_MOTION_COUNT] = {"auto", "remove", "keep"};

const struct setting root_motion_rows[] = {
    {NULL, SETTING_WORD(struct root_motion, way, root_motion_words), .as = "", .is_short = true},
    {"joint", SETTING_TEXT(struct root_motion, joint), .is_needed = true},
    {NULL, SETTING_NOTE(struct root_motion, of_job)},
    {0},
};

void check_root_motion(const struct reader *reader, const struct node *node, void *member)
{
    (void)node;
    ((struct root_motion *)member)->of_job = reader->of_job;
}

/* -- animations ----------------------------------------------------------------------------------------------- */

/* `frames: 40-45`, `[40, 45]` or `40`: which keyframes of the model make this clip. */
static void read_clip_frames(const struct reader *reader, const struct node *node, void *whole)
{
    struct job_animation *out = whole;
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
        if (run.first > run.last)
            problems_add(reader->problems, node->mark, "'frames' ends at %u, before it starts at %u", run.last,
                         run.first);
    }
    out->first_frame = run.first;
    out->last_frame = run.last;
}

static void record_clip_frames(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct job_animation *animation = whole;
    recorder_add(recorder, prefix, "frames",
                 arena_printf(recorder->arena, "%u-%u", animation->first_frame, animation->last_frame));
}

const struct setting animation_rows[] = {
    {"name", SETTING_TEXT(struct job_animation, name), .is_any_of = true, .is_short = true},
    {"file", SETTING_TEXT(struct job_animation, file), SETTING_MARK(struct job_animation, file_mark),
     .is_any_of = true},
    {"clip", SETTING_TEXT(struct job_animation, clip), .is_any_of = true, .not_with = {"frames"}},
    {NULL, SETTING_NOTE(struct job_animation, is_named)},
    {NULL, SETTING_BOOL(struct job_animation, is_pattern), .as = "is_pattern"},
    {NULL, SETTING_NAMES(struct job_animation, files), .as = "files"},
    {"frames", SETTING_CALL(struct job_animation, first_frame, read_clip_frames, record_clip_frames),
     SETTING_HAS(struct job_animation, has_frames), .forms = FORM_WHOLE | FORM_RUN | FORM_LIST,
     .range = {FRAME_NUMBERS}, .items = {2, 2}},
    {NULL, SETTING_PART(struct job_animation, last_frame)},
    {"rate", SETTING_NUMBER(struct job_animation, rate_hz, 0.001, 1000)},
    {"sampling", SETTING_MAPPING(struct job_animation, sampling, sampling_rows), .is_anew = true,
     .noun = "a sampling", .check = check_sampling, .record = record_sampling, .of_member = true},
    {"loop", SETTING_WORD(struct job_animation, loop, loop_words)},
    {NULL, SETTING_NOTE(struct job_animation, has_loop)},
    {"root_motion", SETTING_MAPPING(struct job_animation, root_motion, root_motion_rows), .is_anew = true,
     .check = check_root_motion, .of_member = true},
    {NULL, SETTING_NOTE(struct job_animation, has_root_motion)},
    {"optional", SETTING_BOOL(struct job_animation, is_optional)},
    {NULL, SETTING_NOTE(struct job_animation, mark)},
    {0},
};

/* Names a clip that has no name after its file, and each clip of a pattern after its own. A `clip` without a file or a
 * name gives the name. */
static void name_clip(const struct reader *reader, const struct node *node, struct job_animation *animation)
{
    struct error err;
    /* What makes a clip of its own must be fit for file names; the model's own are whatever it calls them. */
    const char *named_by = *animation->name ? "name" : "clip";
    struct mark mark = node->mark;
    animation->is_named = *animation->name;
    if (!*animation->name && animation->clip && !animation->file) {
        animation->name = animation->clip;
        animation->clip = NULL;
    }
    const bool is_label = animation->file || animation->has_frames || animation->clip;
    if (*animation->name) {
        mark = node->kind == NODE_MAPPING ? node_get(node, named_by)->mark : node->mark;
    } else if (animation->file && (animation->clip || glob_is_pattern(animation->file))) {
        animation->name = animation->clip ? arena_printf(reader->arena, "%s: %s", animation->file, animation->clip)
                                          : animation->file;
        animation->is_pattern = glob_is_pattern(animation->file);
        return;
    } else if (animation->file) {
        mark = animation->file_mark;
        animation->name = path_base_stem(reader->arena, animation->file);
    } else {
        if (!node_get(node, "name"))
            problems_add(reader->problems, mark, "an animation must have a 'name'");
        return;
    }
    animation->is_pattern = glob_is_pattern(animation->name);
    if (is_label && animation->is_pattern)
        problems_add(reader->problems, mark, "'%.64s' holds one of *?[, but is the name of one clip here",
                     animation->name);
    else if (is_label ? names_check_label(animation->name, &err) < 0
                      : names_check_text(animation->name, strlen(animation->name), &err) < 0)
        problems_add(reader->problems, mark, "an animation's name %s", err.text);
}

void check_animation(const struct reader *reader, const struct node *node, void *item)
{
    struct job_animation *animation = item;
    name_clip(reader, node, animation);
    animation->has_loop = node_get(node, "loop");
    animation->has_root_motion = node_get(node, "root_motion");
}

/* An MD2 has at most 512 clips, and each is compared with all taken before it. */
const struct list_kind animation_list = {.noun = "animation", .most = 4096};

/* -- events --------------------------------------------------------------------------------------------------- */

/* Rows of records. In a list, the keys of `events` are clips, whose keys are keyframes. */
const struct setting event_rows[] = {
    {"clip", SETTING_TEXT(struct job_event, clip.name)},
    {"keyframe", SETTING_WHOLE(struct job_event, event.keyframe, 0, 1000000)},
    {"name", SETTING_TEXT(struct job_event, event.name)},
    {NULL, SETTING_NOTE(struct job_event, clip.mark)},
    {NULL, SETTING_NOTE(struct job_event, event.sample)},
    {0},
};

void read_events(const struct reader *reader, const struct node *node, void *whole)
{
    struct job *job = whole;
    SCOPED struct job_event *events = NULL;
    const struct node *wrong = node->kind != NODE_MAPPING ? node : NULL;
    size_t count = 0, capacity = 0;
    for (size_t c = 0; !wrong && c < node->count; c++) {
        const struct node *clip = node->values[c];
        wrong = clip->kind != NODE_MAPPING ? clip : NULL;
        for (size_t k = 0; !wrong && k < clip->count; k++) {
            struct node_list names = node_one_or_many(&clip->values[k]);
            struct job_event event = {.clip = {node->keys[c]->text, clip->keys[k]->mark}};
            read_integer(reader, clip->keys[k], "a keyframe", frame_numbers, &event.event.keyframe);
            for (size_t n = 0; n < names.count; n++) {
                read_name(reader, names.items[n], "an event", &event.event.name);
                *MUST_ADD(events, count, capacity) = event;
            }
        }
    }
    if (wrong)
        reader_expected(reader, wrong, "'events' must be keyframes by clip, as {walk: {3: step}}");
    job->events = arena_copy(reader->arena, events, count, sizeof *events);
    job->event_count = count;
}
