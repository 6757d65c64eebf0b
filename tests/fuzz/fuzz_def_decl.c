/* Any bytes as a file of model declarations: every model is read with its ancestors. */
#include <stdlib.h>

#include "material/model_decl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct declaration_index *index =
        declaration_index_load(DECLARATION_MODEL, "def/fuzz.def", (struct bytes){data, size});
    for (size_t i = 0; i < index->entry_count; i++) {
        struct def_decl def;
        struct error err = {""};
        if (def_decl_load(index, index->entries[i].item->name, &def, &err) == 0)
            def_decl_release(&def);
        else if (!err.text[0])
            abort();
    }
    declaration_index_free(index);
    return 0;
}
