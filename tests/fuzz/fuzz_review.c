/* Two output folders of a stranger, through `diff` and `gallery` to all that these write; through `verify`, pruning, and what
 * a run does about leftovers.
 *
 * The input is a text of files. A line "@@ before/orc.json" begins one; what comes before the first are flags: 't' for a
 * tolerance, 'o' for --only, 'f' and 'F' for a job units/orc that failed before and now, 'u' for reasons that are not its
 * own, 'm' for sheets that were drawn in one frame (those of the other side), 'n' for one that could not be. The hash of
 * a record is put right. A PNG may be given as "PNG 32x4 3": its size, and what fills it. */
#include <ftw.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "page/folder.h"
#include "review/diff_page.h"
#include "review/gallery.h"
#include "review/output.h"
#include "review/strips.h"
#include "review/verdict.h"
#include "run/prune.h"
#include "run/verify.h"
#include "sheet/png.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_FILES = 32, MOST_SIDE = 64 };

static const char *folder; /* of this process, in memory where there is such a place */

static void check(bool is_good)
{
    if (!is_good)
        __builtin_trap();
}

/* -- The folders --------------------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind;
    return place->level > 0 ? remove(path) : 0;
}

static void clear_folder(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
    clear_folder();
    rmdir(folder);
}

static void make_folder(void)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/fuzz_review.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    folder = mkdtemp(path);
    check(folder != NULL);
    atexit(remove_folder);
}

static struct blob make_picture(uint32_t width, uint32_t height, unsigned fill)
{
    struct sheet sheet;
    struct blob png;
    struct error err;
    check(sheet_init(&sheet, SHEET_COLOR, width, height, &err) == 0);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width * 4; x++)
            sheet_row(&sheet, y)[x] = (uint8_t)(x % 4 == 3 ? 255 * (fill & 1) : x * fill);
    check(sheet_save_png(&sheet, &png, &err) == 0);
    sheet_release(&sheet);
    return png;
}

static void seal(struct blob *record)
{
    size_t at;
    char hash[HASH_SIZE];
    if (record_hash(blob_bytes(record), &at, hash) == 0)
        memcpy(record->data + at, hash, HASH_SIZE - 1);
}

static void write_file(const char *name, size_t name_length, const char *text, size_t size)
{
    char head[32] = "", *below = must_printf("%.*s", (int)name_length, name);
    unsigned width, height, fill;
    struct error err;
    struct blob blob = {must_alloc(size, 1), size};
    memcpy(blob.data, text, size);
    memcpy(head, text, size < sizeof head ? size : sizeof head - 1);
    if (sscanf(head, "PNG %ux%u %u", &width, &height, &fill) == 3 && width - 1 < MOST_SIDE &&
        height - 1 < MOST_SIDE) {
        blob_release(&blob);
        blob = make_picture(width, height, fill);
    }
    seal(&blob);
    char *path = path_join(folder, below), *above = path_folder(path);
    bool is_inside = (!strncmp(below, "before/", 7) || !strncmp(below, "after/", 6)) && !strstr(below, "..");
    if (is_inside && file_make_folders(above, &err) == 0) {
        FILE *file = fopen(path, "wb");
        if (file) {
            fwrite(blob.data, 1, blob.size, file);
            fclose(file);
        }
    }
    blob_release(&blob);
    free(above);
    free(path);
    free(below);
}

/* Returns what the flags are, for the caller to free. */
static char *write_folders(const char *text, const char *end)
{
    static const char start[] = "@@ ";
    const char *at = text == end ? NULL : memmem(text, (size_t)(end - text), start, 3);
    char *flags = must_printf("%.*s", (int)((at ? at : end) - text), text);
    for (int i = 0; at && i < MOST_FILES; i++) {
        const char *name = at + 3, *line = memchr(name, '\n', (size_t)(end - name));
        const char *body = line ? line + 1 : end, *next = memmem(body, (size_t)(end - body), "\n@@ ", 4);
        const char *stop = next ? next + 1 : end;
        write_file(name, (size_t)((line ? line : end) - name), body, (size_t)(stop - body));
        at = next ? stop : NULL;
    }
    return flags;
}

/* -- What is made of them ------------------------------------------------------------------------------------- */

/* For a terminal or a log: no control character, and every line ends. */
static void check_lines(const struct buffer *text)
{
    for (size_t at = 0, length; at < text->length; at += length) {
        length = text->text[at] == '\n' ? 1 : printable_length(text->text + at);
        check(length > 0);
    }
    check(text->length == 0 || text->text[text->length - 1] == '\n');
}

static void check_texts(const struct review *review)
{
    struct buffer texts[3] = {{0}};
    struct report_settings settings = {.ci = CI_GITHUB, .out = open_memstream(&texts[2].text, &texts[2].length)};
    struct report *report;
    struct error err;
    markdown_add(&texts[0], review, MARKDOWN_LEAST_BUDGET, review->sheet_count % 2 ? "url" : NULL);
    review_add_junit(&texts[1], review, 1u << REVIEW_CHANGED);
    check(report_open(&settings, &report, &err) == 0);
    review_tell(review, 1u << REVIEW_CHANGED, report);
    check(report_close(report, 0, &err) == 0);
    fclose(settings.out);
    for (int i = 0; i < 3; i++) {
        check_lines(&texts[i]);
        buffer_release(&texts[i]);
    }
}

/* Whoever writes the lines that all sheets give has accepted each, whatever their names are. */
static void check_verdicts(struct review *review)
{
    struct buffer lines = {0};
    struct strings problems = {0};
    verdicts_ask(review);
    for (size_t i = 0; i < review->sheet_count; i++)
        if (review->sheets[i].accept)
            buffer_printf(&lines, "x\t%s: y\n", review->sheets[i].accept);
    verdicts_take(review, (struct bytes){(const uint8_t *)lines.text, lines.length}, "f", UINT_MAX, &problems);
    for (size_t i = 0; i < review->sheet_count; i++)
        check(review->sheets[i].verdict.is_accepted == (review->sheets[i].accept != NULL));
    check(problems.count == 0);
    buffer_release(&lines);
}

static void check_json(const struct review *review)
{
    json_t *json = review_json(review, true), *sheets = json_object_get(json, "sheets");
    check(json != NULL && json_array_size(sheets) == review->sheet_count);
    for (size_t i = 0; i < review->sheet_count; i++) {
        const struct review_sheet *sheet = &review->sheets[i];
        json_t *clips = json_object_get(json_array_get(sheets, i), "clips");
        for (size_t c = 0; c < sheet->clip_count; c++)
            check(json_array_size(json_object_get(json_array_get(clips, c), "frames")) ==
                  sheet->clips[c].frame_count);
        check(sheet->state != REVIEW_SAME && sheet->cause_count > 0);
    }
    char *text = json_dumps(json, 0);
    check(text != NULL);
    free(text);
    json_decref(json);
}

static void write_page(const struct review *review)
{
    char *path = path_join(folder, "page.html");
    const struct diff_page_settings settings = {path, 1 << 20};
    struct diff_page_totals totals;
    struct error err;
    check(diff_page_write(review, &settings, &totals, &err) == 0);
    strings_release(&totals.problems);
    free(path);
}

static void write_strips(struct review *review, enum movie_format format)
{
    const struct strips_settings settings = {.folder = folder, .format = format, .most = 2};
    struct error err;
    check(strips_write(review, &settings, &err) == 0);
}

static void write_gallery(void)
{
    char *path = path_join(folder, "after"), *site = path_join(folder, "site");
    struct strings folders = {0};
    struct gallery_totals totals;
    struct error err;
    strings_add(&folders, path);
    gallery_write(&folders, NULL, 0, NULL, site, &totals, &err);
    strings_release(&totals.problems);
    strings_release(&folders);
    free(site);
    free(path);
}

static void count_problem(void *context, const struct verify_problem *problem)
{
    check(problem->kind < VERIFY_COUNT && *problem->path && *problem->text);
    ++*(size_t *)context;
}

static void check_removed(const struct pruned_page *page)
{
    check(*page->why && page->removed.count + page->left.count > 0);
}

/* What a list called as in the corpus does, of which all jobs are gone. */
static void tidy(char *path)
{
    size_t found = 0;
    struct strings none = {0};
    struct job_list list = {.name = "units", .output = path};
    struct prune prune = {&list, &none, &none, &none, true, check_removed};
    struct verify verify = {.report = count_problem, .context = &found};
    struct error err;
    check(verify_folder(&verify, path, &err) == 0);
    check(verify.problems <= found);
    verify_list(&verify, &list);
    page_set_release(&verify.found);
    prune_list(&prune);
    prune.is_dry = false;
    prune_list(&prune);
    leftovers_remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!folder)
        make_folder();
    clear_folder();
    char *before = path_join(folder, "before"), *after = path_join(folder, "after");
    mkdir(before, 0777);
    mkdir(after, 0777);
    char *flags = write_folders((const char *)data, (const char *)data + size);
    struct review_failure failure = {"units", "orc", "it\nfailed", .is_own = !strchr(flags, 'u')};
    struct review_source sources[2];
    for (int side = 0; side < 2; side++)
        sources[side] = (struct review_source){
            .folder = side ? after : before,
            .name = side ? "a" : "b",
            .detail = "",
            .failures = {&failure, strchr(flags, side ? 'F' : 'f') != NULL, 1},
            .may_be_empty = true,
            .framed = !strchr(flags, 'm') ? NULL
                      : side              ? before
                                          : after, /* like, but for any edit */
            .unframed = {&failure, strchr(flags, 'n') != NULL, 1},
        };
    const struct review_settings settings = {.tolerance = strchr(flags, 't') ? 0.1 : 0,
                                             .only = strchr(flags, 'o') ? "*o*" : NULL};
    struct review review;
    struct error err;
    if (review_folders(&sources[0], &sources[1], &settings, &review, &err) == 0) {
        write_strips(&review, strchr(flags, 't') ? MOVIE_APNG : MOVIE_WEBP);
        check_verdicts(&review);
        check_texts(&review);
        check_json(&review);
        write_page(&review);
        review_release(&review);
    }
    write_gallery();
    tidy(before);
    free(flags);
    free(before);
    free(after);
    return 0;
}
