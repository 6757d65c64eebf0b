/* Compares the pictures of two folders, by name.
 *
 *     compare EXPECTED ACTUAL FAILURES
 *
 * Sizes must be the same. Colours, multiplied by alpha, may differ by a few levels, because processors of other makers
 * round differently. A few pixels may differ by any amount: an edge passes so close to a sample that rounding decides
 * on which side it lies.
 *
 * Prints a line for each picture that differs, and writes two files to FAILURES: NAME.actual.png, and
 * NAME.difference.png, the expected picture in dim grey with differences in red. Exit code 1 when a picture differs. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_format.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/strings.h"
#include "sheet/png.h"

/* By how many levels of 255 a channel may differ, and one pixel of how many may differ by more. */
enum { LEVELS = 3, ONE_PIXEL_OF = 200 };

enum { FILE_LIMIT = 16 << 20 };

static int is_png(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && !strcmp(entry->d_name + length - 4, ".png");
}

/* Adds the names of the folder's PNGs that the list does not have. */
static int add_names(const char *folder, struct strings *names, struct error *err)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_png, alphasort);
    if (count < 0)
        return error_set(err, "%s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!strings_has(names, entries[i]->d_name))
            strings_add(names, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return 0;
}

static int read_picture(const char *folder, const char *name, struct image *out, struct error *err)
{
    char *path = path_join(folder, name);
    struct blob blob;
    int result = file_read(path, FILE_LIMIT, &blob, err);
    if (result == 0) {
        result = image_load(blob_bytes(&blob), out, err);
        blob_release(&blob);
    }
    free(path);
    return result;
}

/* -- Two pictures ------------------------------------------------------------------------------------------ */

/* The largest difference of a channel. */
static int difference(const uint8_t a[4], const uint8_t b[4])
{
    int largest = abs(a[3] - b[3]);
    for (int i = 0; i < 3; i++) {
        int channel = abs((a[i] * a[3] + 127) / 255 - (b[i] * b[3] + 127) / 255);
        if (channel > largest)
            largest = channel;
    }
    return largest;
}

struct finding {
    size_t pixels, off; /* off by more than LEVELS */
    int largest;
};

/* Of two pictures of one size. */
static struct finding compare(const struct image *expected, const struct image *actual)
{
    struct finding finding = {.pixels = (size_t)expected->width * expected->height};
    for (size_t i = 0; i < finding.pixels; i++) {
        int off = difference(expected->pixels + 4 * i, actual->pixels + 4 * i);
        finding.off += off > LEVELS;
        if (off > finding.largest)
            finding.largest = off;
    }
    return finding;
}

static void set_difference_pixel(const uint8_t expected[4], const uint8_t actual[4], uint8_t out[4])
{
    int off = difference(expected, actual);
    int grey = (expected[0] + expected[1] + expected[2]) * expected[3] / (255 * 3 * 2);
    out[0] = off > LEVELS ? (uint8_t)(155 + off * 100 / 255) : (uint8_t)grey;
    out[1] = out[2] = off > LEVELS ? 0 : (uint8_t)grey;
    out[3] = 255;
}

static int save_difference(const struct image *expected, const struct image *actual, struct blob *out,
                           struct error *err)
{
    struct sheet sheet;
    if (sheet_init(&sheet, SHEET_COLOR, expected->width, expected->height, err) < 0)
        return -1;
    for (uint32_t y = 0; y < sheet.height; y++)
        for (uint32_t x = 0; x < sheet.width; x++) {
            size_t at = 4 * ((size_t)y * sheet.width + x);
            set_difference_pixel(expected->pixels + at, actual->pixels + at, sheet_row(&sheet, y) + 4 * (size_t)x);
        }
    int result = sheet_save_png(&sheet, out, err);
    sheet_release(&sheet);
    return result;
}

/* -- Failures ---------------------------------------------------------------------------------------------- */

/* FAILURES/NAME.KIND.png */
static int keep(const char *failures, const char *name, const char *kind, const struct blob *blob,
                struct error *err)
{
    char *path = must_printf("%s/%.*s.%s.png", failures, (int)strlen(name) - 4, name, kind);
    int result = file_renew(path, blob_bytes(blob), err);
    free(path);
    return result;
}

static int keep_actual(const char *folder, const char *failures, const char *name, struct error *err)
{
    struct blob blob;
    char *path = path_join(folder, name);
    int result = file_read(path, FILE_LIMIT, &blob, err);
    free(path);
    if (result < 0)
        return -1;
    result = keep(failures, name, "actual", &blob, err);
    blob_release(&blob);
    return result;
}

static int keep_difference(const struct image *expected, const struct image *actual, const char *failures,
                           const char *name, struct error *err)
{
    struct blob blob;
    if (save_difference(expected, actual, &blob, err) < 0)
        return -1;
    int result = keep(failures, name, "difference", &blob, err);
    blob_release(&blob);
    return result;
}

/* 1 when they are alike. 0 when they differ: then it prints a line. */
static int compare_pictures(const struct image *expected, const struct image *actual, const char *failures,
                            const char *name, struct error *err)
{
    if (expected->width != actual->width || expected->height != actual->height) {
        printf("%s: %ux%u pixels, expected %ux%u: see %s/%.*s.actual.png\n", name, actual->width, actual->height,
               expected->width, expected->height, failures, (int)strlen(name) - 4, name);
        return 0;
    }
    struct finding finding = compare(expected, actual);
    if (finding.off <= finding.pixels / ONE_PIXEL_OF)
        return 1;
    printf("%s: %zu of %zu pixels differ (%zu may), by up to %d levels: see %s/%.*s.{actual,difference}.png\n",
           name, finding.off, finding.pixels, finding.pixels / ONE_PIXEL_OF, finding.largest, failures,
           (int)strlen(name) - 4, name);
    return keep_difference(expected, actual, failures, name, err);
}

/* 1 when the two are alike, 0 when not, -1 when one cannot be read. */
static int compare_files(char **folders, const char *name, struct error *err)
{
    struct image expected = {0}, actual = {0};
    int result = -1;
    if (read_picture(folders[0], name, &expected, err) < 0)
        error_add(err, "expected");
    else if (read_picture(folders[1], name, &actual, err) < 0)
        error_add(err, "drawn");
    else
        result = compare_pictures(&expected, &actual, folders[2], name, err);
    if (result == 0 && keep_actual(folders[1], folders[2], name, err) < 0)
        result = -1;
    image_release(&expected);
    image_release(&actual);
    return result;
}

int main(int argc, char **argv)
{
    struct error err;
    struct strings names = {0};
    size_t alike = 0;
    if (argc != 4) {
        fprintf(stderr, "usage: compare EXPECTED ACTUAL FAILURES\n");
        return 2;
    }
    if (add_names(argv[1], &names, &err) < 0 || add_names(argv[2], &names, &err) < 0 ||
        file_make_folders(argv[3], &err) < 0) {
        fprintf(stderr, "compare: %s\n", err.text);
        return 2;
    }
    for (size_t i = 0; i < names.count; i++) {
        int result = compare_files(argv + 1, names.items[i], &err);
        if (result < 0)
            printf("%s: %s\n", names.items[i], err.text);
        alike += result > 0;
    }
    printf("%zu of %zu pictures are as expected\n", alike, names.count);
    int exit_code = names.count > 0 && alike == names.count ? 0 : 1;
    strings_release(&names);
    return exit_code;
}
