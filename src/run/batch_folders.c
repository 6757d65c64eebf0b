#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "run/batch_state.h"
#include "out/leftovers.h"

/* On failure errno says why. */
static bool is_writable(const char *folder)
{
    return access(folder, W_OK | X_OK) == 0;
}

static int make_folder(const char *folder, bool durable, struct error *err)
{
    bool is_new = access(folder, F_OK) < 0;
    if (file_make_folders(folder, err) < 0)
        return -1;
    return is_new && durable ? file_sync_folders(folder, NULL, err) : 0;
}

/* Those of the jobs that may be written to, each once and sorted, so that two runs never wait for each other. */
static int make_folders(const struct batch *batch, struct strings *folders, struct error *err)
{
    for (size_t i = 0; i < batch->job_count; i++) {
        const struct job_list *list = batch->jobs[i].list;
        if (i > 0 && list == batch->jobs[i - 1].list)
            continue;
        if (make_folder(list->output, batch->durable, err) < 0)
            return -1;
        if (!is_writable(list->output))
            continue;
        char *folder = path_resolve(list->output);
        if (!strings_has(folders, folder))
            strings_add(folders, folder);
        free(folder);
    }
    strings_sort(folders);
    return 0;
}

static enum batch_end end_of_lock(enum lock_end end)
{
    switch (end) {
    case LOCK_BUSY:
        return BATCH_LOCKED;
    case LOCK_INTERRUPTED:
        return BATCH_INTERRUPTED;
    case LOCK_FAILED:
        return BATCH_NO_OUTPUT;
    case LOCK_HELD:
        break;
    }
    return BATCH_DONE;
}

static enum batch_end lock_folder(struct batch *batch, const char *folder, const struct lock_settings *settings,
                                  int *signal_number, struct error *err)
{
    struct lock *lock = &batch->folders->locks[batch->folders->count];
    enum lock_end end = lock_take(folder, settings, lock, signal_number, err);
    if (end != LOCK_HELD)
        return end_of_lock(end);
    batch->folders->count++;
    if (lock->is_alone)
        leftovers_remove(folder);
    lock_let_in(lock);
    return BATCH_DONE;
}

enum batch_end batch_open_folders(struct batch *batch, const struct batch_settings *settings, int *signal_number,
                                  struct error *err)
{
    struct strings folders = {0};
    const struct lock_settings lock = {
        .is_shard = settings->shard.count > 0,
        .wait = settings->lock == LOCK_WAIT,
        .waiting = settings->waiting,
    };
    enum batch_end end = make_folders(batch, &folders, err) < 0 ? BATCH_NO_OUTPUT : BATCH_DONE;
    batch->folders = must_alloc(1, sizeof *batch->folders);
    batch->folders->locks = must_alloc(folders.count, sizeof *batch->folders->locks);
    for (size_t i = 0; i < folders.count && end == BATCH_DONE && settings->lock != LOCK_OFF; i++)
        end = lock_folder(batch, folders.items[i], &lock, signal_number, err);
    if (end != BATCH_DONE) {
        batch_leave_folders(batch->folders);
        batch->folders = NULL;
    }
    strings_release(&folders);
    return end;
}

/* Before anything is drawn: else each sheet would be, only to fail with the same message. */
int batch_check_folders(const struct batch *batch, struct error *err)
{
    const struct job_list *checked = NULL;
    for (size_t i = 0; i < batch->job_count; i++) {
        const struct job_list *list = batch->jobs[i].list;
        if (list == checked || !selection_has_job(batch->selection, i))
            continue;
        if (!is_writable(list->output))
            return error_set(err, "%s: %s", list->output, strerror(errno));
        checked = list;
    }
    return 0;
}

int *batch_lock_files(const struct batch_folders *folders)
{
    int *files = must_alloc(folders->count, sizeof *files);
    for (size_t i = 0; i < folders->count; i++)
        files[i] = folders->locks[i].fd;
    return files;
}

void batch_leave_folders(struct batch_folders *folders)
{
    if (!folders)
        return;
    for (size_t i = 0; i < folders->count; i++)
        lock_release(&folders->locks[i]);
    free(folders->locks);
    free(folders);
}
