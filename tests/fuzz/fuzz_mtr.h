/* For the fuzz targets of materials: any bytes as a file of them, whose every declaration is parsed. */
#ifndef FUZZ_MTR_H
#define FUZZ_MTR_H

#include "material/mtr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline int fuzz_mtr(void (*parse)(const struct declaration *, struct mtr *, struct strings *),
                           const uint8_t *data, size_t size)
{
    struct declarations declarations = {0};
    struct strings warnings = {0};
    declarations_scan((struct bytes){data, size}, &declarations, &warnings);
    for (size_t i = 0; i < declarations.count; i++) {
        struct mtr mtr;
        parse(&declarations.items[i], &mtr, &warnings);
        mtr_release(&mtr);
    }
    declarations_release(&declarations);
    strings_release(&warnings);
    return 0;
}

#endif
