/* Files that are open when a process is about to read what strangers made: they are its parents', whatever they are. */
#ifndef SANDBOX_INHERITED_H
#define SANDBOX_INHERITED_H

/* Closes all but the standard streams and this file (-1: none besides). */
void inherited_close(int kept_fd);

#endif
