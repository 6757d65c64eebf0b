#include "asset/mounts.h"

#include <errno.h>
#include <physfs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asset/archive_file.h"
#include "asset/archive_members.h"
#include "base/memory.h"

static const char *message_of(PHYSFS_ErrorCode code)
{
    const char *message = PHYSFS_getErrorByCode(code);
    return message ? message : "unknown error";
}

const char *mounts_message(void)
{
    return message_of(PHYSFS_getLastErrorCode());
}

bool mounts_is_archive(const struct root *root)
{
    return root->size != UINT64_MAX;
}

/* Where an archive holds less than it lists, PhysFS sets any of these, or none. */
const char *mounts_message_of_file(const struct root *root)
{
    PHYSFS_ErrorCode code = PHYSFS_getLastErrorCode();
    bool is_vague = code == PHYSFS_ERR_OK || code == PHYSFS_ERR_CORRUPT || code == PHYSFS_ERR_PAST_EOF;
    return mounts_is_archive(root) && is_vague ? "it was cut short, or is damaged" : message_of(code);
}

/* PhysFS wants a program name with a folder where /proc is missing, and a home folder, which a user id made up by
 * a container runtime has not. Nothing here depends on either. */
static bool start_physfs(void)
{
    static const char name[] = "./sheetbake";
    if (PHYSFS_init(name))
        return true;
    const char *home = getenv("HOME");
    char *saved = home ? must_strdup(home) : NULL;
    setenv("HOME", "/", 1);
    bool started = PHYSFS_init(name);
    if (saved)
        setenv("HOME", saved, 1);
    else
        unsetenv("HOME");
    free(saved);
    return started;
}

/* Of all that PhysFS can open only zip and Quake's pak are ours to offer; every other parser would be one more
 * to attack. */
static void keep_only_game_archives(void)
{
    for (bool removed = true; removed;) {
        removed = false;
        const PHYSFS_ArchiveInfo **types = PHYSFS_supportedArchiveTypes();
        for (size_t i = 0; types && types[i] && !removed; i++)
            if (strcmp(types[i]->extension, "ZIP") && strcmp(types[i]->extension, "PAK"))
                removed = PHYSFS_deregisterArchiver(types[i]->extension) != 0;
    }
}

/* -- Archives ---------------------------------------------------------------------------------------------- */

/* PhysFS reads archives through this: on its own it would ask the system for every few bytes of their lists, which
 * took 20 ms for a game's archive. */

static PHYSFS_sint64 io_read(struct PHYSFS_Io *io, void *out, PHYSFS_uint64 size)
{
    PHYSFS_sint64 got = archive_file_read(io->opaque, out, (size_t)size);
    if (got < 0)
        PHYSFS_setErrorCode(PHYSFS_ERR_IO);
    return got;
}

static int io_seek(struct PHYSFS_Io *io, PHYSFS_uint64 place)
{
    if (archive_file_seek(io->opaque, place))
        return 1;
    PHYSFS_setErrorCode(PHYSFS_ERR_PAST_EOF);
    return 0;
}

static PHYSFS_sint64 io_tell(struct PHYSFS_Io *io)
{
    return (PHYSFS_sint64)archive_file_place(io->opaque);
}

static PHYSFS_sint64 io_length(struct PHYSFS_Io *io)
{
    return (PHYSFS_sint64)archive_file_size(io->opaque);
}

static struct PHYSFS_Io *io_new(struct archive_file *file);

static struct PHYSFS_Io *io_duplicate(struct PHYSFS_Io *io)
{
    struct archive_file *file = archive_file_share(io->opaque);
    if (file)
        return io_new(file);
    PHYSFS_setErrorCode(PHYSFS_ERR_IO);
    return NULL;
}

static void io_destroy(struct PHYSFS_Io *io)
{
    archive_file_free(io->opaque);
    free(io);
}

static struct PHYSFS_Io *io_new(struct archive_file *file)
{
    struct PHYSFS_Io *io = must_alloc(1, sizeof *io);
    *io = (struct PHYSFS_Io){
        .opaque = file,
        .read = io_read,
        .seek = io_seek,
        .tell = io_tell,
        .length = io_length,
        .duplicate = io_duplicate,
        .destroy = io_destroy,
    };
    return io;
}

static bool mount_archive(const char *path, const char *mount_point)
{
    struct archive_file *file = archive_file_open(path);
    if (!file) {
        PHYSFS_setErrorCode(PHYSFS_ERR_IO);
        return false;
    }
    struct PHYSFS_Io *io = io_new(file);
    /* A name of its own also for an archive that is mounted already, or PhysFS would drop `io` and not free it. */
    char *name = must_printf("%s/%s", mount_point, path);
    bool mounted = PHYSFS_mountIo(io, name, mount_point, 1) != 0;
    free(name);
    if (!mounted)
        io_destroy(io);
    return mounted;
}

/* -- Roots ------------------------------------------------------------------------------------------------- */

static int mount_root(struct root *root, size_t number, struct error *err)
{
    struct stat info;
    if (stat(root->path, &info) < 0 || access(root->path, R_OK) < 0)
        return error_set(err, "assets '%s': %s", root->path, strerror(errno));
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode))
        return error_set(err, "assets '%s': neither a folder nor an archive", root->path);
    root->size = S_ISDIR(info.st_mode) ? UINT64_MAX : (uint64_t)info.st_size;
    if (S_ISREG(info.st_mode) && archive_check_members(root->path, err) < 0)
        return error_add(err, "assets '%s'", root->path);

    char mount_point[32];
    snprintf(mount_point, sizeof mount_point, "%zu", number);
    bool is_folder = S_ISDIR(info.st_mode);
    if (is_folder ? PHYSFS_mount(root->path, mount_point, 1) : mount_archive(root->path, mount_point))
        return 0;
    if (is_folder)
        return error_set(err, "assets '%s': cannot open this folder: %s", root->path, mounts_message());
    return error_set(err, "assets '%s': not a zip (pk3, pk4) or pak archive, or a damaged one: %s", root->path,
                     mounts_message());
}

static int mount_roots(struct root *roots, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (mount_root(&roots[i], i, err) < 0)
            return -1;
    return 0;
}

int mounts_open(struct root *roots, size_t count, struct error *err)
{
    if (PHYSFS_isInit())
        return error_set(err, "other assets are still open");
    if (!start_physfs())
        return error_set(err, "cannot start PhysFS: %s", mounts_message());
    PHYSFS_permitSymbolicLinks(0);
    keep_only_game_archives();
    int result = mount_roots(roots, count, err);
    if (result < 0)
        PHYSFS_deinit();
    return result;
}

void mounts_close(void)
{
    PHYSFS_deinit();
}
