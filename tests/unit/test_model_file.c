#include "job_fixture.h"
#include "test.h"

#include "plan/model_file.h"
#include "base/file.h"
#include "base/hash.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

static void open_tree(struct fixture *fixture)
{
    fixture_load(fixture, "jobs:\n  - {name: it, model: models/thing.md2}\n");
    fixture_open_assets(fixture);
}

static struct model_file must_open(const struct fixture *fixture, const char *path)
{
    struct model_file file;
    struct error err;
    if (model_file_open(fixture->assets, path, NULL, &file, &err) < 0)
        fail_msg("%s", err.text);
    return file;
}

static void expect_clips(const struct model *model, const char *wanted)
{
    char text[256] = "";
    for (uint32_t i = 0; i < model->clip_count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", i ? " " : "", model->clips[i].name);
    }
    assert_string_equal(text, wanted);
}

/* -- Models ------------------------------------------------------------------------------------------------ */

TEST(a_model_is_opened)
{
    struct fixture fixture = fixture_new();
    open_tree(&fixture);
    struct model_file file = must_open(&fixture, "models/plate.md5mesh");
    assert_string_equal(file.path, "models/plate.md5mesh");
    assert_int_equal(file.warnings.count, 0);
    model_file_release(&file);
    fixture_release(&fixture);
}

/* Between two meshes a file that was cut short looks like one that lies about their number: a run has to say so.
 */
TEST(a_wrong_number_of_meshes_is_a_warning)
{
    struct fixture fixture = fixture_new();
    char *text = must_strdup(mesh_text);
    strstr(text, "numMeshes 1")[10] = '2';
    fixture_add_text(&fixture, "models/lying.md5mesh", text);
    free(text);
    open_tree(&fixture);
    struct model_file file = must_open(&fixture, "models/lying.md5mesh");
    assert_int_equal(file.warnings.count, 1);
    assert_string_equal(file.warnings.items[0],
                        "models/lying.md5mesh: numMeshes is 2, the file has 1 (was it cut short?)");
    model_file_release(&file);
    fixture_release(&fixture);
}

TEST(options_reach_the_loader)
{
    struct fixture fixture = fixture_new();
    open_tree(&fixture);
    const struct model_options options = {.geometry = GEOMETRY_GL_COMMANDS};
    struct model_file file;
    struct error err;
    assert_int_equal(model_file_open(fixture.assets, "models/thing.md2", &options, &file, &err), 0);
    model_file_release(&file);
    assert_int_equal(model_file_open(fixture.assets, "models/plate.md5mesh", &options, &file, &err), -1);
    assert_message(&err, "models/plate.md5mesh: ");
    fixture_release(&fixture);
}

/* -- Animations in files of their own ---------------------------------------------------------------------- */

TEST(an_animation_is_added_under_the_name_given)
{
    struct fixture fixture = fixture_new();
    open_tree(&fixture);
    struct model_file file = must_open(&fixture, "models/plate.md5mesh");
    struct error err;
    assert_int_equal(model_file_add_animation(&file, fixture.assets, "models/walk.md5anim", "stroll", &err), 0);
    expect_clips(file.model, "stroll");
    assert_null(file.companions[COMPANION_CLIPS]);
    model_file_release(&file);
    fixture_release(&fixture);
}

TEST(an_animation_that_fails_leaves_the_model_as_it_was)
{
    struct fixture fixture = fixture_new();
    fixture_add_text(&fixture, "models/bad.md5anim", "MD5Version 10\nnumFrames 99999999\n");
    open_tree(&fixture);
    struct model_file file = must_open(&fixture, "models/plate.md5mesh");
    struct error err;
    assert_int_equal(model_file_add_animation(&file, fixture.assets, "models/bad.md5anim", "bad", &err), -1);
    assert_message(&err, "models/bad.md5anim: 2: ");
    assert_int_equal(model_file_add_animation(&file, fixture.assets, "models/none.md5anim", "none", &err), -1);
    assert_message(&err, "models/none.md5anim");
    expect_clips(file.model, "");
    model_file_release(&file);
    fixture_release(&fixture);
}

/* -- Files beside the model -------------------------------------------------------------------------------- */

static struct model_file open_with_anm(struct fixture *fixture, const char *name, const char *content)
{
    *fixture = fixture_new();
    fixture_add_text(fixture, name, content);
    open_tree(fixture);
    return must_open(fixture, "models/thing.md2");
}

TEST(files_beside_a_model_are_read)
{
    fact("an anm beside the model names its clips");
    struct fixture fixture;
    struct model_file file = open_with_anm(&fixture, "models/thing.anm", "walk 0 1 12\nlook 2 2 1\n");
    expect_clips(file.model, "walk look");
    assert_float_equal(file.model->clips[0].rate_hz, 12, 0);
    assert_string_equal(file.companions[COMPANION_CLIPS], "models/thing.anm");
    assert_int_equal(file.warnings.count, 0);
    model_file_release(&file);
    fixture_release(&fixture);
    fact("the file beside is found in another case");
    file = open_with_anm(&fixture, "Models/Thing.ANM", "walk 0 1 12\n");
    expect_clips(file.model, "walk");
    model_file_release(&file);
    fixture_release(&fixture);
    fact("a broken file beside costs its clips and is a warning");
    file = open_with_anm(&fixture, "models/thing.anm", "walk 0 1 12\nlook two 2 1\n");
    expect_clips(file.model, "run hop");
    assert_int_equal(file.warnings.count, 1);
    assert_string_equal(file.warnings.items[0], "models/thing.anm: 2: expected a whole number, found 'two'");
    model_file_release(&file);
    fixture_release(&fixture);
    fact("the file of another model is left alone");
    file = open_with_anm(&fixture, "models/thing2.anm", "walk 0 1 12\n");
    expect_clips(file.model, "run hop");
    assert_null(file.companions[COMPANION_CLIPS]);
    model_file_release(&file);
    fixture_release(&fixture);
    fact("a model without a suffix has its file beside it too");
    fixture = fixture_new();
    struct md2_words words;
    struct md2_spec spec = md2_tetrahedron(&words);
    fixture_add_md2(&fixture, "models.d/thing", &spec);
    fixture_add_text(&fixture, "models.d/thing.anm", "walk 0 1 12\n");
    open_tree(&fixture);
    file = must_open(&fixture, "models.d/thing");
    expect_clips(file.model, "walk");
    model_file_release(&file);
    fixture_release(&fixture);
}

/* -- Models that stay open --------------------------------------------------------------------------------- */

static struct model_file must_open_kept(struct model_cache *cache, const struct fixture *fixture, const char *path)
{
    struct model_file file;
    struct error err;
    if (model_cache_open(cache, fixture->assets, path, &(struct model_options){0}, &file, &err) < 0)
        fail_msg("%s", err.text);
    return file;
}

static void must_add(struct model_file *file, const struct fixture *fixture, const char *name)
{
    struct error err;
    if (model_file_add_animation(file, fixture->assets, "models/walk.md5anim", name, &err) < 0)
        fail_msg("%s", err.text);
}

static void remove_file(const struct fixture *fixture, const char *name)
{
    char *path = must_printf("%s/assets/%s", fixture->folder, name);
    assert_int_equal(unlink(path), 0);
    free(path);
}

/* The files are gone when they are asked for again, so they cannot have been read. */
TEST(a_kept_model_and_its_animations_are_read_once)
{
    struct fixture fixture = fixture_new();
    open_tree(&fixture);
    struct model_cache *cache = model_cache_new();
    struct model_file first = must_open_kept(cache, &fixture, "models/plate.md5mesh");
    must_add(&first, &fixture, "walk");
    remove_file(&fixture, "models/plate.md5mesh");
    remove_file(&fixture, "models/walk.md5anim");
    struct model_file second = must_open_kept(cache, &fixture, "models/plate.md5mesh");
    expect_clips(second.model, "");
    must_add(&second, &fixture, "go");
    must_add(&second, &fixture, "go");
    expect_clips(first.model, "walk");
    expect_clips(second.model, "go go_2");
    assert_int_equal(second.model->clips[1].animation, 1);
    assert_int_equal(second.model->clips[1].frame_count, first.model->clips[0].frame_count);
    model_file_release(&first);
    model_file_release(&second);
    model_cache_trim(cache, 0);
    model_cache_free(cache);
    fixture_release(&fixture);
}

static void add_crane(const struct fixture *fixture, const char *name)
{
    char *from = must_printf("tests/fixtures/crane/%s", name), *to = must_printf("models/%s", name);
    struct blob blob;
    struct error err;
    if (file_read(from, 1 << 20, &blob, &err) < 0)
        fail_msg("%s", err.text);
    fixture_add_bytes(fixture, to, blob_bytes(&blob));
    blob_release(&blob);
    free(from);
    free(to);
}

/* An animation that the model's format reads stays one where it is asked for again, though the model could play clips of
 * any file. */
TEST(a_kept_animation_is_read_once_also_where_the_model_has_a_rig)
{
    struct fixture fixture = fixture_new();
    struct error err;
    add_crane(&fixture, "crane.iqm");
    add_crane(&fixture, "swing.iqm");
    open_tree(&fixture);
    struct model_cache *cache = model_cache_new();
    for (int i = 0; i < 2; i++) {
        struct model_file file = must_open_kept(cache, &fixture, "models/crane.iqm");
        if (model_file_add_animation(&file, fixture.assets, "models/swing.iqm", "swing", &err) < 0)
            fail_msg("%s", err.text);
        model_file_release(&file);
        if (i == 0)
            remove_file(&fixture, "models/swing.iqm");
    }
    model_cache_free(cache);
    fixture_release(&fixture);
}

static bool has_read(const struct trace *trace, const char *path)
{
    return trace_find(trace, LOOK_READ, path);
}

/* A record does not depend on what its worker did before. */
TEST(each_job_has_what_was_asked_for_a_kept_model_but_not_for_the_animations_of_others)
{
    struct fixture fixture = fixture_new();
    open_tree(&fixture);
    struct model_cache *cache = model_cache_new();
    struct trace traces[3] = {0};
    for (int i = 0; i < 3; i++) { /* the one in the middle adds no animation */
        assets_trace(fixture.assets, &traces[i]);
        struct model_file file = must_open_kept(cache, &fixture, "models/plate.md5mesh");
        if (i != 1)
            must_add(&file, &fixture, "walk");
        model_file_release(&file);
    }
    assets_trace(fixture.assets, NULL);
    for (int i = 0; i < 3; i++) {
        assert_true(has_read(&traces[i], "models/plate.md5mesh"));
        assert_int_equal(has_read(&traces[i], "models/walk.md5anim"), i != 1);
        assert_int_equal(traces[i].count, traces[i == 1 ? 1 : 0].count);
    }
    assert_true(traces[0].count > traces[1].count);
    for (int i = 0; i < 3; i++)
        trace_release(&traces[i]);
    model_cache_free(cache);
    fixture_release(&fixture);
}

TEST(what_fails_is_not_kept)
{
    struct fixture fixture = fixture_new();
    fixture_add_text(&fixture, "models/broken.md5mesh", "MD5Version 10");
    open_tree(&fixture);
    struct model_cache *cache = model_cache_new();
    struct model_file file;
    struct error err;
    for (int i = 0; i < 2; i++)
        assert_int_equal(model_cache_open(cache, fixture.assets, "models/broken.md5mesh",
                                          &(struct model_options){0}, &file, &err),
                         -1);
    file = must_open_kept(cache, &fixture, "models/plate.md5mesh");
    assert_int_equal(model_file_add_animation(&file, fixture.assets, "models/broken.md5mesh", "x", &err), -1);
    must_add(&file, &fixture, "walk");
    expect_clips(file.model, "walk");
    model_file_release(&file);
    model_cache_free(cache);
    fixture_release(&fixture);
}
