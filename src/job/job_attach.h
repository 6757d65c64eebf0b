/* `attach` and `sockets` of a job. */
#ifndef JOB_JOB_ATTACH_H
#define JOB_JOB_ATTACH_H

#include "job/job.h"
#include "job/reader.h"

enum {
    ATTACH_MOST = 64, /* a model each to open, pose and draw */
    SOCKETS_MOST = 256,
};

/* Of a job's `model`, where it names a declaration and no file. */
#define DEFINITION_PREFIX "def:"

/* An entry as written: its files are not looked for yet. Without a model, which is a problem, that is "". */
struct attachment_entry {
    struct attachment attachment;
    struct mark model_mark, file_mark;
};

/* The lists; *out and what it points to live in the reader's arena. */
void attachments_read(const struct reader *reader, const struct node *list, const struct attachment_entry **out,
                      size_t *count);
void sockets_read(const struct reader *reader, const struct node *list, const struct job_socket **out,
                  size_t *count);

#endif
