/* What good job lists come to. Each test writes its list and the files it names into a folder of its own; models
 * are not opened by job_list_load, so empty files do. */
#include <string.h>

#include "base/buffer.h"
#include "job_text.h"

TEST_WITH(built_in_config_fills_every_setting, set_up, tear_down)
{
    const struct job *job = load_job(state, "");
    assert_int_equal(job->geometry, GEOMETRY_TRIANGLES);
    assert_int_equal(job->interpolation, INTERPOLATION_LOCAL);
    assert_int_equal(job->sampling.kind, SAMPLING_FPS);
    assert_true(job->sampling.fps == 10);
    assert_true(job->loop);
    assert_int_equal(job->camera_count, 1);
    assert_string_equal(job->cameras[0].name, "three_quarter");
    assert_int_equal(job->fit.scope, FIT_JOB);
    assert_true(job->fit.margin == 0.05f && job->fit.pixels_per_unit == 0);
    assert_int_equal(job->cell_px[0], 128);
    assert_int_equal(job->cell_px[1], 128);
    assert_int_equal(job->background.kind, BACKGROUND_TRANSPARENT);
    assert_int_equal(job->supersample, 2);
    assert_int_equal(job->sheet.max_size, 4096);
    assert_int_equal(job->sheet.columns, 0);
    assert_int_equal(job->sheet.split, SPLIT_NONE);
    assert_true(job->light.key.color[0] > 0 && job->light.fill.color[0] > 0);
    assert_true(job->light.sky[2] > 0 && job->light.ground[2] > 0);
    assert_true(job->light.key.direction[1] > 0);
    assert_false(job->has_animations);
    assert_int_equal(job->skin_count, 0);
}

TEST_WITH(presets_are_where_they_should_be, set_up, tear_down)
{
    static const struct {
        const char *name;
        float yaw_deg, pitch_deg;
    } presets[] = {
        {"front", 0, 0},      {"left", 90, 0},    {"back", 180, 0},          {"right", 270, 0},
        {"top", 0, 90},       {"bottom", 0, -90}, {"three_quarter", 30, 20}, {"isometric", 45, 35.26439f},
        {"dimetric", 45, 30},
    };
    const struct job *job = load_job(state, "  cameras: [front, left, back, right, top, bottom, three_quarter, "
                                            "isometric, dimetric]\n");
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        const struct camera *camera = &job->cameras[i];
        assert_string_equal(camera->name, presets[i].name);
        assert_true(camera->yaw_deg == presets[i].yaw_deg && camera->pitch_deg == presets[i].pitch_deg);
        assert_int_equal(camera->projection, PROJECTION_ORTHOGRAPHIC);
    }
}

TEST_WITH(directions_become_a_camera_each, set_up, tear_down)
{
    struct job_list *list =
        load(state, "assets: assets\ncameras: {compass: {directions: 8, start: 90, pitch: 30}}\n"
                    "jobs: [{name: a, model: models/orc.md2, cameras: compass}]\n");
    const struct job *job = list->jobs;
    assert_int_equal(job->camera_count, 8);
    assert_string_equal(job->cameras[0].name, "compass-0");
    assert_string_equal(job->cameras[7].name, "compass-7");
    assert_true(job->cameras[0].yaw_deg == 90 && job->cameras[5].yaw_deg == 315);
    assert_true(job->cameras[7].yaw_deg == 45 && job->cameras[7].pitch_deg == 30);
}

TEST_WITH(own_camera_shadows_a_preset, set_up, tear_down)
{
    struct job_list *list =
        load(state, "assets: assets\ncameras: {front: {yaw: 5, projection: perspective, fov: 20}}\n"
                    "jobs: [{name: a, model: models/orc.md2, cameras: [front]}]\n");
    assert_true(list->jobs[0].cameras[0].yaw_deg == 5);
    assert_int_equal(list->jobs[0].cameras[0].projection, PROJECTION_PERSPECTIVE);
    assert_true(list->jobs[0].cameras[0].fov_deg == 20);
}

TEST_WITH(camera_on_the_spot_is_named_after_its_place, set_up, tear_down)
{
    const struct job *job =
        load_job(state, "  cameras: [front, {yaw: 10}, {name: eye, eye: [10, 0, 5], up: [0, 1, 0]}]\n");
    const struct camera *cameras = job->cameras;
    assert_string_equal(cameras[1].name, "camera-2");
    assert_string_equal(cameras[2].name, "eye");
    assert_true(cameras[2].has_eye && cameras[2].eye[0] == 10 && cameras[2].up[1] == 1 &&
                cameras[2].target[0] == 0);
    assert_false(cameras[1].has_eye);
}

TEST_WITH(job_wins_over_defaults_and_defaults_over_config, set_up, tear_down)
{
    struct job_list *list =
        load(state, "assets: assets\n"
                    "defaults: {cell: 64, supersample: 1, sheet: {padding: 2, extrude: 1},\n"
                    "  light: {key: {strength: 0}}}\n"
                    "jobs:\n- {name: a, model: models/orc.md2, cell: [32, 48], sheet: {padding: 4}}\n"
                    "- {name: b, model: models/orc.md2}\n");
    const struct job *a = &list->jobs[0], *b = &list->jobs[1];
    assert_int_equal(a->cell_px[0], 32);
    assert_int_equal(a->cell_px[1], 48);
    assert_int_equal(a->supersample, 1);
    assert_int_equal(a->sheet.padding, 4);
    assert_int_equal(a->sheet.extrude, 1);
    assert_int_equal(a->sheet.max_size, 4096);
    assert_int_equal(b->cell_px[1], 64);
    assert_int_equal(b->sheet.padding, 2);
    assert_true(b->light.key.color[0] == 0 && b->light.fill.color[0] > 0);
}

TEST_WITH(fixed_scale_and_margin_replace_each_other, set_up, tear_down)
{
    struct job_list *list = load(state, "assets: assets\ndefaults: {fit: {scope: heroes, pixels_per_unit: 2.5}}\n"
                                        "jobs:\n- {name: a, model: models/orc.md2}\n"
                                        "- {name: b, model: models/orc.md2, fit: {margin: 0.25}}\n");
    assert_int_equal(list->jobs[0].fit.scope, FIT_GROUP);
    assert_string_equal(list->jobs[0].fit.group, "heroes");
    assert_true(list->jobs[0].fit.pixels_per_unit == 2.5f);
    assert_int_equal(list->jobs[1].fit.scope, FIT_GROUP);
    assert_true(list->jobs[1].fit.pixels_per_unit == 0 && list->jobs[1].fit.margin == 0.25f);
}

TEST_WITH(config_of_the_user_changes_what_it_names, set_up, tear_down)
{
    char *config = temp_folder_write(*state, "my.yaml",
                                     "version: 1\ndefaults: {cell: 200}\ncameras: {front: {yaw: 3}}\n", 59);
    struct job_list *list =
        load_with(*state, "assets: assets\njobs: [{name: a, model: models/orc.md2, cameras: front}]\n",
                  &(struct job_options){.config = config, .output = "elsewhere"});
    assert_int_equal(list->jobs[0].cell_px[0], 200);
    assert_int_equal(list->jobs[0].supersample, 2);
    assert_true(list->jobs[0].cameras[0].yaw_deg == 3);
    assert_string_equal(list->output, "elsewhere");
    free(config);
}

TEST_WITH(samplings_are_read_as_written, set_up, tear_down)
{
    const struct job *job = load_job(state, "  sampling: {frames: [0, 5, 10-20], range: [0.5, 2]}\n"
                                            "  animations:\n"
                                            "  - {name: a, sampling: {times: [0, 0.25, 0.1]}}\n"
                                            "  - {name: b, sampling: {count: 7}}\n"
                                            "  - {name: c, sampling: {frames: all}}\n"
                                            "  - d\n");
    assert_int_equal(job->sampling.kind, SAMPLING_FRAMES);
    assert_int_equal(job->sampling.run_count, 3);
    assert_int_equal(job->sampling.runs[2].first, 10);
    assert_int_equal(job->sampling.runs[2].last, 20);
    assert_true(job->sampling.has_range && job->sampling.range_s[1] == 2);
    assert_int_equal(job->animations[0].sampling.time_count, 3);
    assert_true(job->animations[0].sampling.times_s[2] == 0.1);
    assert_false(job->animations[0].sampling.has_range);
    assert_int_equal(job->animations[1].sampling.count, 7);
    assert_int_equal(job->animations[2].sampling.kind, SAMPLING_FRAMES);
    assert_int_equal(job->animations[2].sampling.run_count, 0);
    assert_int_equal(job->animations[3].sampling.run_count, 3);
}

TEST_WITH(animations_may_name_files_frames_and_patterns, set_up, tear_down)
{
    const struct job *job = load_job(state, "  loop: false\n  animations:\n"
                                            "  - {file: anims/WALK.md5anim, loop: true}\n"
                                            "  - {name: run, frames: 40-45, rate: 12.5}\n"
                                            "  - {name: hit, frames: [3, 3]}\n"
                                            "  - {name: one, frames: 7}\n"
                                            "  - 'att*'\n");
    const struct job_animation *animations = job->animations;
    assert_true(job->has_animations);
    assert_int_equal(job->animation_count, 5);
    assert_string_equal(animations[0].name, "WALK");
    assert_string_equal(animations[0].file, "anims/walk.md5anim");
    assert_true(animations[0].loop);
    assert_false(animations[1].loop);
    assert_true(animations[1].has_frames && animations[1].rate_hz == 12.5f);
    assert_int_equal(animations[1].first_frame, 40);
    assert_int_equal(animations[1].last_frame, 45);
    assert_int_equal(animations[2].last_frame, 3);
    assert_int_equal(animations[3].first_frame, 7);
    assert_int_equal(animations[3].last_frame, 7);
    assert_true(animations[4].is_pattern && !animations[4].has_frames);
    assert_int_equal(animations[4].mark.line, 12);
}

/* The text of a list with one job that has so many, called a0, a1, ... */
static char *job_with_animations(unsigned count)
{
    struct buffer text = {0};
    buffer_printf(&text, "assets: assets\njobs:\n- name: a\n  model: models/grunt.md5mesh\n  animations: [");
    for (unsigned i = 0; i < count; i++)
        buffer_printf(&text, "a%u,", i);
    buffer_printf(&text, "]\n");
    return text.text;
}

TEST_WITH(animations_have_at_most_4096_entries, set_up, tear_down)
{
    char *most = job_with_animations(4096), *too_many = job_with_animations(4097);
    struct job_list *list = load(state, most);
    assert_int_equal(list->jobs[0].animation_count, 4096);
    assert_problem(state, too_many, ":6:15: 4097 animations, at most 4096 are allowed");
    free(most);
    free(too_many);
}

TEST_WITH(no_animations_asks_for_the_bind_pose, set_up, tear_down)
{
    const struct job *job = load_job(state, "  animations: []\n");
    assert_true(job->has_animations);
    assert_int_equal(job->animation_count, 0);
}

TEST_WITH(files_are_found_in_any_case_and_beside_the_model, set_up, tear_down)
{
    struct job_list *list =
        load(state, "assets: assets\njobs:\n"
                    "- {name: a, model: MODELS/sub/Imp.md2, skin: own.png}\n"
                    "- {name: b, model: models/orc.md2, skin: {body: SKIN.tga, head: models/sub/own.png}}\n");
    assert_string_equal(list->jobs[0].model, "models/sub/imp.md2");
    assert_null(list->jobs[0].skins[0].from);
    assert_string_equal(list->jobs[0].skins[0].path, "models/sub/own.png");
    assert_string_equal(list->jobs[1].model, "models/Orc.MD2");
    assert_int_equal(list->jobs[1].skin_count, 2);
    assert_string_equal(list->jobs[1].skins[0].from, "body");
    assert_string_equal(list->jobs[1].skins[0].path, "skin.tga");
}

static void assert_names(void **state, const char *name, const char *model, const char *const *names, size_t count)
{
    char *text = must_printf("assets: assets\njobs: [{name: '%s', model: '%s'}]\n", name, model);
    struct job_list *list = load(state, text);
    assert_int_equal(list->job_count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(list->jobs[i].name, names[i]);
    free(text);
}

TEST_WITH(glob_gives_a_job_per_match_in_path_order, set_up, tear_down)
{
    assert_names(state, "all", "models/**/*.md2", (const char *const[]){"all/Orc", "all/sub/imp"}, 2);
    assert_names(state, "{path}", "models/**/*.m*", (const char *const[]){"Orc", "grunt", "sub/imp"}, 3);
    assert_names(state, "x-{stem}", "MODELS/**/*.md2", (const char *const[]){"x-Orc", "x-imp"}, 2);
    assert_names(state, "{path}/{stem}", "**/*.md2", (const char *const[]){"models/Orc/Orc", "models/sub/imp/imp"},
                 2);
    assert_names(state, "s", "./models//sub/*.md2", (const char *const[]){"s/imp"}, 1);
    assert_names(state, "{path}", "models//**/*.md2", (const char *const[]){"Orc", "sub/imp"}, 2);
    assert_names(state, "{stem}", "models/sub/imp.md2", (const char *const[]){"imp"}, 1);
}

TEST_WITH(includes_are_merged_and_the_list_wins, set_up, tear_down)
{
    temp_folder_add(*state, "inc/a.yaml",
                    "version: 1\nassets: more\noutput: ../from_a\ninclude: b.yaml\n"
                    "defaults: {cell: 16, supersample: 3, split: camera}\n"
                    "cameras: {ca: {yaw: 1}}\njobs: [{name: a, model: extra.md2}]\n");
    temp_folder_add(*state, "inc/b.yaml",
                    "version: 1\ndefaults: {cell: 8, supersample: 4, loop: false}\n"
                    "jobs: [{name: b, model: extra.md2, cameras: [own, ca]}]\n");
    temp_folder_add(*state, "inc/more/extra.md2", "");
    struct job_list *list = load(state, "assets: assets\ninclude: [inc/a.yaml, inc/b.yaml, inc/../inc/a.yaml]\n"
                                        "defaults: {cell: 32}\ncameras: {own: {yaw: 2}}\n"
                                        "jobs: [{name: list, model: models/orc.md2}]\n");
    assert_int_equal(list->root_count, 2);
    assert_non_null(strstr(list->roots[0], "/assets"));
    assert_non_null(strstr(list->roots[1], "inc/more"));
    assert_non_null(strstr(list->output, "/from_a"));
    assert_null(strstr(list->output, "/../"));
    assert_int_equal(list->job_count, 3);
    assert_string_equal(list->jobs[0].name, "list");
    assert_string_equal(list->jobs[1].name, "a");
    assert_string_equal(list->jobs[2].name, "b");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(list->jobs[i].cell_px[0], 32);
        assert_int_equal(list->jobs[i].supersample, 3);
        assert_int_equal(list->jobs[i].sheet.split, SPLIT_CAMERA);
        assert_false(list->jobs[i].loop);
    }
    assert_non_null(strstr(list->jobs[2].mark.file, "inc/b.yaml"));
    assert_int_equal(list->jobs[2].mark.line, 3);
}

TEST_WITH(output_and_assets_have_defaults, set_up, tear_down)
{
    struct job_list *list = load(state, "jobs: [{name: a, model: assets/models/orc.md2}]\n");
    assert_string_equal(list->name, "list");
    assert_string_equal(list->output, "out/list");
    assert_int_equal(list->root_count, 1);
    assert_string_equal(list->roots[0], *state);
}

TEST_WITH(missing_list_is_a_problem_of_its_own, set_up, tear_down)
{
    struct strings problems = {0};
    struct job_list *list = NULL;
    assert_int_equal(job_list_load("no/such.yaml", &(struct job_options){0}, &list, &problems), -1);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.items[0], "no/such.yaml: No such file or directory");
    strings_release(&problems);
}

TEST_WITH(number_of_included_files_has_a_limit, set_up, tear_down)
{
    for (int i = 0; i < 256; i++) {
        char *name = must_printf("deep%d.yaml", i),
             *text = must_printf("version: 1\ninclude: [list.yaml, deep%d.yaml]\n", i + 1);
        temp_folder_add(*state, name, text);
        free(name);
        free(text);
    }
    struct strings problems = {0};
    struct job_list *list = NULL;
    char *path = temp_folder_write(*state, "list.yaml", "version: 1\ninclude: deep0.yaml\n", 31);
    assert_int_equal(job_list_load(path, &(struct job_options){0}, &list, &problems), -1);
    assert_int_equal(problems.count, 1);
    char *wanted = must_printf("%s/deep254.yaml:2:22: more than 256 files", (char *)*state);
    assert_string_equal(problems.items[0], wanted);
    strings_release(&problems);
    free(wanted);
    free(path);
}

TEST_WITH(lists_may_include_each_other, set_up, tear_down)
{
    temp_folder_add(*state, "other.yaml",
                    "version: 1\ninclude: [list.yaml, other.yaml]\ndefaults: {cell: 16}\n"
                    "jobs: [{name: b, model: models/orc.md2}]\n");
    struct job_list *list = load(state, "assets: assets\ninclude: other.yaml\n"
                                        "jobs: [{name: a, model: models/orc.md2}]\n");
    assert_int_equal(list->job_count, 2);
    assert_string_equal(list->jobs[0].name, "a");
    assert_int_equal(list->jobs[0].cell_px[0], 16);
}

static const struct job_options go_on = {.missing_fails_job = true};

static void assert_missing(const struct job *job, const char *wanted)
{
    char *text = job_describe_missing(job);
    const char *place = strstr(text, "list.yaml:");
    assert_non_null(place);
    assert_string_equal(place, wanted);
    free(text);
}

TEST_WITH(missing_file_may_be_told_of_its_job_alone, set_up, tear_down)
{
    struct job_list *list = load_with(*state,
                                      "assets: assets\njobs:\n- {name: a, model: models/orc.md2}\n"
                                      "- {name: b, model: none.md2}\n",
                                      &go_on);
    assert_int_equal(list->job_count, 2);
    assert_int_equal(list->jobs[0].missing_count, 0);
    assert_missing(&list->jobs[1], "list.yaml:5:20: no file 'none.md2' in the assets");
    assert_ptr_equal(job_list_first_missing(list), &list->jobs[1].missing[0]);
}

TEST_WITH(missing_file_stands_in_the_job_as_it_is_written, set_up, tear_down)
{
    struct job_list *list = load_with(
        *state,
        "assets: assets\njobs:\n- {name: a, model: No.md5mesh, skin: no.skin#x, animations: [{file: no.md5anim}], "
        "attach: [{model: no.md2, skin: {a: no.png}}]}\n",
        &go_on);
    const struct job *job = &list->jobs[0];
    assert_int_equal(job->missing_count, 4);
    assert_string_equal(job->model, "No.md5mesh");
    assert_string_equal(job->skin_file, "no.skin");
    assert_string_equal(job->animations[0].file, "no.md5anim");
    assert_string_equal(job->attachments[0].model, "no.md2");
}

TEST_WITH(pattern_that_matches_nothing_may_be_kept_as_one, set_up, tear_down)
{
    struct job_list *list = load_with(*state,
                                      "assets: assets\njobs:\n- {name: a, model: '*.md2'}\n"
                                      "- {name: 'b/{stem}', model: '*.md2'}\n- {name: a, model: models/orc.md2}\n",
                                      &go_on);
    assert_int_equal(list->job_count, 3);
    assert_true(list->jobs[0].is_pattern);
    assert_string_equal(list->jobs[0].name, "a/{path}");
    assert_string_equal(list->jobs[1].name, "b/{stem}");
    assert_string_equal(list->jobs[1].model, "*.md2");
    assert_missing(&list->jobs[1], "list.yaml:5:29: no file in the assets matches '*.md2'; the assets have 1 "
                                   ".MD2, 1 .md2, 1 .md5anim, 1 .md5mesh, 1 .png, 1 .tga files");
    assert_false(list->jobs[2].is_pattern);
}

TEST_WITH(every_match_has_what_it_misses, set_up, tear_down)
{
    struct job_list *list =
        load_with(*state, "assets: assets\njobs: [{name: a, model: 'models/**/*.md2', skin: own.png}]\n", &go_on);
    assert_int_equal(list->job_count, 2);
    assert_missing(&list->jobs[0], "list.yaml:3:50: no file 'own.png' in the assets, nor beside 'models/Orc.MD2', "
                                   "did you mean 'models/sub/own.png'?");
    assert_int_equal(list->jobs[1].missing_count, 0);
}

TEST_WITH(glob_that_leads_to_one_name_twice_is_a_problem, set_up, tear_down)
{
    temp_folder_add(*state, "assets/models/orc.md5mesh", "");
    char *wanted =
        must_printf(":3:8: job 'orc' (model 'models/orc.md5mesh') writes the same files as job 'Orc' (model "
                    "'models/Orc.MD2') at %s/list.yaml:3:8; `exclude` one",
                    (char *)*state);
    assert_problem(state, "assets: assets\njobs: [{name: '{path}', model: 'models/o*'}]\n", wanted);
    free(wanted);
}

/* The game data is a package of its own; the samples that need it are read where it is installed. */
static void shipped_list_has_jobs(const char *path, const char *assets, size_t job_count)
{
    if (access(assets, R_OK) < 0)
        skip();
    struct strings problems = {0};
    struct job_list *list = NULL;
    assert_int_equal(job_list_load(path, &(struct job_options){0}, &list, &problems), 0);
    assert_int_equal(list->job_count, job_count);
    job_list_free(list);
    strings_release(&problems);
}

TEST(ufoai_list_has_all_models)
{
    shipped_list_has_jobs("jobs/ufoai.yaml", "/usr/share/games/ufoai/base/0models.pk3", 859);
}

TEST(openarena_list_has_players_weapons_and_items)
{
    shipped_list_has_jobs("jobs/openarena.yaml", "/usr/share/games/openarena/baseoa/pak2-players.pk3", 111);
}

TEST(assimp_list_has_models_of_all_formats)
{
    shipped_list_has_jobs("jobs/assimp.yaml", "/usr/share/assimp/models", 200);
}

TEST(cube2_list_has_all_its_models)
{
    shipped_list_has_jobs("jobs/cube2.yaml", "/usr/share/games/cube2/packages/models", 17);
}
