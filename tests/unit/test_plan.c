#include "job_fixture.h"
#include "page/names.h"
#include "test.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

/* A list of one job with these keys. */
struct one {
    struct fixture fixture;
    struct plan *plan;
};

static void load_one(struct fixture *fixture, const char *model, const char *keys)
{
    char *text = must_printf("jobs:\n  - name: it\n    model: models/%s\n    cameras: [front]\n%s", model, keys);
    fixture_load(fixture, text);
    fixture_open_assets(fixture);
    free(text);
}

static struct one open_one(const char *model, const char *keys)
{
    struct one one = {.fixture = fixture_new()};
    load_one(&one.fixture, model, keys);
    one.plan = fixture_plan(&one.fixture, 0);
    return one;
}

static void close_one(struct one *one)
{
    plan_free(one->plan);
    fixture_release(&one->fixture);
}

static void expect_failure_of(struct fixture *fixture, const char *const *parts)
{
    struct plan *untouched = (struct plan *)fixture, *plan = untouched;
    struct error err = {""};
    assert_int_equal(plan_open(NULL, fixture->assets, &fixture->list->jobs[0], &plan, &err), -1);
    assert_ptr_equal(plan, untouched);
    for (; *parts; parts++)
        assert_message(&err, *parts);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_failure(const char *model, const char *keys, const char *const *parts)
{
    struct fixture fixture = fixture_new();
    load_one(&fixture, model, keys);
    expect_failure_of(&fixture, parts);
    fixture_release(&fixture);
}

/* Names and sample counts of the takes, such as "run 2, hop 1". */
static void expect_takes(const struct plan *plan, const char *wanted)
{
    char text[512] = "";
    for (size_t i = 0; i < plan->take_count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s %zu", i ? ", " : "", plan->takes[i].name,
                 plan->takes[i].sample_count);
    }
    assert_string_equal(text, wanted);
}

static void check_takes(const char *model, const char *keys, const char *wanted)
{
    struct one one = open_one(model, keys);
    expect_takes(one.plan, wanted);
    close_one(&one);
}

static void expect_times(const struct take *take, const double *times_s, size_t count)
{
    assert_int_equal(take->sample_count, count);
    for (size_t i = 0; i < count; i++)
        assert_float_equal(take->times_s[i], times_s[i], 1e-9);
}

#define EXPECT_TIMES(take, ...)                                                                                   \
    expect_times(take, (const double[]){__VA_ARGS__}, sizeof(double[]){__VA_ARGS__} / sizeof(double))

static void expect_warning(const struct plan *plan, const char *part)
{
    for (size_t i = 0; i < plan->warnings.count; i++)
        if (strstr(plan->warnings.items[i], part))
            return;
    fail_msg("no warning says '%s'; the first of %zu is '%s'", part, plan->warnings.count,
             plan->warnings.count ? plan->warnings.items[0] : "");
}

/* -- Takes ------------------------------------------------------------------------------------------------- */

TEST(clips_whose_names_differ_by_case_get_names_of_their_own)
{
    struct fixture fixture = fixture_new();
    struct md2_spec spec = md2_named_frames((const char *const[]){"Run1", "run1", "rUN1"}, 3);
    fixture_add_md2(&fixture, "models/names.md2", &spec);
    load_one(&fixture, "names.md2", "");
    struct plan *plan = fixture_plan(&fixture, 0);
    expect_takes(plan, "Run 1, run_2 1, rUN_3 1");
    plan_free(plan);
    fixture_release(&fixture);
}

TEST(a_long_list_of_clips_is_cut)
{
    struct fixture fixture = fixture_new();
    static const char *const names[] = {"a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "i1", "j1", "k1",
                                        "l1", "m1", "n1", "o1", "p1", "q1", "r1", "s1", "t1", "u1", "v1"};
    struct md2_spec spec = md2_named_frames(names, 22);
    fixture_add_md2(&fixture, "models/many.md2", &spec);
    load_one(&fixture, "many.md2", "    animations: [zzzz]\n");
    expect_failure_of(&fixture, PARTS("it has a, b, ", "g, h and 14 more)"));
    fixture_release(&fixture);
}

TEST(an_explicit_range_is_a_clip_of_its_own)
{
    struct one one =
        open_one("thing.md2", "    animations: [{name: turn, frames: 1-2, sampling: {frames: all}}]\n");
    expect_takes(one.plan, "turn 2");
    const struct clip *clip = one.plan->takes[0].clip;
    assert_int_equal(clip->first_frame, 1);
    assert_int_equal(clip->frame_count, 2);
    EXPECT_TIMES(&one.plan->takes[0], 0, 0.1);
    close_one(&one);
}

TEST(takes_have_their_own_times)
{
    fact("a rate changes the times and no other entry");
    struct one one = open_one("thing.md2", "    sampling: {frames: all}\n"
                                           "    animations: [{name: run, rate: 4}, {name: slow, frames: 0-1}]\n");
    EXPECT_TIMES(&one.plan->takes[0], 0, 0.25);
    EXPECT_TIMES(&one.plan->takes[1], 0, 0.1);
    assert_float_equal(one.plan->parts[0].model->clips[0].rate_hz, 10, 0);
    close_one(&one);
    fact("an animation file is a take of the name given");
    one = open_one("plate.md5mesh", "    sampling: {frames: all}\n"
                                    "    animations:\n"
                                    "      - {file: models/walk.md5anim}\n"
                                    "      - {name: stroll, file: models/walk.md5anim, rate: 8}\n");
    expect_takes(one.plan, "walk 3, stroll 3");
    assert_int_equal(one.plan->takes[0].animation, 0);
    assert_int_equal(one.plan->takes[1].animation, 1);
    EXPECT_TIMES(&one.plan->takes[0], 0, 1 / 24.0, 2 / 24.0);
    EXPECT_TIMES(&one.plan->takes[1], 0, 1 / 8.0, 2 / 8.0);
    close_one(&one);
    fact("an entry has its own sampling and loop");
    one = open_one("thing.md2", "    animations:\n"
                                "      - {name: run, sampling: {count: 3}, loop: false}\n"
                                "      - {name: all, frames: 0-2, sampling: {times: [0.2, 0]}}\n");
    EXPECT_TIMES(&one.plan->takes[0], 0, 0.05, 0.1);
    EXPECT_TIMES(&one.plan->takes[1], 0.2, 0);
    assert_false(one.plan->takes[0].loop);
    assert_true(one.plan->takes[1].loop);
    close_one(&one);
    fact("a model without clips is shown as it stands");
    one = open_one("plate.md5mesh", "");
    expect_takes(one.plan, "bind 1");
    struct pose pose = take_pose(&one.plan->takes[0], 0, INTERPOLATION_LOCAL);
    assert_int_equal(pose.animation, -1);
    assert_null(one.plan->takes[0].clip);
    close_one(&one);
}

TEST(the_pose_of_a_sample_lies_between_its_keyframes)
{
    struct one one =
        open_one("thing.md2", "    animations: [{name: tail, frames: 1-2, sampling: {times: [0.125]}}]\n");
    struct pose pose = take_pose(&one.plan->takes[0], 0, INTERPOLATION_OBJECT);
    assert_int_equal(pose.animation, 0);
    assert_int_equal(pose.moment.frame_a, 2);
    assert_int_equal(pose.moment.frame_b, 1); /* it loops */
    assert_float_equal(pose.moment.blend, 0.25, 1e-9);
    assert_int_equal(pose.interpolation, INTERPOLATION_OBJECT);
    close_one(&one);
}

TEST(entries_take_clips)
{
    fact("without animations every clip is a take");
    check_takes("thing.md2", "", "run 2, hop 1");
    fact("a name takes its clip ignoring case");
    check_takes("thing.md2", "    animations: [HOP, Run]\n", "hop 1, run 2");
    fact("a pattern takes what matches in the order of the model");
    check_takes("thing.md2", "    animations: ['*']\n", "run 2, hop 1");
    fact("a pattern takes what entries before it left");
    check_takes("thing.md2", "    animations: [hop, '*', 'r*']\n", "hop 1, run 2");
    fact("a clip taken by a pattern cannot be taken by name");
    expect_failure("thing.md2", "    animations: ['*', hop]\n",
                   PARTS("list.yaml:8:23: animation 'hop' was taken by an entry before this one"));
    fact("a name like none lists the clips");
    expect_failure("thing.md2", "    animations: [somersault]\n",
                   PARTS("no animation 'somersault' (it has run, hop)"));
    expect_failure("thing.md2", "    animations: ['x*']\n", PARTS("no animation 'x*' (it has run, hop)"));
    expect_failure(
        "plate.md5mesh", "    animations: [walk]\n",
        PARTS("models/plate.md5mesh: no animation 'walk', did you mean 'walk.md5anim'? (it has walk.md5anim)",
              "name a file as `{file: NAME.md5anim}`"));
    fact("a range may have the name of a clip not taken");
    check_takes("thing.md2", "    animations: [{name: run, frames: 0-2}, hop]\n", "run 3, hop 1");
    fact("a pattern leaves out what an entry made anew");
    check_takes("thing.md2", "    animations: [{name: RUN, frames: 0-2}, '*']\n", "RUN 3, hop 1");
    fact("a range past the last keyframe fails");
    expect_failure("thing.md2", "    animations: [{name: turn, frames: 1-3}]\n",
                   PARTS("list.yaml:8:18: frames 1-3 of models/thing.md2: its keyframes are 0-2"));
    fact("a model without keyframes has no ranges");
    expect_failure("plate.md5mesh", "    animations: [{name: turn, frames: 0}]\n",
                   PARTS("models/plate.md5mesh has no keyframes of its own"));
    expect_failure("plate.md5mesh",
                   "    animations: [{file: walk.md5anim}, {name: turn, frames: 0}]\n", /* those are walk's */
                   PARTS("models/plate.md5mesh has no keyframes of its own"));
    fact("a pattern leaves the clips of files before it alone");
    check_takes("plate.md5mesh", "    sampling: {frames: all}\n    animations: [{file: walk.md5anim}, '*']\n",
                "walk 3");
    fact("a model with keyframes takes no file");
    expect_failure("thing.md2", "    animations: [{file: models/walk.md5anim}]\n",
                   PARTS("models/thing.md2 holds its animations itself, so `file` cannot add one"));
    fact("a time outside the clip fails with the animation");
    expect_failure("thing.md2", "    animations: [{name: run, sampling: {times: [7]}}]\n",
                   PARTS("list.yaml:8:18: animation 'run': time 7 s lies outside"));
    expect_failure("thing.md2", "    sampling: {times: [0.15]}\n", /* right for run, not for hop */
                   PARTS("models/thing.md2: animation 'hop': time 0.15 s lies outside"));
    fact("no animations asks for the bind pose of any model");
    check_takes("thing.md2", "    animations: []\n", "bind 1");
    fact("too many cells fail before memory is out");
    check_takes("thing.md2",
                "    sampling: {count: 65536}\n"
                "    animations: [{name: a, frames: 0-1}, {name: b, frames: 0-1}, run, {name: c, frames: 0-1}]\n",
                "a 65536, b 65536, run 65536, c 65536");
    expect_failure("thing.md2",
                   "    sampling: {count: 65536}\n"
                   "    animations: [{name: a, frames: 0-1}, {name: b, frames: 0-1}, run, hop,\n"
                   "                 {name: c, frames: 0-1, sampling: {count: 1}}]\n",
                   PARTS("list.yaml:10:18: animation 'c': 262145 samples times 1 cameras are 262145 cells, "
                         "at most 262144 are allowed"));
}

/* -- Materials --------------------------------------------------------------------------------------------- */

static struct one open_with_pictures(const char *model, const char *keys)
{
    struct one one = {.fixture = fixture_new()};
    fixture_add_text(&one.fixture, "models/thing/skin.png", "");
    fixture_add_text(&one.fixture, "models/plate_skin.tga", "");
    fixture_add_text(&one.fixture, "red.png", "");
    char *still = must_printf("%s    animations: []\n", keys);
    load_one(&one.fixture, model, still);
    free(still);
    one.plan = fixture_plan(&one.fixture, 0);
    return one;
}

static void check_diffuse(const char *model, const char *keys, const char *wanted)
{
    struct one one = open_with_pictures(model, keys);
    assert_int_equal(one.plan->parts[0].model->surface_count, 1);
    assert_string_equal(one.plan->parts[0].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program, wanted);
    assert_int_equal(one.plan->warnings.count, 0);
    close_one(&one);
}

/* plate.md5mesh with materials of this text. */
static struct one open_with_materials(const char *text, const char *keys)
{
    struct one one = {.fixture = fixture_new()};
    fixture_add_text(&one.fixture, "materials/a.mtr", text);
    fixture_add_text(&one.fixture, "models/plate_skin.tga", "");
    fixture_add_text(&one.fixture, "red.png", "");
    char *still = must_printf("%s    animations: []\n", keys);
    load_one(&one.fixture, "plate.md5mesh", still);
    free(still);
    one.plan = fixture_plan(&one.fixture, 0);
    return one;
}

TEST(materials_of_a_plan)
{
    fact("a skin is replaced by its name ignoring case");
    check_diffuse("thing.md2", "    skin: {MODELS/thing/skin.pcx: red.png}\n", "red.png");
    check_diffuse("thing.md2", "    skin: {models/thing/other.pcx: red.png}\n", "red.png");
    check_diffuse("plate.md5mesh", "    skin: {Models/Plate_Skin: red.png}\n", "red.png");
    fact("a skin for a name the model lacks is a warning");
    struct one one = open_with_pictures("thing.md2", "    skin: {models/thing/skim.pcx: red.png}\n");
    assert_string_equal(one.plan->parts[0].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program,
                        "models/thing/skin.png");
    expect_warning(one.plan,
                   "models/thing.md2 has no skin or shader 'models/thing/skim.pcx', "
                   "did you mean 'models/thing/skin.pcx'? (it has models/thing/skin.pcx, models/thing/other.pcx)");
    expect_warning(one.plan, "list.yaml:8:");
    close_one(&one);
    fact("a declared material goes before a picture of its name");
    one = open_with_materials("models/plate_skin { twosided diffusemap red }", "");
    assert_string_equal(one.plan->parts[0].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program, "red.png");
    assert_true(one.plan->parts[0].outfits[0].looks[0].two_sided);
    assert_int_equal(one.plan->warnings.count, 0);
    close_one(&one);
    fact("an invisible material has nothing to look for");
    one = open_with_materials("models/plate_skin { noshadows }", "");
    assert_true(one.plan->parts[0].outfits[0].looks[0].layers_only);
    assert_int_equal(one.plan->warnings.count, 1);
    expect_warning(one.plan, "nothing of it can be seen");
    close_one(&one);
    fact("a broken file of materials is one warning and the rest is used");
    one = open_with_materials("other {\n x\nmodels/plate_skin {\n diffusemap red\n", "");
    assert_string_equal(one.plan->parts[0].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program, "red.png");
    assert_int_equal(one.plan->warnings.count, 1);
    expect_warning(one.plan, "materials/a.mtr:1: a block opens that is never closed");
    close_one(&one);
}

/* -- Sheets ------------------------------------------------------------------------------------------------ */

#define TWO_CAMERAS "    cameras: [front, left]\n    sampling: {frames: all}\n    cell: 16\n"

/* The cells of a sheet as take, camera and sample digits: "000 001 010". */
static void expect_cells(const struct sheet_plan *sheet, const char *wanted)
{
    char text[512] = "";
    for (size_t i = 0; i < sheet->layout.cell_count; i++)
        snprintf(text + 4 * i, 5, "%u%u%u ", sheet->cells[i].take, sheet->cells[i].camera, sheet->cells[i].sample);
    text[4 * sheet->layout.cell_count - 1] = '\0';
    assert_string_equal(text, wanted);
}

static struct one open_sheets(const char *keys)
{
    struct one one = {.fixture = fixture_new()};
    char *text = must_printf("jobs:\n  - name: a/it\n    model: models/thing.md2\n" TWO_CAMERAS "%s", keys);
    fixture_load(&one.fixture, text);
    fixture_open_assets(&one.fixture);
    free(text);
    one.plan = fixture_plan(&one.fixture, 0);
    return one;
}

static void expect_page(const struct plan *plan, uint32_t page, size_t sheet, const char *name)
{
    uint32_t page_of_sheet;
    const struct sheet_plan *found = plan_sheet_of_page(plan, page, &page_of_sheet);
    assert_ptr_equal(found, &plan->sheets[sheet]);
    char *got = names_page(found->base, page_of_sheet, ".png");
    assert_string_equal(got, name);
    free(got);
}

TEST(sheets_of_a_plan)
{
    fact("cells go by take then camera then sample");
    struct one one = open_sheets("");
    assert_int_equal(one.plan->sheet_count, 1);
    assert_string_equal(one.plan->sheets[0].base, "a/it");
    expect_cells(&one.plan->sheets[0], "000 001 010 011 100 110");
    close_one(&one);
    fact("a split by animation makes a sheet of each take");
    one = open_sheets("    split: animation\n");
    assert_int_equal(one.plan->sheet_count, 2);
    assert_string_equal(one.plan->sheets[0].base, "a/it@run");
    assert_string_equal(one.plan->sheets[1].base, "a/it@hop");
    expect_cells(&one.plan->sheets[0], "000 001 010 011");
    expect_cells(&one.plan->sheets[1], "100 110");
    close_one(&one);
    fact("a split by camera makes a sheet of each camera");
    one = open_sheets("    split: camera\n");
    assert_int_equal(one.plan->sheet_count, 2);
    assert_string_equal(one.plan->sheets[0].base, "a/it@front");
    assert_string_equal(one.plan->sheets[1].base, "a/it@left");
    expect_cells(&one.plan->sheets[0], "000 001 100");
    expect_cells(&one.plan->sheets[1], "010 011 110");
    close_one(&one);
    fact("equal strips get a row each");
    one = open_sheets("    split: animation\n");
    assert_int_equal(one.plan->sheets[0].layout.pages[0].width, 32);
    assert_int_equal(one.plan->sheets[0].layout.pages[0].height, 32);
    assert_int_equal(one.plan->sheets[0].layout.cells[2].rect.y, 16);
    close_one(&one);
    fact("pages are numbered through all sheets of the job");
    one = open_sheets("    split: animation\n    sheet: {max_size: 16}\n");
    assert_int_equal(one.plan->page_count, 6);
    expect_page(one.plan, 0, 0, "a/it@run.png");
    expect_page(one.plan, 1, 0, "a/it@run@1.png");
    expect_page(one.plan, 3, 0, "a/it@run@3.png");
    expect_page(one.plan, 4, 1, "a/it@hop.png");
    expect_page(one.plan, 5, 1, "a/it@hop@1.png");
    close_one(&one);
    fact("skins count in the limit on cells");
    expect_failure(
        "thing.md2",
        "    skins: all\n    sampling: {count: 65536}\n"
        "    animations: [{name: a, frames: 0-1}, {name: b, frames: 0-1}, run]\n",
        PARTS("196608 samples times 1 cameras and 2 skins are 393216 cells, at most 262144 are allowed"));
}
