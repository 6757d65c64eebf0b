/* What of the system a worker opens besides assets: the libraries of the renderer, and what they look into. Found out
 * with strace, from Mesa 22.3 (OSMesa and EGL) with LLVM 15, and from the sources of GPU drivers. */
#ifndef OS_PLACES_H
#define OS_PLACES_H

#include "base/strings.h"

/* Adds paths; many of them exist on some systems only. */
void places_add_readable(struct strings *out);
void places_add_devices(struct strings *out);

#endif
