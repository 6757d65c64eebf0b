/* Any bytes as a skin file: every skin is read. */
#include <stdlib.h>

#include "material/model_decl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct declaration_index *index =
        declaration_index_load(DECLARATION_SKIN, "skins/fuzz.skin", (struct bytes){data, size});
    for (size_t i = 0; i < index->entry_count; i++) {
        struct skin_decl skin;
        struct error err;
        if (skin_decl_load(index, index->entries[i].item->name, &skin, &err) < 0)
            abort(); /* the index has it */
        if (!skin_decl_map(&skin, "models/imp/body"))
            abort();
        skin_decl_release(&skin);
    }
    declaration_index_free(index);
    return 0;
}
