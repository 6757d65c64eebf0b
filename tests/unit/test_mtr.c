/* What is read of a material's block. */
#include "asset_tree.h"
#include "test.h"

#include "material/mtr.h"
#include "base/buffer.h"

static const char *const roles[] = {"blended", "diffuse", "bump", "specular"};

/* " masks 7 clamp [1 0 0.5][0 1 0]" */
static void describe_placement(const struct mtr_stage *stage, struct buffer *text)
{
    static const char *const wraps[] = {"", " clamp", " zero", " zero-alpha"};
    static const char *const colors[] = {"", " colored", " inverse"};
    const struct texture_placement *placement = &stage->placement;
    if (stage->masked)
        buffer_printf(text, " masks %u", stage->masked);
    buffer_printf(text, "%s%s", wraps[placement->wrap[0]], colors[placement->vertex_color]);
    buffer_printf(text, "%s%s", placement->is_environment ? " mirror" : "", stage->is_lit ? " in-light" : "");
    for (int i = 0; i < 2 && placement->has_matrix; i++) {
        const float *row = placement->matrix[i];
        buffer_printf(text, "%s[%.4g %.4g %.4g]", i ? "" : " ", row[0], row[1], row[2]);
    }
}

/* "diffuse IMAGE; blended IMAGE (one, one) rgba 1 1 1 0.5 alpha 0.5; two-sided translucent lit" */
static char *describe(const struct mtr *mtr)
{
    struct buffer text = {0};
    buffer_add(&text, "", 0);
    for (size_t i = 0; i < mtr->stage_count; i++) {
        const struct mtr_stage *stage = &mtr->stages[i];
        const float *c = stage->color;
        buffer_printf(&text, "%s%s %s", i ? "; " : "", roles[stage->role], stage->image);
        if (stage->role == MTR_BLENDED)
            buffer_printf(&text, " (%s, %s)", blend_factor_names[stage->source],
                          blend_factor_names[stage->destination]);
        if (c[0] != 1 || c[1] != 1 || c[2] != 1 || c[3] != 1)
            buffer_printf(&text, " rgba %g %g %g %g", c[0], c[1], c[2], c[3]);
        if (stage->alpha_test >= 0)
            buffer_printf(&text, " alpha %g", stage->alpha_test);
        describe_placement(stage, &text);
    }
    bool is_lit = mtr->roles & ~(1u << MTR_BLENDED);
    if (mtr->two_sided || mtr->back_sided || mtr->translucent || is_lit)
        buffer_printf(&text, ";%s%s%s%s", mtr->two_sided ? " two-sided" : "", mtr->back_sided ? " back-sided" : "",
                      mtr->translucent ? " translucent" : "", is_lit ? " lit" : "");
    return text.text;
}

typedef void mtr_parser(const struct declaration *declaration, struct mtr *out, struct strings *warnings);

/* Parses the block of the first declaration in the text. */
static struct mtr parse_by(mtr_parser *parser, const char *text, size_t size, struct strings *warnings)
{
    struct mtr mtr = {0};
    struct bytes bytes = exact_copy(text, size);
    struct declarations declarations = {0};
    struct strings ignored = {0};
    declarations_scan(bytes, &declarations, &ignored);
    if (declarations.count > 0)
        parser(&declarations.items[0], &mtr, warnings);
    declarations_release(&declarations);
    strings_release(&ignored);
    free((void *)bytes.data);
    return mtr;
}

static struct mtr parse(const char *text, size_t size, struct strings *warnings)
{
    return parse_by(mtr_parse, text, size, warnings);
}

static void check_by(mtr_parser *parser, const char *block, const char *expected, const char *warning)
{
    char *text = must_printf("m\n{\n%s\n}\n", block);
    struct strings warnings = {0};
    struct mtr mtr = parse_by(parser, text, strlen(text), &warnings);
    char *found = describe(&mtr);
    assert_string_equal(found, expected);
    assert_int_equal(warnings.count, warning ? 1 : 0);
    if (warning)
        assert_string_equal(warnings.items[0], warning);
    free(found);
    mtr_release(&mtr);
    strings_release(&warnings);
    free(text);
}

static void check_warned(const char *block, const char *expected, const char *warning)
{
    check_by(mtr_parse, block, expected, warning);
}

static void check(const char *block, const char *expected)
{
    check_warned(block, expected, NULL);
}

/* -- Maps -------------------------------------------------------------------------------------------------- */

TEST(stages_are_read)
{
    fact("short forms are stages");
    check("diffusemap a/b.tga\nbumpmap a/b_local\nSpecularMap \"a/b s\"",
          "diffuse a/b.tga; bump a/b_local; specular \"a/b s\"; lit");
    fact("stages have roles");
    check("{ blend diffusemap\n map a }\n{ blend bumpMap\n map b }\n{\n blend SpecularMap\n map c\n }",
          "diffuse a; bump b; specular c; lit");
    fact("a second blend leaves the role");
    check("{ blend diffusemap\n blend add\n map a }", "diffuse a; lit");
    check("{ blend gl_dst_color, gl_zero\n blend specularmap\n blend gl_one, gl_one\n map a }", "specular a; lit");
    check("{ blend diffusemap\n blend bumpmap\n map a }", "bump a; lit");
    check("{ blend add\n blend filter\n map a }", "blended a (dst_color, zero)");
    fact("quoted words are words");
    check("\"diffusemap\" a\n \"twoSided\"\n{ \"blend\" \"add\"\n \"map\" b\n \"rgb\" 0.5 }",
          "diffuse a; blended b (one, one) rgba 0.5 0.5 0.5 1; two-sided lit");
    fact("image programs are kept as written");
    check("bumpmap addnormals ( a\\l.tga ,\n\theightmap( a/h, 4 ) ) // strong\ntwoSided",
          "bump addnormals ( a/l.tga ,\n\theightmap( a/h, 4 ) ); two-sided lit");
    fact("a map without a name is none");
    check("diffusemap", "; lit");
    check("{ blend add\n map }", "");
    check("diffusemap { blend add\n map x }", "blended x (one, one); lit");
    fact("an image program without end ends with its block");
    check("{ blend diffusemap\n map add( a, b\n }\n twosided", "diffuse add( a, b; two-sided lit");
}

/* -- Blending ---------------------------------------------------------------------------------------------- */

TEST(blends_are_read)
{
    fact("blends have names");
    check("{ blend blend\n map x }", "blended x (src_alpha, one_minus_src_alpha)");
    check("{ blend add\n map x }", "blended x (one, one)");
    check("{ blend filter\n map x }", "blended x (dst_color, zero)");
    check("{ blend modulate\n map x }", "blended x (dst_color, zero)");
    check("{ blend none\n map x }", "blended x (zero, one)");
    fact("blends may be factors");
    check("{ blend gl_zero, GL_ONE_MINUS_SRC_COLOR\n map x }", "blended x (zero, one_minus_src_color)");
    check("{ blend GL_DST_COLOR,GL_SRC_ALPHA\n map x }", "blended x (dst_color, src_alpha)");
    check("{ blend gl_one gl_one\n map x }", "blended x (one, one)");
    fact("a stage without blend covers");
    check("{ map x }", "blended x (one, zero)");
    fact("an unknown blend leaves its stage out");
    check_warned("{ blend gl_sideways, gl_one\n map x }\n{ blend add\n map y }", "blended y (one, one)",
                 "3: unknown blend 'gl_sideways', its stage is left out");
    check_warned("{ blend gl_one, gl_src_alpha_saturate\n map x }", "",
                 "3: unknown blend 'gl_src_alpha_saturate', its stage is left out");
}

/* -- Numbers ----------------------------------------------------------------------------------------------- */

TEST(tests_and_colors_are_read)
{
    fact("alpha tests are read");
    check("{ blend diffusemap\n map x\n alphaTest 0.5 }", "diffuse x alpha 0.5; lit");
    check("{ blend diffusemap\n map x\n alphaTest 0.05 + 0.3 * (time - parm7) }", "diffuse x alpha 0.05; lit");
    check("{ blend diffusemap\n map x\n alphaTest 0 }", "diffuse x alpha 0; lit");
    check("{ blend diffusemap\n map x\n alphaTest -1 }", "diffuse x; lit");
    check("{ blend diffusemap\n map x\n alphaTest 4294967295 }", "diffuse x alpha 1; lit");
    check("{ blend diffusemap\n map x\n alphaTest wave[time] }", "diffuse x; lit");
    fact("colors are read");
    check("{ blend add\n map x\n rgb 0.5 }", "blended x (one, one) rgba 0.5 0.5 0.5 1");
    check("{ blend add\n map x\n rgba 0.5 }", "blended x (one, one) rgba 0.5 0.5 0.5 0.5");
    check("{ blend add\n map x\n red 0.1\n green 0.2\n blue 0.3\n alpha 0.4 }",
          "blended x (one, one) rgba 0.1 0.2 0.3 0.4");
    check("{ blend add\n map x\n color 0.1, parm0 * 0.2, 0.3, parm4 }", "blended x (one, one) rgba 0.1 0.2 0.3 0");
    check("{ blend add\n map x\n color 0.1, // red\n -1\n,\n\n0.25 * 2 , 1 }",
          "blended x (one, one) rgba 0.1 0 0.5 1");
    check("{ blend add\n color 0.1,\n map x }", "");
    fact("colors are from 0 to 1");
    check("{ blend diffusemap vertexColor map x }{ vertexColor inverseVertexColor map y }",
          "diffuse x colored; blended y (one, zero) inverse; lit");
    check("{ map x\n rgb -1 }", "blended x (one, zero) rgba 0 0 0 1");
    check("{ map x\n rgb 4294967295 }", "blended x (one, zero)");
    check("{ map x\n rgb sound }", "blended x (one, zero)");
    fact("conditions that are false leave their stage out");
    check("{ if ( parm7 == 0 ) blend add\n map x }\n{ if parm7 // when dead\n blend add\n map y }",
          "blended x (one, one)");
    check("{ if wave[time] > 0\n map x }", "blended x (one, zero)");
    check("{ blend diffusemap\n map x\n if ( 0 ) }", "; lit");
}

/* -- Where pictures lie, and what is written ------------------------------------------------------------------ */

static void check_moved(const char *words, const char *expected)
{
    char *block = must_printf("{ map x\n %s }", words), *all = must_printf("blended x (one, zero)%s", expected);
    check(block, all);
    free(block);
    free(all);
}

TEST(placements_are_read)
{
    /* The engine's matrices. */
    fact("pictures are moved");
    check_moved("scroll 0.25, -0.5", " [1 0 0.25][0 1 -0.5]");
    check_moved("translate 0.25,\n 2", " [1 0 0.25][0 1 2]");
    check_moved("scale 2, 0.5", " [2 0 0][0 0.5 0]");
    check_moved("centerScale 2, 0.5", " [2 0 -0.5][0 0.5 0.25]");
    check_moved("shear 0.5, -1", " [1 0.5 -0.25][-1 1 0.5]");
    check_moved("rotate 0.25", " [-4.371e-08 -1 1][1 -4.371e-08 2.98e-08]");
    check_moved("rotate 0.5", " [-1 8.742e-08 1][-8.742e-08 -1 1]");
    fact("movements work from the last to the first");
    check_moved("scale 2, 2 scroll 0.25, 0", " [2 0 0.5][0 2 0]");
    check_moved("scroll 0.25, 0 scale 2, 2", " [2 0 0.25][0 2 0]");
    check_moved("scale 2, 2\n scale 0.5, 0.5", "");
    fact("movements are those at time 0");
    check_moved("scroll time * -.35, 0", "");
    check_moved("rotate time * 2 + 1", "");
    check_moved("centerScale wave[time], 2", " [1 0 0][0 2 -0.5]");
    check_moved("translate wave[0], 2", " [1 0 0][0 1 2]");
    check_moved("scale 1e9, 1", "");
    check_moved("scale", "");
    fact("maps are moved too");
    check("{ blend bumpmap\n map x\n scale 2, 2 }", "bump x [2 0 0][0 2 0]; lit");
    fact("pictures are wrapped");
    check_moved("clamp", " clamp");
    check_moved("zeroClamp", " zero");
    check_moved("alphaZeroClamp", " zero-alpha");
    check("diffusemap a\n clamp\n bumpmap b\n { map c\n noclamp }\n { map d }",
          "diffuse a; bump b clamp; blended c (one, zero); blended d (one, zero) clamp; lit");
    fact("stages may be kept from channels");
    check_moved("maskColor", " masks 7");
    check_moved("maskRed maskAlpha", " masks 9");
    check_moved("maskgreen maskblue maskdepth", " masks 6");
}

/* -- All the rest ------------------------------------------------------------------------------------------ */

TEST(what_is_not_known_is_left_out)
{
    fact("flags are read in any case");
    check("twosided translucent", "; two-sided translucent");
    check("noShadows TWOSIDED", "; two-sided");
    check("backSided translucent forceOpaque", "; back-sided");
    fact("what is not known is passed over");
    check("qer_editorimage a.tga\nrenderbump -size 512 512 map y\nsort decal\nsurfaceparm twosided\n"
          "guisurf guis/x.gui\ndeform tube { map y }\nunknown {\n map y\n}\ntwosided",
          "; two-sided");
    fact("what is not known in a stage is passed over");
    check("{ blend add\n noclamp highquality map x\n wobble time * 0.1, 0\n colored\n"
          " program heat.vfp { map y }\n texgen reflect\n { map y } }",
          "blended x (one, one)");
    fact("what is not known leaves the pictures of its line");
    check("{ blend add sparkle 3 map x }", "blended x (one, one)");
    check("flesh diffusemap a shiny bumpmap b", "diffuse a; bump b; lit");
    check("{ shimmer \"map\" map x }", "blended x (one, zero)");
    fact("stages without a map are none");
    check("{ blend add\n cubeMap env/x }\n{ fragmentProgram x.vfp }", "");
    fact("an empty block is an empty material");
    check("", "");
    check("; ( ) , ]", "");
}

TEST(more_stages_than_enough_are_left_out)
{
    struct buffer text = {0};
    buffer_printf(&text, "m {\n");
    for (int i = 0; i < MTR_MAX_STAGES + 10; i++)
        buffer_printf(&text, "{ map x%d }\n", i);
    buffer_printf(&text, "}\n");
    struct strings warnings = {0};
    struct mtr mtr = parse(text.text, text.length, &warnings);
    assert_int_equal(mtr.stage_count, MTR_MAX_STAGES);
    mtr_release(&mtr);
    buffer_release(&text);
}

static const char sample[] = "m\n{\n\tbumpmap addnormals( a_local, heightmap( a_h.tga, 4 ) )\n\ttwosided\n"
                             "\t{\n\t\tif ( parm7 == 0 )\n\t\tblend gl_one, gl_zero\n\t\tmap \"b\"\n"
                             "\t\tcolor 0.5, time, parm1, 1\n\t\talphaTest 0.5\n\t}\n}\n";

TEST(the_sample_is_read)
{
    struct strings warnings = {0};
    struct mtr mtr = parse(sample, strlen(sample), &warnings);
    char *found = describe(&mtr);
    assert_string_equal(found, "bump addnormals( a_local, heightmap( a_h.tga, 4 ) ); blended \"b\" (one, zero) "
                               "rgba 0.5 0 1 1 alpha 0.5; two-sided lit");
    free(found);
    mtr_release(&mtr);
}

/* Nothing fails; once the second stage's braces are there, both stages are. */
TEST(a_material_cut_anywhere_is_read)
{
    for (size_t size = 0; size < sizeof sample; size++) {
        struct strings warnings = {0};
        struct mtr mtr = parse(sample, size, &warnings);
        assert_in_range(mtr.stage_count, 0, 2);
        if (size > strlen(sample) - 3)
            assert_int_equal(mtr.stage_count, 2);
        mtr_release(&mtr);
        strings_release(&warnings);
    }
}

/* -- Quake III --------------------------------------------------------------------------------------------- */

static void check_q3(const char *block, const char *expected)
{
    check_by(mtr_parse_q3, block, expected, NULL);
}

TEST(a_shader_that_covers_and_takes_light_begins_with_a_lit_surface)
{
    check_q3("{ map a.tga rgbGen lightingDiffuse }", "diffuse \"a.tga\" in-light; lit");
    check_q3("{\nmap a.tga\nrgbGen lightingDiffuse\n}\n{\nmap b.tga\nblendFunc add\n}",
             "diffuse \"a.tga\" in-light; blended \"b.tga\" (one, one); lit");
    fact("what shines by itself, mirrors or is blended is a layer");
    check_q3("{\nmap a.tga\n}", "blended \"a.tga\" (one, zero)");
    check_q3("{\nmap a.tga\nrgbGen lightingDiffuse\ntcGen environment\n}",
             "blended \"a.tga\" (one, zero) mirror in-light");
    check_q3("{\nmap a.tga\nblendFunc blend\nrgbGen lightingDiffuse\n}",
             "blended \"a.tga\" (src_alpha, one_minus_src_alpha) in-light");
    fact("only the first stage is the surface");
    check_q3("{\nmap a.tga\n}\n{\nmap b.tga\nrgbGen lightingDiffuse\n}",
             "blended \"a.tga\" (one, zero); blended \"b.tga\" (one, zero) in-light");
}

TEST(pictures_of_a_shader)
{
    check_q3("{\nclampMap models/a b.tga\n}", "blended \"models/a\" (one, zero) clamp");
    check_q3("{\nanimMap 4 a.tga b.tga c.tga\nblendFunc GL_ONE GL_ONE\n}", "blended \"a.tga\" (one, one)");
    check_q3("{\nmap $lightmap\n}\n{\nmap a\nblendfunc filter\n}", "diffuse \"a\" in-light; lit");
    check_q3("{\nmap a\n}\n{\nmap $lightmap\n}", "diffuse \"a\" in-light; lit");
    check_q3("{\nmap a\nblendFunc add\n}\n{\nmap $lightmap\nblendFunc filter\n}", "blended \"a\" (one, one)");
    check_q3("{\nmap $lightmap\n}", "");
    check_q3("{\nmap *white\n}", "blended _white (one, zero)");
    fact("stages without a picture are left out");
    check_q3("{\nvideoMap a.roq\n}\n{\nmap\n}\n{\nblendFunc add\n}", "");
    check_q3("qer_editorimage a.tga\nsurfaceparm nodraw", "");
}

TEST(words_of_a_shader)
{
    fact("culling");
    check_q3("cull none", "; two-sided");
    check_q3("cull disable\n{\nmap a\n}", "blended \"a\" (one, zero); two-sided");
    check_q3("CULL back", "; back-sided");
    check_q3("cull front\ncull", "");
    fact("holes");
    check_q3("{\nmap a\nalphaFunc GE128\nrgbGen lightingDiffuse\n}", "diffuse \"a\" alpha 0.5 in-light; lit");
    check_q3("{\nmap a\nalphaFunc GT0\n}", "blended \"a\" (one, zero) alpha 0.00196078");
    check_q3("{\nmap a\nalphaFunc LT128\n}", "blended \"a\" (one, zero)");
    fact("colours");
    check_q3("{\nmap a\nrgbGen const ( 0.5 0.25 2 )\nalphaGen const 0.75\n}",
             "blended \"a\" (one, zero) rgba 0.5 0.25 1 0.75");
    check_q3("{\nmap a\nrgbGen wave sin 0.5 0.25 0.25 1\nalphaGen wave square 0 0.5 0 1\n}",
             "blended \"a\" (one, zero) rgba 0.75 0.75 0.75 0.5");
    check_q3("{\nmap a\nrgbGen vertex\nalphaGen portal 512\n}", "blended \"a\" (one, zero)");
    check_q3("{\nmap a\nblendFunc GL_SRC_ALPHA GL_ONE\nalphaGen lightingSpecular\n}", "");
    check_q3("{\nmap a\nalphaGen lightingSpecular\nblendFunc GL_SRC_ALPHA GL_ONE\n}", "");
    check_q3("{\nmap a\nalphaGen lightingSpecular\n}", "blended \"a\" (one, zero)");
    check_q3("{\nmap a\nblendFunc GL_DST_COLOR GL_SRC_COLOR\n}", "blended \"a\" (dst_color, src_color)");
    fact("movements at time 0: each works on what those before it gave");
    check_q3("{\nmap a\ntcMod scroll 1 2\ntcMod rotate 30\ntcMod turb 0 1 0 1\n}", "blended \"a\" (one, zero)");
    check_q3("{\nmap a\ntcMod scale 2 4\ntcMod transform 1 0 0 1 0.5 0.25\n}",
             "blended \"a\" (one, zero) [2 0 0.5][0 4 0.25]");
    check_q3("{\nmap a\ntcMod transform 1 0 0 1 0.5 0.25\ntcMod scale 2 4\n}",
             "blended \"a\" (one, zero) [2 0 1][0 4 1]");
    check_q3("{\nmap a\ntcMod stretch sin 2 0 0 1\n}", "blended \"a\" (one, zero) [0.5 0 0.25][0 0.5 0.25]");
    fact("a blend that is not known costs its stage");
    check_by(mtr_parse_q3, "{\nmap a\nblendFunc GL_SRC_ALPHA_SATURATE GL_ONE\n}", "",
             "5: unknown blend 'GL_SRC_ALPHA_SATURATE', its stage is left out");
}

TEST(a_shader_cut_anywhere_is_read)
{
    static const char text[] =
        "m\n{\ncull none\n{\nanimMap 2 a b\nblendFunc GL_ONE GL_ZERO\nrgbGen wave sin 1 2 3 4\n"
        "tcMod transform 1 2 3 4 5 6\nalphaGen const ( 1 )\ntcGen environment\n}\n}\n";
    for (size_t size = 0; size < sizeof text; size++) {
        struct strings warnings = {0};
        struct mtr mtr = parse_by(mtr_parse_q3, text, size, &warnings);
        mtr_release(&mtr);
        strings_release(&warnings);
    }
}
