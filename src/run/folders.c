#include "run/folders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "page/folder.h"

/* On failure errno says why. */
static bool is_writable(const char *folder)
{
    return access(folder, W_OK | X_OK) == 0;
}

/* Makes the folders of the lists. Gives those that may be written to, each once and sorted, so that two runs never
 * wait for each other. */
static int make_folders(const struct wanted *wanted, bool durable, struct strings *folders, struct error *err)
{
    for (size_t i = 0; i < wanted->list_count; i++) {
        const char *output = wanted->lists[i]->output;
        bool is_new = access(output, F_OK) < 0;
        if (file_make_folders(output, err) < 0 || (is_new && durable && file_sync_folders(output, NULL, err) < 0))
            return -1;
        if (!is_writable(output))
            continue;
        char *folder = path_resolve(output);
        if (!strings_has(folders, folder))
            strings_add(folders, folder);
        free(folder);
    }
    strings_sort(folders);
    return 0;
}

enum lock_end folders_open(const struct wanted *wanted, const struct lock_settings *lock, bool durable,
                           struct folders **out, int *signal_number, struct error *err)
{
    struct strings paths = {0};
    enum lock_end end = make_folders(wanted, durable, &paths, err) < 0 ? LOCK_FAILED : LOCK_HELD;
    struct folders *folders = must_alloc(1, sizeof *folders);
    folders->locks = must_alloc(paths.count, sizeof *folders->locks);
    for (size_t i = 0; lock && i < paths.count && end == LOCK_HELD; i++) {
        struct lock *held = &folders->locks[folders->count];
        end = lock_take(paths.items[i], lock, held, signal_number, err);
        if (end != LOCK_HELD)
            break;
        folders->count++;
        if (held->is_alone)
            leftovers_remove(paths.items[i]);
        lock_let_in(held);
    }
    if (end == LOCK_HELD)
        *out = folders;
    else
        folders_leave(folders);
    strings_release(&paths);
    return end;
}

/* Before anything is drawn: else each sheet would be, only to fail with the same message. */
int folders_check(const struct wanted *wanted, struct error *err)
{
    const struct job_list *checked = NULL;
    for (size_t i = 0; i < wanted->job_count; i++) {
        const struct job_list *list = wanted->jobs[i].list;
        if (list == checked || !selection_has_job(wanted->selection, i))
            continue;
        if (!is_writable(list->output))
            return error_set(err, "%s: %s", list->output, strerror(errno));
        checked = list;
    }
    return 0;
}

void folders_leave(struct folders *folders)
{
    if (!folders)
        return;
    for (size_t i = 0; i < folders->count; i++)
        lock_release(&folders->locks[i]);
    free(folders->locks);
    free(folders);
}
