#include "cli/sandbox_args.h"

#include <unistd.h>

#include "os/child.h"
#include "os/resources.h"

int sandbox_args_check(enum sandbox_mode mode, bool is_verbose)
{
    if (mode == SANDBOX_OFF || (mode == SANDBOX_AUTO && !is_verbose))
        return -1;
    struct sandbox_state state;
    sandbox_try(&state);
    const char *lead = mode == SANDBOX_REQUIRE ? "--sandbox require" : "note: the sandbox is incomplete";
    for (size_t i = 0; i < state.missing.count; i++)
        cli_complain("%s: %s", lead, state.missing.items[i]);
    int exit_code = mode == SANDBOX_REQUIRE && state.missing.count > 0 ? EXIT_BROKEN : -1;
    strings_release(&state.missing);
    return exit_code;
}

int sandbox_args_fork(const struct sandbox_rules *rules, double timeout_s, struct error *err)
{
    memory_allow(memory_usable() / 2);
    memory_limit(memory_usable() / 2); /* of this process, too: the sandbox hides the files of control groups */
    int result = child_run(&(struct child){.task = "read it", .timeout_s = timeout_s}, NULL, err);
    if (result == CHILD_IS_THIS && sandbox_enter(rules, NULL, err) < 0)
        _exit(EXIT_BROKEN);
    return result;
}

int sandbox_args_enter(struct sandbox_rules *rules, const struct strings *folders, double timeout_s)
{
    struct error err;
    int exit_code = sandbox_args_check(rules->mode, false);
    strings_add_all(&rules->read, folders);
    if (exit_code < 0 && rules->mode != SANDBOX_OFF) {
        exit_code = sandbox_args_fork(rules, timeout_s, &err);
        if (exit_code == -1)
            cli_complain("%s: %s", folders->count == 1 ? folders->items[0] : "the folders", err.text);
        exit_code = exit_code == CHILD_IS_THIS ? -1 : exit_code < 0 ? EXIT_USAGE : exit_code;
    }
    sandbox_rules_release(rules);
    return exit_code;
}

int sandbox_args_run(const struct sandbox_rules *rules, const struct sandbox_task *task)
{
    SCOPED_BY(blob_release) struct blob made = {0};
    struct error err;
    int exit_code = sandbox_args_check(rules->mode, false);
    if (exit_code >= 0)
        return exit_code;
    exit_code = sandbox_run(rules, task->timeout_s, task->make, task->context, &made, &err);
    if (exit_code < 0) {
        error_add(&err, "%s", task->model);
        return cli_fail(&err, task->exit_died);
    }
    if (exit_code == EXIT_DONE && cli_write(task->path, blob_bytes(&made), &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    return exit_code;
}
