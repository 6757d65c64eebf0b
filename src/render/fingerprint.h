/* What draws, as far as it changes pictures, found out without opening it: no GL, no driver, no GPU is touched,
 * and it takes a few milliseconds. A worker records it with every page (fresh/record.h); who judges whether a page
 * is up to date asks the same function.
 *
 *     backend  "osmesa", and the variables that drivers listen to: "osmesa, LP_NATIVE_VECTOR_WIDTH=128".
 *              Where a card may draw, also those of its drivers, with a hash of the value
 *     cpu      render/cpu.h
 *     library  build ids: "libOSMesa.so.8 45a7..., libLLVM-15.so.1 8f3c..."; for EGL those of the vendors'
 * libraries and Mesa's driver, too, a hash of the drivers' settings, and the GPUs. "" where it is not known: then
 * nothing that was made is up to date
 *     program  the same of the program's own libraries that decide about what it makes: "libdeflate.so.0 4fd1...,
 * libjansson.so.4 ..., libm.so.6 ..., libpng16.so.16 ..., libturbojpeg.so.0 ..."
 *
 * Drivers that take no notice of a variable, or of a GPU that is not used, still count it: a change then remakes
 * what would have come out alike. */
#ifndef RENDER_FINGERPRINT_H
#define RENDER_FINGERPRINT_H

#include "render/context.h"

struct fingerprint {
    char backend[512], cpu[512], library[2048], program[1024];
};

/* BACKEND_AUTO: of the first back end whose library is there, which is the one that opens unless it is broken. To
 * be taken before one is opened: drivers bring libraries along that the program has not. */
void fingerprint_take(enum backend_choice choice, struct fingerprint *out);

/* `backend` and `library` alone, anew: once it is known which one has opened. What is loaded is told as it runs,
 * and not as its file is by now. */
void fingerprint_take_renderer(enum backend_choice choice, struct fingerprint *out);

#endif
