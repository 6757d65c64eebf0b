/* The parts of a plan: the job's own model and what is attached to it, and the places where they hang. */
#ifndef BAKE_PARTS_H
#define BAKE_PARTS_H

#include "bake/plan.h"

/* Opens the job's own model, by its path or its declaration, as the only part. */
int parts_open_model(struct plan *plan, struct assets *assets, struct error *err);

/* Opens the attachments and finds the places of all sockets. The takes are known. */
int parts_attach(struct plan *plan, struct assets *assets, struct error *err);

#endif
