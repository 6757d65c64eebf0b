/* A clock that no change of the time of day moves. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds from some fixed moment. */
double clock_now_s(void);

#endif
