/* A sheet of two pages for the writers of metadata: "walk" has three frames and loops, "hit" two and does not;
 * "still" is one picture without time. The middle frame of "walk" is on the second page, trimmed. */
#ifndef SHEET_OF_TWO_H
#define SHEET_OF_TWO_H

#include "page/metadata.h"

static const struct atlas_page two_pages[] = {
    {.image = "orc.png", .json = "orc.json", .width = 128, .height = 66},
    {.image = "orc-1.png", .json = "orc-1.json", .width = 64, .height = 32},
};

#define WHOLE .source = {0, 0, 64, 32}, .source_px = {64, 32}, .pivot = {0.5, 0.75}

static const struct atlas_frame two_frames[] = {
    {.name = "orc/walk/hero/0000", .rect = {1, 2, 64, 32}, WHOLE, .duration_ms = 250.0 / 3},
    {.name = "orc/walk/hero/0001",
     .page = 1,
     .rect = {6, 2, 10, 11},
     .source = {20, 12, 10, 11},
     .source_px = {64, 32},
     .pivot = {-0.25, 1},
     .duration_ms = 250.0 / 3},
    {.name = "orc/walk/hero/0002", .rect = {0, 34, 64, 32}, WHOLE, .duration_ms = 250.0 / 3},
    {.name = "orc/hit/hero/0000", .rect = {64, 34, 64, 32}, WHOLE, .duration_ms = 100},
    {.name = "orc/hit/hero/0001", .rect = {1, 2, 64, 32}, WHOLE, .duration_ms = 250},
    {.name = "orc/still/hero/0000", .rect = {1, 2, 64, 32}, WHOLE},
};

static const struct atlas_clip two_animations[] = {
    {.name = "walk/hero", .animation = "walk", .camera = "hero", .first_frame = 0, .frame_count = 3, .loop = true},
    {.name = "hit/hero", .animation = "hit", .camera = "hero", .first_frame = 3, .frame_count = 2},
    {.name = "still/hero",
     .animation = "still",
     .camera = "hero",
     .first_frame = 5,
     .frame_count = 1,
     .loop = true},
};

static inline struct atlas sheet_of_two(uint32_t page)
{
    return (struct atlas){
        .name = "orc",
        .pages = two_pages,
        .page_count = 2,
        .page = page,
        .frames = two_frames,
        .frame_count = sizeof two_frames / sizeof *two_frames,
        .clips = two_animations,
        .clip_count = 3,
    };
}

#endif
