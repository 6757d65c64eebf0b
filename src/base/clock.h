/* Time that passes, whatever the time of day is set to. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* In seconds, since whenever. */
double clock_now_s(void);

#endif
