#include "review/revision.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asset/archive.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "os/signals.h"

enum entry_kind { ENTRY_FILE, ENTRY_LINK, ENTRY_SUBMODULE };

/* What the revision has at a path. */
struct revision_entry {
    const char *path, *id;
    uint64_t size;
    enum entry_kind kind;
    bool is_in_place;      /* a file that the work tree has the same of */
    bool is_taken;         /* its content is among the objects */
    struct member *member; /* of the tree; NULL if it is none of its files */
};

/* -- git ------------------------------------------------------------------------------------------------------ */

enum { STATUS_NO_GIT = 127 };

/* A small repository can name more files than a disk holds. git is killed where it prints more. */
static const rlim_t MOST_ANSWER = (rlim_t)2 << 30;

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A hook may run us, and sets those of `git rev-parse --local-env-vars` for its own repository. */
static void set_environment(void)
{
    char local[] =
        "GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS "
        "GIT_DIR GIT_GRAFT_FILE GIT_IMPLICIT_WORK_TREE GIT_INDEX_FILE GIT_INTERNAL_SUPER_PREFIX "
        "GIT_NO_REPLACE_OBJECTS GIT_OBJECT_DIRECTORY GIT_PREFIX GIT_REPLACE_REF_BASE GIT_SHALLOW_FILE "
        "GIT_WORK_TREE GIT_NAMESPACE";
    for (char *name, *rest = local; (name = strsep(&rest, " "));)
        unsetenv(name);
    setenv("LC_ALL", "C", 1);
    setenv("GIT_LITERAL_PATHSPECS", "1", 1);
    setenv("GIT_OPTIONAL_LOCKS", "0", 1);
    setenv("GIT_NO_LAZY_FETCH", "1", 1);
    setenv("GIT_ALLOW_PROTOCOL", "none", 1); /* the same for git before 2.44 */
}

/* Its standard streams are files of ours. */
static _Noreturn void become_git(const struct revision *revision, const char *const *args)
{
    static const char *const always[] = {"git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
                                         "-C"};
    enum { ALWAYS = sizeof always / sizeof *always, MOST_ARGS = 10 };
    const char *argv[ALWAYS + 1 + MOST_ARGS + 1] = {[ALWAYS] = revision->top};
    memcpy(argv, always, sizeof always);
    for (size_t i = 0; i < MOST_ARGS && args[i]; i++)
        argv[ALWAYS + 1 + i] = args[i];
    if (chdir(revision->temporary) < 0 || !freopen("git-input", "a+", stdin) ||
        !freopen("git-answer", "w", stdout) || !freopen("git-errors", "w", stderr))
        _exit(STATUS_NO_GIT - 1);
    const struct rlimit most = {MOST_ANSWER, MOST_ANSWER};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_FSIZE, &most);
    set_environment();
    execvp("git", (char **)argv);
    _exit(STATUS_NO_GIT);
}

/* Gives git's exit status, and what it printed in the file "answer"; -1 where it was not run to its end. */
static int git_try(const struct revision *revision, const char *const *args, struct error *err)
{
    int status = 0;
    fflush(NULL); /* git would write what is buffered again */
    pid_t pid = fork();
    if (pid == 0)
        become_git(revision, args);
    if (pid < 0)
        return error_set(err, "cannot start git: %s", strerror(errno));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        if (signals_first())
            kill(pid, SIGKILL);
    if (signals_first())
        return error_set(err, "interrupted");
    if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NO_GIT)
        return error_set(err, "--base needs the program git, which is not in PATH");
    return WIFEXITED(status)
               ? WEXITSTATUS(status)
               : error_set(err, "git was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* What git said, without "fatal: ". */
static int fail_as_git(const struct revision *revision, struct error *err)
{
    char *path = path_join(revision->temporary, "git-errors");
    struct blob text = {0};
    struct error ignored;
    const char *line = file_read(path, 64 * 1024, &text, &ignored) == 0 ? (const char *)text.data : "";
    int length = (int)text.size;
    if (length > 7 && !strncmp(line, "fatal: ", 7))
        line += 7, length -= 7;
    const char *end = memchr(line, '\n', (size_t)length);
    length = end ? (int)(end - line) : length;
    error_set(err, length ? "git: %.*s" : "git failed", length, line);
    blob_release(&text);
    free(path);
    return -1;
}

/* What git printed, ended by a NUL that does not count. */
static int read_answer(const struct revision *revision, struct blob *out, struct error *err)
{
    char *path = path_join(revision->temporary, "git-answer");
    int result = file_read(path, SIZE_MAX / 2, out, err);
    free(path);
    if (result < 0)
        return -1;
    out->data = must_realloc(out->data, out->size + 1, 1);
    out->data[out->size] = '\0';
    return 0;
}

static int git_run(const struct revision *revision, const char *const *args, struct blob *out, struct error *err)
{
    int status = git_try(revision, args, err);
    if (status != 0)
        return status < 0 ? -1 : fail_as_git(revision, err);
    return read_answer(revision, out, err);
}

/* The one line that git prints: a path in it may have line breaks of its own. */
static int git_line(const struct revision *revision, const char *const *args, char **out, struct error *err)
{
    struct blob text;
    if (git_run(revision, args, &text, err) < 0)
        return -1;
    char *line = (char *)text.data, *end = strchr(line, '\n');
    if (!end || end[1]) {
        blob_release(&text);
        return error_set(err, "--base: the path of the repository has a line break");
    }
    *end = '\0';
    *out = line;
    return 0;
}

/* -- The repository ------------------------------------------------------------------------------------------- */

int revision_find_top(const char *folder, const char *temporary, char **top, struct error *err)
{
    struct error why;
    char *real = path_resolve(folder);
    const struct revision none = {.top = real, .temporary = (char *)temporary};
    int result = git_line(&none, ARGS("rev-parse", "--show-toplevel"), top, &why);
    free(real);
    if (result == 0)
        return 0;
    if (strstr(why.text, "not a git repository"))
        return error_set(err,
                         "'%s' is in no git repository, which --base REV needs; --base DIR compares with a folder",
                         folder);
    if (strstr(why.text, "dubious ownership")) /* as in a container: git's hint stands in lines of its own */
        return error_set(err, "%s; `git config --global --add safe.directory FOLDER` trusts it", why.text);
    return error_set(err, "%s", why.text);
}

/* -- Contents ------------------------------------------------------------------------------------------------- */

static char *object_path(const struct revision *revision, const char *id)
{
    return path_join(revision->objects, id);
}

/* "1a2b... blob 123", a line break and as many bytes and another, for each; "1a2b... missing" for one that is not here. */
static int write_objects(const struct revision *revision, struct bytes answer, struct error *err)
{
    int result = 0;
    for (struct cursor cursor = cursor_at(answer, 0); result == 0 && cursor.at < answer.size;) {
        char head[128] = "", id[sizeof head], type[sizeof head];
        uintmax_t size = 0;
        for (size_t i = 0; i < sizeof head - 1 && (i == 0 || head[i - 1] != '\n'); i++)
            head[i] = (char)cursor_u8(&cursor);
        int count = sscanf(head, "%s %s %ju", id, type, &size);
        if (count >= 2 && !strcmp(type, "missing"))
            return error_set(err,
                             "git: some files of the revision are missing here; check it out elsewhere and use "
                             "--base DIR");
        const uint8_t *data = cursor_take(&cursor, size), *end = cursor_take(&cursor, 1);
        if (count < 3 || !data || !end)
            return error_set(err, "git: an unexpected answer of cat-file");
        char *path = object_path(revision, id);
        result = file_renew(path, (struct bytes){data, size}, err);
        free(path);
    }
    return result;
}

/* Writes objects, of which git reads the ids in lines. */
static int take_objects(const struct revision *revision, const struct buffer *ids, struct error *err)
{
    char *input = path_join(revision->temporary, "git-input");
    struct blob answer = {0};
    int result = file_renew(input, (struct bytes){(const uint8_t *)ids->text, ids->length}, err);
    if (result == 0)
        result = git_run(revision, ARGS("cat-file", "--batch"), &answer, err);
    if (result == 0)
        result = write_objects(revision, blob_bytes(&answer), err);
    blob_release(&answer);
    free(input);
    return result;
}

/* A small object's text. The caller frees it. */
static char *object_text(const struct revision *revision, const char *id, struct error *err)
{
    struct buffer line = {0};
    struct blob text;
    buffer_printf(&line, "%s\n", id);
    char *path = object_path(revision, id), *result = NULL;
    if (take_objects(revision, &line, err) == 0 && file_read(path, 1024 * 1024, &text, err) == 0) {
        result = must_printf("%.*s", (int)text.size, (const char *)text.data);
        blob_release(&text);
    }
    buffer_release(&line);
    free(path);
    return result;
}

enum { MOST_POINTER = 512 };

/* The text of a Git LFS pointer; "" for any other file. */
static void read_pointer(int fd, char text[MOST_POINTER])
{
    ssize_t length = fd >= 0 ? file_pread(fd, text, MOST_POINTER - 1, 0) : 0;
    text[length > 0 ? length : 0] = '\0';
    if (!bytes_are_lfs_pointer((struct bytes){(const uint8_t *)text, strlen(text)}))
        *text = '\0';
}

/* Copies the file that a Git LFS pointer means over it, from where Git LFS keeps it. */
static bool take_lfs_file(const struct revision *revision, const char *pointer, const char *path)
{
    const char *oid = strstr(pointer, "\noid sha256:");
    if (!oid || strspn(oid += 12, "0123456789abcdef") != 64)
        return false;
    char *from = must_printf("%s/lfs/objects/%.2s/%.2s/%.64s", revision->git_folder, oid, oid + 2, oid);
    int in = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), out = -1;
    struct stat info;
    bool is_taken = in >= 0 && fstat(in, &info) == 0 && S_ISREG(info.st_mode) &&
                    (out = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)) >= 0 && file_copy(in, out) == 0;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    free(from);
    return is_taken;
}

/* -- The commit ----------------------------------------------------------------------------------------------- */

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

/* "1a2b3c4 Subject line" */
static int describe(struct revision *revision, struct error *err)
{
    char *text = object_text(revision, revision->commit, err);
    if (!text)
        return -1;
    const char *subject = strstr(text, "\n\n");
    subject = subject ? subject + 2 : "";
    revision->detail = must_printf("%.7s %.*s", revision->commit, (int)strcspn(subject, "\n"), subject);
    free(text);
    return 0;
}

static int find_commit(struct revision *revision, const char *name, struct error *err)
{
    char *wanted = must_printf("%s^{commit}", name);
    struct blob text;
    int status = *name == '-' ? 1 /* or it would be an option */
                              : git_try(revision, ARGS("rev-parse", "--verify", "--quiet", wanted), err);
    free(wanted);
    if (status != 0)
        return status < 0 ? -1 : fail_missing(revision, name, err);
    if (read_answer(revision, &text, err) < 0)
        return -1;
    revision->commit = (char *)text.data;
    revision->commit[strcspn(revision->commit, "\n")] = '\0';
    return describe(revision, err);
}

/* -- Its files ------------------------------------------------------------------------------------------------ */

/* A link that leads through more of them leads to itself, as Linux has it. */
enum { MOST_LINKS = 40 };

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct revision_entry *)a)->path, ((const struct revision_entry *)b)->path);
}

static struct revision_entry *find_entry(const struct revision *revision, const char *path)
{
    const struct revision_entry key = {.path = path};
    return bsearch(&key, revision->entries, revision->entry_count, sizeof key, compare_entries);
}

/* Whether a path lies in a folder, "" for the top. */
static bool is_below(const char *folder, const char *path)
{
    const char *rest = path_below(folder, path);
    return !*folder || (rest && *rest);
}

/* The first entry below a folder, "" for the top, and how many there are. */
static struct revision_entry *find_below(const struct revision *revision, const char *folder, size_t *count)
{
    size_t first = 0, end = 0;
    while (first < revision->entry_count && !is_below(folder, revision->entries[first].path))
        first++;
    for (end = first; end < revision->entry_count && is_below(folder, revision->entries[end].path);)
        end++;
    *count = end - first;
    return revision->entries + first;
}

/* Whether the assets may have a file of this path: git makes no other. */
static bool is_plain_path(const char *path)
{
    char collapsed[PATH_LIMIT];
    if (strlen(path) >= sizeof collapsed || strchr(path, ':'))
        return false;
    memcpy(collapsed, path, strlen(path) + 1);
    return path_collapse(collapsed) && !strcmp(collapsed, path);
}

/* "100644 blob 1a2b...     123<TAB>models/orc.md2", each ended by a NUL; the size of a submodule is "-". */
static int list_entries(struct revision *revision, struct error *err)
{
    struct blob text;
    size_t capacity = 0;
    if (git_run(revision, ARGS("ls-tree", "-rz", "-l", "--full-tree", revision->commit), &text, err) < 0)
        return -1;
    char *all = arena_must_alloc(&revision->arena, text.size + 1, 1);
    memcpy(all, text.data, text.size);
    blob_release(&text);
    for (char *line = all, *next; *line; line = next) {
        next = line + strlen(line) + 1;
        char *path = strchr(line, '\t'), *id = path ? memchr(line + 7, ' ', (size_t)(path - line - 7)) : NULL;
        if (!id)
            return error_set(err, "git: unexpected entry '%s' of a tree", line);
        *path++ = '\0';
        char *size = id + 1 + strcspn(id + 1, " ");
        *size = '\0';
        revision->entries =
            must_grow(revision->entries, revision->entry_count, &capacity, sizeof *revision->entries);
        revision->entries[revision->entry_count++] = (struct revision_entry){
            .path = path,
            .id = id + 1,
            .size = strtoull(size + (size + 1 < path), NULL, 10),
            .kind = !strncmp(line, "10", 2)   ? ENTRY_FILE
                    : !strncmp(line, "12", 2) ? ENTRY_LINK
                                              : ENTRY_SUBMODULE,
        };
    }
    if (revision->entry_count)
        qsort(revision->entries, revision->entry_count, sizeof *revision->entries, compare_entries);
    return 0;
}

/* The assets know no other entries than files with plain paths. */
static void list_members(struct revision *revision)
{
    struct member *members = arena_must_alloc(&revision->arena, revision->entry_count, sizeof *members);
    size_t count = 0;
    for (size_t i = 0; i < revision->entry_count; i++) {
        struct revision_entry *entry = &revision->entries[i];
        if (entry->kind != ENTRY_FILE || !is_plain_path(entry->path))
            continue;
        entry->member = &members[count++];
        *entry->member = (struct member){.path = entry->path, .object = entry->id};
    }
    revision->tree = (struct assets_tree){revision->top, revision->objects, members, count};
}

/* Whether a file, which no link leads to, has the times, the inode and the size that git noted when its content was that of
 * the index. One that is written in the moment in which the index is may have other bytes with the same times: as git does,
 * we believe only files that are older than the index. A Git LFS pointer is not what people have there. */
static bool is_as_noted(int top, const char *path, const unsigned noted[6], const struct stat *index)
{
    struct stat file;
    char pointer[MOST_POINTER] = "";
    int fd = file_open_beneath(top, path, O_RDONLY);
    bool is_file = fd >= 0 && fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
    if (is_file && file.st_size < MOST_POINTER)
        read_pointer(fd, pointer);
    if (fd >= 0)
        close(fd);
    if (!is_file)
        return false;
    const struct timespec *changed = &file.st_mtim, *written = &index->st_mtim;
    const unsigned now[6] = {(unsigned)file.st_ctim.tv_sec, (unsigned)file.st_ctim.tv_nsec,
                             (unsigned)changed->tv_sec,     (unsigned)changed->tv_nsec,
                             (unsigned)file.st_ino,         (unsigned)file.st_size};
    bool is_older = changed->tv_sec != written->tv_sec ? changed->tv_sec < written->tv_sec
                                                       : changed->tv_nsec < written->tv_nsec;
    return is_older && !memcmp(now, noted, sizeof now) && !*pointer;
}

static void set_in_place(struct revision_entry *entry)
{
    entry->is_in_place = true;
    entry->member->object = NULL;
}

/* Finds the files at a path whose content in the work tree is that of the revision: the index has the same id, and the file
 * was not touched since. Each is "100644 1a2b... 0<TAB>models/orc.md2", a NUL, and lines of what git noted. */
static int find_in_place(struct revision *revision, const char *path, struct error *err)
{
    struct blob text;
    struct stat index = {0}; /* without an index nothing is noted */
    stat(revision->index, &index);
    const char *const *args = ARGS("ls-files", "--stage", "--debug", "-z", "--", *path ? path : ".");
    if (git_run(revision, args, &text, err) < 0)
        return -1;
    int result = 0;
    for (char *line = (char *)text.data; result == 0 && line < (char *)text.data + text.size;) {
        unsigned noted[6];
        int length = 0;
        char *file = strchr(line, '\t'), *notes = line + strlen(line) + 1, *id = strchr(line, ' ');
        sscanf(notes, " ctime: %u:%u mtime: %u:%u dev: %*u ino: %u uid: %*u gid: %*u size: %u flags: %*x%n",
               &noted[0], &noted[1], &noted[2], &noted[3], &noted[4], &noted[5], &length);
        if (!file || !id || !length) {
            result = error_set(err, "git: an unexpected answer of ls-files");
            break;
        }
        struct revision_entry *entry = find_entry(revision, file + 1);
        if (entry && entry->member && !strncmp(id + 1, entry->id, strlen(entry->id)) &&
            is_as_noted(revision->top_folder, file + 1, noted, &index))
            set_in_place(entry);
        line = notes + length + 1;
    }
    blob_release(&text);
    return result;
}

/* Whether a file of the work tree, which no link leads to, is an object but for its line ends, which git may have
 * converted. */
static bool has_same_lines(int top, const char *path, const char *object)
{
    int fd = file_open_beneath(top, path, O_RDONLY), a = 0, b = 0;
    struct stat info;
    FILE *file = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? fdopen(fd, "rb") : NULL;
    FILE *other = file ? fopen(object, "rb") : NULL;
    bool is_converted = false, is_text = true;
    while (other && a == b && a != EOF) {
        a = getc_unlocked(file);
        b = getc_unlocked(other);
        if (a == '\r' && b == '\n') {
            a = getc_unlocked(file);
            is_converted = true;
        }
        is_text = is_text && a != '\0';
    }
    if (other)
        fclose(other);
    if (file)
        fclose(file);
    else if (fd >= 0)
        close(fd);
    return other && a == b && (is_text || !is_converted);
}

/* Has the object of a file be what people have there. */
static int finish_object(const struct revision *revision, struct revision_entry *entry, struct error *err)
{
    char *path = object_path(revision, entry->id), pointer[MOST_POINTER];
    int result = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
    entry->is_taken = true;
    read_pointer(fd, pointer);
    if (fd >= 0)
        close(fd);
    if (*pointer && !take_lfs_file(revision, pointer, path))
        result = error_set(
            err, "%s in '%s' is a Git LFS pointer, and its file is not here; to fetch it: git lfs fetch origin %s",
            entry->path, revision->name, revision->commit);
    else if (entry->member && has_same_lines(revision->top_folder, entry->path, path))
        set_in_place(entry);
    free(path);
    return result;
}

/* Takes the contents that the work tree has not. */
static int take_entries(struct revision *revision, struct revision_entry *entries, size_t count, struct error *err)
{
    enum { MOST_IDS = 100, ENOUGH_BYTES = 64 << 20 }; /* of files that are in memory together */
    uint64_t size = 0;
    struct revision_entry *wanted[MOST_IDS];
    struct buffer ids = {0};
    size_t wanted_count = 0;
    int result = 0;
    for (size_t i = 0; result == 0 && i < count; i++) {
        struct revision_entry *entry = &entries[i];
        if (entry->kind == ENTRY_SUBMODULE)
            result =
                error_set(err, "%s in '%s' is a submodule: check the revision out elsewhere and use --base DIR",
                          entry->path, revision->name);
        if (entry->kind == ENTRY_FILE && !entry->is_in_place && !entry->is_taken) {
            buffer_printf(&ids, "%s\n", entry->id);
            wanted[wanted_count++] = entry;
            size += entry->size;
        }
        if (result < 0 || wanted_count == 0 || (wanted_count < MOST_IDS && size < ENOUGH_BYTES && i + 1 < count))
            continue;
        result = take_objects(revision, &ids, err);
        for (size_t j = 0; result == 0 && j < wanted_count; j++)
            result = finish_object(revision, wanted[j], err);
        buffer_release(&ids);
        wanted_count = 0;
        size = 0;
    }
    buffer_release(&ids);
    return result;
}

/* A path without links, in the revision's arena: absolute where one leads out of the repository. */
static int follow_links(struct revision *revision, const char *path, const char **out, struct error *err)
{
    struct arena *arena = &revision->arena;
    const char *done = "", *rest = path;
    for (int links = 0; *rest;) {
        size_t length = strcspn(rest, "/");
        const char *after = rest + length + strspn(rest + length, "/");
        bool is_step_up = length == 2 && !strncmp(rest, "..", 2),
             is_step = length == 0 || (length == 1 && *rest == '.');
        if (is_step_up && !*done) {
            *out = arena_printf(arena, "%s/../%s", revision->top, after);
            return 0;
        }
        const char *slash = strrchr(done, '/');
        const char *next = is_step_up ? arena_strndup(arena, done, slash ? (size_t)(slash - done) : 0)
                                      : arena_printf(arena, "%s%s%.*s", done, *done ? "/" : "", (int)length, rest);
        const struct revision_entry *entry = find_entry(revision, next);
        rest = after;
        if (is_step || !entry || entry->kind != ENTRY_LINK) {
            done = is_step ? done : next;
            continue;
        }
        if (++links > MOST_LINKS)
            return error_set(err, "%s in '%s' is a link that leads to itself", path, revision->name);
        char *target = object_text(revision, entry->id, err);
        if (!target)
            return -1;
        const char *inside = *target == '/' ? path_below(revision->top, target) : target;
        if (!inside)
            *out = arena_printf(arena, "%s/%s", target, after);
        else
            rest = arena_printf(arena, "%s/%s", inside, after);
        done = *target == '/' ? "" : done;
        free(target);
        if (!inside)
            return 0;
    }
    *out = done;
    return 0;
}

/* Nothing is below this one of our objects. */
static const char nothing[] = "-";

int revision_locate(struct revision *revision, const char *path, char **out, struct error *err)
{
    const char *name = NULL;
    if (follow_links(revision, path, &name, err) < 0)
        return -1;
    if (*name == '/') {
        *out = path_resolve(name);
        return 1;
    }
    size_t count = 1;
    struct revision_entry *entry = find_entry(revision, name),
                          *entries = entry ? entry : find_below(revision, name, &count);
    if (count == 0) {
        *out = must_printf("%s/%s/%s", revision->objects, nothing, name);
        return 0;
    }
    if (find_in_place(revision, name, err) < 0 || take_entries(revision, entries, count, err) < 0)
        return -1;
    *out = entry && !entry->is_in_place ? object_path(revision, entry->id) : path_join(revision->top, name);
    return 1;
}

char *revision_tell(const struct revision *revision, const char *text)
{
    struct buffer line = {0};
    const char *at, *objects = revision->objects;
    while (objects && (at = strstr(text, objects))) {
        const char *name = at + strlen(objects) + (at[strlen(objects)] == '/');
        size_t length = strcspn(name, "/:' "), i = 0;
        while (i < revision->entry_count &&
               (strlen(revision->entries[i].id) != length || strncmp(revision->entries[i].id, name, length)))
            i++;
        bool is_object = i < revision->entry_count;
        buffer_printf(&line, "%.*s%s:%s", (int)(at - text), text, revision->name,
                      is_object ? revision->entries[i].path : "");
        text = is_object ? name + length : name + strspn(name, "-/");
    }
    buffer_printf(&line, "%s", text);
    return line.text;
}

/* -- A revision ----------------------------------------------------------------------------------------------- */

int revision_open(char *top, const char *name, const char *temporary, struct revision *out, struct error *err)
{
    struct revision revision = {.top = top, .name = must_strdup(name), .temporary = must_strdup(temporary)};
    char *folder = NULL, *index = NULL;
    revision.top_folder = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    revision.objects = path_join(temporary, "objects");
    int result = file_make_folders(revision.objects, err);
    if (result == 0)
        result = find_commit(&revision, name, err);
    if (result == 0)
        result = git_line(&revision, ARGS("rev-parse", "--git-common-dir"), &folder, err);
    if (result == 0)
        result = git_line(&revision, ARGS("rev-parse", "--git-path", "index"), &index, err);
    if (result == 0)
        result = list_entries(&revision, err);
    if (result == 0) {
        revision.git_folder = path_join(top, folder);
        revision.index = path_join(top, index);
        list_members(&revision);
        *out = revision;
    } else {
        revision_release(&revision);
    }
    free(folder);
    free(index);
    return result;
}

void revision_release(struct revision *revision)
{
    if (revision->top && revision->top_folder >= 0)
        close(revision->top_folder);
    free(revision->top);
    free(revision->name);
    free(revision->commit);
    free(revision->detail);
    free(revision->git_folder);
    free(revision->index);
    free(revision->temporary);
    free(revision->objects);
    free(revision->entries);
    arena_release(&revision->arena);
    *revision = (struct revision){0};
}
