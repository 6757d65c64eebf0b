/* A JSON file that is written as it is said: of a page, and its record. A zeroed struct is an empty file. Each key has a line,
 * or, `is_compact`, there is no white space. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

struct json_file {
    bool is_compact;
    bool keeps_order; /* of keys, as they are said */
    bool is_exact;    /* texts and keys are spelled as by exact_value, or else by text_value */
    bool is_broken;   /* a number was not finite: json_finish fails */
    unsigned depth;
    struct buffer text;
    struct json_member {
        const char *key; /* "" of an item of an array; NULL: a bracket, after its member */
        size_t from, to; /* in the text; of a bracket, `to` is the one around it */
    } * members;         /* and items, of all that is open */
    size_t count, capacity;
    size_t inner;       /* the latest bracket among them */
    struct arena arena; /* keys that are spelled otherwise */
};

/* Adds what the signs of the format say, each with its key before its value where it comes into an object:
 *
 *     { } [ ]  open and close
 *     .        closes, too, and takes away what is empty
 *     s        a text, or NULL, which adds nothing
 *     S        a text, or NULL, which is null
 *     t        an array of texts, and their number as size_t
 *     u        uint32_t
 *     0 to 9   a number, as number_value has it with so many decimals
 *     b, n     bool; null
 *
 * The keys of an object come sorted, unless the file `keeps_order`; of two that are equal the later counts. They stay as they
 * are until it is closed. */
void json_add(struct json_file *json, const char *format, ...);

/* Ends the file, which is used up. */
int json_finish(struct json_file *json, struct blob *out, struct error *err);
