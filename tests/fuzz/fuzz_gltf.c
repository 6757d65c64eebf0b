/* Any bytes as a glTF or GLB file (fuzz_file). */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file(&gltf_format, "a/b.glb", (struct bytes){data, size});
    return 0;
}
