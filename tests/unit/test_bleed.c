/* Pages as drawings: each letter is a pixel. 'R', 'G' and 'B' are visible, 'r', 'g' and 'b' the same colours under
 * an alpha of 0, '.' is transparent black. */

#include "sheet/sheet.h"
#include "test.h"

static const struct {
    char letter;
    uint8_t rgba[4];
} colors[] = {
    {'.', {0, 0, 0, 0}},     {'R', {255, 0, 0, 255}}, {'G', {0, 255, 0, 255}}, {'B', {0, 0, 255, 255}},
    {'r', {255, 0, 0, 0}},   {'g', {0, 255, 0, 0}},   {'b', {0, 0, 255, 0}},   {'m', {128, 128, 0, 0}},
    {'t', {255, 255, 0, 1}}, {'w', {255, 1, 0, 0}},
};

static const uint8_t *color_of(char letter)
{
    size_t i = 0;
    while (colors[i].letter != letter)
        i++;
    return colors[i].rgba;
}

static char letter_of(const uint8_t *pixel)
{
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (!memcmp(pixel, colors[i].rgba, 4))
            return colors[i].letter;
    return '?';
}

static struct sheet draw(const char *drawing)
{
    struct sheet sheet;
    struct error err;
    uint32_t width = (uint32_t)strcspn(drawing, "/"), height = ((uint32_t)strlen(drawing) + 1) / (width + 1);
    assert_int_equal(sheet_init(&sheet, SHEET_COLOR, width, height, &err), 0);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            memcpy(sheet_row(&sheet, y) + (size_t)x * 4, color_of(drawing[y * (width + 1) + x]), 4);
    return sheet;
}

static void expect(const char *drawing, struct rect rect, struct sheet_settings settings, const char *wanted)
{
    struct sheet sheet = draw(drawing);
    struct error err;
    char text[256], *at = text;
    assert_int_equal(bleed_cell(&sheet, &rect, &settings, &err), 0);
    for (uint32_t y = 0; y < sheet.height; y++) {
        for (uint32_t x = 0; x < sheet.width; x++)
            *at++ = letter_of(sheet_row(&sheet, y) + (size_t)x * 4);
        *at++ = '/';
    }
    at[-1] = '\0';
    assert_string_equal(text, wanted);
    sheet_release(&sheet);
}

TEST(colors_run_on_as_far_as_asked)
{
    const char *drawing = "....../.R..../....../......";
    struct rect rect = {0, 0, 6, 4};
    expect(drawing, rect, (struct sheet_settings){.bleed = 0}, drawing);
    expect(drawing, rect, (struct sheet_settings){.bleed = 1}, "rrr.../rRr.../rrr.../......");
    expect(drawing, rect, (struct sheet_settings){.bleed = 2}, "rrrr../rRrr../rrrr../rrrr..");
    expect(drawing, rect, (struct sheet_settings){.bleed = 256}, "rrrrrr/rRrrrr/rrrrrr/rrrrrr");
}

TEST(colors_spread_over_what_is_empty)
{
    fact("colors that meet are mixed");
    expect("R.G", (struct rect){0, 0, 3, 1}, (struct sheet_settings){.bleed = 1}, "RmG");
    expect("R..G", (struct rect){0, 0, 4, 1}, (struct sheet_settings){.bleed = 1}, "RrgG");
    expect("R...G", (struct rect){0, 0, 5, 1}, (struct sheet_settings){.bleed = 2}, "RrmgG");
    fact("what is hardly visible counts for little");
    expect("R.t", (struct rect){0, 0, 3, 1}, (struct sheet_settings){.bleed = 1}, "Rwt");
    fact("empty cell stays empty");
    expect(".../...", (struct rect){0, 0, 3, 2}, (struct sheet_settings){.bleed = 9}, ".../...");
    fact("cells do not bleed into each other");
    expect("R....B", (struct rect){0, 0, 3, 1}, (struct sheet_settings){.bleed = 9}, "Rrr..B");
    expect("R....B", (struct rect){3, 0, 3, 1}, (struct sheet_settings){.bleed = 9}, "R..bbB");
}

/* Two cells of one pixel with three pixels of padding between them: the left one has one of these, the right one
 * two. */
TEST(padding_is_shared)
{
    struct sheet_settings settings = {.bleed = 9, .padding = 3};
    const char *drawing = "......../......../..R...B./........";
    expect(drawing, (struct rect){2, 2, 1, 1}, settings, "rrrr..../rrrr..../rrRr..B./rrrr....");
    expect(drawing, (struct rect){6, 2, 1, 1}, settings, "....bbbb/....bbbb/..R.bbBb/....bbbb");
}

TEST(extruded_border_bleeds_on)
{
    struct sheet_settings settings = {.bleed = 1, .padding = 2, .extrude = 1};
    expect("......./......./..RRR../..RRR../..RRR../......./.......", (struct rect){3, 3, 1, 1}, settings,
           "......./.rrrrr./.rRRRr./.rRRRr./.rRRRr./.rrrrr./.......");
}
