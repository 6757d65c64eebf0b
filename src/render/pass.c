#include "render/pass.h"

const char *const pass_names[PASS_COUNT] = {
    [PASS_COLOR] = "color",
    [PASS_NORMAL] = "normal",
    [PASS_DEPTH] = "depth",
    [PASS_MASK] = "mask",
    [PASS_UV] = "uv",
    [PASS_WIREFRAME] = "wireframe",
    [PASS_CLAY] = "clay",
    [PASS_SKELETON] = "skeleton",
    [PASS_BOUNDS] = "bounds",
};
