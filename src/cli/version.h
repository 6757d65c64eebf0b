#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#include <stdio.h>

/* Our version, the rendering back end and its Mesa (this opens it), and the libraries in use. */
void version_print(FILE *out);

#endif
