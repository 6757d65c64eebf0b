#include "run/messages.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "job/job.h"
#include "os/resources.h"

enum { HEADER_SIZE = 1 + 4 };

int message_send(struct worker *worker, const struct message *message)
{
    uint8_t data[POOL_MAX_MESSAGE];
    const char *text = message->text ? message->text : "";
    size_t length = strnlen(text, sizeof data - HEADER_SIZE - 1);
    data[0] = (uint8_t)message->kind;
    memcpy(data + 1, &message->number, 4);
    memcpy(data + HEADER_SIZE, text, length);
    data[HEADER_SIZE + length] = '\0';
    return worker_send(worker, (struct bytes){data, HEADER_SIZE + length + 1});
}

bool message_read(struct bytes bytes, struct message *out)
{
    static const uint8_t kinds[] = {MESSAGE_PAGES,  MESSAGE_WARNING, MESSAGE_DETAIL, MESSAGE_STARTED,
                                    MESSAGE_INPUT,  MESSAGE_ALSO,    MESSAGE_FRAMED, MESSAGE_DONE,
                                    MESSAGE_FAILED, MESSAGE_FINDING};
    if (bytes.size < HEADER_SIZE + 1 || bytes.data[bytes.size - 1] != '\0' ||
        !memchr(kinds, bytes.data[0], sizeof kinds))
        return false;
    struct message message = {
        .kind = (enum message_kind)bytes.data[0],
        .text = (const char *)bytes.data + HEADER_SIZE,
    };
    memcpy(&message.number, bytes.data + 1, 4);
    if (message.kind == MESSAGE_PAGES && (message.number == 0 || message.number > LAYOUT_MOST_CELLS))
        return false;
    *out = message;
    return true;
}

static void leave(void *note, size_t size)
{
    ((struct page_note *)note)->figures.missing_bytes = size;
    _exit(STATUS_OUT_OF_MEMORY);
}

void page_note_guard(struct page_note *note, uint64_t limit)
{
    memory_on_failure(leave, note);
    memory_allow(limit);
    if (limit > 0)
        memory_limit(limit * 2 + (UINT64_C(4) << 30));
}

bool outcome_is_death(const struct outcome *outcome)
{
    return outcome->kind != OUTCOME_FINISHED && outcome->kind != OUTCOME_CANCELLED;
}

/* "512 MiB", "1.5 GiB" */
static const char *print_size(uint64_t bytes, char text[32])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes / 1024;
    size_t unit = 0;
    for (; size >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        size /= 1024;
    snprintf(text, 32, "%.4g %s", size, units[unit]);
    return text;
}

/* The worker could not get memory that it asked for: because of its limit, where that would not have held so much. */
static char *describe_refusal(const struct outcome *outcome, uint64_t bytes, const char *stage, const char *model)
{
    char asked[32], limit[32], bound[64];
    memory_note(UINT64_MAX, bound);
    if (bytes == 0)
        return must_printf("out of memory%s with %s%s", stage, model, bound);
    print_size(bytes, asked);
    if (outcome->memory_limit == 0 || bytes <= outcome->memory_limit)
        return must_printf("out of memory%s with %s: the worker could not get another %s%s", stage, model, asked,
                           bound);
    return must_printf("exceeded its memory limit of %s%s with %s: the worker asked for another %s (--memory)",
                       print_size(outcome->memory_limit, limit), stage, model, asked);
}

char *outcome_describe(const struct outcome *outcome, const char *model, const char *said)
{
    const struct page_note *note = (const struct page_note *)outcome->note;
    const char *name = stage_name(note->figures.stopwatch.current);
    char stage[32] = "";
    if (name)
        snprintf(stage, sizeof stage, " in stage %s", name);
    char limit[32], bound[64];
    switch (outcome->kind) {
    case OUTCOME_SIGNALED:
        return must_printf("the worker was killed by signal %d (%s)%s while it had %s%s", outcome->number,
                           strsignal(outcome->number), stage, model, memory_note(UINT64_MAX, bound));
    case OUTCOME_EXITED:
        if (outcome->number == STATUS_OUT_OF_MEMORY)
            return describe_refusal(outcome, note->figures.missing_bytes, stage, model);
        return must_printf("the worker left with status %d%s while it had %s", outcome->number, stage, model);
    case OUTCOME_TIMED_OUT:
        return must_printf("not done after %.*f s (at most %g s)%s with %s: the worker was killed (--timeout)",
                           outcome->timeout_s < 1 ? 3 : 1, outcome->seconds, outcome->timeout_s, stage, model);
    case OUTCOME_TOO_LARGE:
        return must_printf("exceeded its memory limit of %s%s with %s: the worker was killed (--memory)",
                           print_size(outcome->memory_limit, limit), stage, model);
    case OUTCOME_MISBEHAVED:
        return must_printf("%s%s while it had %s: it was killed",
                           said ? said : "the worker sent an invalid message", stage, model);
    case OUTCOME_FINISHED:
    case OUTCOME_CANCELLED:
        break;
    }
    return must_strdup("the worker did not say what became of it");
}
