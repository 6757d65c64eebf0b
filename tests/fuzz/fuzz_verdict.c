/* Any bytes as a file of verdicts on five sheets of two causes, one of which has failed. */
#include "review/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_good)
{
    if (!is_good)
        abort();
}

static void check_printable(const char *text)
{
    for (size_t length; *text; text += length)
        check((length = printable_length(text)) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SHEETS = 5 };
    static const char *const names[SHEETS] = {"units/orc", "units/orc: 2", "units/a\nb", "units/elf",
                                              "units/lost"};
    static const uint32_t causes[SHEETS] = {0, 0, 0, 1, 1};
    static const unsigned asks = 1u << REVIEW_FAILED | 1u << REVIEW_CHANGED;
    struct review_sheet sheets[SHEETS] = {{0}};
    struct review_cause of[2] = {{.text = "input orc.png changed"}, {.text = "cell: 32 -> 48"}};
    struct review review = {.sheets = sheets, .sheet_count = SHEETS, .causes = of, .cause_count = 2};
    struct strings problems = {0};
    for (int i = 0; i < SHEETS; i++)
        sheets[i] = (struct review_sheet){
            .name = names[i], .state = i < 4 ? REVIEW_CHANGED : REVIEW_FAILED, .causes = &causes[i]};
    verdicts_ask(&review);
    verdicts_take(&review, (struct bytes){data, size}, "file", asks, &problems);
    size_t accepted = 0;
    for (int i = 0; i < SHEETS; i++) {
        const struct review_verdict *verdict = &sheets[i].verdict;
        check((sheets[i].decided == NULL) == (i == 4));
        check_printable(sheets[i].decided ? sheets[i].decided : "");
        check(verdict->line == 0 || (*verdict->who && strstr(sheets[i].decided, verdict->who)));
        accepted += verdict->is_accepted;
    }
    check(review.asked == SHEETS && review.accepted == accepted && accepted < SHEETS);
    check(problems.count <= 22);
    strings_release(&problems);
    arena_release(&review.arena);
    return 0;
}
