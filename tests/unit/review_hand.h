/* Sheets made by hand in output folders: pictures of cells in one colour, what describes them, and a record. */
#ifndef TESTS_REVIEW_HAND_H
#define TESTS_REVIEW_HAND_H

#include "page/record.h"
#include "page/metadata.h"
#include "sheet/png.h"
#include "temp_folder.h"
#include "test.h"

enum { HAND_CELL = 4, HAND_FRAMES = 8 };
#define HAND_HASH(digit) digit digit digit digit digit digit digit digit "0123456789abcdef01234567"

struct hand_frame {
    const char *name; /* "walk/east/0000": after that of the job */
    uint32_t color;   /* 0xRRGGBBAA, of the cell but for its first row, which is empty */
    double duration_ms, pivot_x;
    uint32_t x; /* on the page, in cells */
};

struct hand_sheet {
    const char *job;
    struct hand_frame frames[HAND_FRAMES]; /* up to one without a name */
    const char *cell;                      /* a setting; NULL: "[4, 4]" */
    const char *skin, *skin_hash;          /* an input; NULL: "skin.png", HAND_HASH("a") */
    const char *warning, *backend, *triangles, *missing_textures, *absent;
    const char **warnings; /* in place of `warning` */
    size_t warning_count;
    struct record_pairs inputs; /* in place of the skin, if there are any */
    const char *found;          /* a path that leads to a file which is not read */
    bool loops, has_no_input;
    uint32_t output; /* 0: today's version */
};

static inline void hand_write(const char *folder, const char *stem, const char *suffix, struct blob *blob)
{
    char *name = must_printf("%s%s", stem, suffix);
    free(temp_folder_write(folder, name, blob->data, blob->size));
    free(name);
}

static inline struct blob hand_picture(const struct hand_sheet *hand)
{
    struct sheet sheet;
    struct blob png;
    struct error err;
    if (sheet_init(&sheet, SHEET_COLOR, HAND_CELL * HAND_FRAMES, HAND_CELL, &err) < 0)
        abort();
    for (const struct hand_frame *frame = hand->frames; frame->name; frame++)
        for (uint32_t i = HAND_CELL; i < HAND_CELL * HAND_CELL; i++) {
            uint8_t *pixel = sheet_row(&sheet, i / HAND_CELL) + (frame->x * HAND_CELL + i % HAND_CELL) * 4;
            for (int c = 0; c < 4; c++)
                pixel[c] = (uint8_t)(frame->color >> (24 - 8 * c));
        }
    if (sheet_save_png(&sheet, &png, &err) < 0)
        abort();
    sheet_release(&sheet);
    return png;
}

static inline struct blob hand_json(const struct hand_sheet *hand)
{
    struct atlas_frame frames[HAND_FRAMES];
    char *names[HAND_FRAMES];
    size_t count = 0;
    for (; hand->frames[count].name; count++) {
        const struct hand_frame *frame = &hand->frames[count];
        names[count] = must_printf("%s/%s", hand->job, frame->name);
        frames[count] = (struct atlas_frame){
            .name = names[count],
            .rect = {frame->x * HAND_CELL, 0, HAND_CELL, HAND_CELL},
            .source = {0, 0, HAND_CELL, HAND_CELL},
            .source_px = {HAND_CELL, HAND_CELL},
            .pivot = {frame->pivot_x, 1},
            .duration_ms = frame->duration_ms,
        };
    }
    const struct atlas_page page = {"a.png", "a.json", HAND_CELL * HAND_FRAMES, HAND_CELL};
    const struct atlas_clip clip = {.name = "walk/east", .frame_count = count, .loop = hand->loops};
    char *image = must_printf("%s.png", hand->job);
    struct atlas_page own = page;
    own.image = image;
    const struct atlas atlas = {
        .pages = &own, .page_count = 1, .frames = frames, .frame_count = count, .clips = &clip, .clip_count = 1};
    struct blob json;
    struct error err;
    if (pixi_save(&atlas, false, &json, &err) < 0)
        abort();
    free(image);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    return json;
}

/* Writes all files of a sheet of the list "units". */
static inline void hand_add(const char *folder, const struct hand_sheet *hand)
{
    struct blob png = hand_picture(hand), json = hand_json(hand), saved;
    char png_hash[HASH_SIZE], json_hash[HASH_SIZE];
    hash_bytes(blob_bytes(&png), png_hash);
    hash_bytes(blob_bytes(&json), json_hash);
    char *png_name = must_printf("%s.png", hand->job), *json_name = must_printf("%s.json", hand->job);
    const struct record_file files[] = {{json_name, json.size, json_hash}, {png_name, png.size, png_hash}};
    const struct record_pair settings[] = {{"cell", hand->cell ? hand->cell : "[4, 4]"}};
    const struct record_pair inputs[] = {
        {hand->skin ? hand->skin : "skin.png", hand->skin_hash ? hand->skin_hash : HAND_HASH("a")}};
    const struct record_pair facts[] = {{"missing_textures", hand->missing_textures},
                                        {"triangles", hand->triangles ? hand->triangles : "12"}};
    const struct record_pair found = {hand->found, hand->found};
    const bool has_no_count = !hand->missing_textures; /* as records of before there was one */
    const struct record record = {
        .list = "units",
        .job = hand->job,
        .page_count = 1,
        .part_count = 1,
        .output = hand->output ? hand->output : OUTPUT_VERSION,
        .renderer = "a renderer",
        .backend = hand->backend ? hand->backend : "osmesa",
        .cpu = "cpu",
        .library = "a 1",
        .program = "b 1",
        .probe = "",
        .settings = {settings, 1},
        .inputs = hand->inputs.count ? hand->inputs : (struct record_pairs){inputs, !hand->has_no_input},
        .facts = {facts + has_no_count, 2 - has_no_count},
        .found = {&found, hand->found != NULL},
        .absent = &hand->absent,
        .absent_count = hand->absent != NULL,
        .files = files,
        .file_count = 2,
        .warnings = hand->warnings ? hand->warnings : &hand->warning,
        .warning_count = hand->warnings ? hand->warning_count : hand->warning != NULL,
    };
    struct error err;
    if (record_save(&record, &saved, &err) < 0)
        abort();
    hand_write(folder, hand->job, ".png", &png);
    hand_write(folder, hand->job, ".json", &json);
    hand_write(folder, hand->job, RECORD_SUFFIX, &saved);
    blob_release(&png);
    blob_release(&json);
    blob_release(&saved);
    free(png_name);
    free(json_name);
}

#endif
