/* Colours as job lists write them: sRGB, '#rrggbb', '#rrggbbaa', or lists of 0..255. */
#ifndef JOB_COLOR_H
#define JOB_COLOR_H

#include "job/reader.h"

/* Three or, `with_alpha`, three or four channels; alpha is 255 where it is not given. */
bool read_color(const struct reader *reader, const struct node *node, const char *name, bool with_alpha,
                uint8_t out[4]);

#endif
