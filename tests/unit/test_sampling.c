#include "model/sampling.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* cmocka compares floats only. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* 10 keyframes at 10 Hz: 1 s as a loop, 0.9 s otherwise. */
static const struct clip WALK = {.name = "walk", .first_frame = 40, .frame_count = 10, .rate_hz = 10};
static const struct clip POSE = {.name = "pose", .frame_count = 1, .rate_hz = 10};

#define LIST(...) ((const double[]){__VA_ARGS__}), sizeof((const double[]){__VA_ARGS__}) / sizeof(double)

static void check_times(struct sampling sampling, const struct clip *clip, bool loop, const double *expected,
                        size_t expected_count)
{
    double *times = NULL;
    size_t count = 0;
    struct error err;

    if (sampling_times(&sampling, clip, loop, &times, &count, &err))
        fail_msg("%s", err.text);
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++) {
        assert_near(times[i], expected[i], 1e-9);
        assert_true(times[i] <= clip_duration_s(clip, loop));
    }
    free(times);
}

static void check_error(struct sampling sampling, const struct clip *clip, bool loop, const char *text)
{
    double *times = NULL;
    size_t count = 77;
    struct error err = {0};

    assert_int_equal(sampling_times(&sampling, clip, loop, &times, &count, &err), -1);
    assert_string_equal(err.text, text);
    assert_null(times);
    assert_int_equal(count, 77);
}

static struct sampling by_count(uint32_t count)
{
    return (struct sampling){.kind = SAMPLING_COUNT, .count = count};
}

static struct sampling by_fps(double fps)
{
    return (struct sampling){.kind = SAMPLING_FPS, .fps = fps};
}

static struct sampling by_times(const double *times_s, size_t count)
{
    return (struct sampling){.kind = SAMPLING_TIMES, .times_s = times_s, .time_count = count};
}

static struct sampling by_frames(const struct frame_run *runs, size_t count)
{
    return (struct sampling){.kind = SAMPLING_FRAMES, .runs = runs, .run_count = count};
}

static struct sampling within(struct sampling sampling, double begin_s, double end_s)
{
    sampling.has_range = true;
    sampling.range_s[0] = begin_s;
    sampling.range_s[1] = end_s;
    return sampling;
}

TEST(count_ends_exactly_at_the_end)
{
    for (uint32_t n = 2; n < 2000; n++) {
        struct sampling sampling = by_count(n);
        double *times;
        size_t count;
        struct error err;

        assert_int_equal(sampling_times(&sampling, &WALK, false, &times, &count, &err), 0);
        assert_true(times[n - 1] == clip_duration_s(&WALK, false));
        free(times);
    }
}

/* i / fps may miss the end of the clip by a rounding error in either direction. */
TEST(native_fps_gives_every_keyframe_at_any_rate)
{
    for (int rate = 1; rate <= 120; rate++) {
        for (uint32_t frames = 1; frames < 100; frames++) {
            struct clip clip = {.name = "", .frame_count = frames, .rate_hz = (float)rate};
            struct sampling sampling = by_fps(rate);

            for (int loop = 0; loop < 2; loop++) {
                double *times;
                size_t count;
                struct error err;

                assert_int_equal(sampling_times(&sampling, &clip, loop, &times, &count, &err), 0);
                assert_int_equal(count, frames);
                free(times);
            }
        }
    }
}

TEST(frames_may_be_listed_in_runs)
{
    static const struct frame_run runs[] = {{9, 9}, {0, 2}, {5, 5}};

    check_times(by_frames(runs, 3), &WALK, false, LIST(0.9, 0, 0.1, 0.2, 0.5));
}

TEST(frames_past_the_last_keyframe_fail)
{
    static const struct frame_run past[] = {{8, 10}}, huge[] = {{0, UINT32_MAX}}, backwards[] = {{3, 2}};
    struct sampling sampling = by_frames(past, 1);

    check_error(sampling, &WALK, true, "frame 10 is past the last frame, 9, of clip 'walk'");
    sampling.runs = huge;
    check_error(sampling, &WALK, true, "frame 4294967295 is past the last frame, 9, of clip 'walk'");
    sampling.runs = backwards;
    check_error(sampling, &WALK, true, "frames 3-2 run backwards");
}

TEST(listed_samples_must_lie_in_the_range)
{
    static const struct frame_run runs[] = {{2, 6}}, early[] = {{1, 6}};
    struct sampling times = within(by_times(LIST(0.2, 0.7)), 0.2, 0.6),
                    frames = within(by_frames(runs, 1), 0.2, 0.6);

    check_error(times, &WALK, true, "time 0.7 s lies outside 0.2 to 0.6 s of clip 'walk'");
    check_times(frames, &WALK, true, LIST(0.2, 0.3, 0.4, 0.5, 0.6));
    frames.runs = early;
    check_error(frames, &WALK, true, "frame 1 (0.1 s) lies outside 0.2 to 0.6 s of clip 'walk'");
}

TEST(samples_lie_in_their_clip)
{
    fact("count leaves out the end of a loop");
    check_times(by_count(4), &WALK, true, LIST(0, 0.25, 0.5, 0.75));
    check_times(by_count(1), &WALK, true, LIST(0));
    fact("count includes both ends otherwise");
    check_times(by_count(4), &WALK, false, LIST(0, 0.3, 0.6, 0.9));
    check_times(by_count(1), &WALK, false, LIST(0));
    fact("fps shows a single keyframe once, however long it lasts");
    static const struct clip still = {.name = "still", .frame_count = 1, .rate_hz = 1};
    check_times(by_fps(10), &still, true, LIST(0));
    check_times(by_fps(10), &still, false, LIST(0));

    fact("count on a single keyframe repeats it");
    check_times(by_count(2), &POSE, false, LIST(0, 0));
    check_times(by_count(2), &POSE, true, LIST(0, 0.05));
    fact("fps stops before the end of a loop");
    check_times(by_fps(4), &WALK, true, LIST(0, 0.25, 0.5, 0.75));
    check_times(by_fps(3), &WALK, true, LIST(0, 1.0 / 3, 2.0 / 3));
    check_times(by_fps(0.5), &WALK, true, LIST(0));
    fact("fps may reach the end otherwise");
    check_times(by_fps(10.0 / 3), &WALK, false, LIST(0, 0.3, 0.6, 0.9));
    check_times(by_fps(2), &WALK, false, LIST(0, 0.5));
    check_times(by_fps(0.5), &WALK, false, LIST(0));
    check_times(by_fps(2), &POSE, false, LIST(0));
    fact("times are kept as given");
    check_times(by_times(LIST(0, 0.25, 0.9)), &WALK, false, LIST(0, 0.25, 0.9));
    check_times(by_times(LIST(0, 0.5, 0.25, 0.25)), &WALK, true, LIST(0, 0.5, 0.25, 0.25));
    fact("times outside the clip fail");
    check_error(by_times(LIST(0, 0.95)), &WALK, false, "time 0.95 s lies outside 0 to 0.9 s of clip 'walk'");
    check_times(by_times(LIST(0, 0.95)), &WALK, true, LIST(0, 0.95));
    check_error(by_times(LIST(-0.1)), &WALK, true, "time -0.1 s lies outside 0 to 1 s of clip 'walk'");
    check_error(by_times(LIST(NAN)), &WALK, true, "time nan s lies outside 0 to 1 s of clip 'walk'");
    fact("a time a rounding error past the end is the end");
    check_times(by_times(LIST(0.90000000001)), &WALK, false, LIST(0.9));
    fact("frames without a list are all keyframes");
    check_times(by_frames(NULL, 0), &WALK, true, LIST(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9));
    check_times(by_frames(NULL, 0), &WALK, false, LIST(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9));
    check_times(by_frames(NULL, 0), &POSE, false, LIST(0));
    fact("a range narrows the clip first");
    check_times(within(by_count(4), 0.2, 0.6), &WALK, true, LIST(0.2, 0.3, 0.4, 0.5));
    check_times(within(by_count(4), 0.2, 0.6), &WALK, false, LIST(0.2, 0.2 + 0.4 / 3, 0.2 + 0.8 / 3, 0.6));
    check_times(within(by_fps(5), 0.2, 0.6), &WALK, true, LIST(0.2, 0.4));
    check_times(within(by_fps(5), 0.2, 0.6), &WALK, false, LIST(0.2, 0.4, 0.6));
    check_times(within(by_frames(NULL, 0), 0.2, 0.6), &WALK, true, LIST(0.2, 0.3, 0.4, 0.5));
    check_times(within(by_frames(NULL, 0), 0.2, 0.6), &WALK, false, LIST(0.2, 0.3, 0.4, 0.5, 0.6));
    fact("a range must lie in the clip");
    check_error(within(by_count(2), 0, 0.95), &WALK, false,
                "range 0 to 0.95 s is not within clip 'walk' (0 to 0.9 s)");
    check_times(within(by_count(2), 0, 0.95), &WALK, true, LIST(0, 0.475));
    check_error(within(by_count(2), 0.5, 0.4), &WALK, true,
                "range 0.5 to 0.4 s is not within clip 'walk' (0 to 1 s)");
    check_error(within(by_count(2), -0.1, 0.4), &WALK, true,
                "range -0.1 to 0.4 s is not within clip 'walk' (0 to 1 s)");
    check_error(within(by_count(2), NAN, 0.4), &WALK, true,
                "range nan to 0.4 s is not within clip 'walk' (0 to 1 s)");
    fact("a range without length is one moment");
    check_times(within(by_count(2), 0.5, 0.5), &WALK, true, LIST(0.5, 0.5));
    check_times(within(by_fps(30), 0.5, 0.5), &WALK, true, LIST(0.5));
    check_times(within(by_frames(NULL, 0), 0.5, 0.5), &WALK, true, LIST(0.5));
    check_error(within(by_frames(NULL, 0), 0.55, 0.55), &WALK, true,
                "no samples of clip 'walk' in 0.55 to 0.55 s");
    fact("no samples at all fail");
    check_error((struct sampling){0}, &WALK, true, "no sampling given for clip 'walk'");
    check_error(by_count(0), &WALK, true, "no samples of clip 'walk' in 0 to 1 s");
    check_error(by_times(NULL, 0), &WALK, true, "no samples of clip 'walk' in 0 to 1 s");
    check_error(by_fps(0), &WALK, true, "0 samples per second (must be above 0 and finite)");
    check_error(by_fps(-1), &WALK, true, "-1 samples per second (must be above 0 and finite)");
}

TEST(too_many_samples_fail)
{
    static const struct frame_run run = {0, 9};
    struct frame_run *runs = calloc(SAMPLING_MAX, sizeof *runs);
    struct sampling count = by_count(SAMPLING_MAX + 1), fps = by_fps(1e9), infinite = by_fps(INFINITY);
    struct sampling frames = by_frames(runs, SAMPLING_MAX);

    for (int i = 0; i < SAMPLING_MAX; i++)
        runs[i] = run;
    check_error(count, &WALK, true, "65537 samples of one clip (at most 65536)");
    check_error(fps, &WALK, true, "1000000000 samples of one clip (at most 65536)");
    check_error(infinite, &WALK, true, "inf samples per second (must be above 0 and finite)");
    check_error(frames, &WALK, true, "655360 samples of one clip (at most 65536)");
    free(runs);
}

/* -- How long samples are shown ---------------------------------------------------------------------------- */

static void check_shown(struct sampling sampling, const struct clip *clip, bool loop, const double *expected,
                        size_t expected_count)
{
    double *times;
    size_t count;
    struct error err;

    assert_int_equal(sampling_times(&sampling, clip, loop, &times, &count, &err), 0);
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++)
        assert_near(sampling_shown_s(&sampling, clip, loop, times, count, i), expected[i], 1e-9);
    free(times);
}

static double shown_in_all(struct sampling sampling, const struct clip *clip)
{
    double *times, sum = 0;
    size_t count;
    struct error err;
    assert_int_equal(sampling_times(&sampling, clip, true, &times, &count, &err), 0);
    for (size_t i = 0; i < count; i++)
        sum += sampling_shown_s(&sampling, clip, true, times, count, i);
    free(times);
    return sum;
}

TEST(times_to_and_fro_are_shown_as_long_as_their_steps)
{
    static const struct clip walk = {.name = "walk", .frame_count = 33, .rate_hz = 30};
    check_shown(by_times(LIST(0, 0.1, 0.2, 0.1)), &walk, true, LIST(0.1, 0.1, 0.1, 0.1));
    check_shown(by_times(LIST(0, 0.1, 0.2, 0.2)), &walk, true, LIST(0.1, 0.1, 1 / 30.0, 0.9)); /* held */
}

TEST(a_closed_loop_is_shown_for_one_interval_less)
{
    static const struct clip closed = {.name = "run", .frame_count = 10, .rate_hz = 10, .closes = true};
    static const struct clip two = {.name = "two", .frame_count = 2, .rate_hz = 10, .closes = true};
    static const struct clip one = {.name = "one", .frame_count = 1, .rate_hz = 10, .closes = true};
    struct sampling all = by_frames(NULL, 0), four = by_count(4), fps = by_fps(4), listed = by_times(LIST(0, 0.4));
    struct sampling narrow = within(by_frames(NULL, 0), 0.6, 0.9), late = within(by_count(2), 0.6, 1);
    const struct sampling *whole[] = {&all, &four, &fps, &listed};
    check_times(all, &closed, true, LIST(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8));
    check_times(all, &closed, false, LIST(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9));
    check_times(four, &closed, true, LIST(0, 0.225, 0.45, 0.675));
    check_times(fps, &closed, true, LIST(0, 0.25, 0.5, 0.75));
    check_times(narrow, &closed, true, LIST(0.6, 0.7, 0.8));
    check_error(late, &closed, true, "range 0.6 to 1 s is not within clip 'run' (0 to 0.9 s)");
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        assert_near(shown_in_all(*whole[i], &closed), 0.9, 1e-9);
    check_times(all, &two, true, LIST(0));
    check_times(all, &one, true, LIST(0));
    assert_near(shown_in_all(all, &two), 0.1, 1e-9);
    assert_near(shown_in_all(all, &one), 0.1, 1e-9);
}

TEST(samples_are_shown_until_the_next)
{
    fact("samples are shown until the next");
    check_shown(by_times(LIST(0, 0.2, 0.3, 0.7)), &WALK, true, LIST(0.2, 0.1, 0.4, 0.3));
    check_shown(by_times(LIST(0, 0.2, 0.3, 0.7)), &WALK, false, LIST(0.2, 0.1, 0.4, 0.4));
    fact("the last sample of a narrowed loop is shown until its end");
    check_shown(within(by_count(2), 0.2, 0.6), &WALK, true, LIST(0.2, 0.2));
    check_shown(within(by_count(2), 0.2, 0.6), &WALK, false, LIST(0.4, 0.4));
    fact("a single sample is shown for the whole clip");
    check_shown(by_count(1), &WALK, true, LIST(1));
    check_shown(by_count(1), &WALK, false, LIST(0.9));
    check_shown(by_times(LIST(0.7)), &WALK, true, LIST(1));
    fact("nothing is shown for no time");
    check_shown(by_times(LIST(0.2, 0.2)), &WALK, false, LIST(0.1, 0.1));
    check_shown(by_times(LIST(0, 1)), &WALK, true, LIST(1, 0.1));
    check_shown(by_count(1), &POSE, false, LIST(0.1));
    fact("samples that go back are shown for the distance");
    check_shown(by_times(LIST(0, 0.5, 0.2)), &WALK, false, LIST(0.5, 0.3, 0.3));
}

TEST(keyframes_are_sampled_at_their_own_times)
{
    static const double times[] = {0, 0.1, 0.5};
    const struct clip clip = {.name = "hit", .frame_count = 3, .rate_hz = 4, .times_s = times};
    const struct frame_run last = {2, 2};

    check_times(by_frames(NULL, 0), &clip, true, LIST(0, 0.1, 0.5));
    check_times(by_frames(&last, 1), &clip, false, LIST(0.5));
}

static void check_shown_at(struct sampling sampling, const struct clip *clip, bool loop, double time_s,
                           size_t expected)
{
    double *times = NULL;
    size_t count;
    struct error err;
    assert_int_equal(sampling_times(&sampling, clip, loop, &times, &count, &err), 0);
    assert_int_equal(sampling_shown_at(&sampling, clip, loop, times, count, time_s), expected);
    free(times);
}

TEST(what_happens_is_shown_by_the_latest_sample)
{
    static const struct clip closed = {.name = "run", .frame_count = 10, .rate_hz = 10, .closes = true};
    fact("a sample shows what happens until the next");
    check_shown_at(by_count(5), &WALK, true, 0.2, 1);
    check_shown_at(by_count(5), &WALK, true, 0.3, 1);
    check_shown_at(by_fps(30), &WALK, true, 0.7, 21);
    check_shown_at(by_count(4), &WALK, true, 0.9, 3);
    fact("the end of a loop is its start");
    check_shown_at(by_count(4), &closed, true, 0.9, 0);
    check_shown_at(by_count(4), &closed, false, 0.9, 3);
    fact("before the first sample");
    check_shown_at(by_times(LIST(0.4, 0.8)), &WALK, true, 0.1, 1);
    check_shown_at(by_times(LIST(0.8, 0.4)), &WALK, true, 0.1, 0);
    check_shown_at(by_times(LIST(0.4, 0.8)), &WALK, false, 0.1, 0);
    fact("one of several samples of a time");
    check_shown_at(by_times(LIST(0, 0.4, 0.4, 0.2)), &WALK, true, 0.4, 1);
    fact("a range leaves out what is outside");
    check_shown_at(within(by_count(2), 0.2, 0.6), &WALK, true, 0.1, 2);
    check_shown_at(within(by_count(2), 0.2, 0.6), &WALK, true, 0.5, 1);
    check_shown_at(within(by_count(2), 0.2, 0.6), &WALK, true, 0.6, 2);
    check_shown_at(within(by_count(2), 0.2, 0.6), &WALK, false, 0.6, 1);
    check_shown_at(within(by_count(2), 0.2, 0.6), &WALK, false, 0.7, 2);
    fact("a pose");
    check_shown_at(by_count(1), &POSE, true, 0, 0);
}
