/* Image programs: their one form, what they compute, and which are refused. */
#include "asset_tree.h"
#include "test.h"

#include "image/image_program.h"
#include "base/buffer.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

/* A picture of these texels, as a TGA. */
static void add_picture(const struct asset_tree *tree, const char *name, uint8_t width, uint8_t height,
                        const uint8_t (*texels)[4])
{
    size_t count = (size_t)width * height, size = 18 + count * 4;
    uint8_t *tga = must_alloc(size, 1);
    const uint8_t header[18] = {[2] = 2, [12] = width, [14] = height, [16] = 32, [17] = 0x28};
    memcpy(tga, header, sizeof header);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *texel = texels[i];
        memcpy(tga + 18 + i * 4, (const uint8_t[4]){texel[2], texel[1], texel[0], texel[3]}, 4);
    }
    free(temp_folder_write(tree->folder, name, tga, size));
    free(tga);
}

static void add_texel(const struct asset_tree *tree, const char *name, uint8_t r, uint8_t g, uint8_t b, uint8_t a)
{
    add_picture(tree, name, 1, 1, &(const uint8_t[4]){r, g, b, a});
}

/* a.tga and b.tga of one texel each; a step, dark on the left, bright on the right; "dir/my picture.png"; normals
 * beside texels that are not. */
static struct asset_tree open_tree(void)
{
    static const uint8_t step[4][4] = {{0, 0, 0, 255}, {0, 0, 0, 255}, {128, 128, 128, 255}, {128, 128, 128, 255}};
    static const uint8_t gaps[4][4] = {
        {0, 0, 0, 255}, {255, 128, 128, 255}, {128, 128, 128, 255}, {128, 128, 255, 255}};
    struct asset_tree tree = asset_tree_new();
    add_texel(&tree, "a.tga", 10, 20, 30, 40);
    add_texel(&tree, "b.tga", 100, 200, 250, 255);
    add_texel(&tree, "dir/my picture.png", 1, 2, 3, 4); /* known by its content */
    add_texel(&tree, "dds/dir/packed.dds", 5, 6, 7, 255);
    add_picture(&tree, "step.tga", 4, 1, step);
    add_picture(&tree, "stairs.tga", 1, 4, step);
    add_picture(&tree, "gaps.tga", 4, 1, gaps);
    asset_tree_open(&tree);
    return tree;
}

static void check_form(const char *program, const char *expected)
{
    struct asset_tree tree = open_tree();
    struct error err;
    char *found;
    if (image_program_resolve(tree.assets, program, &found, NULL, &err) < 0)
        fail_msg("%s: %s", program, err.text);
    assert_string_equal(found, expected);
    free(found);
}

static void check_refused(const char *program, const char *message)
{
    struct asset_tree tree = open_tree();
    struct error err;
    char *out = NULL;
    struct image image = {0};
    assert_int_equal(image_program_resolve(tree.assets, program, &out, NULL, &err), -1);
    assert_null(out);
    assert_says(err.text, message);
    assert_int_equal(image_program_load(tree.assets, program, &image, &err), -1);
    assert_null(image.pixels);
    assert_says(err.text, message);
}

static struct image load(const struct asset_tree *tree, const char *program)
{
    struct error err;
    struct image image;
    if (image_program_load(tree->assets, program, &image, &err) < 0)
        fail_msg("%s: %s", program, err.text);
    return image;
}

/* Each texel as hexadecimal digits, then "alpha" where there is some. */
static void check_texels(const char *program, const char *expected)
{
    struct asset_tree tree = open_tree();
    struct image image = load(&tree, program);
    struct buffer text = {0};
    for (size_t i = 0; i < (size_t)image.width * image.height; i++) {
        const uint8_t *texel = image.pixels + i * 4;
        buffer_printf(&text, "%s%02x%02x%02x%02x", i ? " " : "", texel[0], texel[1], texel[2], texel[3]);
    }
    buffer_printf(&text, "%s", image.has_alpha ? " alpha" : "");
    assert_string_equal(text.text, expected);
    buffer_release(&text);
    image_release(&image);
}

/* -- The one form ------------------------------------------------------------------------------------------ */

TEST(programs_have_one_form)
{
    static const char *const forms[][2] = {
        /* a path is a program */
        {"a.tga", "a.tga"},
        {" A ", "a.tga"},
        {"b.png", "b.tga"},
        {"\"dir/my picture\"", "dir/my picture.png"},
        {"dir/packed.tga", "dds/dir/packed.dds"},
        /* functions are written one way */
        {"ADDNORMALS(a,HeightMap ( b , 4.0 ))", "addnormals(a.tga, heightmap(b.tga, 4))"},
        {"smoothnormals(a)", "smoothnormals(a.tga)"},
        {"downSize(add(a, b), 2)", "downsize(add(a.tga, b.tga), 2)"},
        {"add(a, b)", "add(a.tga, b.tga)"},
        {"invertalpha(invertcolor(a))", "invertAlpha(invertColor(a.tga))"},
        {"makeintensity(makealpha(a))", "makeIntensity(makeAlpha(a.tga))"},
        {"scale(a, 0.5, 0.25, 1, 2)", "scale(a.tga, 0.5, 0.25, 1, 2)"},
        /* numbers left out are 1 */
        {"scale(a, 0.5)", "scale(a.tga, 0.5, 1, 1, 1)"},
        {"heightmap(a)", "heightmap(a.tga, 1)"},
        /* commas may be missing */
        {"heightmap(a 4)", "heightmap(a.tga, 4)"},
        {"add(a b)", "add(a.tga, b.tga)"},
        /* comments and lines do not matter */
        {"add( a, // the base\n\tb )", "add(a.tga, b.tga)"},
        /* paths are quoted where they must be */
        {"makealpha(\"dir/my picture.png\")", "makeAlpha(\"dir/my picture.png\")"},
        /* built in pictures need no file */
        {"_WHITE", "_white"},
        {"add(_black, _flat)", "add(_black, _flat)"},
        /* the one form gives itself */
        {"addnormals(scale(a.tga, 0.123456791, 1, 1, 1), heightmap(\"dir/my picture.png\", -3))",
         "addnormals(scale(a.tga, 0.123456791, 1, 1, 1), heightmap(\"dir/my picture.png\", -3))"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check_form(forms[i][0], forms[i][1]);
}

/* -- What they compute ------------------------------------------------------------------------------------- */

TEST(programs_compute_these_texels)
{
    static const char *const texels[][2] = {
        /* pictures are themselves */
        {"a.tga", "0a141e28 alpha"},
        {"b", "64c8faff"},
        {"dir/my picture.png", "01020304 alpha"}, /* a path, although no single word */
        {"_white", "ffffffff"},
        {"_black", "000000ff"},
        {"_flat", "8080ffff"},
        /* adding stops at white */
        {"add(a, b)", "6edcffff"},
        /* scaling multiplies and stops at white */
        {"scale(b, 0.5, 2, 0.1, 0)", "32ff1900 alpha"},
        {"scale(b, 0, -1, 4294967295, 1)", "0000ffff"},
        {"scale(b, 1e38, 1e38, 1e38, 1e38)", "ffffffff"},
        /* inverting takes from white */
        {"invertColor(a)", "f5ebe128 alpha"},
        {"invertAlpha(a)", "0a141ed7 alpha"},
        {"invertAlpha(b)", "64c8fa00 alpha"},
        /* intensity is red */
        {"makeIntensity(b)", "64646464 alpha"},
        /* alpha is the mean of the colors */
        {"makeAlpha(a)", "ffffff14 alpha"},
        {"downsize(a, 2)", "0a141e28 alpha"},
        /* functions nest */
        {"add(scale(a, 2, 2, 2, 2), invertColor(invertColor(a)))", "1e3c5a78 alpha"},
        /* the smaller of two pictures is scaled up */
        {"add(step, a)", "0a141eff 0a141eff 8a949eff 8a949eff"},
        {"add(a, step)", "0a141eff 0a141eff 8a949eff 8a949eff"},
        /* a slope of 128 per texel times 4/256 rises 2: the normal leans by atan 2 against it, and the other way
         * where the picture begins again */
        {"heightmap(step, 4)", "8080ffff 0e80b9ff 8080ffff f280b9ff"},
        {"heightmap(step, 0)", "8080ffff 8080ffff 8080ffff 8080ffff"},
        {"heightmap(step, -4)", "8080ffff f280b9ff 8080ffff 0e80b9ff"},
        /* y runs down the picture: from dark above to bright below the slope faces up, against it */
        {"heightmap(stairs, 4)", "8080ffff 800eb9ff 8080ffff 80f2b9ff"},
        /* bumps add to normals */
        {"addnormals(_flat, _flat)", "8080ffff"},
        {"addnormals(heightmap(step, 4), _flat)", "8080ffff 0e80b9ff 8080ffff f280b9ff"},
        {"addnormals(_flat, heightmap(step, 4))", "8080ffff 2b80dfff 8080ffff d580dfff"},
        /* normals that fade to nothing are flat */
        {"addnormals(scale(_flat, 1, 1, 0.502, 1), _flat)", "8080ffff"},
        /* smooth normals are the mean of their neighbours */
        {"smoothnormals(_flat)", "8080ffff"},
        {"smoothnormals(gaps)", "da80daff ff8080ff da80daff 8080ffff"},
        {"smoothnormals(heightmap(step, 4))", "8080ffff 5480f7ff 8080ffff ac80f7ff"},
    };
    for (size_t i = 0; i < sizeof texels / sizeof *texels; i++)
        check_texels(texels[i][0], texels[i][1]);
}

TEST(a_relief_of_any_scale_is_a_picture)
{
    struct asset_tree tree = open_tree();
    static const char *const programs[] = {"heightmap(step, 4294967295)", "heightmap(step, 3e38)",
                                           "heightmap(step, -3e38)"};
    for (size_t i = 0; i < 3; i++) {
        struct image image = load(&tree, programs[i]);
        image_release(&image);
    }
}

TEST(what_is_looked_for_is_traced)
{
    struct asset_tree tree = open_tree();
    struct trace trace = {0};
    assets_trace(tree.assets, &trace);
    struct image image = load(&tree, "add(add(b, a.png), add(_white, A))");
    assert_traced(&trace, LOOK_READ, "b.tga a.tga");
    assert_traced(&trace, LOOK_FOUND, "b.tga a.tga A.tga=a.tga");
    assert_traced(&trace, LOOK_ABSENT, "add(add(b, a.png), add(_white, A)) a.png");
    image_release(&image);
    trace_release(&trace);
}

/* -- What is refused --------------------------------------------------------------------------------------- */

TEST(what_was_tried_is_listed)
{
    struct asset_tree tree = open_tree();
    struct strings tried = {0};
    struct error err;
    char *out;
    assert_int_equal(image_program_resolve(tree.assets, "add(a.png, dir/c.tga)", &out, &tried, &err), -1);
    static const char *const expected[] = {"a.png",     "dir/c.tga", "dir/c.png", "dir/c.jpg",    "dir/c.jpeg",
                                           "dir/c.pcx", "dir/c.dds", "dir/c.bmp", "dds/dir/c.dds"};
    assert_int_equal(tried.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < tried.count; i++)
        assert_string_equal(tried.items[i], expected[i]);
    strings_release(&tried);
}

TEST(texts_that_are_no_program_are_refused)
{
    check_refused("", "expected a picture, found the end");
    check_refused("blur(a)", "unknown image function 'blur'");
    check_refused("add(a)", "expected a picture, found ')'");
    check_refused("add(a, b", "add: expected ')', found the end");
    check_refused("add(a, b, a)", "add: expected ')', found 'a'");
    check_refused("heightmap(a, strong)", "heightmap: expected a number, found 'strong'");
    check_refused("heightmap(a, inf)", "expected a number, found 'inf'");
    check_refused("heightmap(a, 1e99)", "expected a number, found '1e99'");
    check_refused("a b", "expected nothing more, found 'b'");
    check_refused("a)", "expected nothing more, found ')'");
    check_refused("(a)", "expected a picture, found '('");
    check_refused("\"a", "found a string that is never closed");
    check_refused("scale(a, 1, 2, 3, 4, 5)", "scale: expected ')', found '5'");
}

/* `count` times "add(", a, then `count` times ", b)". */
static char *nested(size_t count)
{
    struct buffer text = {0};
    for (size_t i = 0; i < count; i++)
        buffer_printf(&text, "add(");
    buffer_printf(&text, "a");
    for (size_t i = 0; i < count; i++)
        buffer_printf(&text, ", b)");
    return text.text;
}

TEST(programs_are_refused)
{
    fact("missing pictures are refused");
    check_refused("c.tga", "no picture 'c.tga'");
    check_refused("add(a, dir/c)", "no picture 'dir/c'");
    check_refused("../a.tga", "no picture '../a.tga'");
    check_refused("_currentRender", "the picture '_currentRender' is one that the engine makes while it draws");
    fact("programs nested too deep are refused");
    char *deep = nested(1000), *deepest = nested(IMAGE_PROGRAM_MAX_DEPTH),
         *more = nested(IMAGE_PROGRAM_MAX_DEPTH + 1);
    check_refused(deep, "image functions nested more than 16 deep");
    check_refused(more, "image functions nested more than 16 deep");
    check_texels(deepest, "ffffffff");
    free(deep);
    free(deepest);
    free(more);
    fact("programs of too many pictures are refused");
    static const char eight[] = "add(add(add(a, a), add(a, a)), add(add(a, a), add(a, a)))";
    char *many = must_printf("add(add(%s, %s), add(%s, add(%s, a)))", eight, eight, eight, eight);
    check_refused(many, "more than 32 pictures in one image program");
    free(many);
    fact("broken pictures are named");
    struct asset_tree tree = asset_tree_with("bad.png", "\x89PNG\r\n\x1a\n");
    struct error err;
    struct image image;
    assert_int_equal(image_program_load(tree.assets, "makeAlpha(bad.png)", &image, &err), -1);
    assert_says(err.text, "bad.png: PNG");
}

TEST(pictures_computed_too_large_are_refused)
{
    struct asset_tree tree = asset_tree_new();
    uint8_t *tga = must_alloc(18 + 16384 / 128 * 2, 1); /* run-length, one grey */
    const uint8_t wide[18] = {[2] = 11, [13] = 0x40, [14] = 1, [16] = 8},
                  high[18] = {[2] = 11, [12] = 1, [15] = 0x40, [16] = 8};
    for (int i = 0; i < 128; i++)
        tga[18 + 2 * i] = 0xff;
    memcpy(tga, wide, 18);
    free(temp_folder_write(tree.folder, "wide.tga", tga, 18 + 256));
    memcpy(tga, high, 18);
    free(temp_folder_write(tree.folder, "high.tga", tga, 18 + 256));
    free(tga);
    asset_tree_open(&tree);
    struct error err;
    struct image image;
    assert_int_equal(image_program_load(tree.assets, "add(wide, high)", &image, &err), -1);
    assert_says(err.text, "a computed picture of 16384 x 16384 pixels, at most 67108864 are allowed");
}

TEST(a_program_cut_anywhere_is_refused)
{
    static const char program[] =
        "ADDnormals(scale(add(a.tga, b.tga), 0.5, 1, 1, 1), heightmap(\"dir/my picture.png\", 4))";
    struct asset_tree tree = open_tree();
    for (size_t size = 2; size < strlen(program); size++) { /* 'A' is a picture */
        char *cut = must_printf("%.*s", (int)size, program), *out = NULL;
        struct error err = {""};
        assert_int_equal(image_program_resolve(tree.assets, cut, &out, NULL, &err), -1);
        assert_true(err.text[0] != '\0');
        free(cut);
    }
}

/* -- Pictures in other files ------------------------------------------------------------------------------- */

/* "red" in a file is a texel as red as the file's first byte says. */
static int open_box(struct container *box, struct error *err)
{
    assert_non_null(box->assets);
    assert_string_equal(box->path, "models/Box.bin");
    (void)err;
    return 0;
}

static int read_red(const struct container *box, const char *name, struct blob *out, struct error *err)
{
    const uint8_t tga[22] = {
        [2] = 2, [12] = 1, [14] = 1, [16] = 32, [17] = 0x28, [20] = box->bytes.data[0], [21] = 255};
    if (strcmp(name, "red"))
        return error_set(err, "no '%s'", name);
    *out = (struct blob){must_alloc(1, sizeof tga), sizeof tga};
    memcpy(out->data, tga, sizeof tga);
    return 0;
}

static const struct file_opener *choose_box(const struct container *box, const char *name, struct error *err)
{
    static const struct file_opener opener = {open_box, read_red, NULL};
    (void)box, (void)name, (void)err;
    return &opener;
}

TEST(a_picture_in_a_model_is_found_decoded_and_traced_by_the_model)
{
    struct asset_tree tree = asset_tree_with("models/Box.bin", "\x55 and more");
    struct trace trace = {0};
    struct image image;
    struct error err;
    char *found = NULL;
    assets_set_openers(tree.assets, choose_box);
    assets_trace(tree.assets, &trace);
    assert_int_equal(image_program_resolve(tree.assets, "models/box.bin:red", &found, NULL, &err), 0);
    assert_string_equal(found, "models/Box.bin:red");
    free(found);
    assert_int_equal(image_program_resolve(tree.assets, "add(models/box.bin:red, _black)", &found, NULL, &err), 0);
    if (image_program_load(tree.assets, found, &image, &err) < 0)
        fail_msg("%s", err.text);
    assert_memory_equal(image.pixels, ((uint8_t[4]){0x55, 0, 0, 255}), 4);
    image_release(&image);
    free(found);
    assert_int_equal(image_program_resolve(tree.assets, "models/box.bin:blue", &found, NULL, &err), 0);
    assert_int_equal(image_program_load(tree.assets, found, &image, &err), -1);
    assert_string_equal(err.text, "models/Box.bin:blue: no 'blue'");
    free(found);
    assert_int_equal(image_program_resolve(tree.assets, "models/can.bin:red", &found, NULL, &err), -1);
    assets_trace(tree.assets, NULL);

    assert_non_null(trace_find(&trace, LOOK_READ, "models/Box.bin"));
    assert_non_null(trace_find(&trace, LOOK_FOUND, "models/box.bin"));
    assert_non_null(trace_find(&trace, LOOK_ABSENT, "models/can.bin"));
    for (size_t i = 0; i < trace.count; i++)
        if (strchr(trace.items[i].name, ':'))
            fail_msg("%s is in the trace", trace.items[i].name);
    trace_release(&trace);
}
