#include "review/diff_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "image/image.h"
#include "review/html.h"
#include "review/output.h"
#include "sheet/movie.h"
#include "sheet/png.h"

enum {
    MOST_MISSES = 8, /* gives up after so many clips that do not fit: each try costs the time of its pictures */
    QUALITY = 50,    /* of a frame that fits no otherwise */
};

struct diff_page {
    struct arena arena; /* paths */
    const struct diff_page_settings *settings;
    const char *folder;     /* that the pictures lie in, beside the page; NULL: they are in the page */
    struct buffer pictures; /* elements that hold them */
    size_t picture_count;
    uint64_t size;              /* of the page, as far as is known */
    double made_px, made_bytes; /* of all pictures */
    unsigned misses;
    bool cannot_write; /* a picture */
};

/* -- Strips -------------------------------------------------------------------------------------------------- */

/* The versions as they are compared and, where they are framed for that, as each ships. */
enum { BEFORE, AFTER, SHIPPED_BEFORE, SHIPPED_AFTER, STRIPS };
static const char *const strip_names[STRIPS] = {"before", "after", "shipped_before", "shipped_after"};

/* The cells of one version of a sheet that a reviewer looks at; each clip has a picture of its own for each pass.
 *
 * A clip without any difference is left out, but for the first one of a sheet that is only renamed, or has only a new
 * warning. Of the others all frames are there, so that they play: as after, and as before those that look otherwise. A cell
 * that several frames of a clip share is there once. */
struct filmstrip {
    const struct made_sheet *sheet;
    const struct atlas_frame **frames; /* of the cells, by their numbers */
    uint32_t cell_count;
    uint32_t first, columns; /* of the latest clip */
    uint32_t cell_px[2];     /* its largest; a frame lies at the top left of its cell */
    struct made_pictures pictures;
};

static bool clip_differs(const struct review_clip *clip)
{
    for (size_t i = 0; i < clip->frame_count; i++)
        if (clip->frames[i].state != REVIEW_SAME)
            return true;
    return false;
}

/* Whether the page needs the cell of `before`: else it shows that of `after` for both. */
static bool needs_before(const struct review_sheet *sheet, const struct review_frame *frame)
{
    return review_looks_otherwise(sheet, frame) ||
           memcmp(frame->before->source_px, frame->after->source_px, sizeof frame->before->source_px) != 0;
}

/* Packed sheets store equal cells once: frames that share a place share a cell. Frames of one place are mostly
 * neighbours. */
static uint32_t add_cell(struct filmstrip *strip, const struct atlas_frame *frame)
{
    enum { LOOK_BACK = 64 };
    for (uint32_t i = strip->cell_count; i > strip->first && strip->cell_count - i < LOOK_BACK; i--)
        if (strip->frames[i - 1]->page == frame->page && made_frame_is_same_place(strip->frames[i - 1], frame))
            return i - 1;
    for (int axis = 0; axis < 2; axis++)
        if (frame->source_px[axis] > strip->cell_px[axis])
            strip->cell_px[axis] = frame->source_px[axis];
    strip->frames[strip->cell_count] = frame;
    return strip->cell_count++;
}

static void set_cell(struct filmstrip *strip, const struct atlas_frame *frame, json_t *value)
{
    json_object_set_new(value, "cell", json_integer(add_cell(strip, frame)));
}

/* Returns how many pixels the cells of the latest clip have. */
static double pixels_of(const struct filmstrip *strip)
{
    return (double)(strip->cell_count - strip->first) * strip->cell_px[0] * strip->cell_px[1];
}

/* Gives each version of a frame in the JSON of a clip the number of its cell; `only` of one frame, or NULL. Returns how many
 * pixels their pictures have in each pass. */
static double number_cells(const struct review_sheet *sheet, const struct review_clip *clip,
                           const struct review_frame *only, const json_t *json, struct filmstrip strips[STRIPS])
{
    const json_t *frames = json_object_get(json, "frames");
    for (int strip = 0; strip < STRIPS; strip++) {
        strips[strip].first = strips[strip].cell_count;
        memset(strips[strip].cell_px, 0, sizeof strips[strip].cell_px);
    }
    for (size_t i = 0; i < clip->frame_count; i++) {
        const struct review_frame *frame = &clip->frames[i];
        const json_t *value = json_array_get(frames, i);
        if (only && frame != only)
            continue;
        if (frame->before && needs_before(sheet, frame))
            set_cell(&strips[BEFORE], frame->before, json_object_get(value, "before"));
        if (frame->after)
            set_cell(&strips[AFTER], frame->after, json_object_get(value, "after"));
        for (int version = 0; sheet->is_framed && version < 2; version++) {
            const struct atlas_frame *shipped = review_shipped(sheet, frame, version);
            if (shipped)
                set_cell(&strips[SHIPPED_BEFORE + version], shipped,
                         json_object_get(json_object_get(value, "shipped"), strip_names[version]));
        }
    }
    double px = 0;
    for (int strip = 0; strip < STRIPS; strip++)
        px += pixels_of(&strips[strip]);
    return px;
}

/* Whether `before` looks like `after` in this pass, though not in all: then it needs no picture. */
static bool is_unchanged(const struct review_sheet *sheet, const struct review_clip *clip, size_t pass)
{
    for (size_t i = 0; i < clip->frame_count; i++) {
        const struct review_frame *frame = &clip->frames[i];
        if (frame->before && needs_before(sheet, frame) &&
            (frame->state != REVIEW_CHANGED || !frame->after || frame->change.passes & 1u << pass))
            return false;
    }
    return true;
}

/* Lays the cells out as squarely as they go: browsers and WebP limit both sides of a picture. */
static int start_picture(struct filmstrip *strip, enum sheet_kind kind, struct sheet *sheet, struct error *err)
{
    const uint32_t *px = strip->cell_px, count = strip->cell_count - strip->first;
    double across = ceil(sqrt((double)count * px[1] / px[0]));
    strip->columns = across < 1 ? 1 : across > count ? count : (uint32_t)across;
    uint64_t width = (uint64_t)strip->columns * px[0];
    uint64_t height = (uint64_t)((count + strip->columns - 1) / strip->columns) * px[1];
    if (width >= IMAGE_MAX_SIDE || height >= IMAGE_MAX_SIDE || width * height > IMAGE_MAX_PIXELS)
        return error_set(err, "%u cells of %ux%u make a picture of %llux%llu pixels, more than browsers show",
                         count, px[0], px[1], (unsigned long long)width, (unsigned long long)height);
    return sheet_init(sheet, kind, (uint32_t)width, (uint32_t)height, err);
}

static void place_cell(const struct filmstrip *strip, uint32_t number, const struct pixel_view *view,
                       struct sheet *sheet)
{
    struct rect rect = {
        .x = number % strip->columns * strip->cell_px[0] + view->shown.x,
        .y = number / strip->columns * strip->cell_px[1] + view->shown.y,
        .width = view->shown.width,
        .height = view->shown.height,
    };
    sheet_place(sheet, &rect, view->pixels, view->stride);
}

/* Makes the picture of the latest clip in a pass; *out stays empty where no page of its sheet has the pass. In the page it is
 * a WebP, without loss where the quality is 0; a file beside it need not be small, and PNG takes a tenth of the time. */
static int make_picture(struct filmstrip *strip, const char *pass, bool is_file, uint32_t quality,
                        struct blob *out, struct error *err)
{
    struct sheet sheet = {0};
    bool is_there = false;
    int result = start_picture(strip, strcmp(pass, "color") == 0 ? SHEET_COLOR : SHEET_DATA, &sheet, err);
    sheet.png.level = PNG_FASTEST;
    for (uint32_t i = strip->first; i < strip->cell_count && result == 0; i++) {
        const struct atlas_frame *frame = strip->frames[i];
        struct pixel_view view;
        if (!made_page_pass(&strip->sheet->pages[frame->page], pass))
            continue;
        is_there = true;
        result = made_frame_cell(&strip->pictures, strip->sheet, frame, pass, &view, err);
        if (result == 0)
            place_cell(strip, i - strip->first, &view, &sheet);
    }
    if (result == 0 && is_there)
        result = is_file ? sheet_save_png(&sheet, out, err) : sheet_save_webp(&sheet, quality, out, err);
    sheet_release(&sheet);
    return result;
}

/* -- The data ------------------------------------------------------------------------------------------------ */

static void add_base64(struct buffer *buffer, struct bytes bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.size; i += 3) {
        size_t left = bytes.size - i;
        uint32_t three = (uint32_t)bytes.data[i] << 16 | (left > 1 ? (uint32_t)bytes.data[i + 1] << 8 : 0) |
                         (left > 2 ? bytes.data[i + 2] : 0);
        const char text[] = {digits[three >> 18], digits[three >> 12 & 63],
                             left > 1 ? digits[three >> 6 & 63] : '=', left > 2 ? digits[three & 63] : '='};
        buffer_add(buffer, text, sizeof text);
    }
}

static const char *picture_path(struct diff_page *page, size_t number)
{
    return arena_printf(&page->arena, "%s/" HTML_FOLDER "/%05zu.png", page->folder, number);
}

/* Takes back the pictures from number `count` on. */
static void remove_pictures(struct diff_page *page, size_t count)
{
    while (page->picture_count > count) {
        page->picture_count--;
        if (page->folder)
            unlink(picture_path(page, page->picture_count));
    }
}

/* Names pictures by numbers: names of jobs and passes are other people's. */
static json_t *add_picture(struct diff_page *page, struct bytes file, struct error *err)
{
    size_t number = page->picture_count++;
    if (!page->folder) {
        buffer_printf(&page->pictures, "<script type=\"text/plain\" id=\"picture-%zu\">", number);
        add_base64(&page->pictures, file);
        buffer_printf(&page->pictures, "</script>\n");
        return json_sprintf("#picture-%zu", number);
    }
    page->cannot_write = file_renew(picture_path(page, number), file, err) < 0;
    return page->cannot_write ? NULL : json_sprintf(HTML_FOLDER "/%05zu.png", number);
}

/* {"src", "first", "count", "columns", "cell"}, and no more than "first" and "count" where the strip's sheet has no such
 * pass; NULL on failure. */
static json_t *picture_value(struct diff_page *page, struct filmstrip *strip, const char *pass, uint32_t quality,
                             struct error *err)
{
    SCOPED_BY(blob_release) struct blob file = {0};
    const uint32_t count = strip->cell_count - strip->first;
    if (make_picture(strip, pass, page->folder != NULL, quality, &file, err) < 0)
        return NULL;
    json_t *value = json_pack("{s:I, s:I}", "first", (json_int_t)strip->first, "count", (json_int_t)count);
    if (!file.size)
        return value;
    page->made_bytes += (double)file.size;
    page->made_px += pixels_of(strip);
    const int result = json_object_set_new(value, "src", add_picture(page, blob_bytes(&file), err));
    json_object_set_new(value, "columns", json_integer(strip->columns));
    json_object_set_new(value, "cell",
                        json_pack("[I, I]", (json_int_t)strip->cell_px[0], (json_int_t)strip->cell_px[1]));
    if (result == 0)
        return value;
    json_decref(value);
    return NULL;
}

/* A sheet on the page. */
struct shown_sheet {
    const struct review_sheet *sheet;
    json_t *value;
    struct filmstrip strips[STRIPS];
    const struct review_clip **clips; /* that differ, worst first; NULL: not begun */
    size_t clip_count, done;
    bool has_all;  /* clips in the JSON, those without pictures in short */
    bool is_still; /* only one frame of a clip is shown */
    bool is_over;  /* its pictures cannot be made */
};

/* How much there is to see; diff.js finds the worst frame alike. */
static double weight_of(const struct review_frame *frame)
{
    return frame->change.passes            ? (double)frame->change.pixels.mean + 1e-6
           : frame->state == REVIEW_SAME   ? -1
           : frame->before && frame->after ? 0
                                           : 1e-7;
}

static const struct review_frame *worst_of(const struct review_clip *clip)
{
    const struct review_frame *worst = clip->frames;
    for (size_t i = 1; i < clip->frame_count; i++)
        if (weight_of(&clip->frames[i]) > weight_of(worst))
            worst = &clip->frames[i];
    return worst;
}

static int compare_clips(const void *a_item, const void *b_item)
{
    const struct review_clip *a = *(const struct review_clip *const *)a_item;
    const struct review_clip *b = *(const struct review_clip *const *)b_item;
    double x = weight_of(worst_of(a)), y = weight_of(worst_of(b));
    return x != y ? (x > y ? -1 : 1) : a < b ? -1 : 1;
}

/* The JSON of a clip. Of frames without pictures, which are all but `only`, it has what says how much they differ. */
static json_t *outline_value(const struct review_sheet *sheet, const struct review_clip *clip,
                             const struct review_frame *only)
{
    static const char *const keys[] = {"name", "old_name", "before", "after", "shipped"};
    json_t *value = review_clip_json(sheet, clip), *frames = json_object_get(value, "frames");
    for (size_t i = 0; i < json_array_size(frames); i++)
        for (size_t key = 0; key < COUNT(keys) && &clip->frames[i] != only; key++)
            json_object_del(json_array_get(frames, i), keys[key]);
    return value;
}

static uint64_t size_of(const json_t *value)
{
    return json_dumpb(value, NULL, 0, HTML_JSON);
}

/* Gives a sheet's JSON all its clips, unless these alone need more than `most` bytes. */
static void begin_sheet(struct diff_page *page, struct shown_sheet *shown, uint64_t most)
{
    const struct review_sheet *sheet = shown->sheet;
    const struct made_sheet *const made[] = {sheet->before, sheet->after, sheet->shipped[0], sheet->shipped[1]};
    json_t *clips = json_array(), *strips = json_object();
    shown->clips = must_alloc(sheet->clip_count, sizeof(struct review_clip *));
    for (size_t i = 0; i < sheet->clip_count; i++) {
        if (clip_differs(&sheet->clips[i]) ||
            (i == 0 && (sheet->state == REVIEW_RENAMED || sheet->state == REVIEW_NEW_WARNING)))
            shown->clips[shown->clip_count++] = &sheet->clips[i];
        json_array_append_new(clips, outline_value(sheet, &sheet->clips[i], NULL));
    }
    SORT(shown->clips, shown->clip_count, compare_clips);
    for (int strip = 0; strip < (sheet->is_framed ? STRIPS : SHIPPED_BEFORE); strip++) {
        shown->strips[strip] = (struct filmstrip){
            .sheet = made[strip], .frames = must_alloc(sheet->frame_count, sizeof(struct atlas_frame *))};
        json_object_set_new(strips, strip_names[strip], json_object());
    }
    shown->has_all = size_of(clips) <= most;
    if (!shown->has_all)
        json_array_clear(clips);
    page->size += size_of(clips) + size_of(strips);
    json_object_set_new(shown->value, "clips", clips);
    json_object_set_new(shown->value, "strips", strips);
}

/* Makes the pictures of the latest clip of all strips, by pass. A version whose picture is missing looks like the other.
 * NULL where pixels cannot be read, a picture would be too large, or it cannot be written. */
static json_t *parts_value(struct diff_page *page, struct shown_sheet *shown, const struct review_clip *clip,
                           uint32_t quality, struct error *err)
{
    const struct review_sheet *sheet = shown->sheet;
    json_t *value = json_object();
    for (int strip = 0; strip < STRIPS; strip++) {
        json_t *of = json_object();
        json_object_set_new(value, strip_names[strip], of);
        for (size_t pass = 0; pass < sheet->pass_count; pass++) {
            struct filmstrip *film = &shown->strips[strip];
            if (film->cell_count == film->first || (strip == BEFORE && is_unchanged(sheet, clip, pass)))
                continue;
            json_t *part = picture_value(page, film, sheet->passes[pass], quality, err);
            if (json_object_set_new(of, sheet->passes[pass], part) < 0) {
                json_decref(value);
                return NULL;
            }
        }
    }
    return value;
}

static void add_parts(json_t *strips, json_t *parts)
{
    const char *strip, *pass;
    json_t *of, *part;
    json_object_foreach(parts, strip, of) json_object_foreach(of, pass, part)
    {
        json_t *all = json_object_get(json_object_get(strips, strip), pass);
        if (!all)
            json_object_set_new(json_object_get(strips, strip), pass, all = json_array());
        json_array_append(all, part);
    }
}

/* Shows the next clip of a sheet, or `only` one frame of it, if the page stays below `limit` bytes: 1, else 0; -1 where its
 * pictures cannot be made. Does not make pictures that cannot fit, if they are like those before. */
static int show_clip(struct diff_page *page, struct shown_sheet *shown, const struct review_frame *only,
                     uint32_t quality, uint64_t limit, struct error *err)
{
    const struct review_sheet *sheet = shown->sheet;
    const struct review_clip *clip = shown->clips[shown->done];
    const size_t length = page->pictures.length, count = page->picture_count,
                 number = (size_t)(clip - sheet->clips);
    json_t *clips = json_object_get(shown->value, "clips");
    json_auto_t *parts = NULL, *value = only ? outline_value(sheet, clip, only) : review_clip_json(sheet, clip);
    if (only)
        json_object_update_new(
            value, json_pack("{s:I, s:b}", "still", (json_int_t)(only - clip->frames), "lossy", quality > 0));
    const double px = number_cells(sheet, clip, only, value, shown->strips);
    const double like_others = page->made_px && !quality ? px * page->made_bytes / page->made_px : 0;
    int result = page->size < limit && like_others <= 1.2 * (double)(limit - page->size);
    if (!value || (result && !(parts = parts_value(page, shown, clip, quality, err))))
        result = -1;
    const uint64_t size = page->size + page->pictures.length - length + size_of(value) + size_of(parts) -
                          (shown->has_all ? size_of(json_array_get(clips, number)) : 0);
    if (result > 0 && size <= limit) {
        page->size = size;
        add_parts(json_object_get(shown->value, "strips"), parts);
        shown->has_all ? json_array_set(clips, number, value) : json_array_append(clips, value);
        shown->done++;
    } else {
        page->pictures.length = length;
        remove_pictures(page, count);
        for (int strip = 0; strip < STRIPS; strip++)
            shown->strips[strip].cell_count = shown->strips[strip].first;
        result = result < 0 ? -1 : 0;
    }
    return result;
}

/* Shows clips of a sheet, worst first, while they fit into `share`. If none does, one frame of the worst is shown. */
static int show_sheet(struct diff_page *page, struct shown_sheet *shown, uint64_t share, uint64_t limit,
                      struct diff_page_totals *totals, struct error *err)
{
    struct error problem = {"out of memory"};
    int result = 1;
    if (!shown->clips)
        begin_sheet(page, shown, (share - page->size) / 4);
    while (result > 0 && shown->done < shown->clip_count)
        result = show_clip(page, shown, NULL, 0, share, &problem);
    if (result == 0 && !shown->done) {
        const struct review_frame *worst = worst_of(shown->clips[0]);
        result = show_clip(page, shown, worst, 0, share, &problem);
        if (result == 0)
            result = show_clip(page, shown, worst, QUALITY, limit, &problem);
        shown->is_still = result > 0;
    }
    for (int strip = 0; strip < STRIPS; strip++)
        made_pictures_release(&shown->strips[strip].pictures);
    page->misses += result == 0 && (!shown->done || share >= limit);
    if (result < 0) {
        shown->is_over = true;
        strings_printf(&totals->problems, "%s: its pictures are not on the page: %s", shown->sheet->name,
                       problem.text);
        json_object_set_new(shown->value, "reason", text_value(problem.text));
    }
    return page->cannot_write ? error_set(err, "%s", problem.text) : 0;
}

/* Each sheet first has an equal share of what is left, then in turn what nobody needed. Those without any picture have no
 * clips either: the page has no use for them, and there can be many. */
static int add_sheets(struct diff_page *page, const struct review *review, json_t *root,
                      struct diff_page_totals *totals, struct error *err)
{
    const uint64_t limit = page->folder ? UINT64_MAX / 2 : page->settings->max_size;
    SCOPED struct shown_sheet *all = must_alloc(review->sheet_count, sizeof *all);
    const size_t count = review->sheet_count;
    int result = 0;
    size_t i;
    json_t *sheets = json_object_get(root, "sheets"), *value;
    json_array_foreach(sheets, i, value)
    {
        SCOPED char *why = review_short_why(review, &review->sheets[i]);
        json_object_set_new(value, "strips", json_null());
        if (review->sheets[i].reason)
            json_object_set_new(value, "reason", text_value(why));
        all[i] = (struct shown_sheet){.sheet = &review->sheets[i], .value = value};
    }
    page->size += size_of(root);
    for (i = 0; i < 2 * count && result == 0 && page->misses < MOST_MISSES; i++) {
        struct shown_sheet *shown = &all[i % count];
        const uint64_t left = limit > page->size ? limit - page->size : 0;
        const bool is_done = shown->clips && shown->done == shown->clip_count;
        if (!is_done && !shown->is_over && !shown->is_still)
            result =
                show_sheet(page, shown, page->size + (i < count ? left / (count - i) : left), limit, totals, err);
    }
    for (i = 0; i < count; i++) {
        const struct shown_sheet *shown = &all[i];
        const bool is_empty = !shown->clips || (shown->clip_count && !shown->done);
        if (is_empty)
            json_object_update_new(shown->value, json_pack("{s:n, s:[]}", "strips", "clips"));
        totals->left_out += is_empty && !shown->is_over;
        totals->in_part += !is_empty && (shown->done < shown->clip_count || shown->is_still);
        for (int strip = 0; strip < STRIPS; strip++)
            free(shown->strips[strip].frames);
        free(shown->clips);
    }
    return result;
}

/* -- The file ------------------------------------------------------------------------------------------------ */

static bool is_folder(const char *path)
{
    size_t length = strlen(path);
    return length > 0 && path[length - 1] == '/';
}

char *diff_page_file(const char *path)
{
    return is_folder(path) ? must_printf("%sindex.html", path) : must_strdup(path);
}

int diff_page_check(const char *path, struct error *err)
{
    SCOPED char *index = diff_page_file(path);
    return is_folder(path) ? html_check(index, HTML_DIFF, err) : 0;
}

static int save(struct diff_page *page, json_t *root, struct error *err)
{
    SCOPED_BY(buffer_release) struct buffer html = {0};
    const char *path = arena_take(&page->arena, diff_page_file(page->settings->path));
    int result = html_add(&html, HTML_DIFF, root, err);
    buffer_add(&html, page->pictures.text, page->pictures.length);
    return result < 0 ? -1 : file_renew(path, (struct bytes){(const uint8_t *)html.text, html.length}, err);
}

/* Removes the page of an earlier run, before its pictures. */
static int clear_folder(struct diff_page *page, struct error *err)
{
    const char *pictures = arena_printf(&page->arena, "%s/" HTML_FOLDER, page->folder);
    unlink(arena_printf(&page->arena, "%s/index.html", page->folder));
    file_remove_folder(pictures);
    return file_make_folders(pictures, err);
}

int diff_page_write(const struct review *review, const struct diff_page_settings *settings,
                    struct diff_page_totals *totals, struct error *err)
{
    struct diff_page page = {
        .settings = settings,
        .size = html_size(HTML_DIFF),
    };
    *totals = (struct diff_page_totals){0};
    json_auto_t *root = review_json(review, false);
    int result = root ? 0 : error_set(err, "out of memory collecting the page's data");
    if (result == 0 && is_folder(settings->path)) {
        page.folder = arena_take(&page.arena, path_tidy(settings->path));
        result = clear_folder(&page, err);
    }
    if (result == 0)
        result = add_sheets(&page, review, root, totals, err);
    if (result == 0)
        result = save(&page, root, err);
    buffer_release(&page.pictures);
    arena_release(&page.arena);
    return result;
}
