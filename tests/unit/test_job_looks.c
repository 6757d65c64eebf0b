/* Looks and outputs of a job: light, ground, outline, background, passes, metadata, sheets. */
#include <math.h>
#include <string.h>

#include "image/srgb.h"
#include "job_text.h"

/* Two jobs over the defaults of a list: `defaults`, `a` and `b` are keys in the flow style. */
static struct job_list *load_levels(void **state, const char *defaults, const char *a, const char *b)
{
    char *text = must_printf("assets: assets\ndefaults: {%s}\njobs:\n- {name: a, model: models/orc.md2, %s}\n"
                             "- {name: b, model: models/orc.md2, %s}\n",
                             defaults, a, b);
    struct job_list *list = load(state, text);
    free(text);
    return list;
}

static bool is_near(float a, float b)
{
    return fabsf(a - b) < 1e-6f;
}

static bool is_color(const uint8_t *color, uint8_t r, uint8_t g, uint8_t b, uint8_t a)
{
    return color[0] == r && color[1] == g && color[2] == b && color[3] == a;
}

static bool is_black(const vec3 color)
{
    return color[0] == 0 && color[1] == 0 && color[2] == 0;
}

TEST_WITH(light_is_linear_and_multiplied, set_up, tear_down)
{
    const struct job *job =
        load_job(state, "  light: {key: {direction: [0, 0, 2], color: '#ff8000', strength: 0.5},"
                        " sky: [0, 255, 128], ground: {color: '#000000'}}\n");
    const struct light_rig *light = &job->light;
    assert_true(light->key.direction[2] == 2);
    assert_true(light->key.color[0] == 0.5f && light->key.color[2] == 0);
    assert_true(fabsf(light->key.color[1] - 0.5f * srgb_to_linear[128]) < 1e-6f);
    assert_true(fabsf(light->sky[1] - 0.45f) < 1e-6f);
    assert_true(light->ground[0] == 0);
}

TEST_WITH(every_shipped_rig_gives_light, set_up, tear_down)
{
    static const char *const rigs[] = {"studio", "flat", "rim", "topdown"};
    for (size_t i = 0; i < sizeof rigs / sizeof *rigs; i++) {
        char *keys = must_printf("  light: %s\n", rigs[i]);
        const struct job *job = load_job(state, keys);
        const struct light_rig *light = &job->light;
        assert_false(is_black(light->key.color) && is_black(light->ambient));
        free(keys);
    }
}

TEST_WITH(shipped_rigs_are_what_their_names_say, set_up, tear_down)
{
    struct job_list *list = load(state, "assets: assets\njobs:\n"
                                        "- {name: a, model: models/orc.md2, light: studio}\n"
                                        "- {name: b, model: models/orc.md2}\n"
                                        "- {name: c, model: models/orc.md2, light: flat}\n"
                                        "- {name: d, model: models/orc.md2, light: rim}\n");
    assert_memory_equal(&list->jobs[0].light, &list->jobs[1].light, sizeof(struct light_rig));
    assert_true(is_black(list->jobs[0].light.rim.color));
    const struct light_rig *flat = &list->jobs[2].light, *rim = &list->jobs[3].light;
    assert_true(is_black(flat->key.color) && is_black(flat->sky) && !is_black(flat->ambient));
    assert_true(!is_black(rim->rim.color) && rim->rim.direction[2] < 0);
}

TEST_WITH(light_of_a_job_changes_parts_of_a_rig, set_up, tear_down)
{
    struct job_list *list = load_levels(state, "light: flat", "light: {rig: rim, key: {strength: 2}}",
                                        "light: {ambient: {strength: 0.5}}");
    const struct job *plain = load_job(state, "  light: rim\n");
    const struct light_rig *a = &list->jobs[0].light, *b = &list->jobs[1].light, *rim = &plain->light;
    assert_memory_equal(a->rim.color, rim->rim.color, sizeof(vec3));
    assert_memory_equal(a->key.direction, rim->key.direction, sizeof(vec3));
    assert_true(a->key.color[0] == 2);
    assert_true(is_black(b->key.color) && is_near(b->ambient[1], 0.5f));
}

TEST_WITH(rigs_of_a_list_build_upon_each_other_and_shadow_presets, set_up, tear_down)
{
    struct job_list *list = load(state, "assets: assets\n"
                                        "lights:\n  dusk: {key: {direction: [0, 1, 0], color: '#ff0000'}}\n"
                                        "  night: {rig: dusk, key: {strength: 0.25}, ambient: '#0000ff'}\n"
                                        "  studio: {key: {color: '#00ff00'}}\n"
                                        "jobs:\n- {name: a, model: models/orc.md2, light: night}\n"
                                        "- {name: b, model: models/orc.md2}\n");
    const struct light_rig *night = &list->jobs[0].light, *studio = &list->jobs[1].light;
    assert_true(night->key.color[0] == 0.25f && night->key.color[1] == 0 && night->key.direction[1] == 1);
    assert_true(night->ambient[2] == 1 && is_black(night->fill.color));
    assert_true(studio->key.color[1] == 1 && studio->key.color[0] == 0 && is_black(studio->sky));
}

TEST_WITH(light_that_is_off_goes_on_when_described, set_up, tear_down)
{
    struct job_list *list = load_levels(state, "light: flat", "light: {rim: {color: '#ff0000'}}",
                                        "light: {rim: {color: '#ff0000', strength: 0}}");
    assert_true(list->jobs[0].light.rim.color[0] == 1);
    assert_true(list->jobs[1].light.rim.color[0] == 0);
}

TEST_WITH(ground_is_a_word_or_a_mapping, set_up, tear_down)
{
    struct job_list *list = load_levels(state, "ground: contact", "sheet: {padding: 0}",
                                        "ground: {kind: grid, height: -2.5, spacing: 8, color: '#11223344'}");
    const struct ground *a = &list->jobs[0].ground, *b = &list->jobs[1].ground;
    assert_int_equal(a->kind, GROUND_CONTACT);
    assert_false(a->has_height);
    assert_true(a->strength == 0.5f && is_color(a->color, 0, 0, 0, 255));
    assert_int_equal(b->kind, GROUND_GRID);
    assert_true(b->has_height && b->height == -2.5f && b->spacing == 8);
    assert_true(is_color(b->color, 0x11, 0x22, 0x33, 0x44));
}

TEST_WITH(ground_keeps_what_a_level_above_does_not_give, set_up, tear_down)
{
    struct job_list *list =
        load_levels(state, "ground: {kind: shadow, height: 3, strength: 0.75, color: '#102030'}", "ground: grid",
                    "ground: {height: auto, strength: 1}");
    const struct ground *a = &list->jobs[0].ground, *b = &list->jobs[1].ground;
    assert_true(a->kind == GROUND_GRID && a->has_height && a->height == 3 && is_color(a->color, 16, 32, 48, 255));
    assert_true(b->kind == GROUND_SHADOW && !b->has_height && b->strength == 1);
}

TEST_WITH(colour_of_the_ground_depends_on_its_kind, set_up, tear_down)
{
    struct job_list *list = load_levels(state, "ground: none", "ground: shadow", "ground: grid");
    assert_true(is_color(list->jobs[0].ground.color, 0, 0, 0, 255));
    assert_true(is_color(list->jobs[1].ground.color, 128, 128, 128, 255));
    assert_true(list->jobs[1].ground.spacing == 0);
}

TEST_WITH(outline_is_none_or_has_width_and_colour, set_up, tear_down)
{
    struct job_list *list = load_levels(state, "outline: {width: 2.5, color: '#ff000080'}", "outline: none",
                                        "outline: {color: [1, 2, 3]}");
    const struct outline *none = &list->jobs[0].outline, *other = &list->jobs[1].outline;
    assert_true(none->width_px == 0);
    assert_true(other->width_px == 2.5f && is_color(other->color, 1, 2, 3, 255));
    list = load_levels(state, "loop: true", "cell: 8", "outline: {}");
    assert_true(list->jobs[0].outline.width_px == 0);
    assert_true(list->jobs[1].outline.width_px == 1 && is_color(list->jobs[1].outline.color, 0, 0, 0, 255));
}

TEST_WITH(background_colour_may_be_written_in_three_ways, set_up, tear_down)
{
    static const uint8_t colors[3][4] = {{0x12, 0x34, 0xAB, 255}, {1, 2, 3, 4}, {10, 20, 30, 255}};
    struct job_list *list = load(state, "assets: assets\njobs:\n"
                                        "- {name: a, model: models/orc.md2, background: '#1234Ab'}\n"
                                        "- {name: b, model: models/orc.md2, background: '#01020304'}\n"
                                        "- {name: c, model: models/orc.md2, background: [10, 20, 30]}\n");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(list->jobs[i].background.kind, BACKGROUND_COLOR);
        assert_memory_equal(list->jobs[i].background.colors[0], colors[i], 4);
    }
}

TEST_WITH(background_may_be_a_gradient_or_squares, set_up, tear_down)
{
    struct job_list *list =
        load_levels(state, "background: checkerboard", "background: {gradient: ['#010203', [4, 5, 6, 7]]}",
                    "background: {checkerboard: ['#ffffff', '#000000'], size: 3}");
    const struct background *gradient = &list->jobs[0].background, *squares = &list->jobs[1].background;
    assert_int_equal(gradient->kind, BACKGROUND_GRADIENT);
    assert_true(is_color(gradient->colors[0], 1, 2, 3, 255) && is_color(gradient->colors[1], 4, 5, 6, 7));
    assert_int_equal(squares->kind, BACKGROUND_CHECKER);
    assert_int_equal(squares->checker_px, 3);
    assert_true(is_color(squares->colors[0], 255, 255, 255, 255) && is_color(squares->colors[1], 0, 0, 0, 255));
}

TEST_WITH(checkerboard_has_colours_of_its_own, set_up, tear_down)
{
    struct job_list *list = load_levels(state, "background: checkerboard", "cell: 8", "background: transparent");
    const struct background *squares = &list->jobs[0].background;
    assert_int_equal(squares->kind, BACKGROUND_CHECKER);
    assert_true(squares->checker_px > 0 && squares->colors[0][0] > squares->colors[1][0]);
    assert_int_equal(list->jobs[1].background.kind, BACKGROUND_TRANSPARENT);
}

TEST_WITH(colour_pass_and_json_are_always_in, set_up, tear_down)
{
    struct job_list *list = load_levels(state, "passes: [normal, depth], metadata: godot", "cell: 8",
                                        "passes: [], metadata: [compact, aseprite]");
    const struct job *a = &list->jobs[0], *b = &list->jobs[1];
    assert_int_equal(a->passes, 1 << PASS_COLOR | 1 << PASS_NORMAL | 1 << PASS_DEPTH);
    assert_int_equal(a->metadata, 1 << METADATA_JSON | 1 << METADATA_GODOT);
    assert_int_equal(b->passes, 1 << PASS_COLOR);
    assert_int_equal(b->metadata, 1 << METADATA_COMPACT | 1 << METADATA_ASEPRITE);
}

TEST_WITH(every_pass_can_be_asked_for, set_up, tear_down)
{
    const struct job *job = load_job(
        state, "  passes: [color, normal, depth, mask, uv, wireframe, clay, skeleton, bounds, albedo, shadow, "
               "outline, emission]\n  teamcolor: {mesh: body}\n");
    assert_int_equal(job->passes, (1 << PASS_COUNT) - 1);
}

TEST_WITH(layers_have_something_to_show, set_up, tear_down)
{
    fact("what no level describes is that of the defaults, and once only");
    struct job_list *list = load_levels(state, "passes: [shadow, outline], scales: [1, 2]", "outline: {width: 3}",
                                        "ground: contact, passes: []");
    const struct job *job = list->jobs;
    assert_int_equal(job[0].ground.kind, GROUND_SHADOW);
    assert_float_equal(job[0].outline.width_px, 3, 0);
    assert_float_equal(job[1].outline.width_px, 6, 0);
    assert_int_equal(job[2].ground.kind, GROUND_CONTACT);
    assert_float_equal(job[2].outline.width_px, 0, 0);
    fact("a level above may end a team's colour");
    list = load_levels(state, "teamcolor: {range: {color: '#ff0000', hue: 9}}", "teamcolor: none",
                       "teamcolor: {skin: red}");
    assert_int_equal(list->jobs[0].passes, PASSES_ALWAYS);
    assert_int_equal(list->jobs[1].passes, PASSES_ALWAYS | 1 << PASS_TEAMCOLOR);
    assert_float_equal(list->jobs[1].teamcolor.range.hue_deg, 0, 0);
}

TEST_WITH(sheet_may_be_packed_trimmed_and_bled, set_up, tear_down)
{
    struct job_list *list =
        load_levels(state, "sheet: {trim: true, power_of_two: true, bleed: 4}",
                    "sheet: {layout: packed}, split: camera", "sheet: {trim: false, bleed: 0}");
    const struct sheet_settings *a = &list->jobs[0].sheet, *b = &list->jobs[1].sheet;
    assert_int_equal(a->layout, LAYOUT_PACKED);
    assert_true(a->trim && a->power_of_two && a->bleed == 4);
    assert_int_equal(b->layout, LAYOUT_GRID);
    assert_true(!b->trim && b->power_of_two && b->bleed == 0);
}

TEST_WITH(packed_ends_the_columns_of_a_level_below, set_up, tear_down)
{
    struct job_list *list =
        load_levels(state, "sheet: {columns: 8}", "sheet: {layout: packed}", "sheet: {layout: grid}");
    assert_int_equal(list->jobs[0].sheet.columns, 0);
    assert_int_equal(list->jobs[1].sheet.columns, 8);
}

TEST_WITH(columns_of_a_packed_sheet_are_a_problem, set_up, tear_down)
{
    assert_problem(state,
                   "assets: assets\ndefaults: {sheet: {layout: packed}}\n"
                   "jobs: [{name: a, model: models/orc.md2, sheet: {columns: 2}}]\n",
                   ":4:49: 'columns' belongs to the layout 'grid'; 'packed' has no columns");
}

TEST_WITH(config_may_bring_rigs_and_defaults_see_them, set_up, tear_down)
{
    static const char text[] = "version: 1\nlights: {studio: {ambient: '#ff0000'}}\n";
    char *config = temp_folder_write(*state, "my.yaml", text, strlen(text));
    struct job_list *list = load_with(*state, "assets: assets\njobs: [{name: a, model: models/orc.md2}]\n",
                                      &(struct job_options){.config = config});
    const struct light_rig *light = &list->jobs[0].light;
    assert_true(light->ambient[0] == 1 && light->ambient[1] == 0 && is_black(light->key.color));
    free(config);
}
