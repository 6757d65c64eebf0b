#include "review/gallery.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "review/page_file.h"
#include "page/read.h"
#include "sheet/json_value.h"

PAGE_FILE(gallery_html, "gallery.html");
PAGE_FILE(gallery_css, "gallery.css");
PAGE_FILE(gallery_js, "gallery.js");
PAGE_FILE(common_css, "common.css");
PAGE_FILE(common_js, "common.js");

#define LIST_CALL "list("

enum { ID_LENGTH = 16, MOST_LIST = 512 * 1024 * 1024 };

/* The members of a row that are read again. */
enum { ROW_ID, ROW_PROBLEM = 10, ROW_KEY = 12, ROW_SIZE };

struct gallery {
    const char *site;
    struct gallery_totals *totals;
    struct strings ids; /* of the sheets, to tell those that are gone */
    json_t *rows;
    json_t *old_rows; /* of the gallery that is there, by id */
};

/* -- Addresses --------------------------------------------------------------------------------------------- */

/* All but letters, digits and "-._~/" becomes %XX, so that no name starts a scheme, a query or a fragment. */
static void add_url(struct buffer *out, const char *path)
{
    for (const char *at = path; *at; at++)
        if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
            strchr("-._~/", *at))
            buffer_add(out, at, 1);
        else
            buffer_printf(out, "%%%02X", (unsigned char)*at);
}

static json_t *url_value(struct buffer *url)
{
    json_t *value = json_string(url->text);
    buffer_release(url);
    return value;
}

/* The absolute path of a folder, with '/' at its end. The caller frees it. */
static char *full_path(const char *folder)
{
    char *path = path_resolve(folder), *result = must_printf("%s/", strcmp(path, "/") ? path : "");
    free(path);
    return result;
}

/* From the folder of the gallery to another: "./", "./../out/demo/". */
static json_t *folder_url(const char *site, const char *folder)
{
    char *from = full_path(site), *to = full_path(folder);
    size_t same = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/')
            same = i + 1;
    struct buffer url = {0};
    buffer_printf(&url, "./");
    for (const char *up = strchr(from + same, '/'); up; up = strchr(up + 1, '/'))
        buffer_printf(&url, "../");
    add_url(&url, to + same);
    free(from);
    free(to);
    return url_value(&url);
}

/* Of a file beside a page. */
static json_t *file_url(const struct made_page *page, const char *file)
{
    struct buffer url = {0};
    char *folder = must_strdup(page->stem);
    char *slash = strrchr(folder, '/');
    *(slash ? slash + 1 : folder) = '\0';
    buffer_printf(&url, "%s", "");
    add_url(&url, folder);
    add_url(&url, file);
    free(folder);
    return url_value(&url);
}

/* -- What is known of a sheet -------------------------------------------------------------------------------- */

static json_t *pairs_value(const struct record_pairs *pairs)
{
    json_t *array = json_array();
    for (size_t i = 0; i < pairs->count; i++)
        json_array_append_new(
            array, json_pack("[o, o]", text_value(pairs->items[i].name), text_value(pairs->items[i].value)));
    return array;
}

enum texts { WARNINGS, INPUTS, ABSENT };

/* Of the records of all pages, sorted, each once. */
static json_t *all_texts_value(const struct made_sheet *sheet, enum texts which)
{
    struct strings texts = {0};
    json_t *array = json_array();
    for (size_t page = 0; page < sheet->page_count; page++) {
        const struct record *record = &sheet->pages[page].record;
        for (size_t i = 0; which == WARNINGS && i < record->warning_count; i++)
            strings_add(&texts, record->warnings[i]);
        for (size_t i = 0; which == INPUTS && i < record->inputs.count; i++)
            strings_add(&texts, record->inputs.items[i].name);
        for (size_t i = 0; which == ABSENT && i < record->absent_count; i++)
            strings_add(&texts, record->absent[i]);
    }
    strings_sort(&texts);
    for (size_t i = 0; i < texts.count; i++)
        if (i == 0 || strcmp(texts.items[i - 1], texts.items[i]))
            json_array_append_new(array, text_value(texts.items[i]));
    strings_release(&texts);
    return array;
}

static const char *fact(const struct made_sheet *sheet, const char *name)
{
    const struct record_pair *pair = sheet->page_count ? record_find(&sheet->pages[0].record.facts, name) : NULL;
    return pair ? pair->value : NULL;
}

/* null where it is not known. */
static json_t *count_fact(const struct made_sheet *sheet, const char *name)
{
    const char *text = fact(sheet, name);
    char *end;
    unsigned long value = text ? strtoul(text, &end, 10) : 0;
    return text && end > text && !*end ? json_integer((json_int_t)value) : json_null();
}

/* The one at the top left of the first page, with which the job starts, unless the page is packed. */
static const struct made_frame *still_of(const struct made_sheet *sheet)
{
    const struct made_frame *best = NULL;
    for (size_t i = 0; i < sheet->frame_count; i++) {
        const struct made_frame *frame = &sheet->frames[i];
        if (frame->page == 0 && (!best || frame->rect.y < best->rect.y ||
                                 (frame->rect.y == best->rect.y && frame->rect.x < best->rect.x)))
            best = frame;
    }
    return best ? best : sheet->frame_count ? sheet->frames : NULL;
}

/* -- The script of a sheet ----------------------------------------------------------------------------------- */

/* page, x, y, w, h, where that lay in the cell, the cell, pivot, duration, sockets. */
static json_t *frame_value(const struct made_frame *frame)
{
    json_t *sockets = json_array();
    for (size_t i = 0; i < frame->socket_count; i++)
        json_array_append_new(sockets, json_pack("[o, o, o]", text_value(frame->sockets[i].name),
                                                 number_value(frame->sockets[i].px[0], 2),
                                                 number_value(frame->sockets[i].px[1], 2)));
    return json_pack("[i, i, i, i, i, i, i, i, i, o, o, o, o]", frame->page, frame->rect.x, frame->rect.y,
                     frame->rect.width, frame->rect.height, frame->source.x, frame->source.y, frame->source_px[0],
                     frame->source_px[1], number_value(frame->pivot[0], 4), number_value(frame->pivot[1], 4),
                     number_value(frame->duration_ms, 3), sockets);
}

static json_t *clips_value(const struct made_sheet *sheet)
{
    json_t *clips = json_array();
    for (size_t c = 0; c < sheet->clip_count; c++) {
        const struct made_clip *clip = &sheet->clips[c];
        json_t *frames = json_array();
        for (size_t i = 0; i < clip->frame_count; i++)
            json_array_append_new(frames, frame_value(&sheet->frames[clip->first_frame + i]));
        json_array_append_new(clips, json_pack("{s:o, s:b, s:o}", "name", text_value(clip->name), "loop",
                                               clip->loop, "frames", whole_array(frames, clip->frame_count)));
    }
    return whole_array(clips, sheet->clip_count);
}

/* Adds what the pages have to two arrays: their pictures, and all files. */
static void add_pages(const struct made_sheet *sheet, json_t *pages, json_t *files)
{
    for (size_t p = 0; p < sheet->page_count; p++) {
        const struct made_page *page = &sheet->pages[p];
        json_t *passes = json_array();
        for (size_t i = 0; i < page->pass_count; i++)
            json_array_append_new(passes, json_pack("{s:o, s:o}", "name", text_value(page->passes[i].name), "url",
                                                    file_url(page, page->passes[i].picture)));
        json_array_append_new(pages, passes);
        for (size_t i = 0; i < page->record.file_count; i++) {
            const struct record_file *file = &page->record.files[i];
            json_array_append_new(files, json_pack("{s:o, s:o, s:I}", "name", text_value(file->name), "url",
                                                   file_url(page, file->name), "bytes", (json_int_t)file->bytes));
        }
    }
}

static json_t *sheet_value(const struct made_sheet *sheet)
{
    json_t *pages = json_array(), *files = json_array();
    add_pages(sheet, pages, files);
    const struct record_pairs none = {0};
    const struct record *record = sheet->page_count ? &sheet->pages[0].record : NULL;
    const struct made_frame *still = still_of(sheet);
    return json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "problem",
                     text_or_null(sheet->problem), "play", still ? still->clip : 0, "pages", pages, "files", files,
                     "clips", clips_value(sheet), "facts", pairs_value(record ? &record->facts : &none),
                     "settings", pairs_value(record ? &record->settings : &none), "warnings",
                     all_texts_value(sheet, WARNINGS), "inputs", all_texts_value(sheet, INPUTS), "absent",
                     all_texts_value(sheet, ABSENT), "renderer",
                     text_value(record && record->renderer ? record->renderer : ""));
}

/* -- Files --------------------------------------------------------------------------------------------------- */

static int write_file(struct gallery *gallery, const char *name, struct bytes bytes, struct error *err)
{
    char *path = path_join(gallery->site, name);
    int result = 0;
    if (!file_has(path, bytes)) {
        result = file_renew(path, bytes, err);
        gallery->totals->written += result == 0;
    }
    free(path);
    return result;
}

/* Writes "CALL(DATA);", with all text in ASCII. The data are used up. */
static int write_script(struct gallery *gallery, const char *name, const char *call, json_t *data,
                        struct error *err)
{
    char *json = data ? json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(data);
    if (!json)
        return error_set(err, "out of memory for %s", name);
    char *script = must_printf("sheetbake.%s%s);\n", call, json);
    int result = write_file(gallery, name, (struct bytes){(const uint8_t *)script, strlen(script)}, err);
    free(script);
    free(json);
    return result;
}

/* The names of the animations. */
static json_t *clip_names(const struct made_sheet *sheet)
{
    json_t *names = json_array();
    for (size_t i = 0; i < sheet->clip_count; i++) {
        const char *name = sheet->clips[i].name, *camera = strrchr(name, '/');
        char *animation = must_printf("%.*s", camera ? (int)(camera - name) : (int)strlen(name), name);
        json_t *value = text_value(animation);
        size_t last = json_array_size(names);
        if (!last || !json_equal(json_array_get(names, last - 1), value)) /* clips are sorted by name */
            json_array_append(names, value);
        json_decref(value);
        free(animation);
    }
    return names;
}

/* id, name, folder, still (address, place, place in the cell, cell) or null, clips, cell, number of frames, triangles or
 * null, missing textures, warnings, whether it cannot be read, model, key of its files. */
static json_t *row_value(const struct made_sheet *sheet, const char *id, size_t folder, const char *files)
{
    const struct made_frame *frame = still_of(sheet);
    json_t *still = json_null(), *warnings = all_texts_value(sheet, WARNINGS),
           *missing = count_fact(sheet, "missing_textures");
    const struct made_page *page = frame ? &sheet->pages[frame->page] : NULL;
    if (page && page->pass_count)
        still = json_pack("[o, i, i, i, i, i, i, i, i]", file_url(page, page->passes[0].picture), frame->rect.x,
                          frame->rect.y, frame->rect.width, frame->rect.height, frame->source.x, frame->source.y,
                          frame->source_px[0], frame->source_px[1]);
    const char *model = fact(sheet, "model");
    json_t *row = json_pack(
        "[s, o, I, o, o, [i, i], I, o, I, I, i, o, s]", id, text_value(sheet->name), (json_int_t)folder, still,
        clip_names(sheet), frame ? frame->source_px[0] : 0, frame ? frame->source_px[1] : 0,
        (json_int_t)sheet->frame_count, count_fact(sheet, "triangles"), json_integer_value(missing),
        (json_int_t)json_array_size(warnings), sheet->problem != NULL, text_value(model ? model : ""), files);
    json_decref(warnings);
    json_decref(missing);
    return row;
}

static int write_sheet(struct gallery *gallery, const struct made_sheet *sheet, const char *id, size_t folder,
                       const char *files, struct error *err)
{
    if (sheet->problem)
        strings_add(&gallery->totals->problems, sheet->problem);
    json_array_append_new(gallery->rows, row_value(sheet, id, folder, files));
    char *name = must_printf(PAGE_FOLDER "/sheets/%s.js", id), *call = must_printf("sheet(\"%s\",", id);
    int result = write_script(gallery, name, call, sheet_value(sheet), err);
    free(name);
    free(call);
    return result;
}

/* Takes over the row of the gallery that is there, if the sheet's script is there, too, and the sheet has the same
 * records and JSON as then: reading the JSON is most of the work. */
static bool keep_sheet(struct gallery *gallery, const char *id, const char *files)
{
    json_t *row = json_object_get(gallery->old_rows, id);
    const char *key = json_string_value(json_array_get(row, ROW_KEY));
    if (json_array_size(row) != ROW_SIZE || !*files || !key || strcmp(key, files) ||
        json_integer_value(json_array_get(row, ROW_PROBLEM)))
        return false;
    char *script = must_printf("%s/" PAGE_FOLDER "/sheets/%s.js", gallery->site, id);
    bool is_there = access(script, R_OK) == 0;
    free(script);
    if (is_there)
        json_array_append(gallery->rows, row);
    return is_there;
}

static int add_sheet(struct gallery *gallery, const struct page_folder *side, const struct sheet_files *files,
                     size_t folder, struct error *err)
{
    char id[HASH_SIZE], files_key[HASH_SIZE], *key = must_printf("%zu %s", folder, files->name);
    hash_bytes((struct bytes){(const uint8_t *)key, strlen(key)}, id);
    id[ID_LENGTH] = '\0';
    free(key);
    strings_printf(&gallery->ids, "%s.js", id);
    gallery->totals->sheets++;
    sheet_files_hash(side, files, files_key);
    if (keep_sheet(gallery, id, files_key))
        return 0;
    struct made_sheet *sheet = made_sheet_read(side, files);
    int result = write_sheet(gallery, sheet, id, folder, files_key, err);
    made_sheet_free(sheet);
    return result;
}

static int write_folder(struct gallery *gallery, const char *folder, size_t number, struct error *err)
{
    struct page_folder side;
    if (page_folder_open(folder, false, &side, err) < 0)
        return -1;
    char *scripts = path_join(gallery->site, PAGE_FOLDER "/sheets");
    int result = file_make_folders(scripts, err);
    free(scripts);
    for (size_t i = 0; i < side.job_count && result == 0; i++)
        result = add_sheet(gallery, &side, &side.jobs[i], number, err);
    page_folder_release(&side);
    return result;
}

static int write_page(struct gallery *gallery, const struct strings *folders, struct error *err)
{
    json_t *urls = json_array();
    struct buffer title = {0};
    for (size_t i = 0; i < folders->count; i++) {
        json_array_append_new(urls, folder_url(gallery->site, folders->items[i]));
        char *folder = path_resolve(folders->items[i]);
        buffer_printf(&title, "%s%s", i ? ", " : "", path_base(folder));
        free(folder);
    }
    json_t *list = json_pack("{s:s, s:o, s:o, s:O}", "version", SHEETBAKE_VERSION, "title", text_value(title.text),
                             "folders", urls, "rows", gallery->rows);
    buffer_release(&title);
    if (write_script(gallery, PAGE_FOLDER "/list.js", LIST_CALL, list, err) < 0 ||
        write_file(gallery, PAGE_FOLDER "/common.css", page_file_bytes(common_css), err) < 0 ||
        write_file(gallery, PAGE_FOLDER "/common.js", page_file_bytes(common_js), err) < 0 ||
        write_file(gallery, PAGE_FOLDER "/gallery.css", page_file_bytes(gallery_css), err) < 0 ||
        write_file(gallery, PAGE_FOLDER "/gallery.js", page_file_bytes(gallery_js), err) < 0)
        return -1;
    return write_file(gallery, "index.html", page_file_bytes(gallery_html), err);
}

/* Of the scripts of sheets those that are gone, and whatever else lies there; of the page's own files only what killed runs
 * have left, whose names begin with a dot. */
static void remove_others(struct gallery *gallery, const char *below, bool are_sheets)
{
    char *path = path_join(gallery->site, below);
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (are_sheets ? !strings_has_sorted(&gallery->ids, entry->d_name) : entry->d_name[0] == '.')
            gallery->totals->removed += unlinkat(dirfd(folder), entry->d_name, 0) == 0;
    if (folder)
        closedir(folder);
    free(path);
}

/* The list of the gallery that is there, if this version wrote it. */
static void read_list(struct gallery *gallery)
{
    static const char start[] = "sheetbake." LIST_CALL;
    const size_t skip = sizeof start - 1;
    char *path = path_join(gallery->site, PAGE_FOLDER "/list.js");
    struct blob blob = {0};
    struct error ignored;
    json_t *list = NULL, *row;
    size_t i;
    if (file_read(path, MOST_LIST, &blob, &ignored) == 0 && blob.size > skip && !memcmp(blob.data, start, skip))
        list = json_loadb((const char *)blob.data + skip, blob.size - skip, JSON_DISABLE_EOF_CHECK, NULL);
    const char *version = json_string_value(json_object_get(list, "version"));
    gallery->old_rows = json_object();
    if (version && !strcmp(version, SHEETBAKE_VERSION))
        json_array_foreach(json_object_get(list, "rows"), i, row) if (json_is_string(json_array_get(row, ROW_ID)))
            json_object_set(gallery->old_rows, json_string_value(json_array_get(row, ROW_ID)), row);
    json_decref(list);
    blob_release(&blob);
    free(path);
}

int gallery_write(const struct strings *folders, const char *site, struct gallery_totals *totals,
                  struct error *err)
{
    struct gallery gallery = {.site = site, .totals = totals, .rows = json_array()};
    *totals = (struct gallery_totals){0};
    char *index = path_join(site, "index.html");
    int result = page_file_check(index, "gallery", err);
    file_remove_leftovers(index);
    free(index);
    read_list(&gallery);
    for (size_t i = 0; i < folders->count && result == 0; i++)
        result = write_folder(&gallery, folders->items[i], i, err);
    if (result == 0)
        result = write_page(&gallery, folders, err);
    if (result == 0) {
        strings_sort(&gallery.ids);
        remove_others(&gallery, PAGE_FOLDER, false);
        remove_others(&gallery, PAGE_FOLDER "/sheets", true);
    }
    json_decref(gallery.rows);
    json_decref(gallery.old_rows);
    strings_release(&gallery.ids);
    return result;
}
