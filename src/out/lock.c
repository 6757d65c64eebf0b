#include "out/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/printable.h"
#include "os/signals.h"

/* Bytes of the file, as far as locks go, which have nothing to do with what it holds. */
enum {
    BYTE_FOLDER = 0, /* exclusive: all of it; shared: a shard */
    BYTE_SHARD = 0,  /* plus the shard's number, from 1: exclusive */
    /* exclusive for the moment in which a run takes its locks, and removes what dead ones left */
    BYTE_GATE = 1 << 20,
    BYTE_COUNT = 1 << 21, /* plus the number of shards: shared */
};

/* What the file holds: a line of text for each run, the shard's number times this from its start. */
enum { SLOT_SIZE = 256 };

static const double POLL_S = 0.1, GATE_POLL_S = 0.01;

/* How often a file is opened anew that was no longer the folder's when it was locked. */
enum { OPEN_ATTEMPTS = 5 };

/* A run that leaves waits for the gate so many times GATE_POLL_S: others have it for moments, unless they hang. */
enum { LEAVE_ATTEMPTS = 1000 };

struct lock {
    int fd;
    uint32_t shard; /* 0: all of it */
    bool has_gate;
};

/* -- Bytes ------------------------------------------------------------------------------------------------- */

static int set_bytes(int fd, short type, off_t first, off_t count)
{
    struct flock bytes = {.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    int result;
    do {
        result = fcntl(fd, F_OFD_SETLK, &bytes);
    } while (result < 0 && errno == EINTR);
    return result;
}

/* The first byte that another run has locked so that we could not lock it in this way, or -1. */
static off_t find_conflict(int fd, short type, off_t first, off_t count)
{
    struct flock bytes = {.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    if (fcntl(fd, F_OFD_GETLK, &bytes) < 0 || bytes.l_type == F_UNLCK)
        return -1;
    return bytes.l_start > first ? bytes.l_start : first;
}

static bool is_conflict(int reason)
{
    return reason == EAGAIN || reason == EACCES;
}

/* -- Who has it -------------------------------------------------------------------------------------------- */

static void write_slot(const struct lock *lock, const char *text)
{
    char slot[SLOT_SIZE] = "";
    size_t length = strnlen(text, sizeof slot);
    memcpy(slot, text, length);
    /* Only for people: nothing depends on it. */
    if (pwrite(lock->fd, slot, lock->shard ? sizeof slot : length, (off_t)lock->shard * SLOT_SIZE) < 0)
        return;
}

static void sign(const struct lock *lock, const struct shard *shard)
{
    char host[128] = "?", since[32] = "?";
    gethostname(host, sizeof host - 1);
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", &utc);
    char *which = lock->shard ? must_printf("shard %u/%u, ", shard->number, shard->count) : must_strdup("");
    char *text = must_printf("%sprocess %ld on %s, since %s\n", which, (long)getpid(), host, since);
    if (!lock->shard && ftruncate(lock->fd, 0) < 0)
        text[0] = '\0';
    write_slot(lock, text);
    free(text);
    free(which);
}

static char *read_slot(int fd, off_t shard)
{
    char slot[SLOT_SIZE + 1] = "";
    ssize_t size = pread(fd, slot, SLOT_SIZE, shard * SLOT_SIZE);
    slot[size < 0 ? 0 : size] = '\0';
    slot[strcspn(slot, "\n")] = '\0';
    printable_mask(slot);
    return must_strdup(slot[0] ? slot : "another run");
}

/* A run that is in the way of this shard, or of one of everything (0); NULL when none is. */
static char *describe_holder(int fd, uint32_t shard)
{
    off_t found = shard ? find_conflict(fd, F_WRLCK, BYTE_SHARD + (off_t)shard, 1) : -1;
    if (found < 0)
        found = find_conflict(fd, F_WRLCK, BYTE_SHARD + 1, SHARD_MAX);
    if (found < 0)
        found = find_conflict(fd, F_WRLCK, BYTE_FOLDER, 1);
    return found < 0 ? NULL : read_slot(fd, found);
}

char *lock_holder(const char *folder)
{
    char *path = path_join(folder, LOCK_FILE);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    free(path);
    if (fd < 0)
        return NULL;
    char *holder = describe_holder(fd, 0);
    close(fd);
    return holder;
}

/* -- Taking it --------------------------------------------------------------------------------------------- */

/* 0, or -1 with errno. Nothing else is taken or tested while one has the gate. */
static int take_all(const struct lock *lock, const struct shard *shard)
{
    if (!lock->shard)
        return set_bytes(lock->fd, F_WRLCK, BYTE_FOLDER, 1);
    off_t count = BYTE_COUNT + (off_t)shard->count;
    errno = EAGAIN;
    if (find_conflict(lock->fd, F_WRLCK, BYTE_COUNT, count - BYTE_COUNT) >= 0 ||
        find_conflict(lock->fd, F_WRLCK, count + 1, BYTE_COUNT + SHARD_MAX - count) >= 0)
        return -1;
    return set_bytes(lock->fd, F_RDLCK, BYTE_FOLDER, 1) < 0 || set_bytes(lock->fd, F_RDLCK, count, 1) < 0
               ? -1
               : set_bytes(lock->fd, F_WRLCK, BYTE_SHARD + (off_t)shard->number, 1);
}

enum attempt { ATTEMPT_DONE, ATTEMPT_GATE, ATTEMPT_BUSY, ATTEMPT_FAILED };

/* On ATTEMPT_BUSY *holder says who has it. On failure errno says why. */
static enum attempt attempt(struct lock *lock, const struct shard *shard, char **holder)
{
    if (set_bytes(lock->fd, F_WRLCK, BYTE_GATE, 1) < 0)
        return is_conflict(errno) ? ATTEMPT_GATE : ATTEMPT_FAILED;
    if (take_all(lock, shard) == 0) {
        lock->has_gate = true;
        return ATTEMPT_DONE;
    }
    int reason = errno;
    if (is_conflict(reason) && !*holder) {
        *holder = describe_holder(lock->fd, lock->shard);
        if (!*holder)
            *holder = must_strdup("another run");
    }
    set_bytes(lock->fd, F_UNLCK, 0, 0);
    errno = reason;
    return is_conflict(reason) ? ATTEMPT_BUSY : ATTEMPT_FAILED;
}

/* The number of the signal that came, or 0. */
static int sleep_or_signal(double seconds)
{
    struct pollfd signals = {.fd = signals_fd(), .events = POLLIN};
    poll(&signals, 1, (int)(seconds * 1000));
    return signals_first();
}

/* What is to be done after an attempt that did not succeed: true when it is to wait, else *end says how it ended.
 */
static bool may_wait(const struct lock_settings *settings, const char *folder, enum attempt result,
                     const char *holder, enum lock_end *end, struct error *err)
{
    if (result == ATTEMPT_FAILED) {
        error_set(err, "%s/%s: cannot lock this file: %s (--lock off does without)", folder, LOCK_FILE,
                  strerror(errno));
        *end = LOCK_FAILED;
        return false;
    }
    if (result == ATTEMPT_BUSY && !settings->wait) {
        error_set(err, "%s: another run is at work in this folder: %s", folder, holder);
        *end = LOCK_BUSY;
        return false;
    }
    return true;
}

static void tell_waiting(const struct lock_settings *settings, const char *folder, const char *holder)
{
    char *text = must_printf("%s: waiting for another run to leave this folder: %s", folder, holder);
    settings->waiting(settings->context, text);
    free(text);
}

static enum lock_end wait_for_it(struct lock *lock, const char *folder, const struct lock_settings *settings,
                                 int *signal_number, struct error *err)
{
    char *holder = NULL;
    enum lock_end end = LOCK_HELD;
    enum attempt result;
    bool was_told = false;
    while ((result = attempt(lock, &settings->shard, &holder)) != ATTEMPT_DONE) {
        if (!may_wait(settings, folder, result, holder, &end, err))
            break;
        if (result == ATTEMPT_BUSY && !was_told) {
            tell_waiting(settings, folder, holder);
            was_told = true;
        }
        *signal_number = sleep_or_signal(result == ATTEMPT_GATE ? GATE_POLL_S : POLL_S);
        if (*signal_number) {
            end = LOCK_INTERRUPTED;
            break;
        }
    }
    free(holder);
    return end;
}

static int open_file(const char *folder, struct error *err)
{
    char *path = path_join(folder, LOCK_FILE);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        error_set(err, "%s: %s", path, strerror(errno));
    free(path);
    return fd;
}

/* Not where somebody has removed the folder while we waited for whoever had it, and another run has made it again. */
static bool is_of_folder(int fd, const char *folder)
{
    struct stat ours, there;
    char *path = path_join(folder, LOCK_FILE);
    bool result = fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
                  ours.st_ino == there.st_ino;
    free(path);
    return result;
}

/* On LOCK_HELD the file is open and locked. */
static enum lock_end open_and_wait(struct lock *lock, const char *folder, const struct lock_settings *settings,
                                   int *signal_number, struct error *err)
{
    for (int i = 0; i < OPEN_ATTEMPTS; i++) {
        if (i > 0 && file_make_folders(folder, err) < 0)
            return LOCK_FAILED;
        lock->fd = open_file(folder, err);
        if (lock->fd < 0)
            return LOCK_FAILED;
        enum lock_end end = wait_for_it(lock, folder, settings, signal_number, err);
        if (end == LOCK_HELD && is_of_folder(lock->fd, folder))
            return LOCK_HELD;
        close(lock->fd);
        lock->has_gate = false;
        if (end != LOCK_HELD)
            return end;
    }
    error_set(err, "%s/%s: this file was replaced each time we had locked it (--lock off does without)", folder,
              LOCK_FILE);
    return LOCK_FAILED;
}

enum lock_end lock_take(const char *folder, const struct lock_settings *settings, struct lock **out,
                        int *signal_number, struct error *err)
{
    struct lock lock = {.fd = -1, .shard = settings->shard.count ? settings->shard.number : 0};
    if (signals_open(err) < 0)
        return LOCK_FAILED;
    enum lock_end end = open_and_wait(&lock, folder, settings, signal_number, err);
    signals_close();
    if (end == LOCK_HELD && signals_first()) { /* it came too late to be seen while waiting */
        *signal_number = signals_first();
        close(lock.fd);
        end = LOCK_INTERRUPTED;
    }
    if (end != LOCK_HELD)
        return end;
    sign(&lock, &settings->shard);
    *out = must_alloc(1, sizeof **out);
    **out = lock;
    return LOCK_HELD;
}

/* -- Having it --------------------------------------------------------------------------------------------- */

int lock_file(const struct lock *lock)
{
    return lock->fd;
}

bool lock_is_alone(const struct lock *lock)
{
    return lock->has_gate && find_conflict(lock->fd, F_WRLCK, BYTE_FOLDER, BYTE_GATE) < 0;
}

void lock_settle(struct lock *lock)
{
    set_bytes(lock->fd, F_UNLCK, BYTE_GATE, 1);
    lock->has_gate = false;
}

/* Runs leave one by one, for of two that leave at once each could take the other for one that stays. */
static bool take_gate_to_leave(int fd)
{
    const struct timespec pause = {.tv_nsec = (long)(GATE_POLL_S * 1e9)};
    for (int i = 0; i < LEAVE_ATTEMPTS; i++) {
        if (set_bytes(fd, F_WRLCK, BYTE_GATE, 1) == 0)
            return true;
        if (!is_conflict(errno))
            return false;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* The last to leave empties the file, so that folders with the same sheets are the same. */
void lock_release(struct lock *lock)
{
    if (!lock)
        return;
    lock->has_gate = lock->has_gate || take_gate_to_leave(lock->fd);
    if (!lock_is_alone(lock))
        write_slot(lock, "");
    else if (ftruncate(lock->fd, 0) < 0)
        write_slot(lock, "");
    set_bytes(lock->fd, F_UNLCK, 0, 0);
    close(lock->fd);
    free(lock);
}
