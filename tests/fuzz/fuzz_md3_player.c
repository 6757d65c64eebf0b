/* Any bytes as the animation.cfg of a player. */
#include "idtech/md3.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct md3_range ranges[MD3_MOST_RANGES];

    md3_read_ranges((struct bytes){data, size}, ranges);
    return 0;
}
