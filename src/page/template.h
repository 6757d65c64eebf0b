/* Templates that write what engines read of a sheet: a subset of mustache, described in docs/formats.md. A template has no
 * code and opens no file. It may be a stranger's: nesting, work and output have limits.
 *
 * Those built in (page/templates/WORD.mustache) are formats of TEMPLATE_ROWS; a job's own are assets. */
#pragma once

#include "page/metadata.h"
#include "sheet/json_value.h"

struct piece;

struct template {
    const char *suffix; /* of what it writes: says how text is escaped */
    const struct piece *pieces;
    size_t count;
};

/* Parses a template, which lives in the arena. Fails with the line of the mistake. */
int template_load(struct bytes file, const char *suffix, struct arena *arena, struct template **out,
                  struct error *err);

bool template_has_section(const struct template *template, const char *name);

/* Fills it in. A name that the values lack is an error. */
int template_fill(const struct template *template, json_t *values, struct blob *out, struct error *err);

/* The file about a page, or with a section `pages` about the sheet. That one goes with the first page; *out stays as it is
 * with others. */
int template_save(const struct template *template, const struct atlas *atlas, struct blob *out, struct error *err);
