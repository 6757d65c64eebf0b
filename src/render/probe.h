/* What a renderer draws, as a hash: machines whose probes agree draw the same pictures, whatever processor, system and
 * builds of libraries they have.
 *
 * The picture is small and shows each program with each of its features, filter, blend and pass. Nothing in it
 * hangs on a library: shapes and textures are made of sums, products and square roots, which IEEE 754 defines. */
#pragma once

#include "base/hash.h"
#include "render/context.h"

int probe_draw(struct context *context, char hash[HASH_SIZE], struct error *err);
