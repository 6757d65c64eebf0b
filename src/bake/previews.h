/* The previews of a job: moving pictures of its clips, files of the first page of their sheet.
 *
 * A clip is shown by one camera, each sample as long as the clip shows it. What has one sample does not move: it is
 * shown by its cameras in turn, so that `directions: 16` turns it around. */
#ifndef BAKE_PREVIEWS_H
#define BAKE_PREVIEWS_H

#include "bake/plan.h"

/* Of one sheet. The names of all files that a page is about to write fit into a worker's note (bake/bake.h). */
enum { PREVIEWS_MOST = 256 };

/* Says which cells of the sheets of a plan are in which preview. */
int previews_choose(struct plan *plan, struct error *err);

#endif
