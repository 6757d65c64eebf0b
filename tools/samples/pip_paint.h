/* The painters of Pip's parts. */
#ifndef GENERATOR_PIP_PAINT_H
#define GENERATOR_PIP_PAINT_H

#include "paint.h"

painter pip_paint_head, pip_paint_torso, pip_paint_hose, pip_paint_boot, pip_paint_cuff, pip_paint_boot_cuff,
    pip_paint_glove, pip_paint_shoulder, pip_paint_ear, pip_paint_scarf, pip_paint_tail, pip_paint_pouch,
    pip_paint_screen, pip_paint_eye, pip_paint_antenna, pip_paint_bulb;

#endif
