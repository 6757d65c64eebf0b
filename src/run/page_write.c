#include "run/page_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* A file of a page, between its temporary name and its final one. */
struct output {
    const struct page_file *file;
    char *path, *folder;
    char *temporary; /* NULL until it is staged */
    bool is_same;    /* what lies there has these bytes already */
};

/* The files of a page, in the order in which they get their names. */
struct outputs {
    struct output items[PASS_COUNT + METADATA_COUNT];
    size_t count, picture_count;
};

/* Its JSON comes last: it says of all others what they hold. */
static void list_outputs(const struct page_writer *writer, const struct page_files *files, struct outputs *outputs)
{
    size_t json = files->picture_count;
    *outputs = (struct outputs){.picture_count = files->picture_count};
    for (size_t i = 0; i <= files->count; i++) {
        if (i == json)
            continue;
        const struct page_file *file = &files->items[i < files->count ? i : json];
        struct output *output = &outputs->items[outputs->count++];
        output->file = file;
        output->path = path_join(writer->folder, file->name);
        output->folder = path_folder(output->path);
    }
}

static void release_outputs(struct outputs *outputs, bool are_done)
{
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->items[i];
        if (!are_done && output->temporary)
            unlink(output->temporary);
        free(output->path);
        free(output->folder);
        free(output->temporary);
    }
}

/* Finds what lies there already; false when all of it does. The JSON is written with whatever else is. */
static bool compare_outputs(struct outputs *outputs)
{
    bool all_same = true;
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->items[i];
        bool is_json = i + 1 == outputs->count;
        output->is_same = (all_same || !is_json) && file_has(output->path, blob_bytes(&output->file->blob));
        all_same = all_same && output->is_same;
    }
    return !all_same;
}

/* -- Staging ----------------------------------------------------------------------------------------------- */

/* Workers in different containers that share the output may have one process number. */
static uint32_t random_number(void)
{
    uint32_t number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        number = (uint32_t)time(NULL);
    return number;
}

/* Puts the name at the end of the note. */
static int note_temporary(struct page_writer *writer, const char *temporary)
{
    size_t size = strlen(temporary) + 1;
    if (size + 1 > writer->note_size - writer->note_used)
        return -1;
    memcpy(writer->note + writer->note_used, temporary, size);
    writer->note_used += size;
    return 0;
}

static void clear_note(struct page_writer *writer)
{
    memset(writer->note, 0, writer->note_used);
    writer->note_used = 0;
}

static int make_folder(const struct page_writer *writer, const char *folder, struct error *err)
{
    bool is_new = access(folder, F_OK) < 0;
    if (file_make_folders(folder, err) < 0)
        return -1;
    return is_new && writer->durable ? file_sync_folders(folder, err) : 0;
}

static int stage_output(struct page_writer *writer, struct output *output, struct error *err)
{
    if (output->is_same)
        return 0;
    output->temporary = must_printf("%s/.%s.%ld-%08x.tmp", output->folder, path_base(output->path), (long)getpid(),
                                    random_number());
    if (note_temporary(writer, output->temporary) < 0)
        return error_set(err, "%s: this path is too long", output->path);
    if (make_folder(writer, output->folder, err) < 0 ||
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

/* What describes the page of an earlier run goes before its pictures do: whenever this process is killed, no
 * description is of a picture that it was not made with. */
static int remove_descriptions(const struct page_writer *writer, const struct outputs *outputs, struct error *err)
{
    bool any = false;
    for (size_t i = outputs->picture_count; i < outputs->count; i++) {
        const struct output *output = &outputs->items[i];
        if (output->is_same)
            continue;
        if (unlink(output->path) == 0)
            any = true;
        else if (errno != ENOENT)
            return error_set(err, "%s: cannot remove the file of an earlier run: %s", output->path,
                             strerror(errno));
    }
    return any ? sync_folder(writer, outputs, err) : 0;
}

/* Where the JSON alone changes it can simply be replaced. */
static bool only_json_changes(const struct outputs *outputs)
{
    for (size_t i = 0; i + 1 < outputs->count; i++)
        if (!outputs->items[i].is_same)
            return false;
    return true;
}

static int commit_outputs(const struct outputs *outputs, struct strings *written, struct error *err)
{
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
    return 0;
}

static int replace_outputs(const struct page_writer *writer, const struct outputs *outputs, struct strings *written,
                           struct error *err)
{
    if (!only_json_changes(outputs) && remove_descriptions(writer, outputs, err) < 0)
        return -1;
    if (commit_outputs(outputs, written, err) < 0)
        return -1;
    return sync_folder(writer, outputs, err);
}

int page_write(struct page_writer *writer, const struct page_files *files, struct strings *written,
               struct error *err)
{
    struct outputs outputs;
    list_outputs(writer, files, &outputs);
    int result = 0;
    if (compare_outputs(&outputs)) {
        for (size_t i = 0; i < outputs.count && result == 0; i++)
            result = stage_output(writer, &outputs.items[i], err);
        if (result == 0)
            result = replace_outputs(writer, &outputs, written, err);
    }
    release_outputs(&outputs, result == 0);
    clear_note(writer);
    return result;
}

void page_unwrite(const struct page_writer *writer, const struct strings *written)
{
    for (size_t i = 0; i < written->count; i++) {
        char *path = path_join(writer->folder, written->items[i]);
        unlink(path);
        free(path);
    }
}
