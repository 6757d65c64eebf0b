#include "os/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const unsigned kept_mask = 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER;

static int drop_capabilities(struct error *err)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
        if (i >= 32 || !(kept_mask & 1u << i))
            prctl(PR_CAPBSET_DROP, i, 0, 0, 0); /* only who has CAP_SETPCAP can, and has something to lose by it */

    if (syscall(SYS_capget, &header, data) < 0)
        return error_set(err, "cannot read the capabilities: %s", strerror(errno));
    data[0].effective &= kept_mask;
    data[0].permitted &= kept_mask;
    data[1].effective = data[1].permitted = 0;
    data[0].inheritable = data[1].inheritable = 0;
    if (syscall(SYS_capset, &header, data) < 0)
        return error_set(err, "cannot drop capabilities: %s", strerror(errno));
    return 0;
}

int privileges_drop(struct error *err)
{
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return error_set(err, "cannot give up new privileges: %s", strerror(errno));
    return drop_capabilities(err);
}
