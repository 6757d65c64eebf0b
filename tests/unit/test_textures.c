/* Which pictures are kept: a picture that was dropped is read again, so that a change of its file shows. */
#include "plan/looks.h"
#include "render/renderer.h"
#include "temp_folder.h"
#include "with_renderer.h"
#include "test.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

static int add(void *unused, const struct image *image, enum mipmap_kind kind, struct texture *out,
               struct error *err)
{
    (void)unused;
    return renderer_add_texture(renderer, image, kind, out, err);
}

static void drop(void *unused, struct texture *texture)
{
    (void)unused;
    renderer_drop_texture(renderer, texture);
}

static const struct texture_store store = {.add = add, .drop = drop};

struct tree {
    char *folder;
    struct assets *assets;
    struct textures *textures;
};

/* A square TGA of one grey, run-length encoded. */
static void write_picture(const struct tree *tree, const char *name, uint16_t side, uint8_t grey)
{
    uint32_t runs = (uint32_t)side * side / 128;
    size_t size = 18 + (size_t)runs * 2;
    uint8_t *tga = must_alloc(size, 1);
    const uint8_t header[18] = {[2] = 11, [12] = side & 255, side >> 8, side & 255, side >> 8, [16] = 8};
    memcpy(tga, header, sizeof header);
    for (uint32_t i = 0; i < runs; i++) {
        tga[18 + 2 * i] = 0x80 | 127;
        tga[18 + 2 * i + 1] = grey;
    }
    free(temp_folder_write(tree->folder, name, tga, size));
    free(tga);
}

/* The pictures there are at the start: two small ones, and two of which the budget holds one. */
enum { SMALL = 64, LARGE = 2048 };

static struct tree open_tree(void)
{
    struct error err;
    struct tree tree = {.folder = temp_folder_new()};
    write_picture(&tree, "a.tga", SMALL, 10);
    write_picture(&tree, "b.tga", SMALL, 20);
    write_picture(&tree, "large a.tga", LARGE, 30);
    write_picture(&tree, "large b.tga", LARGE, 40);
    temp_folder_add(tree.folder, "bad.png", "\x89PNG\r\n\x1a\n");
    if (assets_open((const char *const *)&tree.folder, 1, &tree.assets, &err) < 0)
        fail_msg("%s", err.text);
    tree.textures = textures_new(&store, tree.assets);
    return tree;
}

static void close_tree(struct tree *tree)
{
    textures_free(tree->textures);
    assets_close(tree->assets);
    temp_folder_free(tree->folder);
}

struct got {
    struct texture texture;
    char hash[33];
};

static struct got get(const struct tree *tree, const char *path)
{
    struct got got;
    struct trace trace = {0};
    struct error err;
    assets_trace(tree->assets, &trace);
    if (textures_get(tree->textures, path, MIPMAP_COLOR, 0, &got.texture, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(got.texture.id != 0);
    assert_int_equal(trace.count, 2); /* found and read, whether it was there or not */
    assert_string_equal(trace_find(&trace, LOOK_FOUND, path)->value, path);
    memcpy(got.hash, trace_find(&trace, LOOK_READ, path)->value, sizeof got.hash);
    assets_trace(tree->assets, NULL);
    trace_release(&trace);
    return got;
}

/* Whether getting it again gives the picture of the file as it was, not as it is now. */
static bool is_kept(const struct tree *tree, const char *path, uint16_t side)
{
    struct got before, after;
    struct textures *fresh = textures_new(&store, tree->assets);
    const struct tree other = {.folder = tree->folder, .assets = tree->assets, .textures = fresh};
    before = get(&other, path);
    textures_free(fresh);
    write_picture(tree, path, side, 99);
    after = get(tree, path);
    return !strcmp(before.hash, after.hash);
}

/* -- Tests ------------------------------------------------------------------------------------------------- */

TEST(pictures_are_kept_within_the_budget)
{
    fact("a picture is loaded once");
    struct tree tree = open_tree();
    struct got a = get(&tree, "a.tga"), b = get(&tree, "b.tga"), again = get(&tree, "a.tga");
    assert_int_equal(again.texture.id, a.texture.id);
    assert_string_equal(again.hash, a.hash);
    assert_int_not_equal(b.texture.id, a.texture.id);
    assert_string_not_equal(b.hash, a.hash);
    assert_true(is_kept(&tree, "a.tga", SMALL));
    close_tree(&tree);
    fact("trimming within the budget keeps all");
    tree = open_tree();
    get(&tree, "a.tga");
    get(&tree, "large a.tga");
    textures_trim(tree.textures);
    assert_true(is_kept(&tree, "a.tga", SMALL));
    assert_true(is_kept(&tree, "large a.tga", LARGE));
    close_tree(&tree);
    fact("trimming over it drops what was not used longest");
    tree = open_tree();
    get(&tree, "large a.tga");
    get(&tree, "a.tga");
    get(&tree, "large b.tga");
    textures_trim(tree.textures);
    assert_true(is_kept(&tree, "a.tga", SMALL));
    assert_true(is_kept(&tree, "large b.tga", LARGE));
    assert_false(is_kept(&tree, "large a.tga", LARGE));
    close_tree(&tree);
    fact("use keeps a picture");
    tree = open_tree();
    get(&tree, "large a.tga");
    get(&tree, "large b.tga");
    get(&tree, "large a.tga");
    textures_trim(tree.textures);
    assert_true(is_kept(&tree, "large a.tga", LARGE));
    assert_false(is_kept(&tree, "large b.tga", LARGE));
    close_tree(&tree);
}

TEST(until_it_is_trimmed_a_job_may_use_more)
{
    struct tree tree = open_tree();
    struct got a = get(&tree, "large a.tga"), b = get(&tree, "large b.tga");
    assert_int_equal(get(&tree, "large a.tga").texture.id, a.texture.id);
    assert_int_equal(get(&tree, "large b.tga").texture.id, b.texture.id);
    close_tree(&tree);
}

TEST(a_picture_that_failed_is_tried_again)
{
    struct tree tree = open_tree();
    struct texture texture;
    struct error err;
    assert_int_equal(textures_get(tree.textures, "bad.png", MIPMAP_COLOR, 0, &texture, &err), -1);
    write_picture(&tree, "bad.png", SMALL, 1); /* known by its content, not its suffix */
    get(&tree, "bad.png");
    close_tree(&tree);
}

TEST_GROUP(open_renderer, close_renderer)
