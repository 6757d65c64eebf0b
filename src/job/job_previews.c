#include <string.h>

#include "job/settings.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const format_words[] = {[MOVIE_APNG] = "apng", [MOVIE_WEBP] = "webp"};

/* One pattern or a list of them. */
static void read_names(const struct reader *reader, const struct node *node, void *member)
{
    struct preview_names *names = member;
    struct node_list entries = node_one_or_many(&node);
    const char **items = arena_must_alloc(reader->arena, entries.count, sizeof *items);
    for (size_t i = 0; i < entries.count; i++)
        if (!read_text(reader, entries.items[i], "a name of a clip or camera", &items[i]))
            return;
    if (entries.count == 0)
        reader_expected(reader, node,
                        "a preview must have at least one clip and camera; `previews: none` makes none");
    *names = (struct preview_names){items, entries.count};
}

static void record_names(struct recorder *recorder, const char *prefix, const char *key,
                         const struct preview_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        recorder_add_text(recorder, prefix, recorder_item(recorder, key, i), names->items[i]);
}

static void record_clips(struct recorder *recorder, const char *prefix, const void *member)
{
    record_names(recorder, prefix, "clips", member);
}

static void record_cameras_shown(struct recorder *recorder, const char *prefix, const void *member)
{
    record_names(recorder, prefix, "cameras", member);
}

const struct setting preview_rows[] = {
    {NULL, SETTING_PART(struct preview_settings, is_wanted)},
    {"clips", SETTING_CALL(struct preview_settings, clips, read_names, record_clips), .of_member = true},
    {"cameras", SETTING_CALL(struct preview_settings, cameras, read_names, record_cameras_shown),
     .of_member = true},
    {"size", SETTING_WHOLE(struct preview_settings, size_px, 16, 4096), .takes_auto = true},
    {"format", SETTING_WORD(struct preview_settings, format, format_words)},
    {"quality", SETTING_WHOLE(struct preview_settings, quality, 1, 100)},
    {"background", SETTING_CALL(struct preview_settings, background, read_background, record_background),
     .of_member = true, .rows = background_rows},
    {0},
};

/* A mapping asks for previews, and changes what a level below says of them. */
void read_previews(const struct reader *reader, const struct node *node, void *whole)
{
    struct preview_settings *previews = &((struct settings *)whole)->job.previews;
    if (node->kind == NODE_SCALAR && !strcmp(node->text, "none")) {
        *previews = (struct preview_settings){0};
    } else if (node->kind == NODE_SCALAR) {
        reader_expected(reader, node, "'previews' must be 'none' or a mapping; `{}` makes one of each clip");
    } else if (rows_read(reader, node, "'previews'", preview_rows, previews)) {
        previews->is_wanted = true;
        if (node_get(node, "quality") && previews->format != MOVIE_WEBP)
            problems_add(reader->problems, node_key(node, "quality")->mark,
                         "'quality' has a meaning only with 'format: webp'; an apng is always lossless");
    }
}

void record_previews(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct preview_settings *previews = &((const struct job *)whole)->previews;
    if (previews->is_wanted)
        rows_record(recorder, recorder_join(recorder, prefix, "previews"), preview_rows, previews);
    else
        recorder_add(recorder, prefix, "previews", "none");
}
