/* The files beside a page that describe it. */
#ifndef SHEET_METADATA_H
#define SHEET_METADATA_H

enum metadata {
    METADATA_JSON,     /* sheet/atlas.h: PixiJS and Phaser 3 */
    METADATA_ASEPRITE, /* frames named "0", "1", ... and frameTags, for Phaser's createFromAseprite */
    METADATA_GODOT,    /* a SpriteFrames resource, .tres */
    METADATA_COUNT,
};

#endif
