/* `explain`, in its pieces: which pages are meant (explain.c), and how one is shown as text or JSON. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "fresh/judge.h"

/* A page, or all pages of a job where their number is not known (page_count 0). */
struct explained {
    const struct job_list *list;
    const struct job *job;
    uint32_t page, page_count;
    const char *name;
    const struct reasons *reasons;
    const struct record *record; /* of what it was made; NULL where there is none */
};

/* With what it was made of where `is_verbose`. */
void explain_print(const struct explained *page, bool is_verbose);

struct explain_json;

struct explain_json *explain_json_new(void);
void explain_json_add(struct explain_json *json, const struct explained *page);

/* Prints the document and frees it. -1 when it cannot be made. */
int explain_json_finish(struct explain_json *json, FILE *out);

#endif
