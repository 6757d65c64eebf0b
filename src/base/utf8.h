/* Characters of UTF-8, in their shortest form, up to U+10FFFF, without surrogates: what JSON and XML take.
 *
 * Text from files may be in any other encoding, and nobody says which. The rule for all that we write, to JSON,
 * XML and terminals: what is UTF-8 stays as it is, and each byte that belongs to no character becomes '?'. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the character that the text of `size` bytes begins with, and its number; 0 where there is none. */
size_t utf8_read(const char *text, size_t size, uint32_t *character);

/* Puts '?' in the place of every byte that belongs to no character. Control characters stay. */
void utf8_mask(char *text);

#endif
