#include "page/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strings.h"
#include "image/image_format.h"
#include "sheet/layout.h"
#include "page/metadata.h"

enum {
    MOST_JSON = 64 * 1024 * 1024, /* 2^18 frames take some 60 MiB with white space */
    MOST_PICTURE = 512 * 1024 * 1024,
    MOST_KEPT_PIXELS = 1 << 24, /* 64 MiB */
};

static int read_beneath(const struct page_set *set, const char *path, size_t limit, struct blob *out,
                        struct error *err)
{
    int fd = file_open_beneath(set->fd, path, O_RDONLY);
    const char *why = errno == ELOOP || errno == ENOTDIR ? "sheets are not read through links" : strerror(errno);
    char *whole = must_printf("%s/%s", set->name, path);
    int result = fd < 0 ? error_set(err, "%s: %s", whole, why) : file_read_open(fd, whole, limit, out, err);
    if (fd >= 0)
        close(fd);
    free(whole);
    return result;
}

/* -- What the JSONs say ------------------------------------------------------------------------------------- */

struct made_pass *made_page_pass(const struct page *page, const char *name)
{
    return named_find(page->passes, page->pass_count, sizeof *page->passes, name, false);
}

static int add_pass(struct made_sheet *sheet, struct page *page, const char *name, const char *picture,
                    struct error *err)
{
    if (made_page_pass(page, name))
        return error_set(err, "it has two passes '%.200s'", name);
    if (page != sheet->pages && !made_page_pass(sheet->pages, name))
        return error_set(err, "its pass '%.200s' is not one of the first page", name);
    if (page->pass_count == MADE_MOST_PASSES)
        return error_set(err, "it has more than %d passes", MADE_MOST_PASSES);
    const struct record_file *file = record_file(&page->record, picture);
    page->passes[page->pass_count++] =
        (struct made_pass){.name = name,
                           .picture = picture,
                           .path = arena_printf(&sheet->arena, "%.*s%s", (int)(path_base(page->stem) - page->stem),
                                                page->stem, picture),
                           .hash = file ? file->hash : ""};
    return 0;
}

/* The frames and clips of all pages, as their JSONs have them. */
struct all_pages {
    struct atlas_frame *frames; /* sorted by name */
    size_t frame_count, frame_capacity;
    struct atlas_clip *clips; /* sorted by name; those of several pages, once for each, which `take` tells */
    size_t clip_count, clip_capacity;
};

static int compare_clips(const void *a, const void *b)
{
    const struct atlas_clip *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->take > right->take) - (left->take < right->take);
}

static int add_page(struct all_pages *all, const struct atlas *atlas, uint32_t number, struct error *err)
{
    for (size_t i = 0; i < atlas->frame_count; i++) {
        if (all->frame_count == LAYOUT_MOST_CELLS)
            return error_set(err, "with the pages before it has more than %d frames", LAYOUT_MOST_CELLS);
        struct atlas_frame *frame = MUST_ADD(all->frames, all->frame_count, all->frame_capacity);
        *frame = atlas->frames[i];
        frame->page = number;
    }
    for (size_t i = 0; i < atlas->clip_count; i++) {
        struct atlas_clip *clip = MUST_ADD(all->clips, all->clip_count, all->clip_capacity);
        *clip = atlas->clips[i];
        clip->take = number;
    }
    return 0;
}

/* Adds a frame to the clip that is last, and to by_name, where a frame is once it was added. */
static void add_frame(struct made_sheet *sheet, const struct all_pages *all, size_t number)
{
    struct atlas_clip *clip = &sheet->clips[sheet->clip_count - 1];
    struct atlas_frame *frame = &sheet->frames[sheet->frame_count++];
    *frame = all->frames[number];
    frame->start_ms = clip->frame_count++ ? frame[-1].start_ms + frame[-1].duration_ms : 0;
    sheet->by_name[number] = frame;
}

static int add_clip(struct made_sheet *sheet, const struct all_pages *all, const struct atlas_clip *clip,
                    struct error *err)
{
    sheet->clips[sheet->clip_count++] =
        (struct atlas_clip){.name = clip->name, .loop = clip->loop, .first_frame = sheet->frame_count};
    for (size_t i = 0; i < clip->frame_count; i++) {
        const struct atlas_keyframe *key = &clip->keyframes[i];
        struct atlas_frame *found = NULL;
        if (all->frame_count)
            found = bsearch(&key->frame, all->frames, all->frame_count, sizeof *found, strings_compare);
        if (!found || sheet->by_name[found - all->frames])
            return error_set(err, "the frame '%.200s' of its animation '%.200s' is %s", key->frame, clip->name,
                             found ? "there twice, or in another one, too" : "on no page");
        found->time_s = key->time_s;
        add_frame(sheet, all, (size_t)(found - all->frames));
    }
    return 0;
}

/* Clips sorted by name, then what is in none. */
static int order_frames(struct made_sheet *sheet, struct all_pages *all, struct error *err)
{
    SORT(all->frames, all->frame_count, strings_compare);
    SORT(all->clips, all->clip_count, compare_clips);
    for (size_t i = 1; i < all->frame_count; i++)
        if (!strcmp(all->frames[i - 1].name, all->frames[i].name))
            return error_set(err, "two of its frames have the name '%.200s'", all->frames[i].name);
    sheet->frames = arena_must_alloc(&sheet->arena, all->frame_count, sizeof *sheet->frames);
    sheet->by_name = arena_must_alloc(&sheet->arena, all->frame_count, sizeof *sheet->by_name);
    sheet->clips = arena_must_alloc(&sheet->arena, all->clip_count + 1, sizeof *sheet->clips);
    for (size_t i = 0; i < all->clip_count; i++)
        if ((i == 0 || strcmp(all->clips[i - 1].name, all->clips[i].name)) &&
            add_clip(sheet, all, &all->clips[i], err) < 0)
            return -1;
    if (sheet->frame_count < all->frame_count)
        sheet->clips[sheet->clip_count++] = (struct atlas_clip){.name = "", .first_frame = sheet->frame_count};
    for (size_t i = 0; i < all->frame_count; i++)
        if (!sheet->by_name[i])
            add_frame(sheet, all, i);
    return 0;
}

int made_sheet_describe(struct made_sheet *sheet, const struct bytes *jsons, struct error *err)
{
    struct all_pages all = {0};
    struct atlas *atlases = must_alloc(sheet->page_count, sizeof *atlases);
    int result = 0;
    size_t page = 0;
    for (; page < sheet->page_count && result == 0; page++) {
        struct atlas *atlas = &atlases[page];
        struct page *made = &sheet->pages[page];
        made->passes = arena_must_alloc(&sheet->arena, MADE_MOST_PASSES, sizeof *made->passes);
        result = pixi_load(jsons[page], &sheet->arena, atlas, err);
        if (result == 0)
            result = add_pass(sheet, made, "color", atlas->pages[0].image, err);
        for (size_t i = 0; i < atlas->pass_count && result == 0; i++)
            result = add_pass(sheet, made, atlas->passes[i].name, atlas->passes[i].image, err);
        if (result == 0)
            result = add_page(&all, atlas, (uint32_t)page, err);
    }
    if (result < 0)
        error_add(err, "%s/%s.json", sheet->set->name, sheet->pages[page - 1].stem);
    else if ((result = order_frames(sheet, &all, err)) < 0)
        error_add(err, "%s/%s.json", sheet->set->name, sheet->pages[0].stem);
    free(all.frames);
    free(all.clips);
    free(atlases);
    return result;
}

/* -- A sheet ------------------------------------------------------------------------------------------------ */

static int read_record(struct made_sheet *sheet, const char *stem, struct error *err)
{
    struct page *page = &sheet->pages[sheet->page_count];
    struct blob blob;
    const char *path = arena_printf(&sheet->arena, "%s" RECORD_SUFFIX, stem);
    int result = read_beneath(sheet->set, path, RECORD_MOST_TEXT, &blob, err);
    if (result == 0) {
        result = record_load(blob_bytes(&blob), RECORD_WHOLE, &page->record, err);
        blob_release(&blob);
        page->stem = arena_strdup(&sheet->arena, stem);
        page->sheet = sheet->name;
        sheet->page_count += result == 0;
        if (result == 0 && !record_is_of(&page->record, path))
            result = error_set(err, "it is the record of another page, of job '%.200s'", page->record.job);
        else if (result == 0 && !page->record.inputs.count)
            result = error_set(err, "it names no input");
        if (result < 0)
            error_add(err, "%s/%s", sheet->set->name, path);
    }
    return result;
}

/* Reads the records of all pages that may be the sheet's. */
static int read_records(struct made_sheet *sheet, const struct page_sheet *files, struct error *err)
{
    sheet->pages = arena_must_alloc(&sheet->arena, files->page_count, sizeof *sheet->pages);
    for (size_t i = 0; i < files->page_count; i++) {
        if (read_record(sheet, files->pages[i].stem, err) < 0)
            return -1;
        struct record *record = &sheet->pages[sheet->page_count - 1].record;
        if (files->job && strcmp(record->job, files->job)) {
            record_release(record);
            sheet->page_count--;
        }
    }
    if (!sheet->page_count)
        return error_set(err, "it was not made");
    pages_sort(sheet->pages, sheet->page_count);
    sheet->list = sheet->pages[0].record.list;
    sheet->job = sheet->pages[0].record.job;
    return 0;
}

/* Finds every page, and every part of one. Drops what another run has left of the job. */
static int check_pages(struct made_sheet *sheet, struct error *err)
{
    const struct page_sheet all = {.pages = sheet->pages, .page_count = sheet->page_count};
    struct page_walk walk = {.sheet = &all};
    struct page *kept = arena_must_alloc(&sheet->arena, all.page_count, sizeof *kept);
    uint32_t there = UINT32_MAX; /* before the first that is not */
    size_t count = 0;
    for (enum page_place place; (place = page_walk(&walk)) != PAGE_END;) {
        if (place == PAGE_TWICE)
            return error_set(err,
                             "%s/%s" RECORD_SUFFIX ": it is page %u of its sheet, and so is %s" RECORD_SUFFIX
                             ", of another run: remove both and render again",
                             sheet->set->name, walk.at->stem, walk.at->record.page + 1, walk.latest->stem);
        if (place == PAGE_NEXT)
            kept[count++] = *walk.at;
        if (place == PAGE_LEFT)
            arena_join(&sheet->arena, &sheet->pages[walk.at - all.pages].record.arena);
        if (place == PAGE_GAP && walk.page < there)
            there = walk.page;
    }
    sheet->pages = kept;
    sheet->page_count = count;
    return there == UINT32_MAX ? 0
                               : error_set(err, "%s/%s: %u of its %u pages are there", sheet->set->name,
                                           sheet->name, there, walk.first->record.page_count);
}

static int read_jsons(struct made_sheet *sheet, struct error *err)
{
    struct blob *blobs = must_alloc(sheet->page_count, sizeof *blobs);
    struct bytes *jsons = must_alloc(sheet->page_count, sizeof *jsons);
    int result = 0;
    for (size_t i = 0; i < sheet->page_count && result == 0; i++) {
        const char *path = arena_printf(&sheet->arena, "%s.json", sheet->pages[i].stem);
        result = read_beneath(sheet->set, path, MOST_JSON, &blobs[i], err);
        jsons[i] = blob_bytes(&blobs[i]);
    }
    if (result == 0)
        result = made_sheet_describe(sheet, jsons, err);
    for (size_t i = 0; i < sheet->page_count; i++)
        blob_release(&blobs[i]);
    free(jsons);
    free(blobs);
    return result;
}

/* Finds a picture that a copy or an upload cut off, without reading it. */
static int check_end(const struct made_sheet *sheet, const struct made_pass *pass, struct error *err)
{
    static const uint8_t end[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    uint8_t last[sizeof end];
    struct stat info;
    int fd = file_open_beneath(sheet->set->fd, pass->path, O_RDONLY);
    int result = fd < 0 || fstat(fd, &info) < 0 ? error_set(err, "%s", strerror(errno)) : 0;
    if (result == 0 && (pread(fd, last, sizeof last, info.st_size - (off_t)sizeof last) != (ssize_t)sizeof last ||
                        memcmp(last, end, sizeof end) != 0))
        result = error_set(err, "the PNG is cut off: its last bytes are not those of a PNG");
    if (result < 0)
        error_add(err, "%s/%s", sheet->set->name, pass->path);
    if (fd >= 0)
        close(fd);
    return result;
}

static int read_sheet(struct made_sheet *sheet, const struct page_sheet *files, struct error *err)
{
    if (read_records(sheet, files, err) < 0 || check_pages(sheet, err) < 0 || read_jsons(sheet, err) < 0)
        return -1;
    for (size_t i = 0; i < sheet->page_count; i++)
        for (size_t p = 0; p < sheet->pages[i].pass_count; p++)
            if (check_end(sheet, &sheet->pages[i].passes[p], err) < 0)
                return -1;
    return 0;
}

struct made_sheet *made_sheet_read(const struct page_set *set, const struct page_sheet *files)
{
    struct made_sheet *sheet = must_alloc(1, sizeof *sheet);
    struct error err;
    sheet->set = set;
    sheet->name = arena_strdup(&sheet->arena, files->name);
    if (read_sheet(sheet, files, &err) < 0) {
        sheet->problem = arena_strdup(&sheet->arena, err.text);
        sheet->frame_count = sheet->clip_count = 0;
    }
    if (!sheet->job) { /* its record is broken: the name of its files is all there is */
        sheet->list = "";
        sheet->job = sheet->name;
    }
    return sheet;
}

const struct record *made_sheet_record(const struct made_sheet *sheet)
{
    static const struct record none;
    return sheet && sheet->page_count ? &sheet->pages[0].record : &none;
}

void made_sheet_free(struct made_sheet *sheet)
{
    if (!sheet)
        return;
    for (size_t i = 0; i < sheet->page_count; i++)
        record_release(&sheet->pages[i].record);
    arena_release(&sheet->arena);
    free(sheet);
}

static int compare_by_name(const void *name, const void *frame)
{
    return strcmp(name, (*(const struct atlas_frame *const *)frame)->name);
}

const struct atlas_frame *made_sheet_frame(const struct made_sheet *sheet, const char *name)
{
    const struct atlas_frame **found = sheet->frame_count ? bsearch(name, sheet->by_name, sheet->frame_count,
                                                                    sizeof *sheet->by_name, compare_by_name)
                                                          : NULL;
    return found ? *found : NULL;
}

bool made_frame_is_told_alike(const struct atlas_frame *a, const struct atlas_frame *b)
{
    bool is_alike =
        a->socket_count == b->socket_count && a->box_count == b->box_count && a->event_count == b->event_count;
    for (size_t i = 0; i < a->socket_count && is_alike; i++) {
        const struct atlas_socket *x = &a->sockets[i], *y = &b->sockets[i];
        is_alike = !strcmp(x->name, y->name) && !memcmp(x->px, y->px, sizeof x->px) && x->depth == y->depth;
    }
    for (size_t i = 0; i < a->box_count && is_alike; i++)
        is_alike = !strcmp(a->boxes[i].name, b->boxes[i].name) &&
                   !memcmp(&a->boxes[i].rect, &b->boxes[i].rect, sizeof a->boxes[i].rect);
    for (size_t i = 0; i < a->event_count && is_alike; i++)
        is_alike = !strcmp(a->events[i].name, b->events[i].name);
    return is_alike;
}

bool made_frame_is_same_place(const struct atlas_frame *a, const struct atlas_frame *b)
{
    return memcmp(&a->rect, &b->rect, sizeof a->rect) == 0 &&
           memcmp(&a->source, &b->source, sizeof a->source) == 0 &&
           memcmp(a->source_px, b->source_px, sizeof a->source_px) == 0;
}

/* -- Pixels ------------------------------------------------------------------------------------------------- */

static int read_picture(const struct page_set *set, const char *path, struct image *out, struct error *err)
{
    struct blob blob;
    if (read_beneath(set, path, MOST_PICTURE, &blob, err) < 0)
        return -1;
    int result = image_is_in(blob_bytes(&blob), &png_format) ? png_format.load(blob_bytes(&blob), out, err)
                                                             : error_set(err, "it is not a PNG");
    blob_release(&blob);
    if (result == 0)
        return 0;
    image_release(out);
    return error_add(err, "%s/%s", set->name, path);
}

static void drop_picture(struct made_pictures *pictures, size_t i)
{
    image_release(&pictures->items[i].image);
    free(pictures->items[i].problem);
    memset(&pictures->items[i], 0, sizeof pictures->items[i]);
}

/* Reads the picture into the place of the one that was not used for the longest time. Where pictures are large, those
 * before are not kept. */
static size_t find_picture(struct made_pictures *pictures, const struct made_sheet *sheet, size_t page,
                           struct made_pass *pass)
{
    size_t oldest = 0;
    uint64_t kept_px = 0;
    for (size_t i = 0; i < MADE_PICTURES; i++) {
        if (pictures->items[i].sheet == sheet && pictures->items[i].page == page &&
            pictures->items[i].pass == pass->name)
            return i;
        if (pictures->items[i].used < pictures->items[oldest].used)
            oldest = i;
        kept_px += (uint64_t)pictures->items[i].image.width * pictures->items[i].image.height;
    }
    for (size_t i = 0; i < MADE_PICTURES; i++)
        if (i == oldest || kept_px >= MOST_KEPT_PIXELS)
            drop_picture(pictures, i);
    struct image image = {0};
    struct error err;
    char *problem = read_picture(sheet->set, pass->path, &image, &err) < 0 ? must_strdup(err.text) : NULL;
    pictures->items[oldest] = (struct made_picture){
        .sheet = sheet, .page = page, .pass = pass->name, .image = image, .problem = problem};
    pictures->read_px += (uint64_t)image.width * image.height;
    pictures->distinct_px += pass->was_read ? 0 : (uint64_t)image.width * image.height;
    pass->was_read = true;
    return oldest;
}

int made_frame_cell(struct made_pictures *pictures, const struct made_sheet *sheet,
                    const struct atlas_frame *frame, const char *pass, struct pixel_view *out, struct error *err)
{
    const struct page *page = &sheet->pages[frame->page];
    struct made_pass *found = made_page_pass(page, pass);
    if (!found)
        return error_set(err, "%s/%s.json: it has no pass '%s'", sheet->set->name, page->stem, pass);
    size_t i = find_picture(pictures, sheet, frame->page, found);
    const struct image *image = &pictures->items[i].image;
    const struct rect *rect = &frame->rect;
    pictures->items[i].used = ++pictures->clock;
    if (pictures->items[i].problem)
        return error_set(err, "%s", pictures->items[i].problem);
    if (rect->x + rect->width > image->width || rect->y + rect->height > image->height)
        return error_set(err, "%s/%s.json: frame '%.200s' lies outside the picture %s of %ux%u pixels",
                         sheet->set->name, page->stem, frame->name, found->picture, image->width, image->height);
    size_t stride = (size_t)image->width * 4;
    *out = (struct pixel_view){
        .pixels = image->pixels + rect->y * stride + (size_t)rect->x * 4,
        .stride = stride,
        .shown = frame->source,
        .width = frame->source_px[0],
        .height = frame->source_px[1],
    };
    return 0;
}

void made_pictures_release(struct made_pictures *pictures)
{
    for (size_t i = 0; i < MADE_PICTURES; i++)
        drop_picture(pictures, i);
    *pictures = (struct made_pictures){0};
}
