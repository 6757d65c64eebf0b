/* The signals that end a run: SIGINT, SIGTERM and SIGHUP, and SIGXCPU where the time of `ulimit -t` is up.
 *
 * The first makes a file readable, so that poll() can wait for it. A second SIGINT or SIGTERM, half a second later or
 * more, ends the process at once: the user sees that the first did not help, because a disk or a pipe does not move.
 * Within that time two count as one: timeout(1) sends two, and so does a terminal that closes.
 *
 * A signal that was ignored when signals_open was called stays ignored. There is one set of handlers in a process, so
 * signals_open may be called again while they are open; the last signals_close restores what was there before. */
#pragma once

#include <sys/types.h>

#include "base/error.h"

int signals_open(struct error *err);
void signals_close(void);

/* While open: readable after a signal. */
int signals_fd(void);

/* Returns the signal that came first, or 0. Stays after signals_close, for a signal that came just before. */
int signals_first(void);

/* fork(). The child ignores the signals from its first moment on, but not SIGXCPU, which is about its own time. It has
 * closed the file. */
pid_t signals_fork(void);
