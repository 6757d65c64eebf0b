/* The rules of a list: what a sheet has to be like, judged by what its record says (page/record.h).
 *
 * A record tells facts of the job's model on each page, and what the page's picture showed. So rules are judged without
 * the picture, and a rule that was changed makes no page stale. Rules of the model are judged with a job's first page. */
#pragma once

#include "base/strings.h"
#include "job/job.h"
#include "page/finding.h"
#include "page/record.h"

/* Whether it has a bound. */
bool rule_is_asked(const struct rule *rule);

/* Adds to `out` (page/finding.h) what the rules find of a page; with `of_model_alone`, in a record that tells nothing of
 * pictures. What a rule asks for and nobody knows is a failure. */
void rules_judge(const struct rules *rules, const struct record *record, bool of_model_alone, struct strings *out);

/* The key of a rule whose fact the record does not have, so that the page has to be made to be judged; or NULL. */
const char *rules_unknown(const struct rules *rules, const struct record *record);

/* Adds what grew by too much from one record of a page to another. `bytes` are those of all pictures of the sheet. */
void rules_judge_growth(const struct rules *rules, const struct record *was, const struct record *is,
                        const uint64_t bytes[2], struct strings *out);

/* Where the list has the bound that a finding is about; NULL: it has none. */
const struct mark *rules_mark(const struct rules *rules, const struct finding *finding);

/* The bytes of a page's pictures. */
uint64_t rules_bytes(const struct record *record);
