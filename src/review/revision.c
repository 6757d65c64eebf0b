#include "review/revision.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "os/child.h"

/* -- git ------------------------------------------------------------------------------------------------------ */

enum { GIT_MOST_ARGS = 16, STATUS_NO_GIT = 127 };

/* One call of git. */
struct git {
    const char *folder, *temporary;
    const struct strings *config; /* NULL: what all calls have */
    const char *index, *input;    /* paths; NULL: the repository's index, nothing */
    const char *args[GIT_MOST_ARGS + 1];
};

/* Nothing of these runs a program or writes into the repository. Filters have names, so they are no row here. */
static const char *const always[] = {
    "core.hooksPath=/dev/null", "core.fsmonitor=false",      "core.untrackedCache=false",
    "core.splitIndex=false",    "core.sparseCheckout=false", "diff.relative=false",
};

/* A hook may run us, and sets these for its own repository. */
static void set_environment(const struct git *git)
{
    static const char *const unset[] = {
        "GIT_DIR",          "GIT_WORK_TREE",        "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT", "GIT_LITERAL_PATHSPECS"};
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        unsetenv(unset[i]);
    setenv("LC_ALL", "C", 1);
    setenv("GIT_OPTIONAL_LOCKS", "0", 1);
    setenv("GIT_NO_LAZY_FETCH", "1", 1);
    setenv("GIT_ALLOW_PROTOCOL", "none", 1); /* the same for git before 2.44 */
    if (git->index)
        setenv("GIT_INDEX_FILE", git->index, 1);
}

static _Noreturn void become_git(const struct git *git, const char *answer)
{
    struct strings args = {0};
    strings_add(&args, "git");
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        strings_add(&args, "-c");
        strings_add(&args, always[i]);
    }
    for (size_t i = 0; git->config && i < git->config->count; i++)
        strings_add(&args, git->config->items[i]);
    strings_add(&args, "-C");
    strings_add(&args, git->folder);
    for (size_t i = 0; git->args[i]; i++)
        strings_add(&args, git->args[i]);
    char **argv = must_alloc(args.count + 1, sizeof *argv);
    memcpy(argv, args.items, args.count * sizeof *argv);
    char *errors = path_join(git->temporary, "git-errors");
    int input = open(git->input ? git->input : "/dev/null", O_RDONLY);
    int messages = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int output = open(answer, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (input < 0 || messages < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(messages, STDERR_FILENO) < 0)
        _exit(STATUS_NO_GIT - 1);
    inherited_close(NULL, 0);
    set_environment(git);
    execvp("git", argv);
    _exit(STATUS_NO_GIT);
}

/* In a child process, which ends with a signal to us and takes git along. */
static int make_git(void *context, struct blob *out)
{
    const struct git *git = context;
    char *answer = path_join(git->temporary, "git-answer");
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
static char *git_message(const struct git *git)
{
    char *path = path_join(git->temporary, "git-errors");
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
static int git_try(const struct git *git, struct blob *out, struct error *err)
{
    const struct child child = {.task = "runs git", .make = make_git, .context = (void *)git};
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
static int git_run(const struct git *git, struct blob *out, struct error *err)
{
    int status = git_try(git, out, err);
    if (status <= 0)
        return status;
    blob_release(out);
    char *message = git_message(git);
    error_set(err, "%s", message);
    free(message);
    return -1;
}

/* The one line that git prints. */
static int git_line(const struct git *git, char **out, struct error *err)
{
    struct blob text;
    if (git_run(git, &text, err) < 0)
        return -1;
    text.data[strcspn((char *)text.data, "\n")] = '\0';
    *out = (char *)text.data;
    return 0;
}

/* -- The repository ------------------------------------------------------------------------------------------- */

int revision_find_top(const char *folder, const char *temporary, char **top, struct error *err)
{
    struct error why;
    const struct git git = {folder, temporary, .args = {"rev-parse", "--show-toplevel"}};
    if (git_line(&git, top, &why) == 0)
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
    const struct git git = {revision->top, revision->temporary,
                            .args = {"config", "-z", "--name-only", "--get-regexp", "^filter\\."}};
    struct blob keys;
    int status = git_try(&git, &keys, err), result = status < 0 ? -1 : 0;
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

/* The command that brings a revision: a branch of a remote, a commit, or what is called so over there. */
static char *fetch_command(const char *name)
{
    const char *slash = strchr(name, '/'), *step = strpbrk(name, "~^@");
    if (step)
        return must_strdup("git fetch --unshallow origin");
    if (!strncmp(name, "origin/", 7))
        return must_printf("git fetch --depth 1 origin +refs/heads/%s:refs/remotes/%s", slash + 1, name);
    if (strlen(name) >= 40 && strspn(name, "0123456789abcdef") == strlen(name))
        return must_printf("git fetch --depth 1 origin %s", name);
    return must_printf("git fetch --depth 1 origin +%s:refs/heads/%s", name, name);
}

static int fail_missing(const struct revision *revision, const char *name, struct error *err)
{
    const struct git git = {revision->top, revision->temporary, .args = {"rev-parse", "--is-shallow-repository"}};
    char *shallow = NULL;
    struct error ignored;
    bool is_shallow = git_line(&git, &shallow, &ignored) == 0 && !strcmp(shallow, "true");
    if (!is_shallow && strpbrk(name, "~^@")) { /* all that is before what is there is there */
        error_set(err, "--base: no revision and no folder '%s'", name);
    } else {
        char *command = fetch_command(name);
        error_set(err, "--base: no revision and no folder '%s'%s; to fetch it: %s", name,
                  is_shallow ? ", and this clone is shallow" : "", command);
        free(command);
    }
    free(shallow);
    return -1;
}

/* "1a2b3c4 Subject line", out of the object: `git log` may run a program that checks signatures. */
static int describe(struct revision *revision, struct error *err)
{
    const struct git git = {revision->top, revision->temporary, .args = {"cat-file", "commit", revision->commit}};
    struct blob text;
    if (git_run(&git, &text, err) < 0)
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
    const struct git git = {revision->top, revision->temporary,
                            .args = {"rev-parse", "--verify", "--quiet", wanted}};
    struct blob text = {0};
    int status = *name == '-' ? 1 : git_try(&git, &text, err); /* or it would be an option */
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

/* -- The copy ------------------------------------------------------------------------------------------------- */

/* The folders of the copy so far, and what is left for git to write. */
struct copying {
    const struct revision *revision;
    char *latest;          /* the folder that was made last */
    struct strings *paths; /* that git writes */
};

static int make_folder_of(struct copying *copying, const char *path, struct error *err)
{
    char *folder = path_folder(path);
    if (copying->latest && !strcmp(folder, copying->latest)) {
        free(folder);
        return 0;
    }
    free(copying->latest);
    copying->latest = folder;
    return file_make_folders(folder, err);
}

/* A file that the revision and the work tree have alike. False where it is not there: a sparse checkout lacks files. */
static bool copy_file(struct copying *copying, const char *path)
{
    const struct revision *revision = copying->revision;
    char *from = path_join(revision->top, path), *to = path_join(revision->tree, path);
    struct error ignored;
    int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), out = -1;
    bool is_copied = in >= 0 && make_folder_of(copying, to, &ignored) == 0 &&
                     (out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) >= 0 &&
                     file_copy(in, out) == 0;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    if (out >= 0 && !is_copied)
        unlink(to);
    free(from);
    free(to);
    return is_copied;
}

/* Paths, each ended by a NUL. */
static void split_paths(const struct blob *text, struct strings *out)
{
    for (const char *path = (char *)text->data; path < (char *)text->data + text->size; path += strlen(path) + 1)
        strings_add(out, path);
}

/* What is in the revision and differs in the work tree, sorted. git compares what it remembers of the files. */
static int find_changed(const struct revision *revision, struct strings *out, struct error *err)
{
    const struct git git = {revision->top, revision->temporary, &revision->config,
                            .args = {"diff-index", "-z", "--name-only", "--no-renames", "--no-ext-diff",
                                     "--ignore-submodules=all", revision->commit, "--"}};
    struct blob text;
    if (git_run(&git, &text, err) < 0)
        return -1;
    split_paths(&text, out);
    strings_sort(out);
    blob_release(&text);
    return 0;
}

/* "100644 1a2b... 0<TAB>models/orc.md2", each ended by a NUL. */
static int copy_unchanged(struct revision *revision, const struct blob *entries, struct strings *paths,
                          struct error *err)
{
    struct copying copying = {.revision = revision, .paths = paths};
    struct strings changed = {0};
    int result = find_changed(revision, &changed, err);
    const char *end = (char *)entries->data + entries->size;
    for (const char *entry = (char *)entries->data; result == 0 && entry < end; entry += strlen(entry) + 1) {
        const char *path = strchr(entry, '\t');
        if (!path++)
            continue;
        if (!strncmp(entry, "160000", 6))
            strings_add(&revision->submodules, path);
        else if (strncmp(entry, "100", 3) || strings_has_sorted(&changed, path) || !copy_file(&copying, path))
            strings_add(paths, path);
    }
    free(copying.latest);
    strings_release(&changed);
    return result;
}

/* git writes these, with its own care for paths and links. */
static int check_out(const struct revision *revision, const char *index, const struct strings *paths,
                     struct error *err)
{
    char *list = path_join(revision->temporary, "paths"), *prefix = must_printf("--prefix=%s/", revision->tree);
    const struct git git = {revision->top,
                            revision->temporary,
                            &revision->config,
                            index,
                            list,
                            .args = {"checkout-index", "-z", "--stdin", prefix}};
    FILE *file = fopen(list, "w");
    for (size_t i = 0; file && i < paths->count; i++)
        fwrite(paths->items[i], 1, strlen(paths->items[i]) + 1, file);
    int result = file && fclose(file) == 0 ? 0 : error_set(err, "cannot write %s: %s", list, strerror(errno));
    struct blob text;
    if (result == 0 && (result = git_run(&git, &text, err)) == 0)
        blob_release(&text);
    free(prefix);
    free(list);
    return result;
}

static void find_pointers(struct revision *revision, const struct strings *paths)
{
    static const char start[] = "version https://git-lfs.github.com/spec/";
    for (size_t i = 0; i < paths->count; i++) {
        char *path = path_join(revision->tree, paths->items[i]), text[sizeof start - 1];
        int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && file_pread(fd, text, sizeof text, 0) == sizeof text && !memcmp(text, start, sizeof text))
            strings_add(&revision->pointers, paths->items[i]);
        if (fd >= 0)
            close(fd);
        free(path);
    }
}

static int copy_tree(struct revision *revision, struct error *err)
{
    char *index = path_join(revision->temporary, "index");
    struct git git = {revision->top, revision->temporary, &revision->config, index,
                      .args = {"read-tree", revision->commit}};
    struct blob entries;
    struct strings paths = {0};
    int result = git_run(&git, &entries, err);
    if (result == 0) {
        blob_release(&entries);
        git = (struct git){revision->top, revision->temporary, &revision->config, index,
                           .args = {"ls-files", "-s", "-z"}};
        result = git_run(&git, &entries, err);
    }
    if (result == 0) {
        result = copy_unchanged(revision, &entries, &paths, err);
        if (result == 0 && check_out(revision, index, &paths, err) < 0)
            result = error_add(err, "some files of the revision are not to be had; check it out elsewhere and use "
                                    "--base DIR");
        blob_release(&entries);
    }
    if (result == 0)
        find_pointers(revision, &paths);
    strings_release(&paths);
    free(index);
    return result;
}

/* In the mirror of each folder above the repository, all else is a link to the original. */
static int link_outside(const struct revision *revision, struct error *err)
{
    size_t length = strlen(revision->tree) - strlen(revision->top);
    char *mirror = must_strdup(revision->tree), *slash;
    int result = 0;
    while (result == 0 && (slash = strrchr(mirror + length, '/'))) {
        *slash = '\0';
        const char *folder = mirror[length] ? mirror + length : "/";
        DIR *dir = opendir(folder);
        const struct dirent *item;
        while (dir && (item = readdir(dir))) {
            if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, "..") || !strcmp(item->d_name, slash + 1))
                continue;
            char *from = path_join(mirror, item->d_name), *to = path_join(folder, item->d_name);
            if (symlink(to, from) < 0)
                result = error_set(err, "cannot link %s: %s", from, strerror(errno));
            free(from);
            free(to);
        }
        if (dir)
            closedir(dir);
    }
    free(mirror);
    return result;
}

int revision_open(char *top, const char *name, const char *temporary, struct revision *out, struct error *err)
{
    struct revision revision = {.top = top, .temporary = must_strdup(temporary)};
    revision.tree = must_printf("%s/tree%s", temporary, strcmp(top, "/") ? top : "");
    if (switch_off_filters(&revision, err) < 0 || find_commit(&revision, name, err) < 0 ||
        file_make_folders(revision.tree, err) < 0 || copy_tree(&revision, err) < 0 ||
        link_outside(&revision, err) < 0) {
        revision_release(&revision);
        return -1;
    }
    *out = revision;
    return 0;
}

void revision_release(struct revision *revision)
{
    free(revision->top);
    free(revision->tree);
    free(revision->detail);
    free(revision->commit);
    free(revision->temporary);
    strings_release(&revision->config);
    strings_release(&revision->pointers);
    strings_release(&revision->submodules);
    *revision = (struct revision){0};
}

/* Whether one of two paths is the other or leads to it. */
static bool is_on_way(const char *a, const char *b)
{
    size_t length = strlen(a), other = strlen(b), shorter = length < other ? length : other;
    const char *longer = length < other ? b : a;
    return !strncmp(a, b, shorter) && (length == other || longer[shorter] == '/');
}

int revision_check(const struct revision *revision, const char *name, const struct job_list *list,
                   struct error *err)
{
    const struct {
        const struct strings *paths;
        const char *what;
    } gaps[] = {{&revision->pointers, "a Git LFS pointer"}, {&revision->submodules, "a submodule"}};
    for (size_t i = 0; i < list->root_count; i++) {
        char *root = path_resolve(list->roots[i]);
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
            for (size_t j = 0; j < gaps[g].paths->count; j++) {
                char *path = path_join(revision->tree, gaps[g].paths->items[j]);
                bool is_needed = is_on_way(path, root);
                free(path);
                if (!is_needed)
                    continue;
                free(root);
                return error_set(err,
                                 "%s in '%s' is %s, not the file itself: check the revision out elsewhere and use "
                                 "--base DIR",
                                 gaps[g].paths->items[j], name, gaps[g].what);
            }
        free(root);
    }
    return 0;
}
