/* Atlases: the cells of several jobs, packed once more. They are read from the sheets that the jobs have in the output
 * folder, so a job that changes costs the others no drawing. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "base/file.h"
#include "base/memory.h"
#include "page/names.h"

void joined_free(struct joined *joined)
{
    for (size_t i = 0; joined && i < joined->sheet_count; i++)
        made_sheet_free(joined->sheets[i]);
    if (joined)
        page_set_release(&joined->folder);
}

/* Gives the hash that an inspector makes of a job. Its files have to be as they were written: what somebody has put in
 * their place would pass for the job's cells. */
static int check_files(const struct made_sheet *sheet, char hash[HASH_SIZE], struct error *err)
{
    for (size_t i = 0; i < sheet->page_count; i++) {
        struct record *record = &sheet->pages[i].record;
        SCOPED char *path = path_join(sheet->set->folder, sheet->pages[i].stem), *folder = path_folder(path);
        for (size_t f = 0; f < record->file_count; f++)
            if (recorded_verify(folder, &record->files[f], err) != RECORDED_SAME)
                return error_set(err, "%s/%s is not as it was written: remove %s" RECORD_SUFFIX, folder,
                                 record->files[f].name, path);
        record_add_to_hash(record, hash);
        record_release(record); /* there may be thousands */
    }
    return 0;
}

/* A page that failed is not among those that are kept. */
static int add_sheet(struct joined *joined, const struct job *job, const struct strings *kept,
                     char hash[HASH_SIZE], struct error *err)
{
    static const struct record unread;
    SCOPED_BY(page_set_release) struct page_set set = {0};
    for (size_t i = 0; i < kept->count; i++) {
        const char *page = path_below(joined->folder.folder, kept->items[i]);
        if (page && names_is_page_of(page, job->name))
            page_set_add(&set, NULL, page, &unread);
    }
    const struct page_sheet files = {job->name, set.pages, set.page_count, job->name};
    struct made_sheet *sheet = made_sheet_read(&joined->folder, &files);
    joined->sheets[joined->sheet_count++] = sheet;
    joined->atlas.clip_count += sheet->clip_count;
    joined->atlas.frame_count += sheet->frame_count;
    if (sheet->problem)
        return error_set(err, "%s", sheet->problem);
    return check_files(sheet, hash, err);
}

static int compare_sheets(const void *a, const void *b)
{
    return strcmp((*(struct made_sheet *const *)a)->name, (*(struct made_sheet *const *)b)->name);
}

/* Frames are called after their jobs already, no two alike (job/job_list). The order of jobs in the list changes
 * nothing. */
static void describe(struct arena *arena, struct sheet_plan *sheet, struct joined *joined)
{
    struct atlas *atlas = &joined->atlas;
    struct atlas_clip *clip = arena_must_alloc(arena, atlas->clip_count, sizeof *clip);
    struct atlas_frame *frame = arena_must_alloc(arena, atlas->frame_count, sizeof *frame);
    size_t *length = arena_must_alloc(arena, atlas->clip_count, sizeof *length);
    sheet->strips = (struct strips){length, atlas->clip_count};
    atlas->frames = joined->frames = frame;
    atlas->clips = clip;
    atlas->has_frame_scales = true;
    qsort(joined->sheets, joined->sheet_count, sizeof *joined->sheets, compare_sheets);
    for (size_t i = 0; i < joined->sheet_count; i++) {
        const struct made_sheet *made = joined->sheets[i];
        for (size_t c = 0; c < made->clip_count; c++, clip++) {
            *clip = made->clips[c];
            clip->name = arena_printf(arena, "%.*s/%s", (int)strcspn(made->name, "@"), made->name, clip->name);
            clip->animation = arena_take(arena, path_folder(clip->name));
            clip->camera = path_base(clip->name);
            clip->first_frame += (size_t)(frame - joined->frames);
            *length++ = clip->frame_count;
        }
        memcpy(frame, made->frames, made->frame_count * sizeof *frame);
        frame += made->frame_count;
    }
}

int plan_atlas(const struct job_list *list, const struct job *job, const struct strings *kept,
               struct assets *assets, struct plan **out, struct error *err)
{
    struct trace *trace = assets_trace(assets, NULL); /* templates are inputs of the jobs */
    struct plan *plan = must_alloc(1, sizeof *plan);
    struct sheet_plan *sheet = plan->sheets = arena_must_alloc(&plan->arena, 1, sizeof *sheet);
    struct joined *joined = sheet->joined = arena_must_alloc(&plan->arena, 1, sizeof *joined);
    plan->job = job;
    plan->sheet_count = plan->page_count = 1;
    sheet->base = job->name;
    joined->sheets = arena_must_alloc(&plan->arena, list->job_count, sizeof *joined->sheets);
    joined->folder.folder = joined->folder.name = list->output;
    joined->folder.fd = open(list->output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result = plan_read_templates(plan, assets, err);
    for (const struct job *of = list->jobs; of < list->jobs + list->job_count && result == 0; of++) {
        char hash[HASH_SIZE] = "";
        if (!job_is_in_atlas(of, job))
            continue;
        if ((result = add_sheet(joined, of, kept, hash, err)) < 0)
            error_add(err, "job '%s' of this atlas", of->name);
        trace_note(trace, LOOK_READ, of->name, hash);
    }
    if (result == 0)
        describe(&plan->arena, sheet, joined);
    if (result == 0)
        result = layout_reserve(&sheet->layout, joined->atlas.frame_count, err);
    if (result < 0)
        plan_free(plan);
    else
        *out = plan;
    return result;
}

/* The whole cell: it may have been trimmed. */
static int add_cell(struct made_pictures *pictures, const struct made_sheet *sheet,
                    const struct atlas_frame *frame, const enum pass *passes, struct cell_store *store,
                    size_t number, struct error *err)
{
    const struct rect *source = &frame->source;
    const size_t row = (size_t)frame->source_px[0] * 4, size = row * frame->source_px[1];
    SCOPED uint8_t *pixels = memory_alloc(store->plane_count, size, err);
    uint8_t *planes[PASS_COUNT];
    struct pixel_view view;
    if (!pixels)
        return -1;
    for (size_t p = 0; p < store->plane_count; p++) {
        planes[p] = pixels + p * size;
        if (made_frame_cell(&pictures[p], sheet, frame, pass_names[passes[p]], &view, err) < 0)
            return -1;
        for (uint32_t y = 0; y < source->height; y++)
            memcpy(planes[p] + (source->y + y) * row + (size_t)source->x * 4, view.pixels + y * view.stride,
                   (size_t)source->width * 4);
    }
    memcpy(store->cell_px, frame->source_px, sizeof store->cell_px);
    return cell_store_add(store, number, (const void *const *)planes, err);
}

int joined_store(const struct joined *joined, const enum pass *passes, struct cell_store *store, struct error *err)
{
    struct made_pictures pictures[PASS_COUNT] = {0};
    int result = 0;
    for (size_t i = 0, cell = 0; i < joined->sheet_count; i++) {
        const struct made_sheet *sheet = joined->sheets[i];
        for (size_t f = 0; f < sheet->frame_count && result == 0; f++)
            result = add_cell(pictures, sheet, &sheet->frames[f], passes, store, cell++, err);
        for (size_t p = 0; p < store->plane_count; p++)
            made_pictures_release(&pictures[p]);
    }
    return result;
}
