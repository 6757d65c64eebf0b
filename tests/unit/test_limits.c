/* Limits that bound memory and time, whatever a file says (docs/formats.md): what is just within is taken, or
 * refused for another reason, and one more is refused. Limits of one format alone are tested with it. */
#include "asset_tree.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asset/archive.h"
#include "material/declaration_index.h"
#include "image/image_program.h"
#include "base/buffer.h"
#include "md2_builder.h"
#include "format/formats.h"
#include "sheet/layout.h"

/* -- Models ------------------------------------------------------------------------------------------------ */

/* Why the bytes are no model; "" when they are one. */
static struct error load_error(const void *data, size_t size, enum geometry geometry)
{
    struct error err = {""};
    struct model *model;
    struct model_options options = {.geometry = geometry};
    if (model_load((struct bytes){data, size}, &options, &model, &err) == 0)
        model_free(model);
    return err;
}

static void check_text(const struct buffer *text, const char *message)
{
    struct error err = load_error(text->text, text->length, GEOMETRY_TRIANGLES);
    if (message ? !strstr(err.text, message) : err.text[0] != '\0')
        fail_msg("found '%s', expected '%s'", err.text, message ? message : "");
}

static void check_md2_field(enum md2_field field, uint32_t most, enum geometry geometry, const char *message)
{
    static const int16_t st[1][2];
    static const uint16_t triangles[1][6];
    static const char *const names[] = {"stand"};
    static const uint32_t words[1];
    struct blob blob = md2_build(&(struct md2_spec){.st_count = 1,
                                                    .triangle_count = 1,
                                                    .vertex_count = 1,
                                                    .frame_count = 1,
                                                    .word_count = 1,
                                                    .st = st,
                                                    .triangles = triangles,
                                                    .frame_names = names,
                                                    .words = words});
    for (uint32_t more = 0; more < 2; more++) {
        md2_set_field(&blob, field, most + more);
        struct error err = load_error(blob.data, blob.size, geometry);
        assert_true(err.text[0] != '\0'); /* the file has no room for so many */
        if (!strstr(err.text, message) != !more)
            fail_msg("%u: found '%s', expected '%s'", most + more, err.text, message);
    }
    blob_release(&blob);
}

/* The commands of 1,048,576 triangles, or one more, in a fan around its first point. */
static void check_fan(uint32_t triangle_count, bool is_taken)
{
    static const int16_t st[1][2];
    static const uint16_t triangles[1][6];
    static const char *const names[] = {"stand"};
    uint32_t vertex_count = triangle_count + 2, word_count = 2 + 3 * vertex_count;
    uint32_t *words = calloc(word_count, sizeof *words);
    words[0] = 0u - vertex_count;
    struct blob blob = md2_build(&(struct md2_spec){.st_count = 1,
                                                    .triangle_count = 1,
                                                    .vertex_count = 1,
                                                    .frame_count = 1,
                                                    .word_count = word_count,
                                                    .st = st,
                                                    .triangles = triangles,
                                                    .frame_names = names,
                                                    .words = words});
    struct error err = load_error(blob.data, blob.size, GEOMETRY_GL_COMMANDS);
    assert_string_equal(err.text, is_taken ? "" : "more than 1048576 triangles in GL commands");
    blob_release(&blob);
    free(words);
}

static void check_joints(unsigned count, size_t name_length, const char *message)
{
    struct buffer text = {0};
    buffer_printf(&text, "MD5Version 10\nnumJoints %u\nnumMeshes 1\njoints {\n", count);
    for (unsigned i = 0; i < count; i++)
        buffer_printf(&text, "\"%0*u\" -1 ( 0 0 0 ) ( 0 0 0 )\n", (int)name_length, i);
    buffer_printf(&text, "}\nmesh {\nshader \"%0*u\"\nnumverts 1\nvert 0 ( 0 0 ) 0 1\n", (int)name_length, 0);
    buffer_printf(&text, "numtris 1\ntri 0 0 0 0\nnumweights 1\nweight 0 0 1 ( 0 0 0 )\n}\n");
    check_text(&text, message);
    buffer_release(&text);
}

/* A mesh with one vertex, then one that declares so many, with room for them. */
static void check_second_mesh(const char *keyword, unsigned count, const char *message)
{
    struct buffer text = {0};
    buffer_printf(&text, "MD5Version 10\nnumJoints 1\nnumMeshes 2\njoints {\n\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n");
    buffer_printf(&text, "mesh {\nnumverts 1\nvert 0 ( 0 0 ) 0 1\nnumtris 1\ntri 0 0 0 0\n");
    buffer_printf(&text, "numweights 1\nweight 0 0 1 ( 0 0 0 )\n}\nmesh {\n%s %u\n%*s}\n", keyword, count,
                  (int)(20 * count), "");
    check_text(&text, message);
    buffer_release(&text);
}

static void check_frames(unsigned count, const char *message)
{
    static const char mesh[] =
        "MD5Version 10\nnumJoints 1\nnumMeshes 0\njoints {\n\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\n"
        "numverts 1\nvert 0 ( 0 0 ) 0 1\nnumtris 1\ntri 0 0 0 0\nnumweights 1\n"
        "weight 0 0 1 ( 0 0 0 )\n}\n";
    struct buffer text = {0};
    struct error err = {""};
    struct model *model;
    struct model_options options = {0};
    buffer_printf(&text, "MD5Version 10\nnumFrames %u\nnumJoints 1\nframeRate 24\nnumAnimatedComponents 0\n",
                  count);
    buffer_printf(&text, "hierarchy {\n\"a\" -1 0 0\n}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\n");
    for (unsigned i = 0; i < count; i++)
        buffer_printf(&text, "frame %u {\n}\n", i);
    if (model_load((struct bytes){(const uint8_t *)mesh, sizeof mesh - 1}, &options, &model, &err) < 0)
        fail_msg("%s", err.text);
    struct bytes bytes = {(const uint8_t *)text.text, text.length};
    assert_int_equal(model_add_animation(model, "a", bytes, &err), message ? -1 : 0);
    if (message)
        assert_non_null(strstr(err.text, message));
    model_free(model);
    buffer_release(&text);
}

TEST(counts_are_limited)
{
    fact("counts of an md2 are limited");
    check_md2_field(MD2_FIELD_NUM_TRIS, MODEL_MOST_TRIANGLES, GEOMETRY_TRIANGLES,
                    "1048577 triangles (at most 1048576)");
    check_md2_field(MD2_FIELD_NUM_FRAMES, MODEL_MOST_FRAMES, GEOMETRY_TRIANGLES,
                    "65537 frames (1 to 65536 are allowed)");
    check_md2_field(MD2_FIELD_NUM_XYZ, 65536, GEOMETRY_TRIANGLES, "65537 vertices (1 to 65536 are allowed)");
    fact("triangles of gl commands are limited");
    check_fan(MODEL_MOST_TRIANGLES, true);
    check_fan(MODEL_MOST_TRIANGLES + 1, false);
    fact("joints are limited");
    check_joints(MODEL_MOST_JOINTS, 4, NULL);
    check_joints(MODEL_MOST_JOINTS + 1, 4, "2: numJoints is 65537, at most 65536 are allowed");
    fact("names are limited");
    check_joints(1, MODEL_LONGEST_NAME, NULL);
    check_joints(1, MODEL_LONGEST_NAME + 1, "5: the name of a joint has 1024 bytes, at most 1023 are allowed");
    fact("counts of all meshes together are limited");
    check_second_mesh("numverts", MODEL_MOST_POINTS - 1, "expected 'vert', found '}'");
    check_second_mesh("numverts", MODEL_MOST_POINTS,
                      "16: numverts is 1048576 and makes 1048577 in all meshes, at most 1048576 are allowed");
    check_second_mesh("numtris", MODEL_MOST_TRIANGLES - 1, "expected 'tri', found '}'");
    check_second_mesh("numtris", MODEL_MOST_TRIANGLES, "makes 1048577 in all meshes, at most 1048576");
    check_second_mesh("numweights", 4 * MODEL_MOST_POINTS, "makes 4194305 in all meshes, at most 4194304");
    fact("frames are limited");
    check_frames(MODEL_MOST_FRAMES, NULL);
    check_frames(MODEL_MOST_FRAMES + 1, "2: numFrames is 65537, 1 to 65536 are allowed");
}

/* -- Sheets ------------------------------------------------------------------------------------------------ */

TEST(pages_are_limited)
{
    struct sheet_settings settings = {.max_size = 16};
    const uint32_t cell_px[] = {16, 16};
    struct layout layout;
    struct error err;
    assert_int_equal(
        layout_init(&layout, &settings, cell_px, &(struct strips){(size_t[]){LAYOUT_MOST_PAGES}, 1}, &err), 0);
    assert_int_equal(layout.page_count, LAYOUT_MOST_PAGES);
    layout_release(&layout);
    assert_int_equal(
        layout_init(&layout, &settings, cell_px, &(struct strips){(size_t[]){LAYOUT_MOST_PAGES + 1}, 1}, &err),
        -1);
    assert_string_equal(err.text, "65537 cells make 65537 pages, at most 65536 are allowed");
}

/* -- Assets ------------------------------------------------------------------------------------------------ */

TEST(image_programs_are_limited_in_length)
{
    struct asset_tree tree = asset_tree_new();
    asset_tree_open(&tree);
    for (int more = 0; more < 2; more++) {
        struct error err = {""};
        char *out = NULL, *program = must_printf("%*s", IMAGE_PROGRAM_LONGEST + more, "_white");
        int result = image_program_resolve(tree.assets, program, &out, NULL, &err);
        assert_int_equal(result, -more);
        assert_string_equal(err.text, more ? "an image program of 16385 bytes, at most 16384 are allowed" : "");
        free(out);
        free(program);
    }
}

TEST(declared_names_are_cut)
{
    char *longest = must_printf("%0*d", DECLARATION_LONGEST_NAME, 1), *longer = must_printf("%s1", longest);
    char *text = must_printf("%s { }\n", longer);
    struct asset_tree tree = asset_tree_with("materials/a.mtr", text);
    const struct declaration_index *index = declaration_index_of(tree.assets, DECLARATION_MATERIAL);
    assert_null(declaration_index_find(index, longer));
    assert_non_null(declaration_index_find(index, longest));
    free(longest);
    free(longer);
    free(text);
}

/* Four files of 16 MiB are all that is read; a fifth of one byte is too much. */
TEST(files_of_declarations_are_limited_together)
{
    struct asset_tree tree = asset_tree_new();
    for (char letter = 'a'; letter <= 'd'; letter++) {
        char *name = must_printf("materials/%c.mtr", letter), *text = must_printf("%c { }\n//", letter);
        char *path = temp_folder_write(tree.folder, name, text, strlen(text));
        assert_int_equal(truncate(path, 16 * 1024 * 1024), 0);
        free(path);
        free(text);
        free(name);
    }
    asset_tree_add(&tree, "materials/e.mtr", " ");
    asset_tree_open(&tree);
    const struct declaration_index *index = declaration_index_of(tree.assets, DECLARATION_MATERIAL);
    assert_int_equal(index->file_count, 5);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(index->files[i].warnings.count, 0);
    assert_non_null(declaration_index_find(index, "d"));
    assert_int_equal(index->files[4].warnings.count, 1);
    assert_string_equal(index->files[4].warnings.items[0],
                        "materials/e.mtr: left out, for with it these files have more than 67108864 bytes");
}

static void check_members(const char *folder, struct bytes bytes, bool is_taken)
{
    struct error err = {""};
    struct archive *archive;
    char *path = temp_folder_write(folder, "archive", bytes.data, bytes.size);
    assert_int_equal(archive_open(path, &archive, &err), is_taken ? 0 : -1);
    assert_string_equal(err.text, is_taken ? "" : "more than 1000000 files");
    if (is_taken)
        archive_free(archive);
    free(path);
}

static void put_u32(uint8_t *out, size_t number)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(number >> 8 * i);
}

TEST(members_of_paks_are_limited)
{
    char *folder = temp_folder_new();
    for (size_t more = 0; more < 2; more++) {
        size_t size = 64 * (ARCHIVE_MOST_MEMBERS + more);
        uint8_t *data = calloc(1, 12 + size);
        memcpy(data, "PACK", 4);
        put_u32(data + 4, 12);
        put_u32(data + 8, size);
        check_members(folder, (struct bytes){data, 12 + size}, !more);
        free(data);
    }
    temp_folder_free(folder);
}

/* A list of members without names, and the end record. */
TEST(members_of_zips_are_limited)
{
    char *folder = temp_folder_new();
    for (size_t more = 0; more < 2; more++) {
        size_t count = ARCHIVE_MOST_MEMBERS + more, size = 46 * count;
        uint8_t *data = calloc(1, size + 22);
        for (size_t at = 0; at < size; at += 46)
            memcpy(data + at, "PK\1\2", 4);
        memcpy(data + size, "PK\5\6", 4);
        data[size + 10] = (uint8_t)count;
        data[size + 11] = (uint8_t)(count >> 8);
        put_u32(data + size + 12, size);
        check_members(folder, (struct bytes){data, size + 22}, !more);
        free(data);
    }
    temp_folder_free(folder);
}

/* A list that is larger than it may be, of a file that has a hole there. */
TEST(lists_of_archives_are_limited)
{
    char *folder = temp_folder_new();
    struct error err = {""};
    struct archive *archive;
    uint8_t head[12] = "PACK";
    put_u32(head + 4, 12);
    put_u32(head + 8, ARCHIVE_MAX_LIST + 64);
    char *path = temp_folder_write(folder, "archive", head, sizeof head);
    assert_int_equal(truncate(path, 12 + ARCHIVE_MAX_LIST + 64), 0);
    assert_int_equal(archive_open(path, &archive, &err), -1);
    assert_string_equal(err.text, "its list of files has 134217792 bytes, at most 134217728 are allowed");
    free(path);
    temp_folder_free(folder);
}
