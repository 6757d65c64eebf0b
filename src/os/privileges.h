/* What a process may do because of who it is. */
#ifndef OS_PRIVILEGES_H
#define OS_PRIVILEGES_H

#include "base/error.h"

/* For good: no privileges from programs (no_new_privs), no capabilities but those that let root write into folders that
 * belong to others, as it has to where they are a container's volumes, and no core files, which could hold anything and
 * would lie where the run was started. */
int privileges_drop(struct error *err);

#endif
