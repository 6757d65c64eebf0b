/* The JSON that Aseprite would write for a page, for what reads such files: Phaser's createFromAseprite, KAPLAY,
 * melonJS, and importers of other engines. `frames` is an array, as Aseprite's json-array, or an object, as its
 * json-hash. meta.app is Aseprite's, because melonJS tells formats by it. Frames are called "0", "1", ... in the
 * order of the page's frames; durations are whole milliseconds that add up to the animation's, 100 (Aseprite's own
 * default) for a still. Each animation is a tag; one that does not loop has `repeat` "1". A sheet of several pages
 * has a file for each, with the tags of what is on that page. */
#ifndef SHEET_ASEPRITE_H
#define SHEET_ASEPRITE_H

#include "sheet/atlas.h"

int aseprite_save(const struct atlas *atlas, struct blob *out, struct error *err);
int aseprite_save_hash(const struct atlas *atlas, struct blob *out, struct error *err);

#endif
