/* Whether `diff --base` tells exactly the frames whose poses differ. */
#ifndef EDITS_FRAMED_H
#define EDITS_FRAMED_H

#include "program.h"
#include "../fuzz/whole/mutate.h"

/* Makes a small animated model in the folder "framed", and the same with another vertex, joint or key. */
void check_framed(const struct program *program, uint64_t seed, struct strings *problems);

#endif
