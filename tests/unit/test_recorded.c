/* Settings of a job as records have them: each that makes another picture has to show. */
#include "job_text.h"

#include "plan/expected.h"
#include "job/settings.h"

struct recorded {
    const struct job *job;
    struct arena arena;
    struct record_pairs settings;
};

/* Of a list's first job. */
static struct recorded record_first(const struct job_list *list)
{
    struct recorded recorded = {.job = &list->jobs[0]};
    job_recorded_settings(recorded.job, NULL, NULL, &recorded.arena, &recorded.settings);
    return recorded;
}

static struct recorded record_job(void **state, const char *keys)
{
    char *text =
        must_printf("assets: assets\njobs:\n- {name: a, model: models/orc.md2%s%s}\n", *keys ? ", " : "", keys);
    struct recorded recorded = record_first(load(state, text));
    free(text);
    return recorded;
}

static bool same(const struct record_pairs *a, const struct record_pairs *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->items[i].name, b->items[i].name) || strcmp(a->items[i].value, b->items[i].value))
            return false;
    return true;
}

/* By what is left of their settings where most that both have are left out. */
static bool are_same(const struct job *a, const struct job *b)
{
    struct arena arena = {0};
    struct record_pairs left[2];
    job_recorded_settings(a, b, NULL, &arena, &left[0]);
    job_recorded_settings(b, a, NULL, &arena, &left[1]);
    bool result = same(&left[0], &left[1]);
    arena_release(&arena);
    return result;
}

/* Whether the settings of a job are also found by those of the other. */
static bool is_found_by(const struct recorded *job, const struct recorded *other)
{
    struct arena arena = {0};
    struct record_pairs settings;
    job_recorded_settings(job->job, other->job, &other->settings, &arena, &settings);
    bool result = same(&job->settings, &settings);
    arena_release(&arena);
    return result;
}

static void expect_setting(void **state, const char *keys, const char *name, const char *value)
{
    struct recorded recorded = record_job(state, keys);
    const struct record_pair *found = record_find(&recorded.settings, name);
    assert_string_equal(found ? found->value : "(none)", value);
    arena_release(&recorded.arena);
}

/* -- Tests ------------------------------------------------------------------------------------------------- */

/* Each row starts with a job and changes one thing after the other, always from the first. */
TEST_WITH(every_setting_shows, set_up, tear_down)
{
    static const char *const rows[][16] = {
        {"", "geometry: glcommands", "interpolation: object", "cell: 64", "cell: [128, 64]", "cell: [64, 128]",
         "supersample: 1", "passes: normal", "passes: depth", "metadata: aseprite", "metadata: [aseprite, godot]",
         "split: animation", "split: camera", "sockets: hand"},
        {"", "boxes: hand", "boxes: head", "boxes: [hand, head]", "events: {a: {1: step}}",
         "events: {a: {2: step}}", "events: {b: {1: step}}", "events: {a: {1: land}}",
         "events: {a: {1: [step, land]}}"},
        {"", "loop: false", "loop: closed", "loop: open", "root_motion: keep", "root_motion: {joint: hips}",
         "root_motion: {joint: feet}", "animations: {name: a}", "animations: {name: a, loop: closed}",
         "animations: {name: a, loop: open}", "animations: {name: a, root_motion: keep}",
         "animations: {name: a, root_motion: {joint: hips}}", "root_motion: keep, animations: {name: b}"},
        {"", "skin: skin.tga", "skin: 0", "skin: 1", "skin: word", "skin: other", "skins: all",
         "skin: {a: skin.tga}", "skin: {b: skin.tga}", "skin: {a: some/material}", "skin: {a: other/material}",
         "skin: {a: skin.tga, b: skin.tga}"},
        {"", "animations: []", "animations: a", "animations: b", "animations: [a, b]", "animations: [b, a]",
         "animations: 'a*'", "animations: {name: a, rate: 5}", "animations: {name: a, loop: false}",
         "animations: {name: a, sampling: {count: 2}}", "animations: {name: a, frames: 2}",
         "animations: {name: a, frames: 2-3}", "animations: {file: anims/walk.md5anim}",
         "animations: {name: b, file: anims/walk.md5anim}"},
        {"", "sampling: {count: 2}", "sampling: {count: 3}", "sampling: {fps: 3}", "sampling: {fps: 3.25}",
         "sampling: {times: 1}", "sampling: {times: 0.1}", "sampling: {times: [0.1, 0.2]}",
         "sampling: {frames: all}", "sampling: {frames: 1}", "sampling: {frames: 1-2}",
         "sampling: {frames: [1, 2]}", "sampling: {count: 2, range: [0, 1]}",
         "sampling: {count: 2, range: [0.5, 1]}"},
        {"", "cameras: front", "cameras: {yaw: 1}", "cameras: {yaw: 2}", "cameras: {pitch: 1}",
         "cameras: {roll: 1}", "cameras: {name: b, yaw: 1}", "cameras: [front, back]", "cameras: [back, front]",
         "cameras: {projection: perspective}", "cameras: {projection: perspective, fov: 36}",
         "cameras: {eye: [1, 0, 0]}", "cameras: {eye: [1, 0, 0], target: [0, 1, 0]}",
         "cameras: {eye: [1, 0, 0], up: [0, 1, 0]}", "cameras: {eye: [2, 0, 0]}"},
        {"", "fit: {scope: frame}", "fit: {scope: animation}", "fit: {scope: group-a}", "fit: {scope: group-b}",
         "fit: {margin: 0.1}", "fit: {pixels_per_unit: 2}", "fit: {pixels_per_unit: 3}"},
        {"", "light: flat", "light: {key: {strength: 2}}", "light: {key: {direction: [1, 2, 3]}}",
         "light: {fill: {strength: 2}}", "light: {fill: {direction: [1, 2, 3]}}", "light: {rim: {strength: 2}}",
         "light: {rim: {strength: 2, direction: [1, 2, 3]}}", "light: {sky: [1, 2, 3]}",
         "light: {ground: [1, 2, 3]}", "light: {ambient: [1, 2, 3]}", "light: {ambient: [1, 2, 4]}"},
        {"ground: shadow", "ground: contact", "ground: grid", "ground: none", "ground: {kind: shadow, height: 0}",
         "ground: {kind: shadow, height: 1}", "ground: {kind: shadow, strength: 0.25}",
         "ground: {kind: grid, spacing: 4}", "ground: {kind: shadow, color: '#000001'}"},
        {"", "outline: {width: 1}", "outline: {width: 2}", "outline: {width: 1, color: '#ffffff'}",
         "background: '#123456'", "background: '#12345678'", "background: {gradient: ['#000000', '#ffffff']}",
         "background: {gradient: ['#000000', '#fffffe']}", "background: checkerboard",
         "background: {checkerboard: ['#000000', '#ffffff'], size: 8}",
         "background: {checkerboard: ['#000000', '#ffffff'], size: 9}"},
        {"", "pixel: {light_steps: 2}", "pixel: {light_steps: 3}", "pixel: {outline: inside}",
         "pixel: {outline: outside}"},
        {"", "sheet: {layout: packed}", "sheet: {columns: 2}", "sheet: {padding: 1}", "sheet: {extrude: 1}",
         "sheet: {max_size: 2048}", "sheet: {trim: true}", "sheet: {power_of_two: true}", "sheet: {bleed: 1}"},
        {"attach: {model: models/sub/imp.md2}", "attach: {model: models/orc.md2}",
         "attach: {model: models/sub/imp.md2, name: x}", "attach: {model: models/sub/imp.md2, at: hand}",
         "attach: {model: models/sub/imp.md2, offset: [1, 0, 0]}", "attach: {model: models/sub/imp.md2, scale: 2}",
         "attach: {model: models/sub/imp.md2, rotation: [1, 0, 0]}",
         "attach: {model: models/sub/imp.md2, animation: a}",
         "attach: {model: models/sub/imp.md2, same_frame: true}",
         "attach: {model: models/sub/imp.md2, animation: {file: anims/walk.md5anim}}",
         "attach: {model: models/sub/imp.md2, animation: {name: walk, file: anims/walk.md5anim}, scale: 3}",
         "attach: {model: models/sub/imp.md2, animation: {clip: walk, file: anims/walk.md5anim}}",
         "attach: {model: models/sub/imp.md2, skin: skin.tga}",
         "attach: {model: models/sub/imp.md2, skin: {a: skin.tga}}",
         "attach: [{model: models/sub/imp.md2}, {model: models/orc.md2}]",
         "attach: [{model: models/sub/imp.md2}, {model: models/orc.md2, to: imp}]"},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct recorded all[16];
        size_t count = 0;
        for (; count < 16 && rows[row][count]; count++)
            all[count] = record_job(state, rows[row][count]);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < i; j++)
                if (same(&all[i].settings, &all[j].settings) || are_same(all[i].job, all[j].job))
                    fail_msg("'%s' and '%s' are recorded alike", rows[row][i], rows[row][j]);
                else if (!is_found_by(&all[i], &all[j]) || !is_found_by(&all[j], &all[i]))
                    fail_msg("'%s' and '%s' do not find each other's settings", rows[row][i], rows[row][j]);
        for (size_t i = 0; i < count; i++) {
            struct recorded again = record_job(state, rows[row][i]);
            if (!are_same(all[i].job, again.job))
                fail_msg("'%s' has other settings when it is read again", rows[row][i]);
            arena_release(&again.arena);
            arena_release(&all[i].arena);
        }
    }
}

TEST_WITH(the_model_shows, set_up, tear_down)
{
    static const char list[] = "assets: assets\njobs:\n- {name: a, model: %s}\n";
    struct recorded all[3];
    static const char *const models[] = {"models/orc.md2", "models/sub/imp.md2", "'def:models/orc.md2'"};
    for (size_t i = 0; i < 3; i++) {
        char text[256];
        snprintf(text, sizeof text, list, models[i]);
        all[i] = record_first(load(state, text));
    }
    assert_false(same(&all[0].settings, &all[1].settings));
    assert_false(same(&all[0].settings, &all[2].settings));
    for (size_t i = 0; i < 3; i++)
        arena_release(&all[i].arena);
}

TEST_WITH(where_and_how_a_job_is_written_does_not_show, set_up, tear_down)
{
    struct job_list *a =
        load(state, "assets: assets\njobs:\n- {name: a, model: models/orc.md2, cell: 64, skin: {x: skin.tga}}\n");
    struct recorded first = record_first(a);
    struct job_list *b = load(
        state, "assets: assets\n\n\n# moved\ndefaults: {cell: [64, 64]}\njobs:\n"
               "- name: other\n  model: Models\\Orc.md2\n  skin: {x: skin.tga}\n  cameras: [three_quarter]\n");
    struct recorded second = record_first(b);
    assert_true(same(&first.settings, &second.settings));
    arena_release(&first.arena);
    arena_release(&second.arena);
}

TEST_WITH(settings_are_sorted_and_named_once, set_up, tear_down)
{
    struct recorded recorded =
        record_job(state, "animations: [a, b, c, d, e, f, g, h, i, j, k], cameras: [front, back]");
    for (size_t i = 1; i < recorded.settings.count; i++)
        assert_true(strcmp(recorded.settings.items[i - 1].name, recorded.settings.items[i].name) < 0);
    arena_release(&recorded.arena);
}

TEST_WITH(values_read_as_people_write_them, set_up, tear_down)
{
    expect_setting(state, "", "model", "models/Orc.MD2");
    expect_setting(state, "", "cell", "[128, 128]");
    expect_setting(state, "", "fit.margin", "0.05");
    expect_setting(state, "sampling: {times: [0, 0.1]}", "sampling", "times: 0, 0.1");
    expect_setting(state, "cameras: {name: c, yaw: 35.26439}", "cameras[0]",
                   "name: c, yaw: 35.26439, pitch: 0, roll: 0, projection: orthographic, fov: 35, "
                   "target: [0, 0, 0], up: [0, 0, 1]");
    expect_setting(state, "background: '#102030'", "background", "#102030ff");
    expect_setting(state, "passes: [depth]", "passes", "color, depth");
    expect_setting(state, "sheet: {trim: true}", "sheet.trim", "true");
    expect_setting(state, "animations: {name: a, frames: 2-3}", "animations[0].frames", "2-3");
    expect_setting(state, "animations: {name: a, optional: true}", "animations[0].optional", "true");
}

static void group_hash(void **state, const char *jobs, char hash[HASH_SIZE])
{
    char *text = must_printf("assets: assets\ndefaults: {fit: {scope: units}}\njobs:\n%s", jobs);
    struct job_list *list = load(state, text);
    job_recorded_group(list, "units", hash);
    free(text);
}

TEST_WITH(a_group_is_all_its_jobs, set_up, tear_down)
{
    char first[HASH_SIZE], other[HASH_SIZE];
    group_hash(state, "- {name: a, model: models/orc.md2}\n- {name: b, model: models/sub/imp.md2}\n", first);
    group_hash(state,
               "- {name: c, model: models/orc.md2}\n- {name: b, model: models/sub/imp.md2}\n"
               "- {name: d, model: models/orc.md2, fit: {scope: job}}\n",
               other);
    assert_string_equal(first, other);
    group_hash(state,
               "- {name: b, model: models/sub/imp.md2}\n- {name: a, model: models/orc.md2}\n"
               "- {name: e, model: models/orc.md2}\n",
               other);
    assert_string_equal(first, other);
    group_hash(state, "- {name: a, model: models/orc.md2}\n- {name: b, model: models/sub/imp.md2, loop: false}\n",
               other);
    assert_string_not_equal(first, other);
    group_hash(state, "- {name: a, model: models/orc.md2}\n", other);
    assert_string_not_equal(first, other);
}
