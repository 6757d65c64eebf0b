/* The worker's end of the pool, and what passes between the two ends. For the pool's own files alone; what workers
 * call is in pool.h. */
#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>

#include "run/pool.h"

/* A packet from a worker starts with one of these. To a worker go only item numbers. */
enum packet { PACKET_STARTED = 's', PACKET_NOT_STARTED = 'n', PACKET_MESSAGE = 'm', PACKET_FINISHED = 'f' };

/* What a worker and the supervisor share. No bool: a worker that was taken over may write any byte. 0 is no. */
struct shared {
    atomic_uchar taken;  /* the worker has the item it was sent */
    atomic_uchar holds;  /* it is not to be killed right now */
    atomic_uchar ending; /* the run is ending, and it is not to begin to hold */
    alignas(max_align_t) char note[POOL_NOTE_SIZE];
};

enum { WORKER_NOT_STARTED = 70 }; /* the exit status when start() failed */

/* The life of a worker process, once it has let go of what is the supervisor's. */
_Noreturn void worker_run(const struct pool_settings *settings, int fd, struct shared *shared);

#endif
