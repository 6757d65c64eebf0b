/* What a person did wrong where libyaml gives up. It speaks of tokens, and often of the line after the mistake. */
#ifndef JOB_YAML_MISTAKE_H
#define JOB_YAML_MISTAKE_H

#include "base/bytes.h"
#include "job/problem.h"

/* In libyaml's words. */
struct yaml_complaint {
    const char *problem, *context; /* "found undefined alias", "while scanning an alias" or NULL */
    struct mark mark, context_mark;
};

/* Adds the problem at the place of the mistake; a complaint that is not known is told as it is. */
void yaml_add_mistake(struct bytes bytes, const struct yaml_complaint *complaint, struct problems *problems);

#endif
