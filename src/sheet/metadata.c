#include "sheet/metadata.h"

#include "sheet/aseprite.h"
#include "sheet/godot.h"

const struct metadata_writer metadata_writers[METADATA_COUNT] = {
    [METADATA_JSON] = {".json", false, atlas_save_json},
    [METADATA_ASEPRITE] = {".aseprite.json", false, aseprite_save},
    [METADATA_GODOT] = {".tres", true, godot_save},
};
