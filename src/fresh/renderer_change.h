/* Whether what draws and writes pages is still what a page was made with. */
#ifndef FRESH_RENDERER_CHANGE_H
#define FRESH_RENDERER_CHANGE_H

#include "fresh/reasons.h"
#include "fresh/record.h"

/* Adds what differs: each library that is another build, came or went, and all else as a whole. */
void renderer_compare(const struct record *was, const struct record *today, struct reasons *reasons);

#endif
