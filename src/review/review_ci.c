#include "review/review_ci.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "report/xml.h"

static bool is_failure(const struct review_sheet *sheet, unsigned fail_on)
{
    return sheet->state <= REVIEW_FAILED || fail_on & 1u << sheet->state;
}

/* "changed: input skin.png changed", for the caller to free. */
static char *describe(const struct review *review, const struct review_sheet *sheet)
{
    const char *why = sheet->reason ? sheet->reason : review->causes[sheet->causes[0]].text;
    return must_printf("%s: %s", review_state_name(sheet->state), why);
}

/* -- Findings ---------------------------------------------------------------------------------------------- */

void review_add_findings(struct buffer *out, enum ci ci, const struct review *review, unsigned fail_on)
{
    for (size_t i = 0; i < review->sheet_count; i++) {
        const struct review_sheet *sheet = &review->sheets[i];
        if (is_failure(sheet, fail_on)) {
            char *text = describe(review, sheet);
            ci_add_finding(out, ci, CI_ERROR, NULL, sheet->name, text);
            free(text);
        }
        for (size_t w = 0; w < sheet->new_warning_count; w++)
            ci_add_finding(out, ci, CI_WARNING, NULL, sheet->name, sheet->new_warnings[w]);
    }
    for (size_t i = 0; i < review->cause_count; i++) {
        const struct review_cause *cause = &review->causes[i];
        char *title = must_printf("%zu sheet%s", cause->sheets, cause->sheets == 1 ? " differs" : "s differ");
        if (strcmp(cause->kind, "failed") != 0 && strcmp(cause->kind, "not-compared") != 0)
            ci_add_finding(out, ci, CI_NOTICE, NULL, title, cause->text);
        free(title);
    }
}

/* -- JUnit ------------------------------------------------------------------------------------------------- */

static void add_details(struct buffer *out, const struct review *review, const struct review_sheet *sheet)
{
    struct buffer text = {0};
    char *line = describe(review, sheet);
    buffer_printf(&text, "%s", line);
    for (size_t i = 1; i < sheet->cause_count; i++)
        buffer_printf(&text, "\nalso: %s", review->causes[sheet->causes[i]].text);
    for (size_t i = 0; i < sheet->new_warning_count; i++)
        buffer_printf(&text, "\nnew warning: %s", sheet->new_warnings[i]);
    for (int state = 0; state < REVIEW_SAME; state++)
        if (sheet->counts[state])
            buffer_printf(&text, "\nframes %s: %zu", review_state_name((enum review_state)state),
                          sheet->counts[state]);
    buffer_printf(out, "   <system-out>");
    xml_add_text(out, text.text);
    buffer_printf(out, "</system-out>\n");
    free(line);
    buffer_release(&text);
}

static void add_case(struct buffer *out, const struct review *review, const struct review_sheet *sheet,
                     bool has_failed)
{
    buffer_printf(out, "  <testcase");
    xml_add_attribute(out, "classname", sheet->list);
    xml_add_attribute(out, "name", sheet->job);
    buffer_printf(out, " time=\"0\">\n");
    if (has_failed) {
        char *message = describe(review, sheet);
        xml_add_child(out, "failure", review_state_name(sheet->state), message, NULL);
        free(message);
    }
    add_details(out, review, sheet);
    buffer_printf(out, "  </testcase>\n");
}

void review_add_junit(struct buffer *out, const struct review *review, unsigned fail_on)
{
    struct xml_totals totals = {.tests = review->sheet_count};
    struct buffer cases = {0}, suite = {0};
    for (size_t i = 0; i < review->sheet_count; i++) {
        bool has_failed = is_failure(&review->sheets[i], fail_on);
        totals.failures += has_failed;
        add_case(&cases, review, &review->sheets[i], has_failed);
    }
    char now[32];
    time_t seconds = time(NULL);
    struct tm parts;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &parts));
    buffer_printf(&suite, " <testsuite name=\"sheetbake diff\"");
    xml_add_totals(&suite, &totals);
    buffer_printf(&suite, " timestamp=\"%s\">\n%s </testsuite>\n", now, cases.text ? cases.text : "");
    xml_add_report(out, &totals, suite.text);
    buffer_release(&cases);
    buffer_release(&suite);
}
