/* JUnit reports, as text. What XML cannot hold becomes '?'. */
#pragma once

#include <stddef.h>

#include "base/buffer.h"

/* Good in attributes and between tags. */
void xml_add_text(struct buffer *out, const char *text);
void xml_add_attribute(struct buffer *out, const char *name, const char *text);

/* A child of a test case: a message in short, then in full. `type` and `details` may be NULL. */
void xml_add_child(struct buffer *out, const char *tag, const char *type, const char *message,
                   const char *details);

/* What a report counts, of a suite and of all. */
struct xml_totals {
    size_t tests, failures, errors, skipped;
    double seconds;
};

void xml_add_totals(struct buffer *out, const struct xml_totals *totals);

/* The whole report, of suites that are text already. */
void xml_add_report(struct buffer *out, const struct xml_totals *totals, const char *suites);
