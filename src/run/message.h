/* What a worker tells the supervisor while it has a page: one byte of kind, then a number or text. */
#ifndef RUN_MESSAGE_H
#define RUN_MESSAGE_H

#include "base/bytes.h"
#include "run/pool.h"

enum message_kind {
    MESSAGE_PAGES = 'p',   /* the job has `number` pages, 1 to MESSAGE_MOST_PAGES */
    MESSAGE_WARNING = 'w', /* `text` */
    MESSAGE_DETAIL = 't',  /* `text`, for those who want to know more */
    MESSAGE_STARTED = 's', /* the page's name is `text` */
    MESSAGE_INPUT = 'i',   /* a file was read for it: `text` is its hash, a space and its path */
    MESSAGE_ALSO = 'a',    /* with that page another one was made, whose name is `text` */
    MESSAGE_DONE = 'd',    /* the page is written */
    MESSAGE_FAILED = 'f',  /* it is not, because of `text` */
};

/* A job has no more cells (bake/takes.c), and a page at least one. */
enum { MESSAGE_MOST_PAGES = 1 << 18 };

struct message {
    enum message_kind kind;
    uint32_t number;
    const char *text; /* NUL-terminated; borrowed from the bytes when read */
};

/* Longer texts are cut to what a message may hold. -1 when the supervisor is gone. */
int message_send(struct worker *worker, const struct message *message);

/* False for bytes that message_send did not make. */
bool message_read(struct bytes bytes, struct message *out);

#endif
