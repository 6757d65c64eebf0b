#include "review/diff_page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "review/page_file.h"
#include "review/output.h"
#include "review/film.h"

PAGE_FILE(diff_html, "diff.html");
PAGE_FILE(diff_css, "diff.css");
PAGE_FILE(diff_js, "diff.js");
PAGE_FILE_USED(common_css);
PAGE_FILE_USED(common_js);

/* The page may load pictures and nothing else, and runs this script alone: the hashes are made when the program is
 * built. */
#define POLICY                                                                                                    \
    "default-src 'none'; img-src data: blob: 'self' file:; style-src 'sha256-" DIFF_CSS_SHA256                    \
    "'; script-src 'sha256-" DIFF_JS_SHA256 "'; base-uri 'none'; form-action 'none'"

/* After so many sheets that do not fit, the rest is not tried: each costs the time of its pictures. */
enum { MOST_MISSES = 8 };

enum { FLAGS = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9) };

struct page {
    const struct diff_page_settings *settings;
    char *folder;           /* that the pictures lie in, beside the page; NULL: they are in the page */
    struct buffer pictures; /* elements that hold them */
    size_t picture_count;
    uint64_t size; /* of the page, as far as is known */
    unsigned misses;
};

/* -- Pictures ------------------------------------------------------------------------------------------------ */

static void add_base64(struct buffer *buffer, struct bytes bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4096];
    size_t length = 0;
    for (size_t i = 0; i < bytes.size; i += 3) {
        size_t left = bytes.size - i;
        uint32_t three = (uint32_t)bytes.data[i] << 16 | (left > 1 ? (uint32_t)bytes.data[i + 1] << 8 : 0) |
                         (left > 2 ? bytes.data[i + 2] : 0);
        text[length++] = digits[three >> 18];
        text[length++] = digits[three >> 12 & 63];
        text[length++] = left > 1 ? digits[three >> 6 & 63] : '=';
        text[length++] = left > 2 ? digits[three & 63] : '=';
        if (length == sizeof text || left <= 3) {
            buffer_add(buffer, text, length);
            length = 0;
        }
    }
}

/* A number names each picture: names of jobs and passes are other people's. */
static json_t *add_picture(struct page *page, struct bytes png, struct error *err)
{
    size_t number = page->picture_count++;
    if (!page->folder) {
        buffer_printf(&page->pictures, "<script type=\"text/plain\" id=\"picture-%zu\">", number);
        add_base64(&page->pictures, png);
        buffer_printf(&page->pictures, "</script>\n");
        return json_sprintf("#picture-%zu", number);
    }
    char *path = must_printf("%s/" PAGE_FOLDER "/%05zu.png", page->folder, number);
    int result = file_renew(path, png, err);
    free(path);
    return result == 0 ? json_sprintf(PAGE_FOLDER "/%05zu.png", number) : NULL;
}

/* {"color": {"src", "columns", "cell"}, "normal": null}: null where that side has no such pass. A side whose strip is
 * missing looks like the other. */
static json_t *side_value(struct page *page, const struct review_sheet *sheet, const struct film_strip *strips,
                          struct error *err)
{
    json_t *value = json_object();
    for (size_t i = 0; i < sheet->pass_count; i++) {
        const struct film_strip *strip = &strips[i];
        if (strip->is_absent)
            json_object_set_new(value, sheet->passes[i], json_null());
        if (!strip->png.size)
            continue;
        json_t *src = add_picture(page, blob_bytes(&strip->png), err);
        if (!src) {
            json_decref(value);
            return NULL;
        }
        json_object_set_new(value, sheet->passes[i],
                            json_pack("{s:o, s:I, s:[I, I]}", "src", src, "columns", (json_int_t)strip->columns,
                                      "cell", (json_int_t)strip->cell_px[0], (json_int_t)strip->cell_px[1]));
    }
    return value;
}

/* Gives each frame the numbers of its cells. */
static void add_cells(json_t *clips, const struct film *film)
{
    static const char *const sides[FILM_SIDES] = {"before", "after"};
    size_t at = 0, c, f;
    json_t *clip, *frame;
    json_array_foreach(clips, c, clip) json_array_foreach(json_object_get(clip, "frames"), f, frame)
    {
        for (int side = 0; side < FILM_SIDES; side++)
            if (film->cells[side][at] != FILM_NO_CELL)
                json_object_set_new(json_object_get(frame, sides[side]), "cell",
                                    json_integer(film->cells[side][at]));
        at++;
    }
}

/* What the pictures and frames of a sheet take in the page. */
static uint64_t size_in_page(const struct film *film, const json_t *clips)
{
    enum { AROUND_A_PICTURE = 200 }; /* its element, and what the data say of it */
    uint64_t size = json_dumpb(clips, NULL, 0, FLAGS);
    for (int side = 0; side < FILM_SIDES; side++)
        for (size_t i = 0; i < film->pass_count; i++)
            if (film->passes[side][i].png.size)
                size += (film->passes[side][i].png.size + 2) / 3 * 4 + AROUND_A_PICTURE;
    return size;
}

/* Takes the frames out of a sheet's JSON: one without pictures has no use for them, and they can be many. */
static json_t *take_clips(json_t *sheet)
{
    json_t *clips = json_incref(json_object_get(sheet, "clips"));
    json_object_set_new(sheet, "strips", json_null());
    json_object_set_new(sheet, "clips", json_array());
    return clips;
}

static int add_film(struct page *page, const struct review_sheet *sheet, const struct film *film, json_t *value,
                    json_t *clips, struct error *err)
{
    json_object_set(value, "clips", clips);
    json_t *before = side_value(page, sheet, film->passes[FILM_BEFORE], err);
    json_t *after = before ? side_value(page, sheet, film->passes[FILM_AFTER], err) : NULL;
    json_object_set_new(value, "strips", json_pack("{s:o, s:o}", "before", before, "after", after));
    return after ? 0 : -1;
}

/* Gives a sheet, whose clips were taken, these again with pictures of their frames, if they fit. */
static int add_sheet(struct page *page, const struct review_sheet *sheet, json_t *value, json_t *clips,
                     struct diff_page_totals *totals, struct error *err)
{
    struct film film;
    struct error problem;
    if (page->misses >= MOST_MISSES) {
        totals->left_out++;
        return 0;
    }
    if (film_make(sheet, &film, &problem) < 0) {
        strings_printf(&totals->problems, "%s: its pictures are not on the page: %s", sheet->name, problem.text);
        json_object_set_new(value, "reason", text_value(problem.text));
        return 0;
    }
    add_cells(clips, &film);
    int result = 0;
    uint64_t size = page->folder ? 0 : size_in_page(&film, clips);
    if (page->size + size <= page->settings->max_size || page->folder) {
        page->size += size;
        result = add_film(page, sheet, &film, value, clips, err);
    } else {
        page->misses++;
        totals->left_out++;
    }
    film_release(&film);
    return result;
}

static int add_sheets(struct page *page, const struct review *review, json_t *root,
                      struct diff_page_totals *totals, struct error *err)
{
    int result = 0;
    size_t i;
    json_t *sheets = json_object_get(root, "sheets"), *sheet, *clips = json_array();
    json_array_foreach(sheets, i, sheet) json_array_append_new(clips, take_clips(sheet));
    page->size += json_dumpb(root, NULL, 0, FLAGS);
    for (i = 0; i < review->sheet_count && result == 0; i++) {
        result =
            add_sheet(page, &review->sheets[i], json_array_get(sheets, i), json_array_get(clips, i), totals, err);
        json_array_set_new(clips, i, json_null());
    }
    json_decref(clips);
    return result;
}

/* -- The file ------------------------------------------------------------------------------------------------ */

/* JSON in an element of HTML: nothing in it can end the element or begin another. */
static void add_data(struct buffer *out, const char *json)
{
    for (;;) {
        size_t length = strcspn(json, "<>&");
        buffer_add(out, json, length);
        json += length;
        if (!*json)
            return;
        buffer_printf(out, "\\u%04x", (unsigned)*json++);
    }
}

static void add_part(struct buffer *out, const char *name, size_t length, const struct page *page,
                     const char *data)
{
    const struct {
        const char *name;
        struct bytes text;
    } parts[] = {
        {"POLICY", {(const uint8_t *)POLICY, strlen(POLICY)}},
        {"COMMON_STYLE", page_file_bytes(common_css)},
        {"COMMON_SCRIPT", page_file_bytes(common_js)},
        {"STYLE", page_file_bytes(diff_css)},
        {"SCRIPT", page_file_bytes(diff_js)},
        {"PICTURES", {(const uint8_t *)page->pictures.text, page->pictures.length}},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
            buffer_add(out, (const char *)parts[i].text.data, parts[i].text.size);
    if (length == 4 && memcmp(name, "DATA", 4) == 0)
        add_data(out, data);
}

static void fill_in(struct buffer *out, const struct page *page, const char *data)
{
    struct bytes frame = page_file_bytes(diff_html);
    const char *at = (const char *)frame.data, *end = at + frame.size, *mark;
    while ((mark = memmem(at, (size_t)(end - at), "@@", 2))) {
        const char *name = mark + 2, *close = memmem(name, (size_t)(end - name), "@@", 2);
        buffer_add(out, at, (size_t)(mark - at));
        add_part(out, name, (size_t)(close - name), page, data);
        at = close + 2;
    }
    buffer_add(out, at, (size_t)(end - at));
}

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
    int result = is_folder(path) ? page_file_check(index, "diff", err) : 0;
    free(index);
    return result;
}

static int save(const struct page *page, json_t *root, struct error *err)
{
    char *data = json_dumps(root, FLAGS);
    if (!data)
        return error_set(err, "out of memory writing the page's data");
    struct buffer html = {0};
    fill_in(&html, page, data);
    free(data);
    char *path = diff_page_file(page->settings->path);
    int result = file_renew(path, (struct bytes){(const uint8_t *)html.text, html.length}, err);
    free(path);
    buffer_release(&html);
    return result;
}

/* Removes the page of an earlier run, before its pictures. */
static int clear_folder(const char *folder, struct error *err)
{
    char *index = path_join(folder, "index.html"), *pictures = path_join(folder, PAGE_FOLDER);
    unlink(index);
    file_remove_folder(pictures);
    int result = file_make_folders(pictures, err);
    free(index);
    free(pictures);
    return result;
}

int diff_page_write(const struct review *review, const struct diff_page_settings *settings,
                    struct diff_page_totals *totals, struct error *err)
{
    struct page page = {
        .settings = settings,
        .size = page_file_bytes(diff_html).size + page_file_bytes(diff_css).size + page_file_bytes(diff_js).size,
    };
    *totals = (struct diff_page_totals){0};
    json_t *root = review_json(review);
    int result = root ? 0 : error_set(err, "out of memory collecting the page's data");
    if (result == 0 && is_folder(settings->path)) {
        page.folder = path_tidy(settings->path);
        result = clear_folder(page.folder, err);
    }
    if (result == 0)
        result = add_sheets(&page, review, root, totals, err);
    if (result == 0)
        result = save(&page, root, err);
    json_decref(root);
    free(page.folder);
    buffer_release(&page.pictures);
    return result;
}
