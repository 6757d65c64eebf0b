/* Carries news of a page from its worker to the supervisor: in messages, and in the note, which the supervisor can
 * read even when the worker has died (run/worker.h). A worker may have broken its own memory, the note too, or
 * may have been taken over: the supervisor trusts neither. */
#pragma once

#include "plan/stopwatch.h"
#include "base/bytes.h"
#include "run/pool.h"

/* One byte of kind, then a number or text. */
enum message_kind {
    MESSAGE_PAGES = 'p',   /* the job has `number` pages, 1 to LAYOUT_MOST_CELLS */
    MESSAGE_WARNING = 'w', /* `text` */
    MESSAGE_FINDING = 'r', /* `text`, of a rule (page/finding.h) */
    MESSAGE_DETAIL = 't',  /* `text`, for --verbose */
    MESSAGE_STARTED = 's', /* the page's name is `text` */
    MESSAGE_INPUT = 'i',   /* a file was read for it: `text` is its hash, a space and its path */
    MESSAGE_ALSO = 'a',    /* with that page another one was made, whose name is `text` */
    MESSAGE_FRAMED = 'v',  /* its job is framed as `number` says (views_hash) */
    MESSAGE_DONE = 'd',    /* the page is written */
    MESSAGE_FAILED = 'f',  /* it is not, because of `text` */
};

/* Of one page. A model of many parts may have some about each, and the supervisor keeps them all. */
enum { MESSAGE_MOST_WARNINGS = 200 };

struct message {
    enum message_kind kind;
    uint32_t number;
    const char *text; /* NUL-terminated; borrowed from the bytes when read */
};

/* Longer texts are cut to what a message may hold. -1 when the supervisor is gone. */
int message_send(struct worker *worker, const struct message *message);

/* False for bytes that message_send did not make. */
bool message_read(struct bytes bytes, struct message *out);

/* The exit status of a worker that got no memory. */
enum { STATUS_OUT_OF_MEMORY = 71 };

struct page_figures {
    struct stopwatch stopwatch;
    uint64_t missing_bytes; /* that it asked for before it left with STATUS_OUT_OF_MEMORY; 0: not known */
    uint8_t is_own;    /* set when the page has failed (report/report.h); no bool, as in struct shared. 0 is no */
    uint64_t peak_kib; /* the most memory the worker has held; set when the page is made or has failed */
};

struct page_note {
    struct page_figures figures;
    char temporaries[POOL_NOTE_SIZE - sizeof(struct page_figures)]; /* files under way, see bake_new */
};

_Static_assert(sizeof(struct page_note) == POOL_NOTE_SIZE, "a page's note fills the pool's");

/* From now on this process leaves with STATUS_OUT_OF_MEMORY when it gets no memory, and `note` says how much it asked
 * for. The pool kills a worker that exceeds the limit (0: none). Should the pool be late, the kernel refuses memory far
 * above it: so far that no driver is refused what it would not use, for drivers may fail without a word. */
void page_note_guard(struct page_note *note, uint64_t limit);

/* Whether the worker died with the item. */
bool outcome_is_death(const struct outcome *outcome);

/* Of such an outcome: what killed the worker, at which stage, with which model. `said` is why `message` refused it, or
 * NULL. The caller frees it. */
char *outcome_describe(const struct outcome *outcome, const char *model, const char *said);
