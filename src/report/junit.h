/* JUnit reports, as text: of a run (the sink of report/report.h) and of a review. What XML cannot hold becomes '?'. */
#pragma once

#include <time.h>

#include "base/buffer.h"
#include "job/job.h"

/* Adds a text, escaped for attributes as well as between tags. */
void xml_add_text(struct buffer *out, const char *text);

enum junit_end { JUNIT_PASSED, JUNIT_FAILURE, JUNIT_ERROR, JUNIT_SKIPPED, JUNIT_END_COUNT };

struct junit_test {
    const char *class_name, *name;
    const struct mark *place; /* NULL: of a test without place and time */
    double seconds;
    enum junit_end end;
    const char *type, *message, *details; /* of what has not passed; type and details may be NULL */
    const char *output;                   /* XML, or NULL */
};

/* Tests or suites, and how they ended. Zeroed, it is empty. */
struct junit {
    struct buffer text;
    size_t ends[JUNIT_END_COUNT];
    double seconds;
};

void junit_add_test(struct junit *out, const struct junit_test *test);

/* Makes a suite of tests, which it uses up. */
void junit_add_suite(struct junit *out, const char *name, time_t time, struct junit *tests);

/* Adds the whole report. Uses the suites up. */
void junit_add_report(struct buffer *out, struct junit *suites);
