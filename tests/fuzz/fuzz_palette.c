/* Any bytes as a palette: it is read, or there is a message. */
#include "image/palette.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct palette palette = {0};
    struct error err = {""};
    bool is_read = palette_load((struct bytes){data, size}, &palette, &err) == 0;
    if (is_read ? palette.count < 1 || palette.count > PALETTE_MOST : palette.count > 0 || !err.text[0])
        abort();
    return 0;
}
