/* Model declarations of Doom 3: what they say, and what they inherit. */
#include "asset_tree.h"
#include "test.h"

#include "material/model_decl.h"
#include "base/buffer.h"

static const char sample[] = "entityDef monster { \"model\" \"imp\" }\n"
                             "model imp {\n"
                             "\tmesh models/imp/imp.md5mesh\n"
                             "\tskin skins/imp\n"
                             "\toffset ( 1 -2.5 0 )\n"
                             "\tchannel torso ( *Waist *arms )\n"
                             "\tanim idle models/imp/idle.md5anim\n"
                             "\tanim pain1 models/imp/p1.md5anim, models/imp/p1_low.md5anim {\n"
                             "\t\tframe 1\tsound snd_pain\n"
                             "\t}\n"
                             "}\n"
                             "model imp_burnt {\n"
                             "\tinherit imp\n"
                             "\tskin skins/burnt\n"
                             "\tanim Idle models/imp/idle_burnt.md5anim\n"
                             "\tanim pain2 models/imp/p2.md5anim\n"
                             "}\n";

/* "mesh skin (x y z); name/base: file file [keyframe event], ..." */
static char *describe(const struct def_decl *def)
{
    struct buffer text = {0};
    buffer_printf(&text, "%s %s (%g %g %g)", def->mesh, def->skin ? def->skin : "-", def->offset[0],
                  def->offset[1], def->offset[2]);
    for (size_t i = 0; i < def->animation_count; i++) {
        const struct def_animation *animation = &def->animations[i];
        buffer_printf(&text, "%s %s/%s:", i ? "," : ";", animation->name, animation->base);
        for (size_t j = 0; j < animation->file_count; j++)
            buffer_printf(&text, " %s", animation->files[j]);
        for (size_t j = 0; j < animation->event_count; j++)
            buffer_printf(&text, " [%u %s]", animation->events[j].keyframe, animation->events[j].name);
    }
    return text.text;
}

static void check_warned(const char *text, const char *name, const char *expected, const char *warning)
{
    struct asset_tree tree = asset_tree_with("def/a.def", text);
    struct def_decl def;
    struct error err;
    if (def_decl_find(tree.assets, name, &def, &err) < 0)
        fail_msg("%s", err.text);
    char *found = describe(&def);
    assert_string_equal(found, expected);
    assert_int_equal(def.warnings.count, warning ? 1 : 0);
    if (warning)
        assert_string_equal(def.warnings.items[0], warning);
    free(found);
    def_decl_release(&def);
}

static void check(const char *text, const char *name, const char *expected)
{
    check_warned(text, name, expected, NULL);
}

static void check_failed(const char *text, const char *name, const char *message)
{
    struct asset_tree tree = asset_tree_with("def/a.def", text);
    struct def_decl def;
    struct error err;
    assert_int_equal(def_decl_find(tree.assets, name, &def, &err), -1);
    assert_says(err.text, message);
}

TEST(inherit_may_stand_anywhere_and_in_another_file)
{
    struct asset_tree tree = asset_tree_new();
    asset_tree_add(&tree, "def/a.def", "model a { anim x { inherit z } anim y f\n inherit B }");
    asset_tree_add(&tree, "def/b.def", "\nmodel b { mesh m }");
    asset_tree_open(&tree);
    struct def_decl def;
    struct error err;
    struct trace trace = {0};
    assets_trace(tree.assets, &trace);
    if (def_decl_find(tree.assets, "a", &def, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(def.mesh, "m");
    assert_string_equal(def.declared, "def/a.def:1");
    assert_traced(&trace, LOOK_READ, "def/a.def def/b.def");
    assert_traced(&trace, LOOK_DECLARED, "def a=def/a.def def B=def/b.def");
    trace_release(&trace);
    def_decl_release(&def);
}

TEST(too_many_animations_are_left_out_with_one_warning)
{
    struct buffer text = {0};
    buffer_printf(&text, "model m { mesh a.md5mesh\n");
    for (int i = 0; i < 4100; i++)
        buffer_printf(&text, "anim a%dx f.md5anim\n", i);
    buffer_printf(&text, "}\n");
    struct asset_tree tree = asset_tree_with("def/a.def", text.text);
    struct def_decl def;
    struct error err;
    assert_int_equal(def_decl_find(tree.assets, "m", &def, &err), 0);
    assert_int_equal(def.animation_count, 4096);
    assert_int_equal(def.warnings.count, 1);
    assert_string_equal(def.warnings.items[0], "def/a.def:4098: more than 4096 animations: the rest is left out");
    def_decl_release(&def);
    buffer_release(&text);
}

TEST(events_have_limits)
{
    struct buffer text = {0};
    buffer_printf(&text, "model m { mesh a.md5mesh\nanim x f {\n frame 1 %02000d\n", 0);
    for (int i = 0; i < 300; i++)
        buffer_printf(&text, "frame %d e\n", i + 2);
    buffer_printf(&text, "}\nanim y g }\n");
    struct asset_tree tree = asset_tree_with("def/a.def", text.text);
    struct def_decl def;
    struct error err;
    assert_int_equal(def_decl_find(tree.assets, "m", &def, &err), 0);
    assert_int_equal(def.animation_count, 2);
    assert_int_equal(def.animations[0].event_count, 256);
    assert_int_equal(strlen(def.animations[0].events[0].name), 1023);
    assert_int_equal(def.animations[0].events[255].keyframe, 255);
    def_decl_release(&def);
    buffer_release(&text);
}

TEST(too_many_ancestors_are_an_error)
{
    struct buffer text = {0};
    for (int i = 0; i < 100; i++)
        buffer_printf(&text, "model m%d { inherit m%d }\n", i, i + 1);
    check_failed(text.text, "m0", "model 'm0' inherits more than 32 times");
    buffer_release(&text);
}

TEST(offsets_are_finite_numbers)
{
    static const char *const good[] = {"0", "-1", "4294967295", "-3e38"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char *text = must_printf("model a { mesh m\n offset ( 0 %s 0 )\n}", good[i]);
        char *expected = must_printf("m - (0 %g 0)", (double)strtof(good[i], NULL));
        check(text, "a", expected);
        free(text);
        free(expected);
    }
    static const char *const bad[] = {"inf", "nan", "1e39", "x", "", "1 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = must_printf("model a { mesh m\n offset ( 0 %s 0 )\n}", bad[i]);
        check_warned(text, "a", "m - (0 0 0)", "def/a.def:2: 'offset' wants three numbers in parentheses");
        free(text);
    }
}

TEST(definitions_are_read)
{
    fact("quoted words are words");
    check("model m { \"mesh\" \"m.md5mesh\"\n \"anim\" \"a\" \"a.md5anim\" }\n model n { \"inherit\" \"m\" "
          "\"skin\" \"s\" }",
          "n", "m.md5mesh s (0 0 0); a/a: a.md5anim");
    fact("a model has mesh skin offset and animations");
    check(sample, "IMP",
          "models/imp/imp.md5mesh skins/imp (1 -2.5 0); idle/idle: models/imp/idle.md5anim, "
          "pain1/pain: models/imp/p1.md5anim models/imp/p1_low.md5anim [0 sound snd_pain]");
    fact("an heir has what it does not say");
    check(sample, "imp_burnt",
          "models/imp/imp.md5mesh skins/burnt (1 -2.5 0); Idle/Idle: models/imp/idle_burnt.md5anim, "
          "pain1/pain: models/imp/p1.md5anim models/imp/p1_low.md5anim [0 sound snd_pain], "
          "pain2/pain: models/imp/p2.md5anim");
    fact("names of digits alone are not variants");
    check("model a { mesh m\n anim 12 f\n anim x12 f }", "a", "m - (0 0 0); 12/12: f, x12/x: f");
    fact("animations may span lines");
    check("model a { mesh m\n anim x f1,\n\tf2,\n\t\"f 3\"\n anim y g }", "a",
          "m - (0 0 0); x/x: f1 f2 f 3, y/y: g");
    fact("commands at frames are events, the rest of a block is passed over");
    check("model a { mesh m\n anim x f\n {\n frames { anim z h }\n mesh n\n }\n anim y g { }\n }", "a",
          "m - (0 0 0); x/x: f, y/y: g");
    check("model a { mesh m\n anim x f { frame 1 sound\ts1 // s2\n random_cycle_start\nFrame 12 a frame 3 \"b\" c "
          "}\n"
          "anim y g\n}",
          "a", "m - (0 0 0); x/x: f [0 sound\ts1] [11 a] [2 b\" c], y/y: g");
    check_warned("model a { mesh m\n anim x f {\n frame 0 a\n frame 2 b\n } }", "a", "m - (0 0 0); x/x: f [1 b]",
                 "def/a.def:3: 'frame' wants a number from 1 and what happens there");
    check_warned("model a { mesh m\n anim x f {\n frame 1 { anim z h }\n frame 2 b } }", "a",
                 "m - (0 0 0); x/x: f [1 b]", "def/a.def:3: 'frame' wants a number from 1 and what happens there");
    check_warned("model a { mesh m\n anim x f {\n frame 1\n }\n anim y g { frame 2 b } }", "a",
                 "m - (0 0 0); x/x: f, y/y: g [1 b]",
                 "def/a.def:3: 'frame' wants a number from 1 and what happens there");
    fact("an heir has the events of what it inherits, or its own");
    check("model a { mesh m\n anim x f { frame 1 a }\n anim y f { frame 2 b } }\nmodel c { inherit a\n anim Y f { "
          "} }",
          "c", "m - (0 0 0); x/x: f [0 a], Y/Y: f");
    fact("what is not known is passed over");
    check("model a { mesh m\n channel legs ( *Hips mesh )\n noauto\n ik_pose mesh x\n { mesh n }\n }", "a",
          "m - (0 0 0)");
    fact("circles are errors");
    check_failed("model a { inherit a }", "a", "model 'a' inherits 'a': a circle");
    check_failed("model a { inherit b }\nmodel b { inherit c }\nmodel c { inherit B }", "a",
                 "model 'a' inherits 'b' inherits 'c' inherits 'b': a circle");
    fact("missing models are errors");
    check_failed(sample, "imp_brunt", "no model 'imp_brunt' is declared, did you mean 'imp_burnt'?");
    check_failed(sample, "monster", "no model 'monster'");
    check_failed("model a { inherit b }", "a", "model 'a': no model 'b'");
    fact("a model without mesh is an error");
    check_failed("\nmodel a { skin s }", "a", "def/a.def:2: model 'a' has no mesh");
    check_failed("model a { mesh }", "a", "has no mesh");
    fact("what misses a part is a warning");
    check_warned("model a { mesh m\n skin\n anim x f }", "a", "m - (0 0 0); x/x: f",
                 "def/a.def:2: 'skin' wants a name");
    check_warned("model a { mesh m\n anim x\n anim y f }", "a", "m - (0 0 0); y/y: f",
                 "def/a.def:2: 'anim' wants a name and a file");
    check_warned("model a { mesh m\n offset 1 2 3\n anim y f }", "a", "m - (0 0 0); y/y: f",
                 "def/a.def:2: 'offset' wants three numbers in parentheses");
    fact("a broken file warns once and gives the rest");
    check_warned("model a {\n mesh m\nmodel b {\n inherit a\n anim x f\n}\n", "b", "m - (0 0 0); x/x: f",
                 "def/a.def:1: a block opens that is never closed");
}

TEST(a_model_cut_anywhere_is_read_or_missing)
{
    for (size_t size = 0; size < sizeof sample; size++) {
        struct asset_tree tree = asset_tree_new();
        struct def_decl def;
        struct error err = {""};
        free(temp_folder_write(tree.folder, "def/a.def", sample, size));
        asset_tree_open(&tree);
        if (def_decl_find(tree.assets, "imp_burnt", &def, &err) == 0)
            def_decl_release(&def);
        else
            assert_true(err.text[0] != '\0');
    }
}
