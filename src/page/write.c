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
#include "page/names.h"

void page_files_release(struct page_files *files)
{
    strings_release(&files->stale);
    for (size_t i = 0; i < files->count; i++) {
        blob_release(&files->items[i].blob);
        free(files->items[i].name);
    }
    free(files->items);
    arena_release(&files->arena);
    *files = (struct page_files){0};
}

static struct page_file *record_of(struct page_files *files)
{
    return &files->items[files->count - 1];
}

/* Marks the files that are there already; false when all are. Metadata counts as there only with all pictures, and the
 * record only with all files. */
static bool compare_files(struct page_files *files)
{
    bool all_same = true, pictures_same = true;
    for (size_t i = 0; i < files->count; i++) {
        struct page_file *file = &files->items[i];
        bool is_record = i + 1 == files->count;
        if (i == files->picture_count)
            pictures_same = all_same;
        file->is_same = pictures_same && (all_same || !is_record) && file_has(file->path, blob_bytes(&file->blob));
        all_same = all_same && file->is_same;
    }
    return !all_same;
}

static const char *path_of(const struct page_writer *writer, struct page_files *files, const char *name)
{
    return arena_take(&files->arena, path_join(writer->folder, name));
}

/* Adds files of an earlier record that the page lacks. A file is ours only while it is as that record says. */
static void add_stale(struct page_files *files, const struct record *record)
{
    struct error ignored;
    for (size_t i = 0; i < record->file_count; i++) {
        const struct record_file *file = &record->files[i];
        bool is_here = false;
        for (size_t o = 0; o < files->count; o++)
            is_here |= !strcmp(files->items[o].path + strlen(files->folder) + 1, file->name);
        if (is_here || recorded_verify(files->folder, file, &ignored) != RECORDED_SAME)
            continue;
        strings_add(&files->stale, arena_take(&files->arena, path_join(files->folder, file->name)));
    }
}

/* Finds the stale files of an earlier record of the page, or of a page that the sheet no longer has (`is_gone`). Such a
 * record goes last: it proves that its files are ours; if somebody has changed one, the page stays, and --prune tells.
 * Returns whether there is a record. */
static bool find_stale_files(struct page_files *files, const char *path, bool is_gone)
{
    struct record record;
    struct error ignored;
    const enum record_kind kind = recorded_load(path, path, RECORD_OF_PAGE, &record, &ignored);
    if (kind != RECORD_GOOD)
        return kind != RECORD_NONE;
    bool is_ours = !is_gone || (!strcmp(record.list, files->list) && !strcmp(record.job, files->job));
    for (size_t i = 0; i < record.file_count && is_ours && is_gone; i++) {
        const enum recorded_state state = recorded_verify(files->folder, &record.files[i], &ignored);
        is_ours = state == RECORDED_SAME || state == RECORDED_MISSING;
    }
    if (is_ours)
        add_stale(files, &record);
    if (is_ours && is_gone)
        strings_add(&files->stale, path);
    record_release(&record);
    return true;
}

/* Returns the path of the record of a page of the sheet. */
static const char *path_of_page(const struct page_writer *writer, struct page_files *files, uint32_t page)
{
    return path_of(writer, files, arena_take(&files->arena, names_page(files->last_of, page, RECORD_SUFFIX)));
}

/* Finds files of passes and metadata that the job no longer asks for, and pages that the sheet no longer has: the last page
 * first, so that after a kill the next run finds the others. */
static void find_stale(const struct page_writer *writer, struct page_files *files)
{
    files->has_record = find_stale_files(files, record_of(files)->path, false);
    uint32_t end = files->page_count;
    while (files->last_of && access(path_of_page(writer, files, end), F_OK) == 0)
        end++;
    while (files->last_of && end-- > files->page_count)
        find_stale_files(files, path_of_page(writer, files, end), true);
}

/* -- Staging ----------------------------------------------------------------------------------------------- */

/* Returns the temporary name of a file with this end, which it adds to the note, or NULL. */
static const char *name_temporary(struct page_writer *writer, struct page_files *files, const char *path,
                                  const char *tail, struct error *err)
{
    const char *name = arena_printf(&files->arena, "%s/.%s%s", files->folder, path_base(path), tail);
    size_t size = strlen(name) + 1;
    if (size + 1 > writer->note_size - writer->note_used) {
        error_set(err, "%s: this path is too long", path);
        return NULL;
    }
    memcpy(writer->note + writer->note_used, name, size);
    writer->note_used += size;
    return name;
}

/* Frames may be thousands: one name in the note stands for all of them, by what it ends with. */
static const char *name_frame(struct page_writer *writer, struct page_files *files, const struct page_file *frame,
                              struct error *err)
{
    const char *folder = arena_take(&files->arena, path_folder(frame->path));
    if (!files->frames_temporary && file_make_folders(folder, err) == 0)
        files->frames_temporary = name_temporary(writer, files, folder, files->tail, err);
    if (!files->frames_temporary)
        return NULL;
    return arena_printf(&files->arena, "%s/.%s%s", folder, path_base(frame->path), files->tail);
}

static int stage_file(struct page_writer *writer, struct page_files *files, struct page_file *file,
                      struct error *err)
{
    file->temporary = file->is_frame ? name_frame(writer, files, file, err)
                                     : name_temporary(writer, files, file->path, files->tail, err);
    if (!file->temporary || file_stage(file->path, file->temporary, blob_bytes(&file->blob), err) < 0)
        return -1;
    return writer->durable ? file_sync(file->temporary, err) : 0;
}

/* -- Giving the files their names -------------------------------------------------------------------------- */

/* The record of the earlier run goes first, then its metadata, before any picture changes. Where there are stale
 * files the record is renamed instead: it alone proves that they are ours. */
static int remove_descriptions(struct page_writer *writer, struct page_files *files, struct error *err)
{
    if (files->stale.count) {
        const char *tail = arena_take(&files->arena, leftovers_tail());
        files->old_record = name_temporary(writer, files, record_of(files)->path, tail, err);
        if (!files->old_record)
            return -1;
    }
    for (size_t i = files->count; i-- > files->picture_count;) {
        const struct page_file *file = &files->items[i];
        bool is_kept = files->old_record && file == record_of(files);
        if (file->is_same || (file == record_of(files) && !files->has_record))
            continue;
        if ((is_kept ? rename(file->path, files->old_record) : unlink(file->path)) < 0 && errno != ENOENT)
            return error_set(err, "%s: cannot remove the file of an earlier run: %s", file->path, strerror(errno));
    }
    return writer->durable ? file_sync(files->folder, err) : 0;
}

/* Replaces the files. Where the record alone changes, nothing is removed before. */
static int replace_files(struct page_writer *writer, struct page_files *files, struct strings *written,
                         struct error *err)
{
    bool only_record = files->stale.count == 0;
    for (size_t i = 0; i + 1 < files->count; i++)
        only_record &= files->items[i].is_same;
    if (!only_record && remove_descriptions(writer, files, err) < 0)
        return -1;
    for (size_t i = 0; i < files->stale.count; i++) {
        if (unlink(files->stale.items[i]) < 0 && errno != ENOENT)
            return error_set(err,
                             "%s: cannot remove this file of an earlier run, which the page no longer has: %s",
                             files->stale.items[i], strerror(errno));
        const char *folder = arena_take(&files->arena, path_folder(files->stale.items[i]));
        if (strcmp(folder, files->folder))
            rmdir(folder); /* of frames, where that was the last */
    }
    if (files->old_record)
        unlink(files->old_record);
    for (size_t i = 0; i < files->count; i++) {
        const struct page_file *file = &files->items[i];
        if (file->is_same)
            continue;
        if (file_commit(file->path, file->temporary, err) < 0)
            return -1;
        strings_add(written, file->name);
    }
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].is_same)
            strings_add(written, files->items[i].name);
    return writer->durable ? file_sync(files->folder, err) : 0;
}

static int write_changed(struct page_writer *writer, struct page_files *files, struct strings *written,
                         struct error *err)
{
    find_stale(writer, files);
    const bool is_to_sync = writer->durable && access(files->folder, F_OK) < 0;
    if (file_make_folders(files->folder, err) < 0 ||
        (is_to_sync && file_sync_folders(files->folder, writer->folder, err) < 0))
        return -1;
    files->tail = arena_take(&files->arena, leftovers_tail());
    for (size_t i = 0; i < files->count; i++)
        if (!files->items[i].is_same && stage_file(writer, files, &files->items[i], err) < 0)
            return -1;
    if (writer->hold)
        writer->hold(writer->hold_context, true);
    int result = replace_files(writer, files, written, err);
    if (writer->hold && !writer->is_last)
        writer->hold(writer->hold_context, false);
    return result;
}

int page_write(struct page_writer *writer, struct page_files *files, struct strings *written, struct error *err)
{
    for (size_t i = 0; i < files->count; i++)
        files->items[i].path = path_of(writer, files, files->items[i].name);
    files->folder = arena_take(&files->arena, path_folder(files->items[0].path));
    int result = 0;
    for (size_t i = 0; i < files->count && result == 0; i++)
        if (files->items[i].is_frame)
            result = file_refuse_link(arena_take(&files->arena, path_folder(files->items[i].path)), err);
    if (result == 0 && compare_files(files))
        result = write_changed(writer, files, written, err);
    for (size_t i = 0; i < files->count && result < 0; i++)
        if (files->items[i].temporary)
            unlink(files->items[i].temporary);
    if (files->frames_temporary)
        leftovers_remove_one(files->frames_temporary);
    if (result < 0 && files->old_record)
        leftovers_remove_one(files->old_record);
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
