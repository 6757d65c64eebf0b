/* Makes .tag files in memory for tests. */
#ifndef TESTS_TAG_BUILDER_H
#define TESTS_TAG_BUILDER_H

#include "md2_builder.h"

struct tag_spec {
    uint32_t tag_count, frame_count;
    const char *const *names;
    const float (*frames)[12]; /* tag_count * frame_count of three axes and a place; tags one after the other */
};

enum { TAG_FIELD_NUM_TAGS = 2, TAG_FIELD_NUM_FRAMES, TAG_FIELD_COUNT = 8, TAG_NAMES_AT = 32 };

/* The caller releases the blob. */
static inline struct blob tag_build(const struct tag_spec *spec)
{
    uint32_t at = TAG_NAMES_AT + 64 * spec->tag_count, count = spec->tag_count * spec->frame_count;
    const uint32_t header[TAG_FIELD_COUNT] = {0x3250444a,   1,  spec->tag_count, spec->frame_count,
                                              TAG_NAMES_AT, at, at + 48 * count, at + 64 * count};
    struct blob blob = {.data = must_alloc(1, header[6]), .size = header[6]};
    for (size_t i = 0; i < TAG_FIELD_COUNT; i++)
        blob_put(&blob, 4 * i, header[i], 4);
    for (uint32_t i = 0; i < spec->tag_count; i++)
        memcpy(blob.data + TAG_NAMES_AT + 64 * i, spec->names[i], strnlen(spec->names[i], 64));
    for (uint32_t i = 0; i < 12 * count; i++)
        blob_put_float(&blob, at + 4 * i, spec->frames[i / 12][i % 12]);
    return blob;
}

/* A hand that moves along x and turns a quarter to the left, and a head that stays. */
static inline struct blob tag_build_sample(void)
{
    static const char *const names[] = {"tag_hand", "tag_head"};
    static const float frames[][12] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0},
        {0, 1, 0, -1, 0, 0, 0, 0, 1, 4, 0, 0},
        {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 9},
        {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 9},
    };
    return tag_build(&(struct tag_spec){2, 2, names, frames});
}

#endif
