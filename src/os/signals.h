/* The signals that end a run: SIGINT, SIGTERM and SIGHUP, and SIGXCPU where the time of `ulimit -t` is up.
 *
 * The first is kept, and makes a file readable, so that it can be waited for like everything else. A second one, half a
 * second later or more, ends the process at once, as if it were not caught: it is for whoever sees that the first does
 * not help, because we wait for a disk or a pipe that does not move. Within that time they are taken for one: timeout(1)
 * sends two, and a terminal that closes does. Only SIGINT and SIGTERM are second ones.
 *
 * A signal that was ignored when signals_open was called stays ignored. There is one set of handlers in a process, so
 * signals_open may be called again while they are open; the last signals_close restores what was there before. */
#ifndef OS_SIGNALS_H
#define OS_SIGNALS_H

#include <sys/types.h>

#include "base/error.h"

int signals_open(struct error *err);
void signals_close(void);

/* While open: readable once a signal came. */
int signals_fd(void);

/* Which came first, or 0. Also when they have just been closed: whoever has looked before may have missed one. */
int signals_first(void);

/* fork(), whose child ignores them, without a moment at which one of them would end it, and has closed the file. SIGXCPU
 * it does not ignore: that is about its own time. */
pid_t signals_fork(void);

#endif
