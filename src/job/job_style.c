#include "job/job_style.h"

#include <string.h>

#include "job/color.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct range outline_widths = {0.25, 64};
static const struct range checker_sides = {1, 4096};

/* The squares that image editors show behind transparent pixels, light enough and dark enough for most models. */
static const struct background checkerboard = {
    .kind = BACKGROUND_CHECKER,
    .colors = {{0xC8, 0xC8, 0xC8, 0xFF}, {0x96, 0x96, 0x96, 0xFF}},
    .checker_px = 8,
};

static const char *const ground_words[] = {
    [GROUND_NONE] = "none",
    [GROUND_CONTACT] = "contact",
    [GROUND_SHADOW] = "shadow",
    [GROUND_GRID] = "grid",
};

static bool is_word(const struct node *node, const char *word)
{
    return node->kind == NODE_SCALAR && !strcmp(node->text, word);
}

/* A number, or `auto`, which gives 0. */
static bool read_number_or_auto(const struct reader *reader, const struct node *map, const char *key,
                                struct range range, bool *is_auto, float *out)
{
    const struct node *node = node_get(map, key);
    *is_auto = node && is_word(node, "auto");
    if (*is_auto)
        *out = 0;
    return *is_auto || read_f32(reader, map, key, range, out);
}

/* A shadow has no spacing, a grid no strength. With `none`, both can be kept for whoever changes the kind. */
static void check_pointless(const struct reader *reader, const struct node *map, enum ground_kind kind)
{
    const char *key = kind == GROUND_GRID ? "strength" : "spacing";
    if (kind != GROUND_NONE && node_get(map, key))
        problems_add(reader->problems, node_key(map, key)->mark, "'%s' has no meaning for the ground '%s'", key,
                     ground_words[kind]);
}

static void read_ground_map(const struct reader *reader, const struct node *map, struct ground_settings *settings)
{
    static const char *const keys[] = {"kind", "height", "strength", "color", "spacing"};
    struct ground *ground = &settings->ground;
    unsigned kind;
    bool is_auto;
    if (!read_keys(reader, map, "'ground'", keys, COUNT(keys)))
        return;
    if (read_word(reader, map, "kind", ground_words, COUNT(ground_words), &kind)) {
        ground->kind = (enum ground_kind)kind;
        check_pointless(reader, map, ground->kind);
    }
    if (read_number_or_auto(reader, map, "height", (struct range){-1e6, 1e6}, &is_auto, &ground->height))
        ground->has_height = !is_auto;
    read_f32(reader, map, "strength", (struct range){0, 1}, &ground->strength);
    read_number_or_auto(reader, map, "spacing", (struct range){0.001, 1e6}, &is_auto, &ground->spacing);
    if (node_get(map, "color") && read_color(reader, node_get(map, "color"), "'color'", true, ground->color))
        settings->has_color = true;
}

void ground_read(const struct reader *reader, const struct node *node, struct ground_settings *ground)
{
    unsigned kind;
    if (node->kind == NODE_MAPPING)
        read_ground_map(reader, node, ground);
    else if (read_one_word(reader, node, "'ground'", ground_words, COUNT(ground_words), &kind))
        ground->ground.kind = (enum ground_kind)kind;
}

/* A shadow is black; lines must show on light and on dark. */
void ground_settings_finish(const struct ground_settings *ground, struct ground *out)
{
    static const uint8_t shadow[4] = {0, 0, 0, 255}, lines[4] = {128, 128, 128, 255};
    *out = ground->ground;
    if (!ground->has_color)
        memcpy(out->color, out->kind == GROUND_GRID ? lines : shadow, sizeof out->color);
}

void outline_read(const struct reader *reader, const struct node *node, struct outline *outline)
{
    static const char *const keys[] = {"width", "color"};
    struct outline read = outline->width_px > 0 ? *outline : (struct outline){1, {0, 0, 0, 255}};
    if (is_word(node, "none")) {
        *outline = (struct outline){0};
        return;
    }
    if (node->kind == NODE_SCALAR) {
        reader_expected(reader, node, "'outline' must be 'none' or a mapping with 'width' and 'color'");
        return;
    }
    if (!read_keys(reader, node, "'outline'", keys, COUNT(keys)))
        return;
    read_f32(reader, node, "width", outline_widths, &read.width_px);
    if (node_get(node, "color"))
        read_color(reader, node_get(node, "color"), "'color'", true, read.color);
    *outline = read;
}

static bool read_two_colors(const struct reader *reader, const struct node *map, const char *key, const char *what,
                            uint8_t colors[2][4])
{
    const struct node *node = node_get(map, key);
    if (node->kind != NODE_SEQUENCE || node->count != 2) {
        reader_expected(reader, node, "'%s' must be a list of two colours, %s", key, what);
        return false;
    }
    bool is_good = true;
    for (int i = 0; i < 2; i++)
        is_good &= read_color(reader, node->values[i], "a colour", true, colors[i]);
    return is_good;
}

static void read_background_map(const struct reader *reader, const struct node *map, struct background *background)
{
    static const char *const keys[] = {"gradient", "checkerboard", "size"};
    if (!read_keys(reader, map, "'background'", keys, COUNT(keys)))
        return;
    bool is_gradient = node_get(map, "gradient"), is_checker = node_get(map, "checkerboard");
    if (is_gradient == is_checker) {
        problems_add(reader->problems, map->mark, "a background must have %s of gradient, checkerboard",
                     is_gradient ? "only one" : "one");
        return;
    }
    struct background read = is_checker ? checkerboard : (struct background){.kind = BACKGROUND_GRADIENT};
    bool is_good = is_gradient ? read_two_colors(reader, map, "gradient", "[top, bottom]", read.colors)
                               : read_two_colors(reader, map, "checkerboard", "[a, b]", read.colors);
    if (is_checker)
        read_u32(reader, map, "size", checker_sides, &read.checker_px);
    else if (node_get(map, "size"))
        problems_add(reader->problems, node_key(map, "size")->mark,
                     "'size' has a meaning only together with 'checkerboard'");
    if (is_good)
        *background = read;
}

void background_read(const struct reader *reader, const struct node *node, struct background *background)
{
    static const char *const words[] = {"transparent", "checkerboard"};
    struct background color = {.kind = BACKGROUND_COLOR};
    if (is_word(node, "transparent"))
        *background = (struct background){.kind = BACKGROUND_TRANSPARENT};
    else if (is_word(node, "checkerboard"))
        *background = checkerboard;
    else if (node->kind == NODE_MAPPING)
        read_background_map(reader, node, background);
    else if (node->kind == NODE_SCALAR && strings_nearest(node->text, words, COUNT(words)))
        reader_unknown(reader, node, "background", words, COUNT(words));
    else if (read_color(reader, node, "'background'", true, color.colors[0]))
        *background = color;
}
