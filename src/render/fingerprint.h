/* What draws, as far as it changes pictures, found out without opening it: no GL, no driver, no GPU is touched,
 * and it takes a few milliseconds. A worker records it with every page (sheet/record.h); who judges whether a page
 * is up to date asks the same function.
 *
 *     backend  "osmesa", and the variables that drivers listen to: "osmesa, LP_NATIVE_VECTOR_WIDTH=128".
 *              Where a card may draw, also those of its drivers, with a hash of the value
 *     cpu      render/cpu.h
 *     library  build ids: "libOSMesa.so.8 45a7..., libLLVM-15.so.1 8f3c..."; for EGL those of the vendors'
 * libraries and Mesa's driver, too, and the GPUs. "" where it is not known: then nothing that was made is up to
 * date
 *
 * Drivers that take no notice of a variable, or of a GPU that is not used, still count it: a change then remakes
 * what would have come out alike. */
#ifndef RENDER_FINGERPRINT_H
#define RENDER_FINGERPRINT_H

#include "render/context.h"

struct fingerprint {
    char backend[512], cpu[512], library[1024];
};

/* BACKEND_AUTO: of the first back end whose library is there, which is the one that opens unless it is broken. */
void fingerprint_take(enum backend_choice choice, struct fingerprint *out);

#endif
