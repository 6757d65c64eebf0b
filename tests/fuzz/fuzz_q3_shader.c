#include "fuzz_mtr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mtr(mtr_parse_q3, data, size);
}
