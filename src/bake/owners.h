/* Whose a page's name is, where two jobs would write the same file.
 *
 * Pages are numbered behind the name of their sheet, and sheets may be named after the clips of a model: "orc-1"
 * may be a job, or the second page of "orc", or its clip "1". How many pages and which clips there are is known
 * only when models are open, or even drawn, and who comes first must not decide. So a name belongs
 *
 *  1. to the job whose first page the list calls so, whether it is made in this run or not;
 *  2. else to the first job of the list whose sheet of a clip is called so;
 *  3. else to the page that has it by its number: of these no two are the same.
 *
 * Whose it is not, fails. Each worker of each shard finds the same by itself, from the list and, for 2, the models
 * of the few jobs whose names the page's name begins with. Names count as the same regardless of case, as in
 * lists. */
#ifndef BAKE_OWNERS_H
#define BAKE_OWNERS_H

#include "asset/assets.h"
#include "base/error.h"
#include "job/job.h"
#include "bake/plan.h"

struct owners;

/* The lists are borrowed. Where two of them call a page alike, it is the first's. */
struct owners *owners_new(struct job_list *const *lists, size_t list_count);
void owners_free(struct owners *owners);

/* The other job that the list gives this page's name to, or that of one of its passes; NULL where there is none,
 * or no owners. */
const struct job *owners_of_listed(struct owners *owners, const struct job_list *list, const struct job *job,
                                   const char *page);

/* Fails where the page is not the plan's job's to make. Opens models of other jobs of the list where need be:
 * `assets` are those of the list, and trace nothing of it. NULL for no owners is fine. */
int owners_check_page(struct owners *owners, struct assets *assets, const struct job_list *list,
                      const struct plan *plan, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                      struct error *err);

#endif
