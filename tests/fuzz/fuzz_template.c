/* Any bytes as a template, and after a NUL as the names of a small sheet, which the built-in templates take, too. */
#include <stdlib.h>
#include <string.h>

#include "../unit/sheet_of_two.h"
#include "page/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_good)
{
    if (!is_good)
        __builtin_trap();
}

/* No name adds a line: each file has as many as with plain names. */
static size_t count_lines(const struct blob *blob)
{
    size_t lines = 0;
    for (size_t i = 0; i < blob->size; i++)
        lines += blob->data[i] == '\n' || blob->data[i] == '\r';
    return lines;
}

static void check_built_in(const struct atlas *atlas, const struct atlas *plain)
{
    struct error err;
    for (unsigned i = METADATA_TEXTUREPACKER; i < METADATA_COUNT; i++) {
        struct blob own, other;
        check(metadata_save((enum metadata)i, atlas, &own, &err) == 0);
        check(metadata_save((enum metadata)i, plain, &other, &err) == 0);
        check(count_lines(&own) == count_lines(&other));
        if (i == METADATA_TEXTUREPACKER) {
            json_t *json = json_loadb((const char *)own.data, own.size, 0, NULL);
            check(json != NULL);
            json_decref(json);
        }
        blob_release(&own);
        blob_release(&other);
    }
}

/* Sheets as sheet_of_two, whose names are all `name`. */
static struct atlas named_sheet(const char *name, struct atlas_frame *frames, struct atlas_clip *clips,
                                struct atlas_page *pages)
{
    struct atlas atlas = sheet_of_two(0);
    for (size_t i = 0; i < atlas.frame_count; i++) {
        frames[i] = two_frames[i];
        frames[i].name = name;
    }
    for (size_t i = 0; i < atlas.clip_count; i++) {
        clips[i] = two_animations[i];
        clips[i].name = clips[i].animation = clips[i].camera = name;
        clips[i].rotations[0] = '0';
    }
    for (size_t i = 0; i < atlas.page_count; i++) {
        pages[i] = two_pages[i];
        pages[i].image = name;
    }
    atlas.name = name;
    atlas.frames = frames;
    atlas.clips = clips;
    atlas.pages = pages;
    return atlas;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const suffixes[] = {".json", ".xml", ".tpsheet"};
    const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
    size_t length = end ? (size_t)(end - data) : size, left = end ? size - length - 1 : 0;
    struct arena arena = {0};
    struct template template;
    struct error err;
    struct atlas_frame frames[2][6];
    struct atlas_clip clips[2][3];
    struct atlas_page pages[2][2];
    const char *name = arena_strndup(&arena, (const char *)data + size - left, left < 64 ? left : 64);
    const struct atlas atlas = named_sheet(name, frames[0], clips[0], pages[0]);
    const struct atlas plain = named_sheet("a", frames[1], clips[1], pages[1]);
    if (left > 0)
        check_built_in(&atlas, &plain);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        struct blob blob = {0};
        if (template_load((struct bytes){data, length}, suffixes[i], &arena, &template, &err) == 0 &&
            template_save(&template, &atlas, &blob, &err) == 0)
            blob_release(&blob);
    }
    arena_release(&arena);
    return 0;
}
