/* The supervisor's part of a run: it hands out pages, takes what workers send, decides how each page ended, and
 * reports that. */
#pragma once

#include "base/strings.h"
#include "run/pool.h"
#include "run/settings.h"
#include "run/wanted.h"

struct supervisor;

/* For pages that wanted_judge has judged. `kept` gets those that are made: paths without suffix, with the lists' output
 * folders. Borrows all. Reports how many pages are known. */
struct supervisor *supervisor_new(struct wanted *wanted, struct strings *kept);
void supervisor_free(struct supervisor *supervisor);

/* Makes all pages. A page whose worker died is tried once more. The settings say what a worker does, and the limits; the
 * rest is filled in here. POOL_FAILED also when the run is given up. */
enum pool_end supervisor_run(struct supervisor *supervisor, const struct pool_settings *settings,
                             int *signal_number, struct error *err);

/* Reports the jobs that lack something, and a page that is up to date. */
void supervisor_report_missing(const struct supervisor *supervisor);
void supervisor_report_kept(const struct supervisor *supervisor, uint32_t number, uint32_t page);

bool supervisor_has_given_up(const struct supervisor *supervisor);

/* Whether a wanted page of the job was not made. */
bool supervisor_has_lost(const struct supervisor *supervisor, uint32_t job);
