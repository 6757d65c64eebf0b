/* A record as it stands in a page's JSON, but for its inputs, which are a list of their own. For sheet/atlas.c
 * alone. */
#ifndef SHEET_RECORD_VALUE_H
#define SHEET_RECORD_VALUE_H

#include <jansson.h>

#include "sheet/record.h"

/* NULL where something could not be made. The hash of the file itself is zeros until record_seal. */
json_t *record_value(const struct record *record);
json_t *record_pairs_value(const struct record_pairs *pairs);

#endif
