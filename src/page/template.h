/* Templates that write what engines read of a sheet: a subset of mustache, which docs/formats.md describes. A template has no
 * code and opens no file. It may be a stranger's: nesting, work and output have limits. */
#pragma once

#include "page/metadata.h"
#include "sheet/json_value.h"

struct template
{
    const char *suffix; /* of what it writes: says how text is escaped */
    const char *text;
    bool is_of_sheet; /* it has a section `pages`: its file goes with the first page, and is about all */
};

/* The template's text lives in the arena. */
int template_load(struct bytes file, const char *suffix, struct arena *arena, struct template *out,
                  struct error *err);

/* Fills it in. A name that the values lack is an error. */
int template_fill(const struct template *template, json_t *values, struct blob *out, struct error *err);

/* Fails where the template cannot be filled in with what a sheet of these passes has: with the line of the mistake. */
int template_check(const struct template *template, uint32_t passes, struct error *err);

/* The file about the page to describe; *out stays as it is where that of the first page serves it (exporters.c). */
int template_save(const struct template *template, const struct atlas *atlas, struct blob *out, struct error *err);
