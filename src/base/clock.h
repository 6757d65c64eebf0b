/* A clock that no change of the time of day moves. */
#pragma once

#include <time.h>

/* Seconds from some fixed moment. */
static inline double clock_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
