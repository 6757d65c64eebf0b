#include "review/revision.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "os/child.h"

/* -- git ------------------------------------------------------------------------------------------------------ */

enum { STATUS_NO_GIT = 127 };
enum whose_index { THEIR_INDEX, OUR_INDEX };

/* One call of git. */
struct git {
    const struct revision *revision;
    enum whose_index index;
    const char *const *args;
};

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* With these git runs no program and leaves the repository as it is. switch_off_filters adds the filters. */
static const char *const always[] = {
    "core.hooksPath=/dev/null", "core.fsmonitor=false",      "core.untrackedCache=false",
    "core.splitIndex=false",    "core.sparseCheckout=false", "diff.relative=false",
    "submodule.recurse=false",  "checkout.workers=0", /* one for each CPU */
};

/* A hook may run us, and sets these for its own repository. */
static void set_environment(const struct git *git)
{
    static const char *const unset[] = {
        "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
    };
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        unsetenv(unset[i]);
    setenv("LC_ALL", "C", 1);
    setenv("GIT_LITERAL_PATHSPECS", "1", 1);
    setenv("GIT_OPTIONAL_LOCKS", "0", 1);
    setenv("GIT_NO_LAZY_FETCH", "1", 1);
    setenv("GIT_ALLOW_PROTOCOL", "none", 1); /* the same for git before 2.44 */
    if (git->index == OUR_INDEX)
        setenv("GIT_INDEX_FILE", git->revision->index, 1);
}

static _Noreturn void become_git(const struct git *git, const char *answer)
{
    struct strings args = {0};
    strings_add(&args, "git");
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        strings_add(&args, "-c");
        strings_add(&args, always[i]);
    }
    for (size_t i = 0; i < git->revision->config.count; i++)
        strings_add(&args, git->revision->config.items[i]);
    strings_add(&args, "-C");
    strings_add(&args, git->revision->top);
    for (size_t i = 0; git->args[i]; i++)
        strings_add(&args, git->args[i]);
    char **argv = must_alloc(args.count + 1, sizeof *argv);
    memcpy(argv, args.items, args.count * sizeof *argv);
    char *errors = path_join(git->revision->temporary, "git-errors");
    char *names = path_join(git->revision->temporary, "git-input");
    int input = open(names, O_RDONLY | O_CREAT, 0600);
    int messages = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int output = open(answer, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (input < 0 || messages < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(messages, STDERR_FILENO) < 0)
        _exit(STATUS_NO_GIT - 1);
    set_environment(git);
    execvp("git", argv);
    _exit(STATUS_NO_GIT);
}

/* In a child process, which ends with a signal to us. git and its helpers are killed with it, as its group, and hold the
 * child's answer open, so that child_run returns after the last of them. */
static int make_git(void *context, struct blob *out)
{
    setpgid(0, 0);
    const struct git *git = context;
    char *answer = path_join(git->revision->temporary, "git-answer");
    struct error ignored;
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        become_git(git, answer);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    bool is_read = pid > 0 && file_read(answer, SIZE_MAX / 2, out, &ignored) == 0;
    free(answer);
    return is_read && WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_NO_GIT - 1;
}

/* What git said, without "fatal: ". The caller frees it. */
static char *git_message(const struct revision *revision)
{
    char *path = path_join(revision->temporary, "git-errors");
    struct blob text = {0};
    struct error ignored;
    const char *line = file_read(path, 64 * 1024, &text, &ignored) == 0 ? (const char *)text.data : "";
    size_t length = 0;
    if (text.size > 7 && !strncmp(line, "fatal: ", 7))
        line += 7;
    while (line + length < (const char *)text.data + text.size && line[length] && line[length] != '\n')
        length++;
    char *message = length ? must_printf("git: %.*s", (int)length, line) : must_strdup("git failed");
    blob_release(&text);
    free(path);
    return message;
}

/* Gives git's exit status, with what it printed in *out, ended by a NUL that does not count; -1 where it was not run to
 * its end. */
static int git_try(const struct revision *revision, enum whose_index index, const char *const *args,
                   struct blob *out, struct error *err)
{
    struct git git = {revision, index, args};
    const struct child child = {.task = "runs git", .make = make_git, .context = &git};
    int status = child_run(&child, out, err);
    if (status == STATUS_NO_GIT) {
        blob_release(out);
        return error_set(err, "--base needs the program git, which is not in PATH");
    }
    if (status >= 0) {
        out->data = must_realloc(out->data, out->size + 1, 1);
        out->data[out->size] = '\0';
    }
    return status;
}

/* The same; fails with what git said. */
static int git_run(const struct revision *revision, enum whose_index index, const char *const *args,
                   struct blob *out, struct error *err)
{
    int status = git_try(revision, index, args, out, err);
    if (status <= 0)
        return status;
    blob_release(out);
    char *message = git_message(revision);
    error_set(err, "%s", message);
    free(message);
    return -1;
}

/* The one line that git prints. */
static int git_line(const struct revision *revision, const char *const *args, char **out, struct error *err)
{
    struct blob text;
    if (git_run(revision, THEIR_INDEX, args, &text, err) < 0)
        return -1;
    text.data[strcspn((char *)text.data, "\n")] = '\0';
    *out = (char *)text.data;
    return 0;
}

/* -- The repository ------------------------------------------------------------------------------------------- */

int revision_find_top(const char *folder, const char *temporary, char **top, struct error *err)
{
    struct error why;
    const struct revision none = {.top = (char *)folder, .temporary = (char *)temporary};
    if (git_line(&none, ARGS("rev-parse", "--show-toplevel"), top, &why) == 0)
        return 0;
    if (strstr(why.text, "not a git repository"))
        return error_set(err,
                         "'%s' is in no git repository, which --base REV needs; --base DIR compares with a folder",
                         folder);
    if (strstr(why.text, "dubious ownership")) /* as in a container: git's hint stands in lines of its own */
        return error_set(err, "%s; `git config --global --add safe.directory FOLDER` trusts it", why.text);
    return error_set(err, "%s", why.text);
}

/* Filters are programs, and have any name. */
static int switch_off_filters(struct revision *revision, struct error *err)
{
    struct blob keys;
    int status = git_try(revision, THEIR_INDEX, ARGS("config", "-z", "--name-only", "--get-regexp", "^filter\\."),
                         &keys, err),
        result = 0;
    if (status < 0)
        return -1;
    for (const char *key = (char *)keys.data; key < (char *)keys.data + keys.size; key += strlen(key) + 1) {
        const char *what = strrchr(key, '.');
        if (strchr(key, '=')) /* `-c` could not name it */
            result = error_set(err, "git: the filter '%s' cannot be switched off: '=' is in its name", key);
        strings_add(&revision->config, "-c");
        strings_printf(&revision->config, "%s=%s", key, what && !strcmp(what, ".required") ? "false" : "");
    }
    blob_release(&keys);
    return result;
}

/* The command that brings a revision: a commit, a branch of a remote, or what is called so over there. A whole clone
 * stays whole. */
static char *fetch_command(const char *name, bool is_shallow)
{
    const char *depth = is_shallow ? " --depth 1" : "", *slash = strchr(name, '/');
    size_t digits = strspn(name, "0123456789abcdef");
    if (strpbrk(name, "~^@"))
        return must_strdup("git fetch --unshallow origin");
    if (digits >= 40 && !name[digits])
        return must_printf("git fetch%s origin %s", depth, name);
    if (digits >= 4 && !name[digits] && strpbrk(name, "0123456789")) /* hosts take no short ones */
        return must_printf("git fetch%s origin '+refs/heads/*:refs/remotes/origin/*'",
                           is_shallow ? " --unshallow" : "");
    if (!strncmp(name, "origin/", 7))
        return must_printf("git fetch%s origin +refs/heads/%s:refs/remotes/%s", depth, slash + 1, name);
    return must_printf("git fetch%s origin +%s:refs/remotes/%s", depth, name, name);
}

static int fail_missing(const struct revision *revision, const char *name, struct error *err)
{
    char *shallow = NULL;
    struct error ignored;
    bool is_shallow = git_line(revision, ARGS("rev-parse", "--is-shallow-repository"), &shallow, &ignored) == 0 &&
                      !strcmp(shallow, "true");
    free(shallow);
    bool is_ref = *name != '/' && *name != '.' && !strpbrk(name, " \\\t\n\"'`$&;|<>(){}[]*?!#:");
    if (!is_ref || (!is_shallow && strpbrk(name, "~^@"))) /* all that is before what is there is there */
        return error_set(err, "--base: no revision and no folder '%s'", name);
    char *command = fetch_command(name, is_shallow);
    error_set(err, "--base: no revision and no folder '%s'%s; to fetch it: %s", name,
              is_shallow ? ", and this clone is shallow" : "", command);
    free(command);
    return -1;
}

/* "1a2b3c4 Subject line", out of the object: `git log` may run a program that checks signatures. */
static int describe(struct revision *revision, struct error *err)
{
    struct blob text;
    if (git_run(revision, THEIR_INDEX, ARGS("cat-file", "commit", revision->commit), &text, err) < 0)
        return -1;
    const char *subject = strstr((char *)text.data, "\n\n");
    subject = subject ? subject + 2 : "";
    revision->detail = must_printf("%.7s %.*s", revision->commit, (int)strcspn(subject, "\n"), subject);
    blob_release(&text);
    return 0;
}

static int find_commit(struct revision *revision, const char *name, struct error *err)
{
    char *wanted = must_printf("%s^{commit}", name);
    struct blob text = {0};
    int status = *name == '-' ? 1 /* or it would be an option */
                              : git_try(revision, THEIR_INDEX, ARGS("rev-parse", "--verify", "--quiet", wanted),
                                        &text, err);
    free(wanted);
    if (status < 0)
        return -1;
    if (status > 0) {
        blob_release(&text);
        return fail_missing(revision, name, err);
    }
    text.data[strcspn((char *)text.data, "\n")] = '\0';
    revision->commit = (char *)text.data;
    return describe(revision, err);
}

/* -- Files that git does not have ----------------------------------------------------------------------------- */

/* Puts the file that a Git LFS pointer means in its place, from where Git LFS keeps it. */
static bool take_lfs_file(const struct revision *revision, const char *pointer, const char *path)
{
    const char *oid = strstr(pointer, "\noid sha256:");
    if (!oid || strspn(oid += 12, "0123456789abcdef") != 64)
        return false;
    char *from = must_printf("%s/lfs/objects/%.2s/%.2s/%.64s", revision->git_folder, oid, oid + 2, oid);
    int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), out = -1;
    bool is_taken =
        in >= 0 && (out = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)) >= 0 && file_copy(in, out) == 0;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    free(from);
    return is_taken;
}

enum { MOST_POINTER = 512 };

static bool is_pointer(const char *path, char text[MOST_POINTER])
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t length = fd >= 0 ? file_pread(fd, text, MOST_POINTER - 1, 0) : 0;
    text[length > 0 ? length : 0] = '\0';
    if (fd >= 0)
        close(fd);
    return bytes_are_lfs_pointer((struct bytes){(const uint8_t *)text, strlen(text)});
}

/* Whether a file that was checked out is what people have there. */
static bool is_whole(const struct revision *revision, const char *path)
{
    char *place = path_join(revision->tree, path), text[MOST_POINTER];
    bool is_whole = !is_pointer(place, text) || take_lfs_file(revision, text, place);
    free(place);
    return is_whole;
}

/* -- Its files ------------------------------------------------------------------------------------------------ */

/* All files at a path of the work tree that are not those of the revision, and those that are missing there. git compares
 * what it remembers of them: a file that it was told not to look at may be another one, and so may a submodule; a Git LFS
 * pointer is no file that people have. */
static int find_others(struct revision *revision, const char *path, struct error *err)
{
    struct strings *others = &revision->overlay.others;
    struct blob text;
    if (git_run(revision, THEIR_INDEX,
                ARGS("diff-index", "-z", "--name-only", "--no-ext-diff", revision->commit, "--", path), &text,
                err) < 0)
        return -1;
    for (const char *name = (char *)text.data; name < (char *)text.data + text.size; name += strlen(name) + 1)
        strings_add(others, name);
    blob_release(&text);
    if (git_run(revision, THEIR_INDEX, ARGS("ls-files", "-z", "-s", "-v", "--cached", "--others", "--", path),
                &text, err) < 0)
        return -1;
    /* "H 100644 1a2b... 0<TAB>models/orc.md2" is a file that git looks at, "? models/new.md2" one that it does not have */
    for (char *entry = (char *)text.data, *next; entry < (char *)text.data + text.size; entry = next) {
        next = entry + strlen(entry) + 1;
        const char *name = *entry == '?' ? entry + 2 : strchr(entry, '\t') + 1;
        if (*entry == '?' && next[-2] == '/') /* a repository of its own */
            next[-2] = '\0';
        char *place = path_join(revision->top, name), pointer[MOST_POINTER];
        if ((strncmp(entry, "H 10", 4) && strncmp(entry, "H 12", 4)) || is_pointer(place, pointer))
            strings_add(others, name);
        free(place);
    }
    blob_release(&text);
    strings_sort(others);
    return 0;
}

static int write_files(const struct revision *revision, const struct buffer *names, struct error *err)
{
    struct blob nothing = {0};
    char *tree = must_printf("--work-tree=%s", revision->tree);
    char *input = path_join(revision->temporary, "git-input");
    int result = file_renew(input, (struct bytes){(const uint8_t *)names->text, names->length}, err);
    if (result == 0)
        result = git_run(revision, OUR_INDEX, ARGS(tree, "checkout-index", "-f", "-z", "--stdin"), &nothing, err);
    const struct error why = *err;
    if (result < 0)
        error_set(err,
                  "%s: some files of the revision are missing here; check it out elsewhere and use --base DIR",
                  why.text);
    blob_release(&nothing);
    free(input);
    free(tree);
    return result;
}

/* Those of the revision's files at a path that are others in the work tree, or all: git writes them, with its own care for
 * paths and links. */
static int check_out(struct revision *revision, const char *path, bool all, struct error *err)
{
    struct blob entries;
    struct buffer names = {0};
    int result = 0;
    if (git_run(revision, OUR_INDEX, ARGS("ls-files", "-s", "-z", "--", path), &entries, err) < 0)
        return -1;
    /* "100644 1a2b... 0<TAB>models/orc.md2", each ended by a NUL */
    const char *end = (char *)entries.data + entries.size;
    for (const char *entry = (char *)entries.data; result == 0 && entry < end; entry += strlen(entry) + 1) {
        const char *name = strchr(entry, '\t') + 1;
        if (!all && !strings_has_sorted(&revision->overlay.others, name))
            continue;
        if (!strncmp(entry, "160000", 6))
            result =
                error_set(err, "%s in '%s' is a submodule: check the revision out elsewhere and use --base DIR",
                          name, revision->name);
        buffer_add(&names, name, strlen(name) + 1);
    }
    blob_release(&entries);
    if (result == 0 && names.length)
        result = write_files(revision, &names, err);
    for (size_t i = 0; result == 0 && i < names.length; i += strlen(names.text + i) + 1)
        if (!is_whole(revision, names.text + i))
            result = error_set(
                err,
                "%s in '%s' is a Git LFS pointer, and its file is not here; to fetch it: git lfs fetch origin %s",
                names.text + i, revision->name, revision->commit);
    buffer_release(&names);
    return result;
}

int revision_locate(struct revision *revision, const char *path, bool is_by_link, char **out, struct error *err)
{
    const struct strings *others = &revision->overlay.others;
    const char *name = is_by_link || !*path ? "." : path;
    char *place = path_join(revision->tree, path), *now = path_join(revision->top, path);
    struct stat info;
    int result = 0;
    if (!strings_has(&revision->located, name)) {
        strings_add(&revision->located, name);
        result = find_others(revision, name, err);
        result = result < 0 ? -1 : check_out(revision, name, false, err);
    }
    bool is_link = (is_by_link && others->count) || (lstat(place, &info) == 0 && S_ISLNK(info.st_mode));
    if (result == 0 && is_link && !revision->is_whole) { /* it leads anywhere */
        revision->is_whole = true;
        result = check_out(revision, ".", true, err);
    }
    if (result == 0)
        *out = is_link || strings_has_sorted(others, path) || access(now, F_OK) < 0 ? path_resolve(place) : NULL;
    free(now);
    free(place);
    return result;
}

/* -- A revision ----------------------------------------------------------------------------------------------- */

int revision_open(char *top, const char *name, const char *temporary, struct revision *out, struct error *err)
{
    struct revision revision = {.top = top, .name = must_strdup(name), .temporary = must_strdup(temporary)};
    char *folder = NULL;
    struct blob nothing = {0};
    revision.tree = path_join(temporary, "tree");
    revision.index = path_join(temporary, "index");
    int result = switch_off_filters(&revision, err);
    if (result == 0)
        result = find_commit(&revision, name, err);
    if (result == 0) /* for the attributes, such as those about line ends */
        result = git_run(&revision, OUR_INDEX, ARGS("read-tree", revision.commit), &nothing, err);
    if (result == 0)
        result = git_line(&revision, ARGS("rev-parse", "--git-common-dir"), &folder, err);
    if (result == 0)
        result = file_make_folders(revision.tree, err);
    if (result == 0) {
        revision.git_folder = path_join(top, folder);
        revision.overlay = (struct assets_overlay){.top = revision.top, .tree = revision.tree};
        *out = revision;
    } else {
        revision_release(&revision);
    }
    blob_release(&nothing);
    free(folder);
    return result;
}

void revision_release(struct revision *revision)
{
    free(revision->top);
    free(revision->name);
    free(revision->tree);
    free(revision->index);
    free(revision->git_folder);
    free(revision->detail);
    free(revision->commit);
    free(revision->temporary);
    strings_release(&revision->config);
    strings_release(&revision->located);
    strings_release(&revision->overlay.others);
    *revision = (struct revision){0};
}
