/* What a renderer draws, as a hash: machines whose probes agree draw the same pictures, whatever processor, system and
 * builds of libraries they have.
 *
 * A lit surface is drawn, by a program with all features of such. It has the arithmetic of all programs, textures that
 * are filtered as colours and as whole numbers, each way to go on beyond their edges, holes, both faces, depth and
 * blending. Machines differ in how they round an operation, and that shows in each program that has it; so one is
 * enough, and others would take some 50 ms each to compile. What is hashed is as exact as what is drawn, 16 bits a
 * channel for each sample, and its depth: without FMA, only one pixel of a sheet in tens of thousands changes.
 *
 * Nothing in it hangs on a library: shapes and textures are made of sums, products and square roots, which IEEE 754
 * defines. */
#pragma once

#include "base/hash.h"
#include "render/context.h"

/* Opens a back end for probe_draw, as context_open does; but unless GALLIVM_PERF is set, LLVM does not optimize what
 * it compiles. That takes half the time and gives the same hash: an optimizer does not change how numbers round. */
int probe_open(enum backend_choice choice, struct context **out, struct error *err);

int probe_draw(struct context *context, char hash[HASH_SIZE], struct error *err);
