#include "page/write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "page/folder.h"
#include "page/record.h"
#include "page/metadata.h"

void page_files_release(struct page_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        blob_release(&files->items[i].blob);
        free(files->items[i].name);
    }
    *files = (struct page_files){0};
}

/* A file of a page, between its temporary name and its final one. */
struct output {
    const struct page_file *file;
    char *path, *folder;
    char *temporary; /* NULL until it is staged */
    bool is_same;    /* what lies there has these bytes already */
};

/* The files of a page, in the order in which they get their names. */
struct outputs {
    struct output items[PAGE_MOST_FILES];
    size_t count, picture_count;
    struct strings stale; /* paths of files of an earlier run that the page no longer has */
    char *old_record;     /* the temporary name under which its record waits for them to be gone, or NULL */
};

static void release_outputs(struct outputs *outputs, bool are_done)
{
    if (!are_done && outputs->old_record)
        leftovers_remove_one(outputs->old_record);
    strings_release(&outputs->stale);
    free(outputs->old_record);
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->items[i];
        if (!are_done && output->temporary)
            unlink(output->temporary);
        free(output->path);
        free(output->folder);
        free(output->temporary);
    }
}

/* Marks the files that lie there already; false when all of them do. Metadata is the same only where all pictures
 * are, and the record only where all files are. */
static bool compare_outputs(struct outputs *outputs)
{
    bool all_same = true, pictures_same = true;
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->items[i];
        bool is_record = i + 1 == outputs->count;
        if (i == outputs->picture_count)
            pictures_same = all_same;
        output->is_same =
            pictures_same && (all_same || !is_record) && file_has(output->path, blob_bytes(&output->file->blob));
        all_same = all_same && output->is_same;
    }
    return !all_same;
}

static struct output *record_of(struct outputs *outputs)
{
    return &outputs->items[outputs->count - 1];
}

/* Files of passes and metadata that the job no longer asks for. They are ours only while they are as the record
 * says. */
static void find_stale(struct outputs *outputs)
{
    const struct output *old = record_of(outputs);
    struct record record;
    struct error err;
    if (recorded_load(old->path, old->path, &record, &err) != RECORD_GOOD)
        return;
    for (size_t i = 0; i < record.file_count; i++) {
        const struct record_file *file = &record.files[i];
        bool is_here = false;
        for (size_t o = 0; o < outputs->count; o++)
            is_here |= !strcmp(path_base(outputs->items[o].path), file->name);
        if (is_here || recorded_check(old->folder, file, &err) != RECORDED_SAME)
            continue;
        char *path = path_join(old->folder, file->name);
        strings_add(&outputs->stale, path);
        free(path);
    }
    record_release(&record);
}

/* -- Staging ----------------------------------------------------------------------------------------------- */

/* A temporary name, which is added to the note, or NULL. */
static char *name_temporary(struct page_writer *writer, const struct output *output, struct error *err)
{
    char *name = leftovers_name(output->folder, path_base(output->path));
    size_t size = strlen(name) + 1;
    if (size + 1 > writer->note_size - writer->note_used) {
        error_set(err, "%s: this path is too long", output->path);
        free(name);
        return NULL;
    }
    memcpy(writer->note + writer->note_used, name, size);
    writer->note_used += size;
    return name;
}

static int stage_output(struct page_writer *writer, struct output *output, struct error *err)
{
    output->temporary = name_temporary(writer, output, err);
    if (!output->temporary)
        return -1;
    bool is_new = access(output->folder, F_OK) < 0;
    if (file_make_folders(output->folder, err) < 0 ||
        (is_new && writer->durable && file_sync_folders(output->folder, writer->folder, err) < 0) ||
        file_stage(output->path, output->temporary, blob_bytes(&output->file->blob), err) < 0)
        return -1;
    return writer->durable ? file_sync(output->temporary, err) : 0;
}

/* -- Giving the files their names -------------------------------------------------------------------------- */

/* The files of one page are in one folder. */
static int sync_folder(const struct page_writer *writer, const struct outputs *outputs, struct error *err)
{
    return writer->durable ? file_sync(outputs->items[0].folder, err) : 0;
}

/* The record of the earlier run goes first, then its metadata, before any picture changes. Where there are stale
 * files the record is renamed instead: it alone proves that they are ours. */
static int remove_descriptions(struct page_writer *writer, struct outputs *outputs, struct error *err)
{
    if (outputs->stale.count) {
        outputs->old_record = name_temporary(writer, record_of(outputs), err);
        if (!outputs->old_record)
            return -1;
    }
    for (size_t i = outputs->count; i-- > outputs->picture_count;) {
        const struct output *output = &outputs->items[i];
        bool is_kept = outputs->old_record && output == record_of(outputs);
        if (output->is_same)
            continue;
        if ((is_kept ? rename(output->path, outputs->old_record) : unlink(output->path)) < 0 && errno != ENOENT)
            return error_set(err, "%s: cannot remove the file of an earlier run: %s", output->path,
                             strerror(errno));
    }
    return sync_folder(writer, outputs, err);
}

static int remove_stale(const struct outputs *outputs, struct error *err)
{
    for (size_t i = 0; i < outputs->stale.count; i++)
        if (unlink(outputs->stale.items[i]) < 0 && errno != ENOENT)
            return error_set(err,
                             "%s: cannot remove this file of an earlier run, which the page no longer has: %s",
                             outputs->stale.items[i], strerror(errno));
    if (outputs->old_record)
        unlink(outputs->old_record);
    return 0;
}

/* Where the record alone changes it can simply be replaced. */
static int replace_outputs(struct page_writer *writer, struct outputs *outputs, struct strings *written,
                           struct error *err)
{
    bool only_record = outputs->stale.count == 0;
    for (size_t i = 0; i + 1 < outputs->count; i++)
        only_record &= outputs->items[i].is_same;
    if ((!only_record && remove_descriptions(writer, outputs, err) < 0) || remove_stale(outputs, err) < 0)
        return -1;
    for (size_t i = 0; i < outputs->count; i++) {
        const struct output *output = &outputs->items[i];
        if (output->is_same)
            continue;
        if (file_commit(output->path, output->temporary, err) < 0)
            return -1;
        strings_add(written, output->file->name);
    }
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->items[i].is_same)
            strings_add(written, outputs->items[i].file->name);
    return sync_folder(writer, outputs, err);
}

static int write_changed(struct page_writer *writer, struct outputs *outputs, struct strings *written,
                         struct error *err)
{
    find_stale(outputs);
    for (size_t i = 0; i < outputs->count; i++)
        if (!outputs->items[i].is_same && stage_output(writer, &outputs->items[i], err) < 0)
            return -1;
    if (writer->hold && writer->hold(writer->hold_context, true, err) < 0)
        return -1;
    int result = replace_outputs(writer, outputs, written, err);
    struct error unused;
    if (writer->hold && !writer->is_last)
        writer->hold(writer->hold_context, false, &unused);
    return result;
}

int page_write(struct page_writer *writer, const struct page_files *files, struct strings *written,
               struct error *err)
{
    struct outputs outputs = {.count = files->count, .picture_count = files->picture_count};
    for (size_t i = 0; i < files->count; i++) {
        struct output *output = &outputs.items[i];
        output->file = &files->items[i];
        output->path = path_join(writer->folder, output->file->name);
        output->folder = path_folder(output->path);
    }
    int result = compare_outputs(&outputs) ? write_changed(writer, &outputs, written, err) : 0;
    release_outputs(&outputs, result == 0);
    memset(writer->note, 0, writer->note_used);
    writer->note_used = 0;
    return result;
}

static void unwrite(const struct page_writer *writer, const struct strings *written, bool are_pictures)
{
    for (size_t i = written->count; i-- > 0;) {
        char *path = path_join(writer->folder, written->items[i]);
        if (metadata_is_picture(path) == are_pictures)
            unlink(path);
        free(path);
    }
}

/* Records and metadata first, then pictures: a kill may come in between. */
void page_unwrite(const struct page_writer *writer, const struct strings *written)
{
    unwrite(writer, written, false);
    unwrite(writer, written, true);
}
