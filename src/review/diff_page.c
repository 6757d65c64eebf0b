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
#include "sheet/png.h"

/* Gives up after so many sheets that do not fit: each try costs the time of its pictures. */
enum { MOST_MISSES = 8 };

struct diff_page {
    struct arena arena; /* paths */
    const struct diff_page_settings *settings;
    const char *folder;     /* that the pictures lie in, beside the page; NULL: they are in the page */
    struct buffer pictures; /* elements that hold them */
    size_t picture_count;
    uint64_t size; /* of the page, as far as is known */
    unsigned misses;
    bool cannot_write; /* a picture */
};

/* -- Strips -------------------------------------------------------------------------------------------------- */

/* The versions as they are compared and, where they are framed for that, as each ships. */
enum { BEFORE, AFTER, SHIPPED_BEFORE, SHIPPED_AFTER, STRIPS };
static const char *const strip_names[STRIPS] = {"before", "after", "shipped_before", "shipped_after"};

/* The cells of one version of a sheet that a reviewer looks at, as a picture for each pass.
 *
 * A clip without any difference is left out, but for the first one of a sheet that is only renamed, or has only a new warning. Of the others all frames
 * are there, so that they play: as after, and as before those that look otherwise. A cell that several
 * frames share is there once. */
struct filmstrip {
    const struct made_sheet *sheet;
    const struct atlas_frame **frames; /* of the cells, by their numbers */
    uint32_t cell_count, columns;
    uint32_t cell_px[2]; /* the largest; a frame lies at the top left of its cell */
};

static bool clip_differs(const struct review_clip *clip)
{
    for (size_t i = 0; i < clip->frame_count; i++)
        if (clip->frames[i].state != REVIEW_SAME)
            return true;
    return false;
}

/* Whether the page needs the cell of `before`: else it shows that of `after` for both. */
static bool looks_otherwise(const struct review_sheet *sheet, const struct review_frame *frame)
{
    return !frame->after || frame->state == REVIEW_CHANGED ||
           (frame->state == REVIEW_RESCALED && !sheet->is_framed) ||
           memcmp(frame->before->source_px, frame->after->source_px, sizeof frame->before->source_px) != 0;
}

/* Packed sheets store equal cells once: frames that share a place share a cell. Frames of one place are mostly
 * neighbours. */
static uint32_t add_cell(struct filmstrip *strip, const struct atlas_frame *frame)
{
    enum { LOOK_BACK = 64 };
    for (uint32_t i = strip->cell_count; i > 0 && strip->cell_count - i < LOOK_BACK; i--)
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

/* Gives each version of a frame in the JSON the number of its cell. */
static void number_cells(const struct review_sheet *sheet, json_t *clips, struct filmstrip strips[STRIPS])
{
    for (size_t c = 0; c < sheet->clip_count; c++) {
        const struct review_clip *clip = &sheet->clips[c];
        const json_t *frames = json_object_get(json_array_get(clips, c), "frames");
        bool is_shown = clip_differs(clip) ||
                        (c == 0 && (sheet->state == REVIEW_RENAMED || sheet->state == REVIEW_NEW_WARNING));
        for (size_t i = 0; i < clip->frame_count && is_shown; i++) {
            const struct review_frame *frame = &clip->frames[i];
            const json_t *value = json_array_get(frames, i);
            if (frame->before && looks_otherwise(sheet, frame))
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
    }
}

/* Whether `before` looks like `after` in this pass, though not in all: then it needs no picture. */
static bool is_unchanged(const struct review_sheet *sheet, size_t pass)
{
    for (size_t i = 0; i < sheet->frame_count; i++) {
        const struct review_frame *frame = &sheet->frames[i];
        if (frame->before && looks_otherwise(sheet, frame) &&
            (frame->state != REVIEW_CHANGED || !frame->after || frame->change.passes & 1u << pass))
            return false;
    }
    return true;
}

/* Lays the cells out as squarely as they go: browsers limit both sides of a picture. */
static int start_picture(struct filmstrip *strip, enum sheet_kind kind, struct sheet *sheet, struct error *err)
{
    const uint32_t *px = strip->cell_px, count = strip->cell_count;
    double across = ceil(sqrt((double)count * px[1] / px[0]));
    strip->columns = across < 1 ? 1 : across > count ? count : (uint32_t)across;
    uint64_t width = (uint64_t)strip->columns * px[0];
    uint64_t height = (uint64_t)((count + strip->columns - 1) / strip->columns) * px[1];
    if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE || width * height > IMAGE_MAX_PIXELS)
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

/* Makes a strip's picture in a pass; *png stays empty where no page of its sheet has the pass. */
static int make_picture(struct filmstrip *strip, const char *pass, uint32_t level, struct made_pictures *pictures,
                        struct blob *png, struct error *err)
{
    struct sheet sheet = {0};
    bool is_there = false;
    int result = start_picture(strip, strcmp(pass, "color") == 0 ? SHEET_COLOR : SHEET_DATA, &sheet, err);
    sheet.png.level = level;
    for (uint32_t i = 0; i < strip->cell_count && result == 0; i++) {
        const struct atlas_frame *frame = strip->frames[i];
        struct pixel_view view;
        if (!made_page_pass(&strip->sheet->pages[frame->page], pass))
            continue;
        is_there = true;
        result = made_frame_cell(pictures, strip->sheet, frame, pass, &view, err);
        if (result == 0)
            place_cell(strip, i, &view, &sheet);
    }
    if (result == 0 && is_there)
        result = sheet_save_png(&sheet, png, err);
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
static json_t *add_picture(struct diff_page *page, struct bytes png, struct error *err)
{
    size_t number = page->picture_count++;
    if (!page->folder) {
        buffer_printf(&page->pictures, "<script type=\"text/plain\" id=\"picture-%zu\">", number);
        add_base64(&page->pictures, png);
        buffer_printf(&page->pictures, "</script>\n");
        return json_sprintf("#picture-%zu", number);
    }
    page->cannot_write = file_renew(picture_path(page, number), png, err) < 0;
    return page->cannot_write ? NULL : json_sprintf(HTML_FOLDER "/%05zu.png", number);
}

/* {"src", "columns", "cell"}; null where the strip's sheet has no such pass; NULL on failure. */
static json_t *picture_value(struct diff_page *page, struct filmstrip *strip, const char *pass,
                             struct made_pictures *pictures, struct error *err)
{
    struct blob png = {0};
    uint32_t level = page->folder ? PNG_FASTEST : PNG_LEVEL; /* only a file has to be small */
    if (make_picture(strip, pass, level, pictures, &png, err) < 0)
        return NULL;
    if (!png.size)
        return json_null();
    json_t *src = add_picture(page, blob_bytes(&png), err);
    blob_release(&png);
    return src ? json_pack("{s:o, s:I, s:[I, I]}", "src", src, "columns", (json_int_t)strip->columns, "cell",
                           (json_int_t)strip->cell_px[0], (json_int_t)strip->cell_px[1])
               : NULL;
}

/* The pictures of all strips by pass. A version whose picture is missing looks like the other. Fails where pixels cannot be
 * read, a picture would be too large, or it cannot be written. */
static json_t *strips_value(struct diff_page *page, const struct review_sheet *sheet, json_t *clips,
                            struct error *err)
{
    struct made_pictures pictures = {0};
    struct filmstrip strips[STRIPS] = {{.sheet = sheet->before},
                                       {.sheet = sheet->after},
                                       {.sheet = sheet->shipped[0]},
                                       {.sheet = sheet->shipped[1]}};
    const int count = sheet->is_framed ? STRIPS : SHIPPED_BEFORE;
    json_t *value = json_object();
    int result = 0;
    for (int strip = 0; strip < count; strip++)
        strips[strip].frames = must_alloc(sheet->frame_count, sizeof *strips->frames);
    number_cells(sheet, clips, strips);
    for (int strip = 0; strip < count; strip++) {
        json_t *of = json_object();
        json_object_set_new(value, strip_names[strip], of);
        for (size_t pass = 0; strips[strip].cell_count && pass < sheet->pass_count && result == 0; pass++)
            if (!(strip == BEFORE && is_unchanged(sheet, pass)))
                result =
                    json_object_set_new(of, sheet->passes[pass],
                                        picture_value(page, &strips[strip], sheet->passes[pass], &pictures, err));
        free(strips[strip].frames);
    }
    made_pictures_release(&pictures);
    if (result == 0)
        return value;
    json_decref(value);
    return NULL;
}

/* Gives a sheet's JSON its clips, with pictures of their frames, if they fit; else neither: without pictures the page has no
 * use for frames, and there can be many. */
static int add_sheet(struct diff_page *page, const struct review_sheet *sheet, json_t *value,
                     struct diff_page_totals *totals, struct error *err)
{
    const size_t length = page->pictures.length, count = page->picture_count;
    struct error problem = {"out of memory"};
    if (page->misses >= MOST_MISSES) {
        totals->left_out++;
        return 0;
    }
    json_t *clips = review_clips_json(sheet);
    if (!clips)
        return error_set(err, "out of memory collecting the page's data");
    json_t *strips = strips_value(page, sheet, clips, &problem);
    uint64_t size = page->size + page->pictures.length - length + json_dumpb(clips, NULL, 0, HTML_JSON) +
                    json_dumpb(strips, NULL, 0, HTML_JSON);
    if (strips && (page->folder || size <= page->settings->max_size)) {
        page->size = size;
        json_object_set(value, "clips", clips);
        json_object_set(value, "strips", strips);
    } else {
        page->pictures.length = length;
        remove_pictures(page, count);
        if (strips) {
            page->misses++;
            totals->left_out++;
        } else {
            strings_printf(&totals->problems, "%s: its pictures are not on the page: %s", sheet->name,
                           problem.text);
            json_object_set_new(value, "reason", text_value(problem.text));
        }
    }
    json_decref(strips);
    json_decref(clips);
    return page->cannot_write ? error_set(err, "%s", problem.text) : 0;
}

static int add_sheets(struct diff_page *page, const struct review *review, json_t *root,
                      struct diff_page_totals *totals, struct error *err)
{
    int result = 0;
    size_t i;
    json_t *sheets = json_object_get(root, "sheets"), *sheet;
    json_array_foreach(sheets, i, sheet) json_object_set_new(sheet, "strips", json_null());
    page->size += json_dumpb(root, NULL, 0, HTML_JSON);
    for (i = 0; i < review->sheet_count && result == 0; i++)
        result = add_sheet(page, &review->sheets[i], json_array_get(sheets, i), totals, err);
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
    char *index = diff_page_file(path);
    int result = is_folder(path) ? html_check(index, HTML_DIFF, err) : 0;
    free(index);
    return result;
}

static int save(struct diff_page *page, json_t *root, struct error *err)
{
    struct buffer html = {0};
    const char *path = arena_take(&page->arena, diff_page_file(page->settings->path));
    int result = html_add(&html, HTML_DIFF, root, err);
    buffer_add(&html, page->pictures.text, page->pictures.length);
    if (result == 0)
        result = file_renew(path, (struct bytes){(const uint8_t *)html.text, html.length}, err);
    buffer_release(&html);
    return result;
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
    json_t *root = review_json(review, false);
    int result = root ? 0 : error_set(err, "out of memory collecting the page's data");
    if (result == 0 && is_folder(settings->path)) {
        page.folder = arena_take(&page.arena, path_tidy(settings->path));
        result = clear_folder(&page, err);
    }
    if (result == 0)
        result = add_sheets(&page, review, root, totals, err);
    if (result == 0)
        result = save(&page, root, err);
    json_decref(root);
    buffer_release(&page.pictures);
    arena_release(&page.arena);
    return result;
}
