/* A SpriteFrames resource of Godot 4 (.tres) for a whole sheet: an AtlasTexture for each frame, with the margin
 * that puts a trimmed one back into its cell, and the animations with speed, durations and loop. One file serves
 * all pages. Pictures are named relative to the resource, which Godot reads as res:// paths in the resource's own
 * folder. */
#ifndef SHEET_GODOT_H
#define SHEET_GODOT_H

#include "sheet/atlas.h"

int godot_save(const struct atlas *atlas, struct blob *out, struct error *err);

#endif
