/* The subset of mustache, and what the built-in templates write of hostile names. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "page/template.h"
#include "sheet_of_two.h"
#include "test.h"

static const char values_text[] =
    "{\"name\": \"a\\\"b\\\\c<&'>;#%:\\n\", \"none\": null, \"yes\": true, \"no\": false, \"zero\": 0, \"empty\": "
    "\"\","
    " \"half\": -0.5, \"tiny\": 0.000001, \"large\": 123456789.25, \"nothing\": [], \"texts\": [\"p\", \"q\"],"
    " \"items\": [{\"x\": 1, \"parts\": [{\"y\": 7}, {\"y\": 8}]}, {\"x\": 2, \"parts\": []}, {\"x\": 3, "
    "\"parts\": [{\"y\": 9}]}]}";

/* What a template makes of the values, or its error. The test frees it. */
static char *filled(const char *text, size_t length, const char *suffix)
{
    struct arena arena = {0};
    struct template template;
    struct blob out = {0};
    struct error err = {"no error"};
    json_t *values = json_loads(values_text, 0, NULL);
    int result = template_load((struct bytes){(const uint8_t *)text, length}, suffix, &arena, &template, &err);
    if (result == 0)
        result = template_fill(&template, values, &out, &err);
    char *made = result < 0 ? must_strdup(err.text) : must_printf("%.*s", (int)out.size, (const char *)out.data);
    blob_release(&out);
    json_decref(values);
    arena_release(&arena);
    return made;
}

static void expect(const char *text, const char *wanted)
{
    char *made = filled(text, strlen(text), ".txt");
    fact(text);
    assert_string_equal(made, wanted);
    free(made);
}

TEST(values_are_written)
{
    expect("", "");
    expect("plain } {text}\n", "plain } {text}\n");
    expect("{{zero}} {{ half }} {{yes}}{{no}}", "0 -0.5 truefalse");
    expect("{{tiny}} {{large}}", "0.000001 123456789.25");
    expect("{ {{zero}}}", "{ 0}");
    expect("a{{! a note }}b{{! a\nlong\none }}c", "abc");
}

TEST(sections_are_for_what_is_there)
{
    expect("{{#yes}}a{{/yes}}{{#no}}b{{/no}}{{#none}}c{{/none}}{{#empty}}d{{/empty}}{{#zero}}e{{/"
           "zero}}{{#name}}f{{/name}}"
           "{{#nothing}}g{{/nothing}}",
           "aef");
    expect("{{^yes}}a{{/yes}}{{^no}}b{{/no}}{{^none}}c{{/none}}{{^empty}}d{{/empty}}{{^zero}}e{{/"
           "zero}}{{^nothing}}g{{/nothing}}"
           "{{^items}}h{{/items}}",
           "bcdg");
}

TEST(lists_repeat_their_section)
{
    expect("{{#items}}{{x}}{{^-last}}, {{/-last}}{{/items}}", "1, 2, 3");
    expect(
        "{{#items}}{{#-first}}<{{/-first}}{{x}}{{#parts}}({{y}}{{^-last}}|{{/-last}}{{x}}){{/parts}};{{/items}}",
        "<1(7|1)(81);2;3(93);");
    expect("{{#items}}{{#yes}}{{x}}{{#-last}}!{{/-last}}{{/yes}}{{/items}}", "123!");
    expect("{{#items}}{{#items}}{{x}}{{/items}} {{/items}}", "123 123 123 ");
}

TEST(tags_alone_on_a_line_take_it_away)
{
    expect("a\n{{#items}}\n  {{x}}\n{{/items}}\nb\n", "a\n  1\n  2\n  3\nb\n");
    expect("a\n  {{#yes}}  \r\n b\n\t{{/yes}}", "a\n b\n");
    expect("a\n {{! note }} \nb", "a\nb");
    expect("{{#yes}} {{/yes}}\n", " \n");
    expect("{{#items}}{{x}}\n{{/items}}\n", "1\n2\n3\n");
    expect(" {{zero}} \n", " 0 \n");
}

TEST(text_is_escaped_by_the_suffix)
{
    static const struct {
        const char *suffix, *wanted;
    } rows[] = {
        {".txt", "a\\\"b\\\\c<&'>;#%:?"},
        {".lua", "a\\\"b\\\\c<&'>;#%:?"},
        {".csv", "a\"\"b\\c<&'>;#%:?"},
        {".plist", "a&quot;b\\c&lt;&amp;&apos;&gt;;#%:?"},
        {".TSX", "a&quot;b\\c&lt;&amp;&apos;&gt;;#%:?"},
        {".tpsheet", "a\"b\\c<&'>%3B%23%25%3A?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *made = filled("{{name}}", 8, rows[i].suffix),
             *raw = filled("{{{name}}}{{& name }}", 21, rows[i].suffix);
        fact(rows[i].suffix);
        assert_string_equal(made, rows[i].wanted);
        assert_string_equal(raw, "a\"b\\c<&'>;#%:?a\"b\\c<&'>;#%:?");
        free(made);
        free(raw);
    }
}

TEST(mistakes_are_named_with_their_lines)
{
    expect("a\n{{x", "line 2: '{{' without '}}'");
    expect("\n\n{{{x}}", "line 3: '{{' without '}}}'");
    expect("{{> part}}", "line 1: '{{>part': there are no partials, blocks and other delimiters");
    expect("{{=<% %>=}}", "line 1: '{{=<% %>=': there are no partials, blocks and other delimiters");
    expect("{{/yes}}", "line 1: '{{/yes': it ends no section");
    expect("{{#yes}}\n{{/no}}", "line 2: '{{/no}}' ends no section; open is yes");
    expect("{{#no}}\n{{#yes}}{{/no}}{{/yes}}", "line 2: '{{/yes}}' ends no section; open is no");
    expect("{{}}", "line 1: no value '' (it has name, none, yes, no, zero, empty, half, tiny and 4 more)");
    expect("a\n{{#yes}}\n{{#no}}{{/no}}\n", "line 2: the section 'yes' has no '{{/yes}}'");
    expect("\n{{itms}}", "line 2: no value 'itms', did you mean 'items'? (it has name, none, yes, no, zero, "
                         "empty, half, tiny and 4 more)");
    expect("{{items}}", "line 1: 'items' is a list: write it as a section");
    expect("{{#yes}}\n{{none}}{{/yes}}", "line 2: 'none' has no value here");
    expect("{{-last}}",
           "line 1: no value '-last' (it has name, none, yes, no, zero, empty, half, tiny and 4 more)");
}

static void add_times(struct buffer *text, int times, const char *part)
{
    for (int i = 0; i < times; i++)
        buffer_add(text, part, strlen(part));
}

static void expect_of(struct buffer *text, const char *wanted)
{
    char *made = filled(text->text, text->length, ".txt");
    assert_string_equal(made, wanted);
    free(made);
    buffer_release(text);
}

TEST(templates_have_limits)
{
    struct buffer text = {0};
    add_times(&text, (1 << 20) + 1, " ");
    expect_of(&text, "it is no text of at most a megabyte");
    buffer_add(&text, "a\0b", 3);
    expect_of(&text, "it is no text of at most a megabyte");
    add_times(&text, 17, "{{#yes}}");
    add_times(&text, 17, "{{/yes}}");
    expect_of(&text, "more than 16 sections in each other");
    add_times(&text, 16, "{{#items}}"); /* 3^16 times nothing */
    add_times(&text, 16, "{{/items}}");
    expect_of(&text, "it repeats too much: 256 MiB are allowed");
    add_times(&text, 1, "{{");
    add_times(&text, 70, "x");
    add_times(&text, 1, "}}");
    char *made = filled(text.text, text.length, ".txt");
    assert_non_null(strstr(made, "line 1: no value 'xxx"));
    free(made);
    buffer_release(&text);
}

/* -- The built-in ones ----------------------------------------------------------------------------------------------- */

static char *save(const struct atlas *atlas, enum metadata metadata)
{
    struct blob blob = {0};
    struct error err = {""};
    if (metadata_save(metadata, atlas, &blob, &err) < 0)
        return must_strdup(err.text);
    char *text = blob.data ? must_printf("%.*s", (int)blob.size, (const char *)blob.data) : NULL;
    blob_release(&blob);
    return text;
}

static struct atlas named_sheet(uint32_t page)
{
    static struct atlas_clip clips[3];
    struct atlas atlas = sheet_of_two(page);
    memcpy(clips, two_animations, sizeof clips);
    for (int i = 0; i < 3; i++) {
        clips[i].animation = clips[i].camera = "it";
        clips[i].take = (size_t)i;
        clips[i].rotations[0] = '0';
    }
    atlas.clips = clips;
    atlas.name = "units/orc";
    return atlas;
}

TEST(files_of_a_sheet_go_with_its_first_page)
{
    const struct atlas first = named_sheet(0), second = named_sheet(1);
    for (unsigned i = METADATA_TEXTUREPACKER; i < METADATA_COUNT; i++) {
        bool is_of_sheet = metadata_formats[i].is_of_sheet;
        char *one = save(&first, (enum metadata)i), *two = save(&second, (enum metadata)i);
        fact(metadata_formats[i].name);
        assert_non_null(one);
        assert_int_equal(two == NULL, is_of_sheet);
        assert_int_equal(strstr(one, "orc-1.png") != NULL, is_of_sheet);
        assert_null(strstr(one, "{{"));
        free(one);
        free(two);
    }
}

TEST(libgdx_has_y_up)
{
    const struct atlas atlas = named_sheet(0);
    char *text = save(&atlas, METADATA_LIBGDX);
    assert_non_null(strstr(text,
                           "\n\norc-1.png\nsize: 64, 32\nformat: RGBA8888\nfilter: Linear, Linear\nrepeat: none\n"
                           "walk/hero\nbounds: 6, 2, 10, 11\noffsets: 20, 9, 64, 32\nindex: 1\npivot: -16, 0\n"
                           "duration: 84\n"));
    free(text);
}

TEST(gzdoom_has_few_names)
{
    struct atlas atlas = named_sheet(0);
    char *text = save(&atlas, METADATA_GZDOOM);
    assert_non_null(strstr(
        text,
        "Sprite \"ORC1B0\", 10, 11 { XScale 1 YScale 1 Offset -36, 20 Patch \"patches/orc-1.png\", -6, -2 }"));
    assert_non_null(strstr(
        text, "Sprite \"ORC3A0\", 64, 32 { XScale 1 YScale 1 Offset 32, 24 Patch \"patches/orc.png\", -1, -2 }"));
    free(text);
    struct atlas_clip clips[3];
    memcpy(clips, atlas.clips, sizeof clips);
    atlas.clips = clips;
    memcpy(clips[0].rotations, "28", 2);
    text = save(&atlas, METADATA_GZDOOM);
    assert_non_null(strstr(text, "Sprite \"ORC1B2B8\", 10, 11 { XScale 1 YScale 1 Offset -36, 20 "));
    free(text);
    clips[1].rotations[0] = '\0';
    text = save(&atlas, METADATA_GZDOOM);
    assert_string_equal(text, "metadata 'gzdoom': line 4: 'sprite' has no value here");
    free(text);
}

TEST(numbers_that_are_not_finite_fail)
{
    struct atlas atlas = named_sheet(0);
    struct atlas_frame frames[6];
    memcpy(frames, two_frames, sizeof frames);
    frames[2].pivot[1] = 1.0 / 0.0;
    atlas.frames = frames;
    char *text = save(&atlas, METADATA_COCOS);
    assert_string_equal(text, "metadata 'cocos': a number of a frame is not finite");
    free(text);
}

/* Each sign that could end a text, in names of files, frames and clips. */
TEST(names_break_no_format)
{
    static const char name[] = "a\"b'c\\d&e<f>g;h#i%j:k\nl\tm\x7fn\xffo]]>p{{x}}\"\xEF\xBF\xBF";
    struct atlas atlas = named_sheet(0);
    struct atlas_frame frame = two_frames[0];
    const struct atlas_clip clip = {
        .name = name, .animation = name, .camera = name, .rotations = "0", .frame_count = 1};
    const struct atlas_page page = {.image = name, .json = name, .width = 128, .height = 66};
    frame.name = name;
    atlas.frames = &frame;
    atlas.clips = &clip;
    atlas.pages = &page;
    atlas.frame_count = atlas.clip_count = atlas.page_count = 1;
    char *text = save(&atlas, METADATA_TEXTUREPACKER);
    json_t *json = json_loads(text, 0, NULL);
    const char *found =
        json_string_value(json_object_get(json_array_get(json_object_get(json, "frames"), 0), "filename"));
    assert_string_equal(found, "a\"b'c\\d&e<f>g;h#i%j:k?l?m?n?o]]>p{{x}}\"?");
    json_decref(json);
    free(text);
    static const struct {
        enum metadata metadata;
        const char *part;
    } rows[] = {
        {METADATA_LIBGDX, "\na\"b'c\\d&e<f>g;h#i%j:k?l?m?n?o]]>p{{x}}\"?\nbounds:"},
        {METADATA_UNITY, "\na\"b'c\\d&e<f>g%3Bh%23i%25j%3Ak?l?m?n?o]]>p{{x}}\"?;1;32;64;32; 0.5;0.25; 0;0;0;0\n"},
        {METADATA_COCOS, "<key>a&quot;b&apos;c\\d&amp;e&lt;f&gt;g;h#i%j:k?l?m?n?o]]&gt;p{{x}}&quot;?</key>"},
        {METADATA_GZDOOM, "Patch \"patches/a\\\"b'c\\\\d&e<f>g;h#i%j:k?l?m?n?o]]>p{{x}}\\\"?\", -1, -2 }"},
        {METADATA_LOVE,
         "    [\"a\\\"b'c\\\\d&e<f>g;h#i%j:k?l?m?n?o]]>p{{x}}\\\"?\"] = { loop = false, 0 + 1 },\n"},
        {METADATA_TILED, "source=\"a&quot;b&apos;c\\d&amp;e&lt;f&gt;g;h#i%j:k?l?m?n?o]]&gt;p{{x}}&quot;?\"/>"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text = save(&atlas, rows[i].metadata);
        if (!strstr(text, rows[i].part))
            fail_msg("no '%s' in:\n%s", rows[i].part, text);
        free(text);
    }
}
