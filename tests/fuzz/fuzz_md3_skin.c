/* Any bytes as a .skin of an MD3 with a few surfaces. */
#include "idtech/md3.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct surface surfaces[] = {{.name = "l_legs"}, {.name = "head_1"}, {.name = ""}};
    struct arena arena = {0};
    const char *shaders[3] = {0};

    md3_read_skin((struct bytes){data, size}, surfaces, 3, &arena, shaders);
    arena_release(&arena);
    return 0;
}
