/* Values of JSON, for what commands print and templates name. No other header has types of the JSON library. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"

/* Text from a file need not be UTF-8, but JSON must be: what is not becomes '?' (base/utf8.h). */
json_t *text_value(const char *text);
json_t *text_or_null(const char *text); /* null for NULL */

/* Text that can be read back exactly: a byte that is not UTF-8 becomes a character from U+EF80 to U+EFFF, which
 * stands for 0x80 to 0xFF, and so do the bytes of such a character itself. */
json_t *exact_value(const char *text);

/* The text that such a value stands for. */
char *exact_text(struct arena *arena, const char *value);

/* Each text as its value, by text_value or exact_value. */
json_t *texts_value(const char *const *texts, size_t count, json_t *(*value)(const char *text));

/* The array or object, or NULL where it has not so many items: one could not be made. json_pack takes it and then makes
 * nothing. */
json_t *whole_value(json_t *value, size_t count);

/* Rounded to `decimals` so that the file never shows the noise of binary fractions; whole numbers are written
 * without a point. NULL when it is not finite. */
json_t *number_value(double number, int decimals);

json_t *point_value(const double point[2], int decimals); /* NULL when it is not finite */

/* The text with a line break at its end, as json_dumps makes it with these flags. `root` is used up; it is NULL where some
 * value could not be made. */
int json_save(json_t *root, size_t flags, struct blob *out, struct error *err);

/* -- For what commands print ------------------------------------------------------------------------------- */

/* An array of the texts from number `first` on. */
json_t *json_texts(const struct strings *strings, size_t first);

/* Prints the document, which is used up, to standard output, with sorted keys; `flags` are further ones of json_dumps.
 * Fails when memory is out; main.c sees to it that all was written. */
int json_print(json_t *document, size_t flags, struct error *err);
