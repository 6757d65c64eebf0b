/* Words in pictures: letters of 5 x 7 pixels, for labels that need no font library. */
#pragma once

#include <stdbool.h>

enum {
    LETTER_WIDTH = 5,
    LETTER_HEIGHT = 7,
    LETTER_STEP = 6, /* from one to the next */
};

/* Whether a pixel of it is drawn, x and y from its top left. Small letters are as capitals; what has no picture is blank. */
bool letter_has(char letter, unsigned x, unsigned y);
