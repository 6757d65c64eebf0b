/* `sampling` and `animations` of a job. */
#ifndef JOB_JOB_SAMPLING_H
#define JOB_JOB_SAMPLING_H

#include "job/job.h"
#include "job/reader.h"

/* An MD2 has at most 512 clips. Each is compared with all taken before it. */
enum { ANIMATIONS_MOST = 4096 };

/* An entry as written: `file` is not looked for yet, and what it leaves open is the job's. */
struct animation_entry {
    struct job_animation animation; /* sampling.kind is SAMPLING_UNSET where the entry has none */
    struct mark file_mark;
    bool has_loop, has_root_motion;
};

/* `loop` and `root_motion` of a job or an entry; whether the mapping has the key with a good value. */
bool loop_read(const struct reader *reader, const struct node *map, enum loop *out);
bool root_motion_read(const struct reader *reader, const struct node *map, bool of_job, struct root_motion *out);

/* "7" or "7-12"; only digits, one '-' and spaces. */
bool frame_run_parse(const char *text, struct frame_run *out);

bool sampling_read(const struct reader *reader, const struct node *map, struct sampling *out);

/* The list of `animations`; *out and what it points to live in the reader's arena. */
void animations_read(const struct reader *reader, const struct node *list, bool of_job,
                     const struct animation_entry **out, size_t *count);

#endif
