/* Makes the rules of the sandbox for the processes of a run, from job lists. */
#pragma once

#include <stdbool.h>

#include "job/job.h"
#include "os/sandbox.h"

/* Adds what the jobs of a list read, and with `writes` where their sheets go. The output folder exists already. */
void confine_add_list(struct sandbox_rules *rules, const struct job_list *list, bool writes);

/* Adds the shader cache, or a part of it (NULL: all), and makes it if it is missing; nothing where the rules are off. */
void confine_add_renderer(struct sandbox_rules *rules, const char *cache_part);

/* Adds it, and confines this process, which is going to draw, for good. */
int confine_renderer(struct sandbox_rules *rules, const char *cache_part, struct error *err);
