/* What draws and writes pages, as far as it changes their bytes. A worker records it with every page
 * (page/record.h); the supervisor compares the record with what a worker would record now.
 *
 *     name     "OSMesa 22.3.6, llvmpipe (LLVM 15.0.6, 256 bits)"
 *     backend  "osmesa, LP_NATIVE_VECTOR_WIDTH=128": its word, and the variables that drivers read; with EGL also
 *              those that drivers of graphics cards read, with a hash of the value
 *     cpu      who made the processor, and the instructions that it has
 *     library  the builds of the libraries that draw: "libLLVM-15.so.1 8f3c..., libOSMesa.so.8 45a7..."
 *     program  the builds of the other libraries that decide about the output: "libdeflate.so.0 4fd1..., ..."
 *     assimp   the build of the library that reads what we have no reader for: "libassimp.so.5 92ab..."; it counts
 *              for the pages that it read something for. Of identity_ask alone: loading it takes some 5 ms
 *     self     the build of this program: another one may draw another probe. Nothing else asks for it
 *     probe    a hash of what it draws (render/probe.h). Renderers of one backend that agree in it are the same for
 *              records, whatever their processors and builds; "" agrees with none
 *
 * A text is "" where it is not known: then no page is up to date. */
#pragma once

#include "base/hash.h"
#include "os/sandbox.h"
#include "render/context.h"

struct identity {
    char name[256], backend[512], cpu[512], library[2048], program[1024], assimp[128], self[128];
    char probe[HASH_SIZE];
};

/* Of this process, which has opened the context; without the probe. */
void identity_take(const struct context *context, struct identity *out);

/* Of a worker that opens this back end in this sandbox: a child process does so and says what it took, so that
 * this process stays without the driver. That takes some 50 ms. Unknown where the back end does not open, or dies.
 *
 * With its probe, if that is wanted. To draw it takes another 0.1 s, once: the folder of the shader cache keeps it
 * under a hash of all else. "" where it cannot be drawn. */
void identity_ask(enum backend_choice choice, enum sandbox_mode sandbox, bool with_probe, struct identity *out);

/* What a library of `library` or `program` does, by its file name: "compiles what draws". */
const char *identity_duty(const char *library);
