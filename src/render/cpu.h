/* The processor as llvmpipe sees it. Which instructions it uses, and so how it rounds, hangs on the maker and on
 * what the processor can do, not on the model. */
#ifndef RENDER_CPU_H
#define RENDER_CPU_H

#include <stddef.h>

/* "GenuineIntel sse2 sse3 ..."; elsewhere than on x86 "aarch64 0x41 ...", with the kernel's words for what it can
 * do. */
void cpu_describe(char *out, size_t size);

#endif
