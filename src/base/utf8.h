/* Characters of UTF-8, in their shortest form, up to U+10FFFF, without surrogates: what JSON and XML take.
 *
 * Text from files may be in any encoding, and nothing says which. The rule for all that we write, to JSON, XML and
 * terminals: what is UTF-8 stays as it is, and each byte that belongs to no character becomes '?'. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* The length of the character at the beginning of `size` bytes, and its number; 0 where there is none. */
size_t utf8_read(const char *text, size_t size, uint32_t *character);

/* Puts '?' in the place of every byte that belongs to no character. Control characters stay. */
void utf8_mask(char *text);

/* -- For names of files ---------------------------------------------------------------------------------------- */

/* Writes a name so that names which people take for the same one are equal: letters small, and each with its mark one
 * character, as U+00E9, where macOS unpacks "e" and U+0301. Of the letters of Latin, Greek and Cyrillic. Never longer. */
void utf8_fold(char *name);

/* -- For terminals and logs, which obey control characters ----------------------------------------------------- */

/* The length of the character at `text`; 0 where there is none, a control character, or a mark that ends a line or turns
 * its direction (U+2028, U+202E and their like). */
size_t printable_length(const char *text);

/* Puts '?' in the place of every byte that belongs to no printable character; or adds such a text to `out`. */
void printable_mask(char *text);
void printable_add(struct buffer *out, const char *text);
