/* The record of a page as it stands in an output folder. */
#ifndef TESTS_RECORDED_PAGE_H
#define TESTS_RECORDED_PAGE_H

#include "page/record.h"
#include "page/metadata.h"
#include "temp_folder.h"

/* A page of "list" that records these files, with the bytes they have now in the folder of `name`. The caller
 * releases the blob. */
static inline struct blob recorded_blob(const char *folder, const char *name, const char *job, uint32_t page,
                                        uint32_t page_count, const char *const *files, size_t file_count)
{
    struct record_file items[8];
    char hashes[8][HASH_SIZE];
    char *path = path_join(folder, name), *parent = path_folder(path);
    for (size_t i = 0; i < file_count; i++) {
        struct error err;
        struct blob blob;
        char *file = path_join(parent, files[i]);
        if (file_read(file, 1 << 20, &blob, &err) < 0)
            abort();
        hash_bytes(blob_bytes(&blob), hashes[i]);
        items[i] = (struct record_file){files[i], blob.size, hashes[i]};
        blob_release(&blob);
        free(file);
    }
    free(parent);
    free(path);
    struct record record = {
        .list = "list",
        .job = job,
        .page = page,
        .page_count = page_count,
        .output = OUTPUT_VERSION,
        .backend = "osmesa",
        .cpu = "",
        .library = "",
        .program = "",
        .probe = "",
        .renderer = "",
        .files = items,
        .file_count = file_count,
    };
    struct blob saved;
    struct error err;
    if (record_save(&record, &saved, &err) < 0)
        abort();
    return saved;
}

/* Writes it, too. `files` is a list that ends in NULL, sorted. */
static inline void recorded_page(const char *folder, const char *name, const char *job, uint32_t page,
                                 uint32_t page_count, const char *const *files)
{
    size_t count = 0;
    while (files[count])
        count++;
    struct blob saved = recorded_blob(folder, name, job, page, page_count, files, count);
    free(temp_folder_write(folder, name, saved.data, saved.size));
    blob_release(&saved);
}

#endif
