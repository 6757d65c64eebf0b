/* The review as JSON: what `diff --json` prints, and the page's data. docs/formats.md lists the fields. */
#pragma once

#include <jansson.h>

#include "review/review.h"

/* NULL when memory is out. `sheets` of the result are in the order of the review's. */
json_t *review_json(const struct review *review);
