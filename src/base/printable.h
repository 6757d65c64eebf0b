/* Text that comes from files, on its way to a terminal: UTF-8, without control characters, which a terminal obeys.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* The length of the UTF-8 character at `text`, or 0 when there is none, or a control character. */
size_t printable_length(const char *text);

/* The code point of a character of that length, which is not 0. */
uint32_t printable_code(const char *text, size_t length);

/* Puts '?' in the place of every byte that belongs to no such character. */
void printable_mask(char *text);

/* Adds the text with '?' in the place of these. */
void printable_add(struct buffer *out, const char *text);

#endif
