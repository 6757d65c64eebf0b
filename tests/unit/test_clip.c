#include "model/clip.h"
#include "test.h"

#include <math.h>

/* cmocka compares floats only. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* Frames 10, 11, 12, 13 at 10 Hz. */
static const struct clip WALK = {.name = "walk", .first_frame = 10, .frame_count = 4, .rate_hz = 10};
static const struct clip CLOSED = {
    .name = "run", .first_frame = 10, .frame_count = 4, .rate_hz = 10, .closes = true};
/* A step of 0.1 s, one of 0.4 s. */
static const double TIMES[] = {0, 0.1, 0.5};
static const struct clip TIMED = {
    .name = "hit", .first_frame = 20, .frame_count = 3, .rate_hz = 4, .times_s = TIMES};
static const struct clip TIMED_CLOSED = {
    .name = "hit", .first_frame = 20, .frame_count = 3, .rate_hz = 4, .times_s = TIMES, .closes = true};
/* The second and the last last no time. */
static const double HELD_TIMES[] = {0, 0.1, 0.1, 0.5};
static const struct clip HELD = {
    .name = "burn", .first_frame = 20, .frame_count = 4, .rate_hz = 8, .times_s = HELD_TIMES, .loop_s = 0.5};
static const struct clip POSE = {.name = "pose", .first_frame = 7, .frame_count = 1, .rate_hz = 10};

static void check_moment(const struct clip *clip, double time_s, bool loop, uint32_t a, uint32_t b, double blend)
{
    struct moment moment = clip_moment(clip, time_s, loop);

    assert_int_equal(moment.frame_a, a);
    assert_near(moment.blend, blend, 1e-9);
    if (blend > 0)
        assert_int_equal(moment.frame_b, b);
}

static void check_keyframe(const struct clip *clip, double time_s, bool loop, uint32_t frame)
{
    struct moment moment = clip_moment(clip, time_s, loop);

    assert_int_equal(moment.frame_a, frame);
    assert_true(moment.blend == 0);
}

TEST(a_closed_loop_leaves_out_its_last_keyframe)
{
    static const struct clip still = {.frame_count = 1, .rate_hz = 10, .closes = true};
    static const struct clip two = {.frame_count = 2, .rate_hz = 10, .closes = true};
    assert_near(clip_duration_s(&CLOSED, true), 0.3, 1e-12);
    assert_near(clip_duration_s(&CLOSED, false), 0.3, 1e-12);
    check_moment(&CLOSED, 0.275, true, 12, 13, 0.75);
    check_keyframe(&CLOSED, 0.3, true, 10);
    check_moment(&CLOSED, -0.025, true, 12, 13, 0.75);
    check_keyframe(&CLOSED, 0.3, false, 13);
    assert_near(clip_duration_s(&two, true), 0.1, 1e-12);
    check_moment(&two, 0.15, true, 0, 1, 0.5);
    assert_near(clip_duration_s(&still, true), 0.1, 1e-12);
    check_keyframe(&still, 0.1, true, 0);
}

TEST(a_keyframe_that_lasts_no_time_is_never_shown)
{
    check_moment(&HELD, 0.05, true, 20, 22, 0.5);
    check_keyframe(&HELD, 0.1, true, 22);
    check_moment(&HELD, 0.3, true, 22, 20, 0.5);
    check_keyframe(&HELD, 0.5, true, 20);
    fact("but for the last, where it is the end");
    check_moment(&HELD, 0.3, false, 22, 23, 0.5);
    check_keyframe(&HELD, 0.5, false, 23);
}

TEST(keyframe_times_never_blend_at_any_rate)
{
    for (int rate = 1; rate <= 240; rate++) {
        struct clip clip = {.name = "", .frame_count = 1000, .rate_hz = (float)rate};

        for (uint32_t i = 0; i < clip.frame_count; i++)
            check_keyframe(&clip, i / (double)rate, true, i);
    }
}

TEST(any_finite_time_gives_frames_of_the_clip)
{
    static const double times[] = {0, -0.0, 1e-300, 0.4, 1e17, -1e17, 1.7e308, -1.7e308, 0.39999999999999997};

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        for (int loop = 0; loop < 2; loop++) {
            struct moment moment = clip_moment(&WALK, times[i], loop);

            assert_in_range(moment.frame_a, 10, 13);
            assert_in_range(moment.frame_b, 10, 13);
            assert_true(moment.blend >= 0 && moment.blend < 1);
        }
    }
}

TEST(times_become_keyframes)
{
    fact("a loop lasts one interval per keyframe");
    assert_near(clip_duration_s(&WALK, true), 0.4, 1e-12);
    assert_near(clip_duration_s(&POSE, true), 0.1, 1e-12);
    fact("without a loop the last interval is missing");
    assert_near(clip_duration_s(&WALK, false), 0.3, 1e-12);
    assert_near(clip_duration_s(&POSE, false), 0, 0);
    fact("times between keyframes blend");
    check_moment(&WALK, 0.125, true, 11, 12, 0.25);
    check_moment(&WALK, 0.125, false, 11, 12, 0.25);
    fact("the last keyframe of a loop blends into the first");
    check_moment(&WALK, 0.375, true, 13, 10, 0.75);
    fact("a loop wraps in both directions");
    check_moment(&WALK, 0.4 + 0.125, true, 11, 12, 0.25);
    check_moment(&WALK, 40 + 0.125, true, 11, 12, 0.25);
    check_moment(&WALK, -0.025, true, 13, 10, 0.75);
    check_keyframe(&WALK, 0.4, true, 10);
    check_keyframe(&WALK, -0.4, true, 10);
    check_keyframe(&WALK, -0.1, true, 13);
    fact("without a loop times past the ends hold");
    check_keyframe(&WALK, 0.3, false, 13);
    check_keyframe(&WALK, 0.35, false, 13);
    check_keyframe(&WALK, 1e300, false, 13);
    check_keyframe(&WALK, -1, false, 10);
    check_keyframe(&WALK, -1e300, false, 10);
    fact("times just beside a keyframe are that keyframe");
    check_keyframe(&WALK, 0.1 - 0.9e-7, true, 11);
    check_keyframe(&WALK, 0.1 + 0.9e-7, false, 11);
    check_keyframe(&WALK, 0.4 - 0.9e-7, true, 10);
    check_keyframe(&WALK, -0.9e-7, true, 10);
    check_moment(&WALK, 0.1 + 2e-7, true, 11, 12, 2e-6);
    fact("one keyframe is held for ever");
    check_keyframe(&POSE, 0, true, 7);
    check_keyframe(&POSE, 0.05, true, 7); /* blended with itself it would be rounded */
    check_keyframe(&POSE, 0.05, false, 7);
    check_keyframe(&POSE, -3, false, 7);
    fact("keyframes may have times of their own");
    check_keyframe(&TIMED, 0.1, false, 21);
    check_moment(&TIMED, 0.05, false, 20, 21, 0.5);
    check_moment(&TIMED, 0.2, false, 21, 22, 0.25);
    check_keyframe(&TIMED, 0.5, false, 22);
    check_keyframe(&TIMED, 7, false, 22);
    check_keyframe(&TIMED, -7, false, 20);
    assert_near(clip_duration_s(&TIMED, false), 0.5, 1e-12);
    fact("a loop of times goes back as fast as it came");
    assert_near(clip_duration_s(&TIMED, true), 0.9, 1e-12);
    assert_near(clip_duration_s(&TIMED_CLOSED, true), 0.5, 1e-12);
    check_moment(&TIMED, 0.6, true, 22, 20, 0.25);
    check_moment(&TIMED, 0.95, true, 20, 21, 0.5);
    check_moment(&TIMED, -0.3, true, 22, 20, 0.25);
    check_moment(&TIMED_CLOSED, 0.7, true, 21, 22, 0.25);
    check_keyframe(&TIMED_CLOSED, 0.5, true, 20);
    check_keyframe(&TIMED, INFINITY, true, 20);
}

static bool plays_once(const char *name, enum clip_ending ending)
{
    return clip_plays_once(&(struct clip){.name = name, .ending = ending});
}

TEST(the_name_says_whether_a_clip_plays_once_where_the_file_does_not)
{
    static const char *const dying[] = {"death",       "DEATH",   "Death01",   "Armature|Die", "DeathA",
                                        "enemy_die",   "dying",   "deathPose", "Dead_2",       "NPCDeath",
                                        "BOTH_DEATH1", "crdeath", "it dies",   "HitDie",       "run_death"};
    static const char *const others[] = {"audience", "soldier", "diet", "indie", "deadly", "Deathmatch", "undead",
                                         "Diet01",   "frames",  "hit",  "",      "d",      "death_loop", "1"};
    for (size_t i = 0; i < sizeof dying / sizeof *dying; i++)
        assert_true(plays_once(dying[i], ENDING_UNTOLD));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(plays_once(others[i], ENDING_UNTOLD));
    fact("of clips that end in another pose, gaits are loops");
    static const char *const gaits[] = {"Gallop", "TRex_Run", "run2", "Walking_Backwards", "AnimalArmature|Idle"};
    static const char *const moves[] = {"Jump_toIdle", "WalkStart",   "Run_To_Walk", "runt",
                                        "Walker",      "Gallop_Jump", "Sit"};
    for (size_t i = 0; i < sizeof gaits / sizeof *gaits; i++)
        assert_false(plays_once(gaits[i], ENDING_APART));
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        assert_true(plays_once(moves[i], ENDING_APART));
    fact("the word of the file goes before");
    assert_false(plays_once("death", ENDING_LOOP));
    assert_true(plays_once("run", ENDING_ONCE));
}

static const char *cleaned(const char *text)
{
    static struct arena arena;
    return clip_name_clean(&arena, text, strlen(text));
}

TEST(names_are_cleaned_of_what_files_and_terminals_cannot_hold)
{
    static const char *const cases[][2] = {
        {"Armature|Walk", "Armature_Walk"},
        {"歩く", "歩く"},
        {"Größe \"2\"", "Größe 2"},
        {"«hop»", "«hop»"},
        {"a@b/c\\d:e*f?g[h<i>j", "a_b_c_d_e_f_g_h_i_j"},
        {"..走る. ", "走る"},
        {"a\xC2\x85"
         "b\u2028c\u2029d\u202Ee\x07"
         "f",
         "a_b_c_d_e_f"},
        {"\u202E歩\u2028", "歩"},
        {"a\xFF\xE6\xAD", "a"}, /* broken, and cut off */
        {"\xE6\xADz", "z"},
        {"\u2028@/", "frame"},
        {"", "frame"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(cleaned(cases[i][0]), cases[i][1]);
}
