#include "out/leftovers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "fresh/output_tree.h"
#include "fresh/record.h"
#include "sheet/metadata.h"

/* Workers in different containers that share the output may have one process number. */
static uint32_t random_number(void)
{
    uint32_t number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        number = (uint32_t)time(NULL);
    return number;
}

char *leftovers_name(const char *folder, const char *name)
{
    return must_printf("%s/.%s.%ld-%08x.tmp", folder, name, (long)getpid(), random_number());
}

/* -- Names ------------------------------------------------------------------------------------------------- */

/* The length of NAME in ".NAME.PID-RANDOM.tmp", or 0. */
static size_t name_length(const char *name)
{
    static const char pattern[] = "-########.tmp"; /* '#' is a hexadecimal digit */
    size_t tail = sizeof pattern - 1, length = strlen(name);
    if (name[0] != '.' || length <= tail)
        return 0;
    size_t at = length - tail;
    for (size_t i = 0; i < tail; i++)
        if (pattern[i] == '#' ? !isxdigit((unsigned char)name[at + i]) : name[at + i] != pattern[i])
            return 0;
    size_t digits = 0;
    while (at > 1 && isdigit((unsigned char)name[at - 1]))
        at--, digits++;
    return digits > 0 && at > 2 && name[at - 1] == '.' ? at - 2 : 0;
}

/* Of ".NAME.PID-RANDOM.tmp", NAME. NULL where it is no such name; the caller frees it. */
static char *final_name(const char *name)
{
    size_t length = name_length(name);
    return length ? must_printf("%.*s", (int)length, name + 1) : NULL;
}

bool leftovers_has(const char *name)
{
    char *final = final_name(name);
    bool result = final && final[0] != '.' && metadata_is_output(final);
    free(final);
    return result;
}

/* -- Removing them ----------------------------------------------------------------------------------------- */

/* Files of a page that has another record now, or none. */
static void remove_listed(const char *folder, const struct record *old, const struct record *now)
{
    struct error err;
    for (size_t i = 0; i < old->file_count; i++) {
        const struct record_file *file = &old->files[i];
        if ((now && recorded_has(now, file->name)) || recorded_check(folder, file, &err) != RECORDED_SAME)
            continue;
        char *path = path_join(folder, file->name);
        unlink(path);
        free(path);
    }
}

static void remove_described(const char *path, const char *final)
{
    struct record old, now;
    struct error err;
    if (recorded_load(path, &old, &err) != RECORD_GOOD)
        return;
    char *folder = path_folder(path), *final_path = path_join(folder, final);
    bool is_described = recorded_load(final_path, &now, &err) == RECORD_GOOD;
    remove_listed(folder, &old, is_described ? &now : NULL);
    if (is_described)
        record_release(&now);
    record_release(&old);
    free(final_path);
    free(folder);
}

void leftovers_remove_one(const char *path)
{
    char *final = final_name(path_base(path));
    if (final && output_tree_is_record(final))
        remove_described(path, final);
    free(final);
    unlink(path);
}

void leftovers_remove(const char *folder)
{
    struct strings paths = {0};
    output_tree_find(folder, leftovers_has, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        char *path = path_join(folder, paths.items[i]), *below = path_folder(paths.items[i]);
        leftovers_remove_one(path);
        if (strcmp(below, "."))
            output_tree_remove_empty(folder, below);
        free(below);
        free(path);
    }
    strings_release(&paths);
}
