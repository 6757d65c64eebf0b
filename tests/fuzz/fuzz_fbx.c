/* Any bytes as an FBX, binary or ASCII (fuzz_file). */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file(&fbx_format, "a/b.fbx", (struct bytes){data, size});
    return 0;
}
