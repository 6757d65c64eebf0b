/* Any bytes as the JSON of a sheet of two pages: read, written again, and put together as a sheet. What follows a NUL is the
 * second page's. */
#include <stdlib.h>
#include <string.h>

#include "page/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_good)
{
    if (!is_good)
        __builtin_trap();
}

static void check_frame(const struct made_sheet *sheet, const struct atlas_frame *frame)
{
    check(frame->page < sheet->page_count);
    check(frame->rect.x + frame->rect.width <= IMAGE_MAX_SIDE &&
          frame->rect.y + frame->rect.height <= IMAGE_MAX_SIDE);
    check(frame->source.width == frame->rect.width && frame->source.height == frame->rect.height);
    check(frame->source.x + frame->source.width <= frame->source_px[0]);
    check(frame->source.y + frame->source.height <= frame->source_px[1]);
    check(made_sheet_frame(sheet, frame->name) == frame);
    for (size_t i = 0; i < frame->socket_count; i++)
        check(frame->sockets[i].name != NULL);
    for (size_t i = 0; i < frame->box_count; i++)
        check(frame->boxes[i].name != NULL && frame->boxes[i].rect.width > 0);
    for (size_t i = 0; i < frame->event_count; i++)
        check(frame->events[i].name != NULL);
}

static void check_sheet(const struct made_sheet *sheet)
{
    size_t frames = 0;
    for (size_t i = 0; i < sheet->clip_count; i++) {
        check(sheet->clips[i].first_frame == frames && sheet->clips[i].frame_count > 0);
        check(i == 0 || !*sheet->clips[i].name || strcmp(sheet->clips[i - 1].name, sheet->clips[i].name) < 0);
        frames += sheet->clips[i].frame_count;
    }
    check(frames == sheet->frame_count);
    for (size_t i = 0; i < sheet->frame_count; i++)
        check_frame(sheet, &sheet->frames[i]);
    for (size_t page = 0; page < sheet->page_count; page++)
        for (size_t i = 0; i < sheet->pages[page].pass_count; i++)
            check(!strchr(sheet->pages[page].passes[i].picture, '/'));
}

/* What could be read can be written, and read again. */
static void check_written(const struct made_sheet *sheet, struct bytes json, uint32_t page)
{
    struct arena arena = {0};
    struct atlas_page pages[2];
    struct atlas atlas;
    struct blob again;
    struct error err;
    check(pixi_load(json, &arena, &atlas, &err) == 0);
    pages[page] = atlas.pages[0];
    atlas.pages = pages;
    atlas.page = page;
    atlas.frames = sheet->frames;
    atlas.frame_count = sheet->frame_count;
    atlas.clips = sheet->clips;
    atlas.clip_count = sheet->clip_count;
    if (atlas.clip_count && !*atlas.clips[atlas.clip_count - 1].name)
        atlas.clip_count--;
    check(pixi_save(&atlas, false, &again, &err) == 0);
    check(pixi_load(blob_bytes(&again), &arena, &atlas, &err) == 0);
    blob_release(&again);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
    size_t first = end ? (size_t)(end - data) : size;
    const struct bytes jsons[2] = {{data, first}, {data + first + (end != NULL), size - first - (end != NULL)}};
    const struct page_set set = {.folder = "out"};
    struct made_sheet *sheet = must_alloc(1, sizeof *sheet);
    struct error err;
    sheet->set = &set;
    sheet->name = "a";
    sheet->page_count = end ? 2 : 1;
    sheet->pages = arena_must_alloc(&sheet->arena, 2, sizeof *sheet->pages);
    sheet->pages[0].stem = "a";
    sheet->pages[1].stem = "a@1";
    if (made_sheet_describe(sheet, jsons, &err) == 0) {
        check_sheet(sheet);
        for (uint32_t page = 0; page < sheet->page_count; page++)
            check_written(sheet, jsons[page], page);
    }
    made_sheet_free(sheet);
    return 0;
}
