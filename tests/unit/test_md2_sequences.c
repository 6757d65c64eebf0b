#include "md2_builder.h"

#include <stdio.h>

#include "base/buffer.h"
#include "models.h"
#include "test.h"

enum { MAX_NAMES = 1024 };

static struct model *load(const char *const *names, uint32_t count)
{
    struct md2_spec spec = md2_named_frames(names, count);
    struct blob blob = md2_build(&spec);
    struct model *model = NULL;
    struct error err;

    if (model_load(blob_bytes(&blob), NULL, &model, &err))
        fail_msg("%s", err.text);
    blob_release(&blob);
    return kept(model);
}

/* "walk 0+4, run 4+6": the clips with their first frame and number of frames. */
static void check_clips(const char *const *names, uint32_t count, const char *expected)
{
    struct model *model = load(names, count);
    struct buffer found = {0};

    for (uint32_t i = 0; i < model->clip_count; i++) {
        const struct clip *clip = &model->clips[i];

        buffer_printf(&found, "%s%s %u+%u", i ? ", " : "", clip->name, clip->first_frame, clip->frame_count);
        assert_int_equal(clip->animation, 0);
        assert_float_equal(clip->rate_hz, 10, 0);
    }
    assert_string_equal(found.text, expected);
    buffer_release(&found);
}

#define CHECK(expected, ...)                                                                                      \
    check_clips((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),  \
                expected)

/* Names in runs, as "stand%02d" with first and last number. */
struct run {
    const char *format;
    int first, last;
};

struct names {
    char text[MAX_NAMES][MD2_FRAME_NAME_SIZE + 1];
    const char *items[MAX_NAMES];
    uint32_t count;
};

static void names_add(struct names *names, const char *format, int number)
{
    char *text = names->text[names->count];

    snprintf(text, MD2_FRAME_NAME_SIZE + 1, format, number);
    names->items[names->count++] = text;
}

static void check_runs(const struct run *runs, size_t run_count, const char *expected)
{
    static struct names names;

    names.count = 0;
    for (size_t i = 0; i < run_count; i++)
        for (int number = runs[i].first; number <= runs[i].last; number++)
            names_add(&names, runs[i].format, number);
    check_clips(names.items, names.count, expected);
}

TEST(numbers_that_only_pass_a_hundred_are_no_variants)
{
    static const struct run frames = {"frame%d", 1, 250}, offset = {"death%d", 57, 196},
                            late = {"run%d", 101, 230};

    check_runs(&frames, 1, "frame 0+250");
    check_runs(&offset, 1, "death 0+140");
    check_runs(&late, 1, "run 0+130");
    CHECK("run 0+2", "run150", "run151");
}

TEST(the_frames_of_a_quake_2_player_are_found)
{
    static const struct run player[] = {
        {"stand%02d", 1, 40},  {"run%d", 1, 6},       {"attack%d", 1, 8},    {"pain%d", 101, 104},
        {"pain%d", 201, 204},  {"pain%d", 301, 304},  {"jump%d", 1, 6},      {"flip%02d", 1, 12},
        {"salute%02d", 1, 11}, {"taunt%02d", 1, 17},  {"wave%02d", 1, 11},   {"point%02d", 1, 12},
        {"crstnd%02d", 1, 19}, {"crwalk%d", 1, 6},    {"crattak%d", 1, 9},   {"crpain%d", 1, 4},
        {"crdeath%d", 1, 5},   {"death%d", 101, 106}, {"death%d", 201, 206}, {"death%d", 301, 308}};

    check_runs(player, sizeof player / sizeof player[0],
               "stand 0+40, run 40+6, attack 46+8, pain1 54+4, pain2 58+4, pain3 62+4, jump 66+6, flip 72+12, "
               "salute 84+11, taunt 95+17, wave 112+11, point 123+12, crstnd 135+19, crwalk 154+6, "
               "crattak 160+9, crpain 169+4, crdeath 173+5, death1 178+6, death2 184+6, death3 190+8");
}

TEST(one_name_for_all_frames_is_one_sequence)
{
    static const char *const names[] = {"FRAME 000......", "FRAME 000......", "FRAME 000......"};
    struct model *model = load(names, 3);

    CHECK("FRAME 0+3", "FRAME 000......", "FRAME 000......", "FRAME 000......");
    CHECK("frame 0+2", "frame", "frame");
    assert_true(strings_has(&model->oddities, "all 3 frames are called 'FRAME 000......'"));
}

TEST(names_that_say_nothing_become_frame)
{
    static const char *const paths[] = {"E:\\MIJN DOCU000", "E:\\MIJN DOCU001"};
    struct model *model = load(paths, 2);

    CHECK("frame 0+2", "001", "002");
    CHECK("frame 0+2", "", "");
    CHECK("frame 0+1, frame_2 1+1", "...", "7");
    CHECK("frame 0+2", "E:\\MIJN DOCU000", "E:\\MIJN DOCU001");
    CHECK("frame 0+1", "models/x/run1");
    assert_true(strings_has(&model->oddities, "frame name 'E:\\MIJN DOCU000' is a path"));
}

TEST(frame_names_make_sequences)
{
    fact("a prefix is a sequence");
    CHECK("stand 0+2, run 2+3", "stand1", "stand2", "run1", "run2", "run3");
    fact("one frame is a sequence");
    CHECK("frame 0+1", "frame0");
    CHECK("wc 0+1, flush 1+1", "wc", "flush");
    fact("numbers may have any width");
    CHECK("walk 0+4", "walk08", "walk09", "walk010", "walk11");
    fact("a number that is not the next starts a sequence");
    CHECK("run 0+2, run_2 2+2, run_3 4+1", "run1", "run2", "run1", "run2", "run4");
    fact("variants in the hundreds are told apart");
    CHECK("pain1 0+2, pain2 2+2, pain3 4+1", "pain101", "pain102", "pain201", "pain202", "pain301");
    CHECK("death1 0+2, death2 2+2", "death100", "death101", "death200", "death201");
    fact("separators are not part of a name");
    CHECK("death1 0+2, death2 2+1", "death1_000", "death1_001", "death2_000");
    CHECK("run fast 0+2", "run fast-1", "run fast-2");
    CHECK("stand 0+2", "\"stand\"_1", "\"stand\"_2");
    fact("names hold nothing that job lists or json trip over");
    CHECK("a_b_c 0+1", "a*b[c]1");
    CHECK("gr_n 0+1", "gr\xfcn1");
    fact("a number of any length is read");
    CHECK("frame 0+2", "9999999999999998", "9999999999999999");
}

TEST(too_many_sequences_become_one_clip)
{
    static const struct run odd = {"n%dx", 1, 513}, most = {"n%dx", 1, 512};
    static struct names names;
    struct model *model;

    check_runs(&odd, 1, "all 0+513");
    names.count = 0;
    for (int i = most.first; i <= most.last; i++)
        names_add(&names, most.format, i);
    model = load(names.items, names.count);
    assert_int_equal(model->clip_count, 512);
}
