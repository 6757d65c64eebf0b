#include "fresh/earlier.h"

#include <dirent.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strings.h"
#include "fresh/output_tree.h"
#include "job/names.h"
#include "sheet/metadata.h"

struct earlier_folder {
    char *path;                  /* below the output folder; "" for itself */
    struct strings stems;        /* sorted names of its records, without suffix */
    struct earlier_page **pages; /* as many; NULL until read */
};

struct earlier {
    const char *output;
    void *folders; /* tree of struct earlier_folder, by path */
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct earlier_folder *)a)->path, ((const struct earlier_folder *)b)->path);
}

static void free_page(struct earlier_page *page)
{
    if (!page)
        return;
    if (page->kind == RECORD_GOOD)
        record_release(&page->record);
    free(page->problem);
    free((char *)page->name);
    free(page);
}

static void free_folder(void *node)
{
    struct earlier_folder *folder = node;
    for (size_t i = 0; i < folder->stems.count; i++)
        free_page(folder->pages[i]);
    free(folder->pages);
    strings_release(&folder->stems);
    free(folder->path);
    free(folder);
}

struct earlier *earlier_new(const char *output)
{
    struct earlier *earlier = must_alloc(1, sizeof *earlier);
    earlier->output = output;
    return earlier;
}

void earlier_free(struct earlier *earlier)
{
    if (!earlier)
        return;
    tdestroy(earlier->folders, free_folder);
    free(earlier);
}

/* A folder that is not there or cannot be read has nothing: then everything that goes there is made. */
static void list_folder(const char *output, struct earlier_folder *folder)
{
    char *path = path_join(output, folder->path);
    DIR *dir = opendir(path);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        const char *suffix = path_suffix(entry->d_name);
        if (output_tree_is_record(entry->d_name))
            strings_printf(&folder->stems, "%.*s", (int)(suffix - entry->d_name), entry->d_name);
    }
    if (dir)
        closedir(dir);
    free(path);
    strings_sort(&folder->stems);
    folder->pages = must_alloc(folder->stems.count, sizeof *folder->pages);
}

static struct earlier_folder *open_folder(struct earlier *earlier, const char *path)
{
    const struct earlier_folder key = {.path = (char *)path};
    struct earlier_folder *const *found = tfind(&key, &earlier->folders, compare);
    if (found)
        return *found;
    struct earlier_folder *folder = must_alloc(1, sizeof *folder);
    folder->path = must_strdup(path);
    list_folder(earlier->output, folder);
    if (!tsearch(folder, &earlier->folders, compare))
        abort(); /* out of memory */
    return folder;
}

/* A record that cannot be read counts as a broken one. */
static void load_page(const char *output, struct earlier_page *page)
{
    char *name = must_printf("%s" RECORD_SUFFIX, page->name), *path = path_join(output, name);
    struct error err;
    page->kind = recorded_load(path, &page->record, &err);
    if (page->kind == RECORD_BROKEN)
        page->problem = must_strdup(err.text);
    free(name);
    free(path);
}

static const struct earlier_page *page_at(struct earlier *earlier, struct earlier_folder *folder, size_t at)
{
    if (!folder->pages[at]) {
        struct earlier_page *page = folder->pages[at] = must_alloc(1, sizeof *page);
        const char *separator = *folder->path ? "/" : "";
        page->name = must_printf("%s%s%s", folder->path, separator, folder->stems.items[at]);
        load_page(earlier->output, page);
    }
    return folder->pages[at];
}

/* The first name that does not sort before `base`. */
static size_t find_first(const struct strings *stems, const char *base)
{
    size_t low = 0, high = stems->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(stems->items[middle], base) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void earlier_pages(struct earlier *earlier, const char *job, const struct earlier_page ***out, size_t *count)
{
    const char *base = path_base(job);
    size_t length = strlen(base), capacity = 0;
    char *path = must_printf("%.*s", (int)(base > job ? base - job - 1 : 0), job);
    struct earlier_folder *folder = open_folder(earlier, path);
    free(path);
    *out = NULL;
    *count = 0;
    for (size_t i = find_first(&folder->stems, base);
         i < folder->stems.count && !strncmp(folder->stems.items[i], base, length); i++) {
        const struct earlier_page *page =
            names_is_page_of(folder->stems.items[i], base) ? page_at(earlier, folder, i) : NULL;
        if (!page || page->kind == RECORD_NONE)
            continue;
        *out = must_grow(*out, *count, &capacity, sizeof **out);
        (*out)[(*count)++] = page;
    }
}

static char *file_path(const struct earlier *earlier, const struct earlier_page *page, const char *name)
{
    int folder = (int)(path_base(page->name) - page->name);
    char *file = must_printf("%.*s%s", folder, page->name, name), *path = path_join(earlier->output, file);
    free(file);
    return path;
}

int64_t earlier_file_size(const struct earlier *earlier, const struct earlier_page *page, const char *name)
{
    char *path = file_path(earlier, page, name);
    struct stat info;
    int64_t size = lstat(path, &info) == 0 && S_ISREG(info.st_mode) ? (int64_t)info.st_size : -1;
    free(path);
    return size;
}

bool earlier_file_is_same(const struct earlier *earlier, const struct earlier_page *page,
                          const struct record_file *file)
{
    struct error ignored;
    char *path = file_path(earlier, page, file->name), *folder = path_folder(path);
    bool result = recorded_check(folder, file, &ignored) == RECORDED_SAME;
    free(folder);
    free(path);
    return result;
}
