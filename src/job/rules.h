/* The rules of a list: what a sheet has to be like, judged by what its record says (page/record.h).
 *
 * A record tells facts of the job's model on each page, and what the page's picture showed. So rules are judged without
 * the picture, and a rule that was changed makes no page stale. Rules of the model are judged with a job's first page. */
#pragma once

#include "base/strings.h"
#include "job/job.h"
#include "page/finding.h"
#include "page/record.h"

/* Whether a rule has a bound. `rules` may be NULL, here and below: there are none. */
bool rules_ask(const struct rules *rules, enum rule_number rule);

/* The sheet of before, in a diff. */
struct growth {
    const struct record *was;
    uint64_t bytes[2]; /* of all its pictures, then and now */
};

/* Adds to `out` (page/finding.h) what the rules find of a page; with `of_model_alone`, in a record that tells nothing of
 * pictures. `growth` may be NULL. What a rule asks for and nobody knows is a failure: returns the key of the first such
 * rule, or NULL. */
const char *rules_judge(const struct rules *rules, const struct record *record, bool of_model_alone,
                        const struct growth *growth, struct strings *out);

/* The place in the list of the bound that a finding is about; NULL: there is none. */
const struct mark *rules_mark(const struct rules *rules, const struct finding *finding);

/* Adds a number for people: "11,204"; "0.31". */
void rules_add_number(struct buffer *out, double number);

/* The bytes of a page's pictures. */
uint64_t rules_bytes(const struct record *record);
