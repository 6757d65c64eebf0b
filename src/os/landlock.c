#include "os/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As <linux/landlock.h> has them, which may be older than the kernel, or missing. Numbers of new system calls are the
 * same on all machines. */
enum { CALL_CREATE_RULESET = 444, CALL_ADD_RULE = 445, CALL_RESTRICT_SELF = 446 };
enum { CREATE_RULESET_VERSION = 1 };
enum { RULE_PATH_BENEATH = 1 };

enum file_right {
    RIGHT_EXECUTE = 1 << 0,
    RIGHT_WRITE_FILE = 1 << 1,
    RIGHT_READ_FILE = 1 << 2,
    RIGHT_READ_DIR = 1 << 3,
    RIGHT_REMOVE_DIR = 1 << 4,
    RIGHT_REMOVE_FILE = 1 << 5,
    RIGHT_MAKE_DIR = 1 << 7,
    RIGHT_MAKE_REG = 1 << 8,
    RIGHTS_OF_ABI_1 = (1 << 13) - 1,
    RIGHT_REFER = 1 << 13,
    RIGHT_TRUNCATE = 1 << 14,
    RIGHT_IOCTL_DEV = 1 << 15,
    RIGHTS_OF_FILES = RIGHT_EXECUTE | RIGHT_WRITE_FILE | RIGHT_READ_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEV,
};

enum { NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1 };
enum { SCOPE_ABSTRACT_SOCKETS = 1 << 0, SCOPE_SIGNALS = 1 << 1 };

/* Older kernels take it when the members that they do not know are 0. */
struct ruleset {
    uint64_t handled_files, handled_net, scoped;
};

struct path_rule {
    uint64_t allowed;
    int32_t fd;
} __attribute__((packed));

int landlock_abi(struct error *err)
{
    long abi = syscall(CALL_CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
    if (abi > 0)
        return (int)abi;
    switch (errno) {
    case ENOSYS:
        return error_set(err, "this kernel has no Landlock (since Linux 5.13), or a container refuses it");
    case EOPNOTSUPP:
        return error_set(err,
                         "Landlock was turned off when this kernel was started (see lsm= on its command line)");
    default:
        return error_set(err, "Landlock is refused: %s", strerror(errno));
    }
}

static uint64_t file_rights_of(int abi)
{
    return RIGHTS_OF_ABI_1 | (abi >= 2 ? RIGHT_REFER : 0) | (abi >= 3 ? RIGHT_TRUNCATE : 0) |
           (abi >= 5 ? RIGHT_IOCTL_DEV : 0);
}

int landlock_begin(int abi, struct error *err)
{
    const struct ruleset ruleset = {
        .handled_files = file_rights_of(abi),
        .handled_net = abi >= 4 ? NET_BIND_TCP | NET_CONNECT_TCP : 0,
        .scoped = abi >= 6 ? SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS : 0,
    };
    long fd = syscall(CALL_CREATE_RULESET, &ruleset, sizeof ruleset, 0);
    return fd < 0 ? error_set(err, "Landlock takes no rules: %s", strerror(errno)) : (int)fd;
}

void landlock_allow(int rules, int abi, enum landlock_use use, const char *path)
{
    static const uint64_t rights[] = {
        [LANDLOCK_READ] = RIGHT_READ_FILE | RIGHT_READ_DIR,
        [LANDLOCK_WRITE] = RIGHT_READ_FILE | RIGHT_READ_DIR | RIGHT_WRITE_FILE | RIGHT_TRUNCATE |
                           RIGHT_REMOVE_FILE | RIGHT_REMOVE_DIR | RIGHT_MAKE_DIR | RIGHT_MAKE_REG,
        [LANDLOCK_DEVICE] = RIGHT_READ_FILE | RIGHT_READ_DIR | RIGHT_WRITE_FILE | RIGHT_IOCTL_DEV,
    };
    struct stat info;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0) {
        uint64_t of_kind = S_ISDIR(info.st_mode) ? UINT64_MAX : RIGHTS_OF_FILES;
        const struct path_rule rule = {rights[use] & of_kind & file_rights_of(abi), fd};
        syscall(CALL_ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0);
    }
    close(fd);
}

int landlock_enter(int rules, struct error *err)
{
    long result = syscall(CALL_RESTRICT_SELF, rules, 0);
    int reason = errno;
    close(rules);
    if (result == 0)
        return 0;
    return reason == E2BIG
               ? error_set(err, "Landlock: this process is in 16 sandboxes already, and no more are allowed")
               : error_set(err, "Landlock does not confine this process: %s", strerror(reason));
}
