#include "bake/listed_pages.h"

#include <stdlib.h>

#include "base/memory.h"

/* More than any job may have (bake/takes.c). */
enum { MAX_LISTED_CELLS = 1 << 18 };

/* Samples of a clip that is there, or 0. */
static uint64_t count_samples(const struct sampling *sampling)
{
    uint64_t count = 0;
    switch (sampling->kind) {
    case SAMPLING_TIMES:
        return sampling->time_count;
    case SAMPLING_COUNT:
        return sampling->count;
    case SAMPLING_FRAMES:
        for (size_t i = 0; i < sampling->run_count; i++)
            count += (uint64_t)sampling->runs[i].last - sampling->runs[i].first + 1;
        return count;
    case SAMPLING_FPS:
    case SAMPLING_UNSET:
        break;
    }
    return 0;
}

/* A name or pattern may match any number of clips; a file, or a range of frames, is one. */
static uint64_t count_take_samples(const struct job *job, size_t take)
{
    if (job->animation_count == 0)
        return 1; /* `animations: []`: the first frame */
    const struct job_animation *animation = &job->animations[take];
    return animation->file || animation->has_frames ? count_samples(&animation->sampling) : 0;
}

static size_t count_takes(const struct job *job)
{
    return job->animation_count ? job->animation_count : 1;
}

static bool tells_its_cells(const struct job *job)
{
    if (!job->has_animations || job->skin_choice == SKIN_ALL)
        return false;
    uint64_t cells = 0;
    for (size_t i = 0; i < count_takes(job); i++) {
        uint64_t samples = count_take_samples(job, i);
        cells += samples * job->camera_count;
        if (samples == 0 || cells > MAX_LISTED_CELLS)
            return false;
    }
    return true;
}

/* Of a sheet with these takes, `end` excluded, seen by so many cameras. 0 when there is no layout: the job will
 * fail, and the worker that opens it tells why. */
static uint32_t count_sheet_pages(const struct job *job, size_t take, size_t end, size_t cameras)
{
    size_t *lengths = must_alloc((end - take) * cameras, sizeof *lengths);
    struct strips strips = {lengths, 0};
    for (; take < end; take++)
        for (size_t camera = 0; camera < cameras; camera++)
            lengths[strips.count++] = (size_t)count_take_samples(job, take);
    struct layout layout;
    struct error err;
    uint32_t pages = 0;
    if (layout_init(&layout, &job->sheet, job->cell_px, &strips, &err) == 0) {
        pages = layout.page_count;
        layout_release(&layout);
    }
    free(lengths);
    return pages;
}

/* Packed and trimmed sheets are one page until they are drawn. */
static uint32_t count_sheets(const struct job *job)
{
    switch (job->sheet.split) {
    case SPLIT_ANIMATION:
        return job->has_animations ? (uint32_t)count_takes(job) : 0;
    case SPLIT_CAMERA:
        return (uint32_t)job->camera_count;
    case SPLIT_NONE:
        break;
    }
    return 1;
}

static uint32_t count_pages_by_take(const struct job *job)
{
    uint32_t pages = 0;
    for (size_t i = 0; i < count_takes(job); i++) {
        uint32_t more = count_sheet_pages(job, i, i + 1, job->camera_count);
        if (more == 0)
            return 0;
        pages += more;
    }
    return pages;
}

uint32_t listed_page_count(const struct job *job)
{
    if (job->is_pattern)
        return 0;
    if (layout_needs_pixels(&job->sheet) && job->sheet.split != SPLIT_ANIMATION)
        return count_sheets(job);
    if (!tells_its_cells(job))
        return 0;
    if (layout_needs_pixels(&job->sheet))
        return count_sheets(job);
    if (job->sheet.split == SPLIT_ANIMATION)
        return count_pages_by_take(job);
    size_t cameras = job->sheet.split == SPLIT_CAMERA ? 1 : job->camera_count;
    return count_sheets(job) * count_sheet_pages(job, 0, count_takes(job), cameras);
}
