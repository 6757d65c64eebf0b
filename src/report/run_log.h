/* --log: what happened in a run as JSON lines, an object per page and one for the run. docs/log.md has their fields.
 *
 * A line is written at once and whole, as things happen: a run that is killed leaves a log that can be used. */
#ifndef REPORT_RUN_LOG_H
#define REPORT_RUN_LOG_H

#include "base/error.h"
#include "report/report.h"

struct run_log;

/* "-" is standard output. What an earlier run wrote stays until run_log_begin: it may be read until then. */
int run_log_open(const char *path, struct run_log **out, struct error *err);
void run_log_begin(struct run_log *log);

void run_log_page(struct run_log *log, const struct page_result *result);
void run_log_run(struct run_log *log, const struct run_result *result);

/* -1 when a line could not be written. NULL is fine. */
int run_log_close(struct run_log *log, struct error *err);

#endif
