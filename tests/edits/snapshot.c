#include "snapshot.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "tree.h"

enum { MOST_BYTES = 1 << 24 };

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct snapshot_file *)a)->name, ((const struct snapshot_file *)b)->name);
}

static void add(struct snapshot *snapshot, const char *folder, const FTSENT *entry)
{
    struct error err;
    struct blob blob;
    if (file_read(entry->fts_path, MOST_BYTES, &blob, &err) < 0)
        fail("%s", err.text);
    snapshot->files = must_grow(snapshot->files, snapshot->count, &snapshot->capacity, sizeof *snapshot->files);
    struct snapshot_file *file = &snapshot->files[snapshot->count++];
    *file = (struct snapshot_file){.name = must_strdup(entry->fts_path + strlen(folder) + 1),
                                   .inode = entry->fts_statp->st_ino,
                                   .changed = entry->fts_statp->st_mtim};
    hash_bytes(blob_bytes(&blob), file->hash);
    blob_release(&blob);
}

void snapshot_take(const char *folder, struct snapshot *out)
{
    char *const folders[] = {(char *)folder, NULL};
    FTS *tree = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    *out = (struct snapshot){0};
    for (FTSENT *entry; (entry = fts_read(tree));)
        if (entry->fts_info == FTS_F && strcmp(entry->fts_name, ".sheetbake.lock"))
            add(out, folder, entry);
    fts_close(tree);
    if (out->count)
        qsort(out->files, out->count, sizeof *out->files, compare);
}

const struct snapshot_file *snapshot_find(const struct snapshot *snapshot, const char *name)
{
    const struct snapshot_file key = {.name = (char *)name};
    return snapshot->count ? bsearch(&key, snapshot->files, snapshot->count, sizeof key, compare) : NULL;
}

void snapshot_release(struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->count; i++)
        free(snapshot->files[i].name);
    free(snapshot->files);
    *snapshot = (struct snapshot){0};
}
