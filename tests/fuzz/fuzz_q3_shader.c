/* Any bytes as a file of Quake III's shaders: every declaration is parsed. */
#include "material/mtr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct declarations declarations = {0};
    struct strings warnings = {0};
    declarations_scan((struct bytes){data, size}, &declarations, &warnings);
    for (size_t i = 0; i < declarations.count; i++) {
        struct mtr mtr;
        mtr_parse_q3(&declarations.items[i], &mtr, &warnings);
        mtr_release(&mtr);
    }
    declarations_release(&declarations);
    strings_release(&warnings);
    return 0;
}
