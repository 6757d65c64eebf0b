/* Any bytes as a .tag file; poses every tag. */
#include <math.h>

#include "idtech/md2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct tags tags;
    struct error err;
    if (md2_load_tags((struct bytes){data, size}, &arena, &tags, &err) < 0)
        tags = (struct tags){0};
    for (uint32_t i = 0; i < tags.tag_count; i++) {
        mat4 place;
        tag_place(&tags.items[i], &(struct moment){0, tags.frame_count - 1, 0.25}, place);
        for (int k = 0; k < 16; k++)
            if (!isfinite(place[k / 4][k % 4]))
                __builtin_trap();
    }
    arena_release(&arena);
    return 0;
}
