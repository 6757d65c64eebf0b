#include "md2_builder.h"

#include "base/buffer.h"
#include "format/formats.h"
#include "test.h"

/* 20 frames called run1 to run20. */
static struct model *new_model(void)
{
    static const char *const names[] = {"run1",  "run2",  "run3",  "run4",  "run5",  "run6",  "run7",
                                        "run8",  "run9",  "run10", "run11", "run12", "run13", "run14",
                                        "run15", "run16", "run17", "run18", "run19", "run20"};
    struct md2_spec spec = md2_named_frames(names, 20);
    struct blob blob = md2_build(&spec);
    struct model *model = NULL;
    struct error err;

    assert_int_equal(model_load(blob_bytes(&blob), NULL, &model, &err), 0);
    blob_release(&blob);
    return model;
}

static int add(struct model *model, const char *text, struct error *err)
{
    return model_add_animation(model, "ignored", (struct bytes){(const uint8_t *)text, strlen(text)}, err);
}

/* "walk 0+4 @ 22": first frame, number of frames, rate. */
static void check_model(const struct model *model, const char *expected)
{
    struct buffer found = {0};

    for (uint32_t i = 0; i < model->clip_count; i++) {
        const struct clip *clip = &model->clips[i];

        buffer_printf(&found, "%s%s %u+%u @ %g", i ? ", " : "", clip->name, clip->first_frame, clip->frame_count,
                      clip->rate_hz);
    }
    assert_string_equal(found.text, expected);
    buffer_release(&found);
}

static void check_clips_and_oddity(const char *text, const char *expected, const char *oddity)
{
    struct model *model = new_model();
    size_t oddity_count = model->oddities.count;
    struct error err;

    if (add(model, text, &err))
        fail_msg("%s", err.text);
    check_model(model, expected);
    if (oddity)
        assert_true(strings_has(&model->oddities, oddity));
    else
        assert_int_equal(model->oddities.count, oddity_count);
    model_free(model);
}

static void check_clips(const char *text, const char *expected)
{
    check_clips_and_oddity(text, expected, NULL);
}

static void check_rejected(const char *text, const char *message)
{
    struct model *model = new_model();
    size_t oddity_count = model->oddities.count;
    struct error err = {0};

    assert_int_equal(add(model, text, &err), -1);
    assert_string_equal(err.text, message);
    check_model(model, "run 0+20 @ 10");
    assert_int_equal(model->oddities.count, oddity_count);
    model_free(model);
}

TEST(a_second_file_adds_to_the_first)
{
    struct model *model = new_model();
    struct error err;

    assert_int_equal(add(model, "a 0 1 1", &err), 0);
    assert_int_equal(add(model, "a 2 3 1", &err), 0);
    check_model(model, "a 0+2 @ 1, a_2 2+2 @ 1");
    model_free(model);
}

TEST(a_failed_second_file_leaves_the_first)
{
    struct model *model = new_model();
    struct error err;

    assert_int_equal(add(model, "a 0 1 1", &err), 0);
    assert_int_equal(add(model, "b 0 1 1 c", &err), -1);
    check_model(model, "a 0+2 @ 1");
    model_free(model);
}

TEST(clips_are_read)
{
    fact("entries take the place of frame names");
    check_clips("walk 0 3 22\ndead1 19 19 18\n", "walk 0+4 @ 22, dead1 19+1 @ 18");
    fact("comments tabs and crlf are skipped");
    check_clips("// character animations\r\n\r\nwalk\t\t0\t3\t12.5\t// slow\r\n//\r\n", "walk 0+4 @ 12.5");
    fact("the last line needs no end");
    check_clips("rotate 0 16 2", "rotate 0+17 @ 2");
    fact("entries may overlap");
    check_clips("a 0 9 1\nb 5 19 1\nc 0 9 2", "a 0+10 @ 1, b 5+15 @ 1, c 0+10 @ 2");
    fact("the same name again gets a number");
    check_clips_and_oddity("stand 0 1 1\nstand 2 3 1", "stand 0+2 @ 1, stand_2 2+2 @ 1",
                           "animation 'stand' (line 2) appears again: called 'stand_2'");
    fact("ranges past the end are cut");
    check_clips_and_oddity("walk 10 30 5", "walk 10+10 @ 5",
                           "animation 'walk' (line 1) ends at frame 30 of 20: cut off");
    check_clips_and_oddity("walk 10 20 5", "walk 10+10 @ 5",
                           "animation 'walk' (line 1) ends at frame 20 of 20: cut off");
    check_clips("walk 10 19 5", "walk 10+10 @ 5");
    check_clips_and_oddity("walk 10 4294967295 5", "walk 10+10 @ 5",
                           "animation 'walk' (line 1) ends at frame 4294967295 of 20: cut off");
    fact("entries wholly past the end are left out");
    check_clips_and_oddity("walk 0 3 5\nrun 20 30 5", "walk 0+4 @ 5",
                           "animation 'run' (line 2) starts at frame 20 of 20: left out");
    fact("a rate of 0 plays at 10");
    check_clips("dead 3 3 0", "dead 3+1 @ 10");
    check_clips_and_oddity("walk 0 3 0", "walk 0+4 @ 10",
                           "animation 'walk' (line 1) has 0 frames per second: played at 10");
    fact("names are made fit for use");
    check_clips("\"walk *slowly*\" 0 3 5", "walk _slowly 0+4 @ 5");
    check_clips("a/b 0 3 5", "a_b 0+4 @ 5");
    fact("nothing usable is rejected");
    check_rejected("", "no animations, at least 1 is needed");
    check_rejected("// nothing here\n", "no animations, at least 1 is needed");
    check_rejected("walk 20 30 5\nrun 31 40 5", "all 2 animations lie past the model's last frame, 19");
    fact("broken entries are rejected with their line");
    check_rejected("walk 0 3 5\nrun 0 3\nstand 0 3 5", "3: expected a finite number, found 'stand'");
    check_rejected("walk 0 3", "1: expected a number, found the end of the file");
    check_rejected("walk", "1: expected a whole number, found the end of the file");
    check_rejected("\nwalk -1 3 5", "2: -1 is out of range, 0 to 4294967295 are allowed");
    check_rejected("walk 0 x 5", "1: expected a whole number, found 'x'");
    check_rejected("walk 3 2 5", "1: frames 3 to 2 run backwards");
    check_rejected("walk 0 3 -5", "1: -5 frames per second (0 to 1000 are allowed)");
    check_rejected("walk 0 3 1001", "1: 1001 frames per second (0 to 1000 are allowed)");
    check_rejected("walk 0 3 nan", "1: expected a finite number, found 'nan'");
    check_rejected("{ 0 3 1", "1: expected a name, found '{'");
}

TEST(too_many_entries_are_rejected)
{
    struct buffer text = {0};

    for (int i = 0; i < 513; i++)
        buffer_printf(&text, "a 0 3 5\n");
    check_rejected(text.text, "513: more than 512 animations");
    buffer_release(&text);
}

TEST(the_text_cut_at_any_length_is_handled)
{
    static const char text[] = "// comment\nwalk 0 3 22\n\"run fast\" 4 19 /* so */ 12.5\ndead 19 19 0\n";

    for (size_t size = 0; size < sizeof text; size++) {
        struct model *model = new_model();
        struct bytes copy = exact_copy(text, size);
        struct error err = {0};

        if (model_add_animation(model, "", copy, &err))
            assert_true(err.text[0]);
        assert_true(model->clip_count > 0);
        free((void *)copy.data);
        model_free(model);
    }
}
