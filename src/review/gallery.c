#include "review/gallery.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "review/html.h"
#include "review/output.h"
#include "page/read.h"
#include "sheet/json_value.h"

#define SHEETS HTML_FOLDER "/sheets"

enum { ID_LENGTH = 16, MOST_PAGE = 512 * 1024 * 1024 };

struct gallery {
    struct arena arena; /* paths */
    const char *site;
    struct gallery_totals *totals;
    struct job_list *const *lists;
    size_t list_count;
    const struct strings *stale; /* by job, list after list */
    struct strings scripts;      /* of the sheets that are there: others are removed */
    json_t *rows;
    json_t *old_rows; /* of the earlier gallery, by id */
};

/* -- Places ------------------------------------------------------------------------------------------------ */

/* The absolute path of a folder, with '/' at its end. The caller frees it. */
static char *full_path(const char *folder)
{
    SCOPED char *path = path_resolve(folder);
    return must_printf("%s/", strcmp(path, "/") ? path : "");
}

/* Returns the relative path from the folder of the gallery to another: "./", "./../out/demo/". */
static json_t *folder_value(const char *site, const char *folder)
{
    SCOPED char *from = full_path(site), *to = full_path(folder);
    size_t same = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/')
            same = i + 1;
    SCOPED_BY(buffer_release) struct buffer path = {0};
    buffer_printf(&path, "./");
    for (const char *up = strchr(from + same, '/'); up; up = strchr(up + 1, '/'))
        buffer_printf(&path, "../");
    buffer_printf(&path, "%s", to + same);
    return exact_value(path.text);
}

/* Returns the path of a file beside a page, below the folder of sheets. */
static json_t *file_value(const struct page *page, const char *file)
{
    const char *slash = strrchr(page->stem, '/');
    SCOPED char *path = must_printf("%.*s%s", slash ? (int)(slash + 1 - page->stem) : 0, page->stem, file);
    return exact_value(path);
}

/* -- What is known of a sheet -------------------------------------------------------------------------------- */

/* Returns the texts sorted, each once, and releases them. */
static json_t *distinct_value(struct strings *texts)
{
    json_t *array = json_array();
    strings_sort(texts);
    for (size_t i = 0; i < texts->count; i++)
        if (i == 0 || strcmp(texts->items[i - 1], texts->items[i]))
            json_array_append_new(array, text_value(texts->items[i]));
    strings_release(texts);
    return array;
}

enum texts { WARNINGS, INPUTS, ABSENT };

/* Collects texts from the records of all pages. */
static json_t *all_texts_value(const struct made_sheet *sheet, enum texts which)
{
    struct strings texts = {0};
    SCOPED_BY(arena_release) struct arena arena = {0};
    for (size_t page = 0; page < sheet->page_count; page++) {
        const struct record *record = &sheet->pages[page].record;
        for (size_t i = 0; which == WARNINGS && i < record->warning_count; i++)
            strings_add(&texts, arena_take(&arena, review_warning(record->warnings[i])));
        for (size_t i = 0; which == INPUTS && i < record->inputs.count; i++)
            strings_add(&texts, record->inputs.items[i].name);
        for (size_t i = 0; which == ABSENT && i < record->absent_count; i++)
            strings_add(&texts, record->absent[i]);
    }
    return distinct_value(&texts);
}

/* Returns the findings of the records: of the rules as they last judged the sheet. */
static json_t *findings_value(const struct made_sheet *sheet)
{
    json_t *all = json_array();
    struct finding finding;
    for (size_t page = 0; page < sheet->page_count; page++) {
        const struct record *record = &sheet->pages[page].record;
        for (size_t i = 0; i < record->finding_count; i++)
            if (finding_read(record->findings[i], &finding))
                json_array_append_new(all, review_finding_json(&finding, NULL));
    }
    return all;
}

/* Returns the names of animations: those of clips without their cameras. */
static json_t *animations_value(const struct made_sheet *sheet)
{
    struct strings names = {0};
    for (size_t i = 0; i < sheet->clip_count; i++) {
        const char *name = sheet->clips[i].name, *camera = strrchr(name, '/');
        strings_printf(&names, "%.*s", camera ? (int)(camera - name) : (int)strlen(name), name);
    }
    return distinct_value(&names);
}

/* Returns how much a cell shows: the sum of its alphas. */
static uint64_t visible_in(const struct pixel_view *view)
{
    uint64_t sum = 0;
    for (uint32_t y = 0; y < view->shown.height; y++)
        for (uint32_t x = 0; x < view->shown.width; x++)
            sum += view->pixels[y * view->stride + x * (size_t)4 + 3];
    return sum;
}

/* The frame of the first page that shows most; of several, the first. Frames of an unreadable picture show nothing. A
 * stranger's frames may lie over one another, so the work is bounded. */
static const struct atlas_frame *still_of(const struct made_sheet *sheet)
{
    const struct atlas_frame *best = sheet->frame_count ? sheet->frames : NULL;
    const uint64_t most_px = 1 << 28;
    SCOPED_BY(made_pictures_release) struct made_pictures pictures = {0};
    uint64_t most = 0, looked_at = 0;
    for (size_t i = 0; i < sheet->frame_count && sheet->frame_count > 1 && looked_at < most_px; i++) {
        const struct atlas_frame *frame = &sheet->frames[i];
        struct pixel_view view;
        struct error ignored;
        if (frame->page != 0 || made_frame_cell(&pictures, sheet, frame, "color", &view, &ignored) < 0)
            continue;
        looked_at += (uint64_t)view.shown.width * view.shown.height;
        uint64_t visible = visible_in(&view);
        if (visible > most) {
            most = visible;
            best = frame;
        }
    }
    return best;
}

/* Adds to a frame's JSON in the page of diff its page, and where it lies in that and in the untrimmed cell. */
static json_t *frame_value(const struct atlas_frame *frame)
{
    json_t *value = made_frame_json(frame);
    json_object_set_new(value, "name", text_value(frame->name));
    json_object_set_new(value, "page", json_integer(frame->page));
    json_object_set_new(value, "place",
                        json_pack("[i, i, i, i, i, i]", frame->rect.x, frame->rect.y, frame->rect.width,
                                  frame->rect.height, frame->source.x, frame->source.y));
    return value;
}

static json_t *clips_value(const struct made_sheet *sheet)
{
    json_t *clips = json_array();
    for (size_t c = 0; c < sheet->clip_count; c++) {
        const struct atlas_clip *clip = &sheet->clips[c];
        json_t *frames = json_array();
        for (size_t i = 0; i < clip->frame_count; i++)
            json_array_append_new(frames, frame_value(&sheet->frames[clip->first_frame + i]));
        json_array_append_new(clips, json_pack("{s:o, s:b, s:o}", "name", text_value(clip->name), "loop",
                                               clip->loop, "frames", whole_value(frames, clip->frame_count)));
    }
    return whole_value(clips, sheet->clip_count);
}

/* Adds what the pages have to two arrays: their pictures, and all files. */
static void add_pages(const struct made_sheet *sheet, json_t *pages, json_t *files)
{
    for (size_t p = 0; p < sheet->page_count; p++) {
        const struct page *page = &sheet->pages[p];
        json_t *passes = json_array();
        for (size_t i = 0; i < page->pass_count; i++)
            json_array_append_new(passes, json_pack("[o, o]", text_value(page->passes[i].name),
                                                    file_value(page, page->passes[i].picture)));
        json_array_append_new(pages, passes);
        for (size_t i = 0; i < page->record.file_count; i++) {
            const struct record_file *file = &page->record.files[i];
            json_array_append_new(files, json_pack("{s:o, s:I}", "path", file_value(page, file->name), "bytes",
                                                   (json_int_t)file->bytes));
        }
    }
}

/* Returns the sheet's own data, which the page loads when somebody looks at the sheet. */
static json_t *sheet_value(const struct made_sheet *sheet)
{
    json_t *pages = json_array(), *files = json_array();
    const struct record *record = made_sheet_record(sheet);
    add_pages(sheet, pages, files);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "pages", pages, "files", files, "clips",
                     clips_value(sheet), "settings", facts_json(&record->settings), "inputs",
                     all_texts_value(sheet, INPUTS), "absent", all_texts_value(sheet, ABSENT), "renderer",
                     text_value(record->renderer ? record->renderer : ""));
}

/* Returns a sheet's row in the page. `key` stands for its files. */
static json_t *row_value(const struct made_sheet *sheet, const char *id, size_t folder, const char *key)
{
    const struct atlas_frame *still = still_of(sheet);
    const struct page *page = still ? &sheet->pages[still->page] : NULL;
    return json_pack("{s:s, s:s, s:o, s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "id", id, "key", key, "name",
                     text_value(sheet->name), "folder", (json_int_t)folder, "problem",
                     text_or_null(sheet->problem), "still", still ? frame_value(still) : json_null(), "picture",
                     page && page->pass_count ? file_value(page, page->passes[0].picture) : json_null(), "frames",
                     (json_int_t)sheet->frame_count, "facts", facts_json(&made_sheet_record(sheet)->facts),
                     "warnings", all_texts_value(sheet, WARNINGS), "animations", animations_value(sheet),
                     "findings", findings_value(sheet));
}

/* -- Files --------------------------------------------------------------------------------------------------- */

/* Returns the path of a file of the gallery. */
static const char *path_in(struct gallery *gallery, const char *name)
{
    return arena_take(&gallery->arena, path_join(gallery->site, name));
}

static int write_file(struct gallery *gallery, const char *name, const struct buffer *text, struct error *err)
{
    struct bytes bytes = {(const uint8_t *)text->text, text->length};
    const char *path = path_in(gallery, name);
    if (file_has(path, bytes))
        return 0;
    int result = file_renew(path, bytes, err);
    gallery->totals->written += result == 0;
    return result;
}

/* A script, because a page from file:// may not read other files. */
static int write_sheet(struct gallery *gallery, const struct made_sheet *sheet, const char *id, const char *name,
                       struct error *err)
{
    SCOPED_BY(buffer_release) struct buffer script = {0};
    json_auto_t *value = sheet_value(sheet);
    SCOPED char *json = json_dumps(value, HTML_JSON);
    buffer_printf(&script, "addSheet(\"%s\",%s);\n", id, json ? json : "");
    return json ? write_file(gallery, name, &script, err) : error_set(err, "out of memory for %s", name);
}

/* The sheet's row in the earlier gallery, if its script is there, too, and its records and JSON are as they were: reading
 * the JSON is most of the work. */
static json_t *kept_row(struct gallery *gallery, const char *id, const char *key, const char *script)
{
    json_t *row = json_object_get(gallery->old_rows, id);
    const char *old = json_string_value(json_object_get(row, "key"));
    bool is_kept = *key && old && !strcmp(old, key) && json_is_null(json_object_get(row, "problem")) &&
                   access(path_in(gallery, script), R_OK) == 0;
    return is_kept ? json_incref(row) : NULL;
}

/* Hashes the records of a sheet, and the size and time of each JSON beside them; "" where one is missing. The same hash:
 * the same sheet. */
static void hash_sheet(const struct page_set *set, const struct page_sheet *sheet, char hash[HASH_SIZE])
{
    SCOPED_BY(buffer_release) struct buffer all = {0};
    bool is_whole = true;
    for (size_t i = 0; i < sheet->page_count && is_whole; i++) {
        const struct page *page = &sheet->pages[i];
        SCOPED char *json = must_printf("%s.json", page->stem);
        struct stat info = {0};
        is_whole = *page->record.hash && fstatat(set->fd, json, &info, AT_SYMLINK_NOFOLLOW) == 0;
        buffer_printf(&all, "%s %lld %lld.%09ld\n", page->record.hash, (long long)info.st_size,
                      (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    }
    hash_bytes((struct bytes){(const uint8_t *)all.text, all.length}, hash);
    if (!is_whole)
        *hash = '\0';
}

static int add_sheet(struct gallery *gallery, const struct page_set *set, const struct page_sheet *files,
                     size_t folder, struct error *err)
{
    char id[HASH_SIZE], key[HASH_SIZE], *place = arena_printf(&gallery->arena, "%zu %s", folder, files->name);
    hash_bytes((struct bytes){(const uint8_t *)place, strlen(place)}, id);
    id[ID_LENGTH] = '\0';
    const char *script = arena_printf(&gallery->arena, SHEETS "/%s.js", id);
    strings_add(&gallery->scripts, path_base(script));
    gallery->totals->sheets++;
    hash_sheet(set, files, key);
    json_t *row = kept_row(gallery, id, key, script);
    int result = 0;
    if (!row) {
        struct made_sheet *sheet = made_sheet_read(set, files);
        row = row_value(sheet, id, folder, key);
        if (sheet->problem)
            strings_add(&gallery->totals->problems, sheet->problem);
        result = write_sheet(gallery, sheet, id, script, err);
        made_sheet_free(sheet);
    }
    json_object_del(row, "stale");
    if (json_array_append_new(gallery->rows, row) < 0 && result == 0)
        result = error_set(err, "out of memory for %s", files->name);
    return result;
}

/* Adds a row for each job of a list that has no page in its folder; to those of others, from number `first` on, that they are
 * stale. */
static void add_jobs(struct gallery *gallery, const struct job_list *list, char *const *stale,
                     const struct page_set *set, size_t folder, size_t first)
{
    for (size_t i = 0; i < list->job_count; i++) {
        const struct job *job = &list->jobs[i];
        const struct page_sheet *made = page_set_find(set, job->name);
        if (made && *stale[i])
            json_object_set_new(json_array_get(gallery->rows, first + (size_t)(made - set->sheets)), "stale",
                                text_value(stale[i]));
        if (made)
            continue;
        char *missing = job->missing_count ? job_describe_missing(job) : NULL;
        SCOPED char *why =
            missing ? missing : must_printf("it was not made; 'sheetbake render %s' says why", list->path);
        json_t *row = row_value(&(struct made_sheet){.name = job->name, .problem = why}, "", folder, "");
        json_object_set_new(row, "absent", json_true());
        json_array_append_new(gallery->rows, row);
    }
}

static int write_folder(struct gallery *gallery, const char *folder, size_t number, struct error *err)
{
    struct page_set set;
    const size_t first = json_array_size(gallery->rows);
    if (page_set_open(folder, false, &set, err) < 0)
        return -1;
    int result = file_make_folders(path_in(gallery, SHEETS), err);
    for (size_t i = 0; i < set.sheet_count && result == 0; i++)
        result = add_sheet(gallery, &set, &set.sheets[i], number, err);
    for (size_t i = 0, job = 0; i < gallery->list_count && result == 0; job += gallery->lists[i++]->job_count)
        if (!strcmp(gallery->lists[i]->output, folder))
            add_jobs(gallery, gallery->lists[i], gallery->stale->items + job, &set, number, first);
    page_set_release(&set);
    return result;
}

static int write_page(struct gallery *gallery, const struct strings *folders, struct error *err)
{
    json_t *paths = json_array();
    SCOPED_BY(buffer_release) struct buffer title = {0}, html = {0};
    for (size_t i = 0; i < folders->count; i++) {
        json_array_append_new(paths, folder_value(gallery->site, folders->items[i]));
        SCOPED char *folder = path_resolve(folders->items[i]);
        buffer_printf(&title, "%s%s", i ? ", " : "", path_base(folder));
    }
    json_auto_t *data = json_pack("{s:s, s:o, s:o, s:O}", "sheetbake", SHEETBAKE_VERSION, "title",
                                  text_value(title.text), "folders", paths, "sheets", gallery->rows);
    int result = html_add(&html, HTML_GALLERY, data, err);
    return result < 0 ? -1 : write_file(gallery, "index.html", &html, err);
}

/* Removes all files of a folder but the scripts of sheets; folders stay. */
static void remove_others(struct gallery *gallery, const char *below)
{
    SCOPED_BY(folder_close) DIR *folder = opendir(path_in(gallery, below));
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (!strings_has_sorted(&gallery->scripts, entry->d_name))
            gallery->totals->removed += unlinkat(dirfd(folder), entry->d_name, 0) == 0;
}

/* Returns the rows of the earlier gallery by id; none if another version wrote it. */
static json_t *read_rows(const char *index)
{
    SCOPED_BY(blob_release) struct blob blob = {0};
    struct error ignored;
    json_t *rows = json_object(), *data = NULL, *row;
    size_t i;
    if (file_read(index, MOST_PAGE, &blob, &ignored) == 0)
        data = html_data(blob_bytes(&blob));
    const char *version = json_string_value(json_object_get(data, "sheetbake"));
    if (version && !strcmp(version, SHEETBAKE_VERSION))
        json_array_foreach(json_object_get(data, "sheets"), i, row)
            json_object_set(rows, json_string_value(json_object_get(row, "id")), row);
    json_decref(data);
    return rows;
}

int gallery_write(const struct strings *folders, struct job_list *const *lists, size_t list_count,
                  const struct strings *stale, const char *site, struct gallery_totals *totals, struct error *err)
{
    struct gallery gallery = {.site = site,
                              .totals = totals,
                              .lists = lists,
                              .list_count = list_count,
                              .stale = stale,
                              .rows = json_array()};
    *totals = (struct gallery_totals){0};
    const char *index = path_in(&gallery, "index.html");
    int result = html_check(index, HTML_GALLERY, err);
    if (result == 0 && (file_refuse_link(path_in(&gallery, HTML_FOLDER), err) < 0 ||
                        file_refuse_link(path_in(&gallery, SHEETS), err) < 0))
        result = -1;
    file_remove_leftovers(index);
    gallery.old_rows = read_rows(index);
    for (size_t i = 0; i < folders->count && result == 0; i++)
        result = write_folder(&gallery, folders->items[i], i, err);
    if (result == 0)
        result = write_page(&gallery, folders, err);
    if (result == 0) {
        strings_sort(&gallery.scripts);
        remove_others(&gallery, HTML_FOLDER);
        remove_others(&gallery, SHEETS);
    }
    json_decref(gallery.rows);
    json_decref(gallery.old_rows);
    strings_release(&gallery.scripts);
    arena_release(&gallery.arena);
    return result;
}
