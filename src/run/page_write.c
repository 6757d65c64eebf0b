#include "run/page_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* Workers in different containers that share the output may have one process number. */
static uint32_t random_number(void)
{
    uint32_t number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        number = (uint32_t)time(NULL);
    return number;
}

/* A file of a page, between its temporary name and its final one. */
struct output {
    char *path, *temporary;
};

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

/* Writes under a temporary name in the same folder: ".NAME.PID-RANDOM.tmp", known to the supervisor by the note. */
static int stage_output(struct page_writer *writer, const struct page_file *file, struct output *output,
                        struct error *err)
{
    output->path = path_join(writer->folder, file->name);
    char *folder = path_folder(output->path);
    output->temporary = must_printf("%s/.%s.%ld-%08x.tmp", folder, path_base(output->path), (long)getpid(),
                                    random_number());
    int result;
    if (note_temporary(writer, output->temporary) < 0)
        result = error_set(err, "%s: this path is too long", output->path);
    else if ((result = file_make_folders(folder, err)) == 0)
        result = file_stage(output->path, output->temporary, blob_bytes(&file->blob), err);
    free(folder);
    return result;
}

/* What describes the page of an earlier run goes before its pictures do: whenever this process is killed, no
 * description is of a picture that it was not made with. */
static int remove_descriptions(const struct output *outputs, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (unlink(outputs[i].path) < 0 && errno != ENOENT)
            return error_set(err, "%s: cannot remove the file of an earlier run: %s", outputs[i].path,
                             strerror(errno));
    return 0;
}

static void release_outputs(struct output *outputs, size_t count, bool are_done)
{
    for (size_t i = 0; i < count; i++) {
        if (!are_done && outputs[i].temporary)
            unlink(outputs[i].temporary);
        free(outputs[i].path);
        free(outputs[i].temporary);
    }
}

int page_write(struct page_writer *writer, const struct page_files *files, struct strings *written,
               struct error *err)
{
    struct output outputs[sizeof files->items / sizeof *files->items] = {{0}};
    int result = 0;
    for (size_t i = 0; i < files->count && result == 0; i++)
        result = stage_output(writer, &files->items[i], &outputs[i], err);
    if (result == 0)
        result = remove_descriptions(outputs + files->picture_count, files->count - files->picture_count, err);
    for (size_t i = 0; i < files->count && result == 0; i++) {
        result = file_commit(outputs[i].path, outputs[i].temporary, err);
        if (result == 0)
            strings_add(written, files->items[i].name);
    }
    release_outputs(outputs, files->count, result == 0);
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
