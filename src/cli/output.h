/* Where the one result of a command goes: -o. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/bytes.h"
#include "base/error.h"

/* A file appears whole or not at all; a pipe or device that is there is written into. NULL is standard output. */
int output_write(const char *path, struct bytes bytes, struct error *err);

#endif
