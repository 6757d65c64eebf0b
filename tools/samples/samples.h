/* Makes all sample models. The same bytes every time: tests/unit/test_samples.c holds the committed files to it.
 */
#ifndef GENERATOR_SAMPLES_H
#define GENERATOR_SAMPLES_H

#include "base/error.h"

/* Writes models/pip and models/plum under `folder`. */
int samples_write(const char *folder, struct error *err);

#endif
