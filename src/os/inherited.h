/* Files that are open when a process is about to read what strangers made: they are its parents', whatever they are. */
#ifndef OS_INHERITED_H
#define OS_INHERITED_H

#include <stddef.h>

/* Closes all but the standard streams and these files. */
void inherited_close(const int *kept, size_t count);

#endif
