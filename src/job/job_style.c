#include <string.h>

#include "base/buffer.h"
#include "job/settings.h"
#include "page/names.h"

const char *const none_words[1] = {"none"};

const char *const ground_words[4] = {
    [GROUND_NONE] = "none",
    [GROUND_CONTACT] = "contact",
    [GROUND_SHADOW] = "shadow",
    [GROUND_GRID] = "grid",
};

/* -- ground --------------------------------------------------------------------------------------------------- */

const struct setting ground_rows[] = {
    {"kind", SETTING_WORD(struct ground, kind, ground_words), .is_short = true},
    {"height", SETTING_NUMBER(struct ground, height, -1e6, 1e6), SETTING_HAS(struct ground, has_height),
     .takes_auto = true, .without = "auto"},
    {"strength", SETTING_NUMBER(struct ground, strength, 0, 1)},
    {"spacing", SETTING_NUMBER(struct ground, spacing, 0.001, 1e6), .takes_auto = true},
    {"color", SETTING_COLOR(struct ground, color)},
    {0},
};

/* Refuses keys that the given kind does not use. A mapping without a kind may follow any. */
void check_ground(const struct reader *reader, const struct node *node, void *whole)
{
    struct settings *settings = whole;
    const enum ground_kind kind = settings->job.ground.kind;
    settings->has_ground_color |= node_get(node, "color") != NULL;
    /* A shadow has no spacing, a grid no strength. With `none`, a level above may still change the kind. */
    const char *pointless = kind == GROUND_GRID ? "strength" : "spacing";
    if (node_get(node, "kind") && kind != GROUND_NONE && node_get(node, pointless))
        problems_add(reader->problems, node_key(node, pointless)->mark, "'%s' has no meaning for the ground '%s'",
                     pointless, ground_words[kind]);
}

/* -- outline -------------------------------------------------------------------------------------------------- */

const struct setting outline_rows[] = {
    {"width", SETTING_NUMBER(struct outline, width_px, 0.25, 64), .is_meant = true},
    {"color", SETTING_COLOR(struct outline, color)},
    {0},
};

const struct outline default_outline = {1, {0, 0, 0, 255}};

/* -- background ----------------------------------------------------------------------------------------------- */

/* The squares that image editors show behind transparent pixels, light enough and dark enough for most models. */
static const struct background checkerboard = {
    .kind = BACKGROUND_CHECKER,
    .colors = {{0xC8, 0xC8, 0xC8, 0xFF}, {0x96, 0x96, 0x96, 0xFF}},
    .checker_px = 8,
};

const char *const background_words[2] = {"transparent", "checkerboard"};

static void read_plain(const struct reader *reader, const struct node *node, void *whole)
{
    struct background *background = whole, color = {.kind = BACKGROUND_COLOR};
    if (node_is_word(node, "checkerboard"))
        *background = checkerboard;
    else if (node->kind == NODE_SCALAR && strings_nearest(node->text, background_words, COUNT(background_words)))
        reader_unknown(reader, node, "background", background_words, COUNT(background_words));
    else if (read_color(reader, node, "'background'", true, color.colors[0]))
        *background = color;
}

#define TWO_COLORS                                                                                                \
    .kind = SETTING_KIND_COLOR, SETTING_AT(struct background, colors), .times = 2, .noun = "a colour",            \
    .is_one_of = true
const struct setting background_rows[] = {
    {"gradient", TWO_COLORS, .expects = "'gradient' must be a list of two colours, [top, bottom]"},
    {"checkerboard", TWO_COLORS, .expects = "'checkerboard' must be a list of two colours, [a, b]"},
    {"size", SETTING_WHOLE(struct background, checker_px, 1, 4096), .only_with = "checkerboard"},
    {NULL, SETTING_PART(struct background, kind), .read = read_plain, .is_short = true, .forms = FORM_COLOR},
    {0},
};

void check_background(const struct reader *reader, const struct node *node, void *member)
{
    struct background *background = member;
    (void)reader;
    if (node->kind != NODE_MAPPING)
        return;
    background->kind = node_get(node, "gradient") ? BACKGROUND_GRADIENT : BACKGROUND_CHECKER;
    if (!node_get(node, "size"))
        background->checker_px = background->kind == BACKGROUND_CHECKER ? checkerboard.checker_px : 0;
}

void record_background(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct background *background = whole;
    const char *first = recorder_color(recorder, background->colors[0]);
    const char *second = recorder_color(recorder, background->colors[1]);
    const char *const texts[] = {
        [BACKGROUND_TRANSPARENT] = "transparent",
        [BACKGROUND_COLOR] = first,
        [BACKGROUND_GRADIENT] = arena_printf(recorder->arena, "gradient: [%s, %s]", first, second),
        [BACKGROUND_CHECKER] = arena_printf(recorder->arena, "checkerboard: [%s, %s], size: %u", first, second,
                                            background->checker_px),
    };
    recorder_add(recorder, prefix, "background", texts[background->kind]);
}

/* -- pixel ---------------------------------------------------------------------------------------------------- */

static const char *const dither_words[] = {"none", "bayer", "blue_noise"}; /* in the order of the enums */
static const char *const pixel_outline_words[] = {"none", "outside", "inside"};

/* Reads the number of colours to find, or the file that has them. */
static void read_palette(const struct reader *reader, const struct node *node, void *whole)
{
    struct pixel_art *pixel = whole;
    double number;
    pixel->color_count = 0;
    pixel->palette_file = NULL;
    if (node_is_number(node, &number))
        read_integer(reader, node, "'palette'", (struct range){2, PALETTE_MOST}, &pixel->color_count);
    else if (!node_is_word(node, "none"))
        read_text(reader, node, "'palette'", &pixel->palette_file);
}

static void record_palette(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct pixel_art *pixel = whole;
    const char *count = arena_printf(recorder->arena, "%u", pixel->color_count);
    recorder_add(recorder, prefix, "palette", pixel->palette_file ? pixel->palette_file : count);
}

const struct setting pixel_rows[] = {
    {NULL, SETTING_PART(struct pixel_art, is_wanted)},
    {"palette", SETTING_CALL(struct pixel_art, palette_file, read_palette, record_palette),
     SETTING_WORDS(none_words), .forms = FORM_WHOLE | FORM_NAME, .range = {2, PALETTE_MOST}},
    {NULL, SETTING_PART(struct pixel_art, color_count)},
    {"dither", SETTING_WORD(struct pixel_art, dither, dither_words)},
    {"light_steps", SETTING_WHOLE(struct pixel_art, light_steps, 0, 16)},
    {"outline", SETTING_WORD(struct pixel_art, outline, pixel_outline_words)},
    {"outline_color", SETTING_COLOR(struct pixel_art, outline_color), .is_opaque = true},
    {0},
};

const struct pixel_art default_pixel = {.outline_color = {0, 0, 0, 255}};

void check_pixel(const struct reader *reader, const struct node *node, void *whole)
{
    (void)reader;
    if (node_get(node, "palette"))
        ((struct job *)whole)->palette_mark = node_get(node, "palette")->mark;
}

/* -- previews ------------------------------------------------------------------------------------------------- */

static const char *const format_words[] = {[MOVIE_APNG] = "apng", [MOVIE_WEBP] = "webp"};

#define SHOWN                                                                                                     \
    .noun = "a name or pattern", .items = {1, 0},                                                                 \
    .expects = "a preview must have at least one clip and camera; `previews: none` makes none"
const struct setting preview_rows[] = {
    {NULL, SETTING_PART(struct preview_settings, is_wanted)},
    {"clips", SETTING_NAMES(struct preview_settings, clips), SHOWN},
    {"cameras", SETTING_NAMES(struct preview_settings, cameras), SHOWN},
    {"size", SETTING_WHOLE(struct preview_settings, size_px, 16, 4096), .takes_auto = true},
    {"format", SETTING_WORD(struct preview_settings, format, format_words)},
    {"quality", SETTING_WHOLE(struct preview_settings, quality, 1, 100)},
    {"background", SETTING_MAPPING(struct preview_settings, background, background_rows), .noun = "a background",
     .check = check_background, .record = record_background, .of_member = true, SETTING_WORDS(background_words)},
    {0},
};

void check_previews(const struct reader *reader, const struct node *node, void *member)
{
    if (node_get(node, "quality") && ((struct preview_settings *)member)->format != MOVIE_WEBP)
        problems_add(reader->problems, node_key(node, "quality")->mark,
                     "'quality' has a meaning only with 'format: webp'; an apng is always lossless");
}

/* -- frames --------------------------------------------------------------------------------------------------- */

/* The length of what stands in braces, with them; 0: it is none of the words. */
static size_t frame_word(const char *at)
{
    static const char *const words[] = {"{job}",   "{clip}",   "{direction}", "{skin}",
                                        "{frame}", "{letter}", "{rotation}"};
    for (size_t i = 0; i < COUNT(words); i++)
        if (!strncmp(at, words[i], strlen(words[i])))
            return strlen(words[i]);
    bool has_digits = !strncmp(at, "{frame:", 7) && at[7] >= '1' && at[7] <= '9' && at[8] == '}';
    return has_digits ? 9 : 0;
}

/* Checked with a letter in the place of each word: those are safe themselves. */
static void check_frame_name(const struct reader *reader, const struct node *node, void *whole)
{
    const char *text = ((const struct job *)whole)->frame_name;
    const size_t length = strlen(text), suffix = strlen(PICTURE_SUFFIX);
    SCOPED_BY(buffer_release) struct buffer name = {0};
    struct error err;
    size_t at = 0;
    while (at < length) {
        const size_t word = text[at] == '{' ? frame_word(text + at) : 1;
        if (word == 0 || text[at] == '}') {
            problems_add(
                reader->problems, node->mark,
                "'%.32s' in the name of frames: allowed in braces are {job}, {clip}, {direction}, {skin}, "
                "{frame}, {frame:2}, {letter} and {rotation}",
                text + at);
            return;
        }
        buffer_add(&name, text[at] == '{' ? "a" : text + at, 1);
        at += word;
    }
    if (name.length <= suffix || strcmp(name.text + name.length - suffix, PICTURE_SUFFIX)) {
        problems_add(reader->problems, node->mark, "the name of frames must end in '%s'", PICTURE_SUFFIX);
        return;
    }
    name.text[name.length - suffix] = '\0';
    if (names_check_label(name.text, &err) < 0)
        problems_add(reader->problems, node->mark, "the name of frames %s%s", err.text,
                     strchr(name.text, '/') ? "; they lie in a folder of their own, NAME.frames" : "");
}

const struct setting frame_file_rows[] = {
    {"name", SETTING_TEXT(struct job, frame_name), .check = check_frame_name, .is_needed = true,
     .forms = FORM_ENDING, .ending = PICTURE_SUFFIX},
    {0},
};
