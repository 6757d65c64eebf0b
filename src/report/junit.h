/* --junit: the pages of a run as the tests of a JUnit XML report, which CI systems show: a suite for each list, a case
 * for each page. docs/log.md says what becomes what. It is written as a whole when the run ends, however it does. */
#ifndef REPORT_JUNIT_H
#define REPORT_JUNIT_H

#include "base/error.h"
#include "report/report.h"

struct junit;

/* Fails where the file could not be written either. */
int junit_open(const char *path, struct junit **out, struct error *err);
void junit_page(struct junit *junit, const struct page_result *result);

/* Writes the report and is done with it. */
int junit_close(struct junit *junit, const struct run_result *run, struct error *err);

#endif
