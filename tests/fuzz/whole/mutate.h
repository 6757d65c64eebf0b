/* Random changes to the bytes of a file; the same seed makes the same changes. Binary files get numbers that are hard on
 * parsers, texts also get words and lines moved. */
#ifndef FUZZ_WHOLE_MUTATE_H
#define FUZZ_WHOLE_MUTATE_H

#include <stdint.h>

#include "base/bytes.h"

struct random {
    uint64_t state;
};

uint64_t random_next(struct random *random);
uint32_t random_below(struct random *random, size_t limit); /* 0 where the limit is 0 */
bool random_one_in(struct random *random, uint32_t odds);

#define PICK(random, array) ((array)[random_below(random, sizeof(array) / sizeof *(array))])

/* How a file is changed: a few numbers or bits, which most parsers accept, or anything, which may leave an empty file. */
enum change { CHANGE_NUMBERS, CHANGE_ANYTHING };

void mutate(struct random *random, enum change change, struct blob *blob, uint32_t steps);

#endif
