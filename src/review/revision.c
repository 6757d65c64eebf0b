#include "review/revision.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asset/archive.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "os/child.h"

enum entry_kind { ENTRY_FILE, ENTRY_LINK, ENTRY_SUBMODULE };

/* A path of the revision. */
struct revision_entry {
    const char *path, *id;
    enum entry_kind kind;
    bool is_in_place;      /* a file that the work tree has the same of */
    bool is_taken;         /* its content is among the objects */
    struct member *member; /* of the tree; NULL if it is none of its files */
};

/* -- git ------------------------------------------------------------------------------------------------------ */

enum { STATUS_NO_GIT = 127 };

/* A small repository can name more files than a disk holds. git is killed where it prints more. */
static const rlim_t MOST_ANSWER = (rlim_t)2 << 30;

/* A Git LFS pointer has fewer bytes. */
enum { MOST_POINTER = 512 };

/* Runs no hook. */
#define GIT(repository, ...)                                                                                      \
    ((const char *const[]){"git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C",           \
                           (repository)->top, __VA_ARGS__, NULL})

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
    setenv("GIT_NO_REPLACE_OBJECTS", "1", 1); /* commits as they were made, whatever refs/replace says */
    setenv("GIT_GRAFT_FILE", "/dev/null/none", 1);
    setenv("GIT_LITERAL_PATHSPECS", "1", 1);
    setenv("GIT_OPTIONAL_LOCKS", "0", 1);
    setenv("GIT_NO_LAZY_FETCH", "1", 1);
    setenv("GIT_ALLOW_PROTOCOL", "none", 1); /* the same for git before 2.44 */
}

/* Turns the process into git, whose standard streams are files of ours. */
static _Noreturn void become_git(const struct repository *repository, const char *const *args)
{
    const struct rlimit most = {MOST_ANSWER, MOST_ANSWER};
    if (!freopen(repository->input, "a+", stdin) || !freopen(repository->answer, "w", stdout) ||
        !freopen(repository->errors, "w", stderr))
        _exit(STATUS_NO_GIT - 1);
    setrlimit(RLIMIT_FSIZE, &most);
    set_environment();
    execvp("git", (char *const *)args);
    _exit(STATUS_NO_GIT);
}

/* Reads what git printed, and ends it with two NULs that do not count. */
static int read_answer(const struct repository *repository, struct blob *out, struct error *err)
{
    if (file_read(repository->answer, SIZE_MAX / 2, out, err) < 0)
        return -1;
    out->data = must_realloc(out->data, out->size + 2, 1);
    memset(out->data + out->size, 0, 2);
    return 0;
}

/* Runs git, which prints to the file of its answer. Returns its exit status; -1 where it was not run to its end. */
static int git_try(const struct repository *repository, const char *const *args, struct error *err)
{
    SCOPED_BY(blob_release) struct blob nothing = {0};
    int status = child_run(&(struct child){.task = "runs git"}, &nothing, err);
    if (status == CHILD_IS_THIS)
        become_git(repository, args);
    return status == STATUS_NO_GIT ? error_set(err, "the program git is not in PATH") : status;
}

/* Notes that the temporary file `path` cannot be written; the message begins with the path, and ends with what helps. */
static int lack_room(struct repository *repository, const char *path, struct error *err)
{
    const struct error said = *err;
    repository->lacks_room = true;
    return error_set(err, "a temporary file%s" MORE_ROOM, said.text + strnlen(path, strlen(said.text)));
}

/* Fails with what git said, in one line and without "fatal: ", or because it could not write. */
static int fail_as_git(struct repository *repository, struct error *err)
{
    static const uint8_t a_block[4096];
    SCOPED_BY(blob_release) struct blob text = {0};
    struct error ignored;
    int length =
        file_read(repository->errors, 64 * 1024, &text, &ignored) == 0 && text.size ? (int)text.size - 1 : 0;
    SCOPED char *said = must_printf("%.*s", length, length ? (const char *)text.data : "");
    for (char *c = said; *c; c++)
        *c = *c == '\n' || *c == '\t' ? ' ' : *c;
    if (file_renew(repository->errors, (struct bytes){a_block, sizeof a_block}, err) < 0)
        lack_room(repository, repository->errors, err);
    else
        error_set(err, "git%s%s", *said ? ": " : " failed", strncmp(said, "fatal: ", 7) ? said : said + 7);
    return -1;
}

/* `out` is NULL where the file of the answer is enough. */
static int git_run(struct repository *repository, const char *const *args, struct blob *out, struct error *err)
{
    int status = git_try(repository, args, err);
    if (status > 0)
        return fail_as_git(repository, err);
    return status == 0 && out ? read_answer(repository, out, err) : status;
}

/* The line that git prints, which may be a path with line breaks of its own. NULL on failure. */
static const char *git_line(struct repository *repository, const char *const *args, struct error *err)
{
    SCOPED_BY(blob_release) struct blob text = {0};
    int result = git_run(repository, args, &text, err);
    size_t length = text.size - (text.size > 0);
    return result < 0 ? NULL : arena_strndup(&repository->arena, (const char *)text.data, length);
}

/* -- Contents ------------------------------------------------------------------------------------------------- */

static char *object_path(const struct revision *revision, const char *id)
{
    return path_join(revision->repository->objects, id);
}

/* The first file of a content: `id` need not end with a NUL. */
static const struct revision_entry *find_id(const struct revision *revision, const char *id, size_t length)
{
    for (size_t i = 0; i < revision->entry_count; i++)
        if (!strncmp(revision->entries[i].id, id, length) && !revision->entries[i].id[length])
            return &revision->entries[i];
    return NULL;
}

/* Copies a part of an open file, which may be larger than our memory, to a new one. */
static int copy_bytes(struct repository *repository, int from, uint64_t start, uint64_t size, const char *path,
                      struct error *err)
{
    uint8_t piece[64 * 1024];
    SCOPED_BY(file_close) int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (to < 0) {
        error_set(err, "%s: %s", path, strerror(errno));
        return lack_room(repository, path, err);
    }
    for (size_t done = 0, length; done < size; done += length) {
        length = size - done < sizeof piece ? size - done : sizeof piece;
        if (file_pread(from, piece, length, start + done) != (ssize_t)length)
            return error_set(err, "a temporary file: what is to be copied to it ended after %zu of %ju bytes",
                             done, (uintmax_t)size);
        if (file_write(to, (struct bytes){piece, length}) < length) {
            error_set(err, "%s: cannot write %zu bytes: %s", path, length, strerror(errno));
            return lack_room(repository, path, err);
        }
    }
    return 0;
}

/* Copies the file that a Git LFS pointer means, from where Git LFS keeps it. */
static int take_lfs_file(const struct revision *revision, const char *id, const char *pointer, const char *object,
                         struct error *err)
{
    static const char start[] = "\noid sha256:";
    enum { DIGITS = 64 };
    const char *oid = strstr(pointer, start);
    struct stat info;
    SCOPED_BY(file_close) int fd = -1;
    if (oid && strspn(oid += sizeof start - 1, "0123456789abcdef") == DIGITS) {
        SCOPED char *path = must_printf("%s/lfs/objects/%.2s/%.2s/%.*s", revision->repository->git_folder, oid,
                                        oid + 2, DIGITS, oid);
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    }
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        return copy_bytes(revision->repository, fd, 0, (uint64_t)info.st_size, object, err);
    const struct revision_entry *entry = find_id(revision, id, strlen(id));
    return error_set(
        err, "%s in '%s' is a Git LFS pointer, and its file is not here; to fetch it: git lfs fetch origin %s",
        entry ? entry->path : id, revision->name, revision->commit);
}

/* Writes an object that is a part of what cat-file printed. */
static int write_object(const struct revision *revision, const char *id, int answer, uint64_t start, uint64_t size,
                        struct error *err)
{
    char text[MOST_POINTER] = "", *path = object_path(revision, id);
    ssize_t length = file_pread(answer, text, size < sizeof text ? size : sizeof text - 1, start);
    bool is_pointer = length > 0 && bytes_are_lfs_pointer((struct bytes){(uint8_t *)text, (size_t)length});
    int result = is_pointer ? take_lfs_file(revision, id, text, path, err)
                            : copy_bytes(revision->repository, answer, start, size, path, err);
    free(path);
    return result;
}

/* Writes what cat-file printed: "1a2b... blob 123", a line break and as many bytes and another, for each object;
 * "1a2b... missing" for one that is not here. */
static int write_objects(const struct revision *revision, int answer, struct error *err)
{
    char head[128], id[sizeof head], type[sizeof head];
    ssize_t length;
    int result = 0;
    for (uint64_t at = 0; result == 0 && (length = file_pread(answer, head, sizeof head - 1, at)) != 0;) {
        head[length > 0 ? length : 0] = '\0';
        uintmax_t size = 0;
        int count = sscanf(head, "%s %s %ju", id, type, &size);
        if (count >= 2 && !strcmp(type, "missing"))
            return error_set(err,
                             "git: some files of the revision are missing here; check it out elsewhere and use "
                             "--base DIR");
        if (count < 3)
            return error_set(err, "git: an unexpected answer of cat-file");
        at += strcspn(head, "\n") + 1;
        result = write_object(revision, id, answer, at, size, err);
        at += size + 1;
    }
    return result;
}

/* Writes objects, whose ids are in lines. */
static int take_objects(const struct revision *revision, const struct buffer *ids, struct error *err)
{
    struct repository *repository = revision->repository;
    const struct bytes lines = {(const uint8_t *)ids->text, ids->length};
    unlink(repository->input);
    if (file_stage(repository->input, repository->input, lines, err) < 0) /* in a folder of our own */
        return lack_room(repository, repository->input, err);
    if (git_run(repository, GIT(repository, "cat-file", "--batch"), NULL, err) < 0)
        return -1;
    SCOPED_BY(file_close) int fd = open(repository->answer, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? error_set(err, "%s: %s", repository->answer, strerror(errno))
                  : write_objects(revision, fd, err);
}

/* A small object's text, in the revision's arena; NULL on failure. */
static const char *object_text(struct revision *revision, const char *id, struct error *err)
{
    SCOPED_BY(buffer_release) struct buffer line = {0};
    SCOPED_BY(blob_release) struct blob text = {0};
    buffer_printf(&line, "%s\n", id);
    SCOPED char *path = object_path(revision, id);
    const char *result = NULL;
    if (take_objects(revision, &line, err) == 0 && file_read(path, 1024 * 1024, &text, err) == 0)
        result = arena_strndup(&revision->arena, (const char *)text.data, text.size);
    return result;
}

/* -- The commit ----------------------------------------------------------------------------------------------- */

static int fail_missing(const struct repository *repository, const char *name, struct error *err)
{
    return error_set(err, "no revision and no folder '%s'%s", name,
                     repository->is_shallow
                         ? ", and this clone is shallow; to fetch it: git fetch --unshallow origin "
                           "'+refs/heads/*:refs/remotes/origin/*'"
                         : "");
}

/* Finds the id of a commit by a name. */
static int find_commit(const struct repository *repository, const char *name, struct arena *arena,
                       const char **out, struct error *err)
{
    SCOPED char *wanted = must_printf("%s^{commit}", name);
    SCOPED_BY(blob_release) struct blob text = {0};
    int status = *name == '-'
                     ? 1 /* or it would be an option */
                     : git_try(repository, GIT(repository, "rev-parse", "--verify", "--quiet", wanted), err);
    if (status == 0 && (status = read_answer(repository, &text, err)) == 0)
        *out = arena_strndup(arena, (const char *)text.data, strcspn((const char *)text.data, "\n"));
    return status > 0 ? fail_missing(repository, name, err) : status;
}

/* Finds the commit's parents: "tree ID", then lines of "parent ID". */
static int find_parents(struct revision *revision, struct error *err)
{
    const char *text = object_text(revision, revision->commit, err), *line = text ? strchr(text, '\n') : NULL;
    for (int i = 0; i < 2; i++) {
        bool is_parent = line && !strncmp(line, "\nparent ", 8);
        revision->parents[i] = is_parent ? arena_strndup(&revision->arena, line + 8, strcspn(line + 8, "\n")) : "";
        line = is_parent ? strchr(line + 8, '\n') : NULL;
    }
    return text ? 0 : -1;
}

const char *revision_describe(struct revision *revision, const char *commit)
{
    enum { MOST_BYTES = 60 };
    struct error ignored;
    const char *text = object_text(revision, commit, &ignored), *subject = text ? strstr(text, "\n\n") : NULL;
    size_t whole = subject ? strcspn(subject += 2, "\n") : 0, length = whole < MOST_BYTES ? whole : MOST_BYTES;
    while (length < whole && (subject[length] & 0xc0) == 0x80)
        length--;
    return arena_printf(&revision->arena, length ? "%.*s \"%.*s%s\"" : "%.*s", SHORT_ID, commit, (int)length,
                        subject, length < whole ? "…" : "");
}

/* Returns the only branch of these lines, here or of a remote, or NULL. */
static const char *only_branch(char *lines)
{
    const char *found = NULL, *name;
    while ((name = strsep(&lines, "\n")) && *name) {
        const char *local = strchr(name, '/');
        if (local && (!strcmp(local, "/HEAD") || !strncmp(name, "pull/", 5)))
            continue;
        if (found && strcmp(found, name) != 0 && (!local || strcmp(found, local + 1) != 0))
            return NULL;
        found = found ? found : name;
    }
    return found;
}

const char *revision_branch(struct revision *revision)
{
    struct repository *repository = revision->repository;
    SCOPED_BY(blob_release) struct blob text = {0}, names = {0};
    struct error ignored;
    const char *found = NULL, *at = arena_printf(&revision->arena, "--points-at=%s", revision->commit);
    if (git_run(repository, GIT(repository, "rev-parse", "--abbrev-ref", revision->name), &text, &ignored) == 0 &&
        text.size > 1 && strcmp((const char *)text.data, "HEAD\n") != 0)
        found = strsep(&(char *){(char *)text.data}, "\n");
    else if (git_run(
                 repository,
                 GIT(repository, "for-each-ref", at, "--format=%(refname:strip=2)", "refs/heads", "refs/remotes"),
                 &names, &ignored) == 0)
        found = only_branch((char *)names.data);
    found = found ? arena_strdup(&revision->arena, found) : NULL;
    return found;
}

/* -- Its files ------------------------------------------------------------------------------------------------ */

/* A link that leads through more of them leads to itself, as Linux has it. */
enum { MOST_LINKS = 40 };

static struct revision_entry *find_entry(const struct revision *revision, const char *path)
{
    const struct revision_entry key = {.path = path};
    return bsearch(&key, revision->entries, revision->entry_count, sizeof key, strings_compare);
}

/* The entry of a path, or the first one below that folder, "" for the top; and how many there are. */
static struct revision_entry *find_entries(const struct revision *revision, const char *path, size_t *count)
{
    struct revision_entry *entry = find_entry(revision, path);
    *count = 1;
    if (entry)
        return entry;
    SCOPED char *start = must_printf("%s%s", path, *path ? "/" : "");
    const size_t first =
        sorted_place(revision->entries, revision->entry_count, sizeof *revision->entries, &start, strings_compare);
    for (*count = 0; first + *count < revision->entry_count &&
                     !strncmp(revision->entries[first + *count].path, start, strlen(start));)
        ++*count;
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
    revision->tree =
        (struct assets_tree){revision->repository->top, revision->repository->objects, members, count};
}

/* "100644 blob 1a2b...<TAB>models/orc.md2", each ended by a NUL. */
static int list_tree(struct revision *revision, struct error *err)
{
    size_t capacity = 0;
    if (git_run(revision->repository, GIT(revision->repository, "ls-tree", "-rz", "--full-tree", revision->commit),
                &revision->listing, err) < 0)
        return -1;
    for (char *line = (char *)revision->listing.data, *next; *line; line = next) {
        next = line + strlen(line) + 1;
        char *path = strchr(line, '\t'), *id = path ? memchr(line + 7, ' ', (size_t)(path - line - 7)) : NULL;
        if (!id)
            return error_set(err, "git: unexpected entry '%s' of a tree", line);
        *path++ = '\0';
        *MUST_ADD(revision->entries, revision->entry_count, capacity) = (struct revision_entry){
            .path = path,
            .id = id + 1,
            .kind = !strncmp(line, "10", 2)   ? ENTRY_FILE
                    : !strncmp(line, "12", 2) ? ENTRY_LINK
                                              : ENTRY_SUBMODULE,
        };
    }
    SORT(revision->entries, revision->entry_count, strings_compare);
    list_members(revision);
    return 0;
}

/* Whether a file, which no link leads to, has the times, the inode and the size that git noted when its content was that of
 * the index. One that is written in the moment in which the index is may have other bytes with the same times: as git does,
 * we believe only files that are older than the index. A Git LFS pointer is not what people have there. */
static bool is_as_noted(int top, const char *path, const unsigned noted[6], const struct stat *index)
{
    struct stat file;
    uint8_t start[128];
    SCOPED_BY(file_close) int fd = file_open_beneath(top, path, O_RDONLY);
    bool is_file = fd >= 0 && fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
    ssize_t length = is_file && file.st_size < MOST_POINTER ? file_pread(fd, start, sizeof start, 0) : 0;
    if (!is_file || length < 0 || bytes_are_lfs_pointer((struct bytes){start, (size_t)length}))
        return false;
    const struct timespec *changed = &file.st_mtim, *written = &index->st_mtim;
    const unsigned now[6] = {(unsigned)file.st_ctim.tv_sec, (unsigned)file.st_ctim.tv_nsec,
                             (unsigned)changed->tv_sec,     (unsigned)changed->tv_nsec,
                             (unsigned)file.st_ino,         (unsigned)file.st_size};
    bool is_older = changed->tv_sec != written->tv_sec ? changed->tv_sec < written->tv_sec
                                                       : changed->tv_nsec < written->tv_nsec;
    return is_older && !memcmp(now, noted, sizeof now);
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
    SCOPED_BY(blob_release) struct blob text = {0};
    if (revision->has_near)
        return 0;
    struct stat index = {0}; /* without an index nothing is noted */
    stat(revision->repository->index, &index);
    const char *const *args =
        GIT(revision->repository, "ls-files", "--stage", "--debug", "-z", "--", *path ? path : ".");
    if (git_run(revision->repository, args, &text, err) < 0)
        return -1;
    for (char *line = (char *)text.data; line < (char *)text.data + text.size;) {
        unsigned noted[6];
        int length = 0;
        char *file = strchr(line, '\t'), *notes = line + strlen(line) + 1, *id = strchr(line, ' ');
        sscanf(notes, " ctime: %u:%u mtime: %u:%u dev: %*u ino: %u uid: %*u gid: %*u size: %u flags: %*x%n",
               &noted[0], &noted[1], &noted[2], &noted[3], &noted[4], &noted[5], &length);
        if (!file || !id || !length)
            return error_set(err, "git: an unexpected answer of ls-files");
        struct revision_entry *entry = find_entry(revision, file + 1);
        if (entry && entry->member && !strncmp(id + 1, entry->id, strlen(entry->id)) &&
            is_as_noted(revision->repository->top_folder, file + 1, noted, &index))
            set_in_place(entry);
        line = notes + length + 1;
    }
    return 0;
}

/* Whether a file of the work tree, which no link leads to, is an object but for its line ends, which git may have
 * converted. */
static bool has_same_lines(int top, const char *path, const char *object)
{
    SCOPED_BY(file_close) int fd = file_open_beneath(top, path, O_RDONLY);
    int a = 0, b = 0;
    struct stat info;
    const bool is_file = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    SCOPED_BY(stream_close) FILE *file = is_file ? fdopen(fd, "rb") : NULL;
    fd = file ? -1 : fd; /* the stream closes it */
    SCOPED_BY(stream_close) FILE *other = file ? fopen(object, "rbe") : NULL;
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
    return other && a == b && (is_text || !is_converted);
}

/* Whether its content has to be written. */
static bool is_wanted(const struct revision_entry *entry)
{
    return entry->kind == ENTRY_FILE && !entry->is_in_place && !entry->is_taken;
}

static void take_entry(const struct revision *revision, struct revision_entry *entry)
{
    SCOPED char *object = object_path(revision, entry->id);
    entry->is_taken = true;
    if (entry->member && has_same_lines(revision->repository->top_folder, entry->path, object))
        set_in_place(entry);
}

/* Takes the contents that the work tree has not. */
static int take_entries(struct revision *revision, struct revision_entry *entries, size_t count, struct error *err)
{
    enum { AT_ONCE = 64 }; /* contents are on the disk twice while they are taken */
    const struct revision_entry *const end = entries + count;
    int result = 0;
    while (entries < end && result == 0) {
        SCOPED_BY(buffer_release) struct buffer ids = {0};
        struct revision_entry *const first = entries;
        for (size_t wanted = 0; entries < end && wanted < AT_ONCE && result == 0; entries++) {
            if (entries->kind == ENTRY_SUBMODULE)
                result = error_set(
                    err, "%s in '%s' is a submodule: check the revision out elsewhere and use --base DIR",
                    entries->path, revision->name);
            if (is_wanted(entries) && ++wanted)
                buffer_printf(&ids, "%s\n", entries->id);
        }
        if (ids.length && result == 0)
            result = take_objects(revision, &ids, err);
        for (struct revision_entry *entry = first; entry < entries && result == 0; entry++)
            if (is_wanted(entry))
                take_entry(revision, entry);
    }
    return result;
}

/* A path without links, in the revision's arena: absolute where one leads out of the repository. NULL on failure. */
static const char *follow_links(struct revision *revision, const char *path, struct error *err)
{
    struct arena *arena = &revision->arena;
    const char *done = "", *rest = path;
    for (int links = 0; *rest;) {
        size_t length = strcspn(rest, "/");
        const char *name = arena_strndup(arena, rest, length);
        rest += length + strspn(rest + length, "/");
        if (!*name || !strcmp(name, "."))
            continue;
        if (!strcmp(name, "..")) {
            const char *slash = strrchr(done, '/');
            if (!*done)
                return arena_printf(arena, "%s/../%s", revision->repository->top, rest);
            done = arena_strndup(arena, done, slash ? (size_t)(slash - done) : 0);
            continue;
        }
        const char *next = arena_printf(arena, "%s%s%s", done, *done ? "/" : "", name);
        const struct revision_entry *entry = find_entry(revision, next);
        if (!entry || entry->kind != ENTRY_LINK) {
            done = next;
            continue;
        }
        if (++links > MOST_LINKS) {
            error_set(err, "%s in '%s' is a link that leads to itself", path, revision->name);
            return NULL;
        }
        const char *target = object_text(revision, entry->id, err), *inside = target;
        if (target && *target == '/') {
            inside = path_below(revision->repository->top, target);
            done = "";
        }
        if (!inside)
            return target ? arena_printf(arena, "%s/%s", target, rest) : NULL;
        rest = arena_printf(arena, "%s/%s", inside, rest);
    }
    return done;
}

/* Nothing is below this one of our objects. */
static const char nothing[] = "-";

int revision_locate(struct revision *revision, const char *path, char **out, struct error *err)
{
    const char *name = follow_links(revision, path, err);
    if (!name)
        return -1;
    if (*name == '/') {
        *out = path_resolve(name);
        return 1;
    }
    size_t count;
    struct revision_entry *entries = find_entries(revision, name, &count);
    if (count == 0) {
        *out = must_printf("%s/%s/%s", revision->repository->objects, nothing, name);
        return 0;
    }
    if (find_in_place(revision, name, err) < 0 || take_entries(revision, entries, count, err) < 0)
        return -1;
    *out = !strcmp(entries->path, name) && !entries->is_in_place ? object_path(revision, entries->id)
                                                                 : path_join(revision->repository->top, name);
    return 1;
}

int revision_is_checked_out(struct revision *revision, const char *path, bool *out, struct error *err)
{
    struct repository *repository = revision->repository;
    SCOPED_BY(blob_release) struct blob others = {0};
    SCOPED char *place = NULL;
    int found = revision_locate(revision, path, &place, err);
    const char *name = found > 0 ? follow_links(revision, path, err) : NULL;
    const bool is_inside = name && *name != '/';
    size_t count = 0;
    const struct revision_entry *entries = is_inside ? find_entries(revision, name, &count) : NULL;
    *out = found > 0;
    for (size_t i = 0; i < count; i++)
        *out = *out && (!entries[i].member || entries[i].is_in_place);
    if (*out && is_inside) {
        const char *below = *name ? name : ".";
        found = git_run(repository, GIT(repository, "ls-files", "--others", "--exclude-standard", "--", below),
                        &others, err);
        *out = *out && !others.size;
    }
    return found < 0 ? -1 : 0;
}

char *revision_tell(const struct revision *revision, const char *text)
{
    struct buffer line = {0};
    const char *at, *objects = revision->repository ? revision->repository->objects : NULL;
    while (objects && (at = strstr(text, objects))) {
        const char *name = at + strlen(objects) + (at[strlen(objects)] == '/');
        size_t length = strcspn(name, "/:' ");
        const struct revision_entry *entry = find_id(revision, name, length);
        buffer_printf(&line, "%.*s%s:%s", (int)(at - text), text, revision->name, entry ? entry->path : "");
        text = entry ? name + length : name + strspn(name, "-/");
    }
    buffer_printf(&line, "%s", text);
    return line.text;
}

/* -- A repository --------------------------------------------------------------------------------------------- */

/* The path of something in .git, in the repository's arena; NULL on failure. */
static const char *find_folder(struct repository *repository, const char *const *args, struct error *err)
{
    const char *path = git_line(repository, args, err);
    return !path || *path == '/' ? path : arena_printf(&repository->arena, "%s/%s", repository->top, path);
}

int repository_find(const char *list, const char *temporary, struct repository *out, struct error *err)
{
    *out = (struct repository){.top_folder = -1};
    const char *folder = arena_take(&out->arena, path_folder(list));
    char *real = path_resolve(folder);
    while (access(real, F_OK) < 0) { /* it may be in revisions alone */
        char *slash = strrchr(real, '/');
        slash[slash == real] = '\0';
    }
    out->input = arena_printf(&out->arena, "%s/git-input", temporary);
    out->answer = arena_printf(&out->arena, "%s/git-answer", temporary);
    out->errors = arena_printf(&out->arena, "%s/git-errors", temporary);
    out->objects = arena_printf(&out->arena, "%s/objects", temporary);
    out->top = arena_take(&out->arena, real);
    out->top = git_line(out, GIT(out, "rev-parse", "--show-toplevel"), err);
    if (!out->top)
        return error_add(err, "'%s'", folder);
    out->top_folder = open(out->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    out->git_folder = find_folder(out, GIT(out, "rev-parse", "--git-common-dir"), err);
    out->index = find_folder(out, GIT(out, "rev-parse", "--git-path", "index"), err);
    if (!out->git_folder || !out->index)
        return -1;
    out->is_shallow = access(arena_printf(&out->arena, "%s/shallow", out->git_folder), F_OK) == 0;
    return file_make_folders(out->objects, err);
}

void repository_release(struct repository *repository)
{
    if (repository->top && repository->top_folder >= 0)
        close(repository->top_folder);
    arena_release(&repository->arena);
    *repository = (struct repository){0};
}

/* Takes over what a revision near it knows of the same files. */
static void take_from(const struct revision *near, struct revision *revision)
{
    revision->has_near = true;
    for (size_t i = 0; i < revision->entry_count; i++) {
        struct revision_entry *entry = &revision->entries[i], *other = find_entry(near, entry->path);
        if (!other || strcmp(other->id, entry->id) || other->kind != entry->kind)
            continue;
        entry->is_taken = other->is_taken;
        if (other->is_in_place)
            set_in_place(entry);
    }
}

int revision_read(struct repository *repository, const char *name, const struct commit *commit,
                  const struct revision *near, struct revision *out, struct error *err)
{
    *out = (struct revision){.repository = repository, .commit = commit ? commit->id : NULL};
    out->name = commit ? arena_strndup(&out->arena, commit->id, SHORT_ID) : arena_strdup(&out->arena, name);
    if (!commit &&
        (find_commit(repository, name, &out->arena, &out->commit, err) < 0 || find_parents(out, err) < 0))
        return -1;
    if (list_tree(out, err) < 0)
        return -1;
    if (near)
        take_from(near, out);
    return 0;
}

void revision_release(struct revision *revision)
{
    blob_release(&revision->listing);
    free(revision->entries);
    arena_release(&revision->arena);
    *revision = (struct revision){0};
}

/* -- History -------------------------------------------------------------------------------------------------- */

/* The texts of an answer that is split by NULs. */
static const char *next_text(const char **at)
{
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

/* A commit is "\1" and its id, its parents, author, date and subject. Each change is "\n:100644 120000 1a2b... 3c4d... M",
 * where the line break is only before the first, and its path. */
static int read_commits(struct commits *commits, struct error *err)
{
    size_t commit_capacity = 0, change_capacity = 0;
    const char *at = (const char *)commits->text.data, *end = at + commits->text.size;
    while (at < end) {
        const char *text = next_text(&at);
        text += *text == '\n';
        if (*text == '\1') {
            struct commit *commit = MUST_ADD(commits->items, commits->count, commit_capacity);
            *commit = (struct commit){.id = text + 1, .first_change = commits->change_count};
            const char **const fields[] = {&commit->parent, &commit->author, &commit->date, &commit->subject};
            for (size_t i = 0; i < sizeof fields / sizeof *fields && at < end; i++)
                *fields[i] = next_text(&at);
            if (!commit->subject)
                return error_set(err, "git: an unexpected answer of log");
            ((char *)commit->parent)[strcspn(commit->parent, " ")] = '\0';
        } else if (*text == ':' && commits->count && at < end) {
            bool is_file[] = {!strncmp(text + 1, "100", 3), !strncmp(text + 8, "100", 3)};
            *MUST_ADD(commits->changes, commits->change_count, change_capacity) = (struct commit_change){
                next_text(&at), is_file[0] && is_file[1],
                (is_file[0] || !strncmp(text + 1, "000", 3)) && (is_file[1] || !strncmp(text + 8, "000", 3))};
            commits->items[commits->count - 1].change_count++;
        }
    }
    return 0;
}

/* git log with all of its settings that might run, wait for or hide something. */
int commits_read(struct repository *repository, const char *since, unsigned most, struct commits *out,
                 struct error *err)
{
    *out = (struct commits){0};
    const char *base = NULL;
    SCOPED_BY(arena_release) struct arena arena = {0};
    if (since && find_commit(repository, since, &arena, &base, err) < 0)
        return error_add(err, "--since");
    SCOPED char *count = must_printf("--max-count=%u", most), *without = must_printf("^%s", base ? base : "");
    const int result =
        git_run(repository,
                GIT(repository, "-c", "log.showRoot=true", "-c", "log.mailmap=false", "log", "-z", "--raw",
                    "--no-renames", "--first-parent", "--diff-merges=first-parent", "--no-show-signature",
                    "--no-ext-diff", "--no-textconv", "--no-color", "-O/dev/null", "--encoding=UTF-8",
                    "--format=%x01%H%x00%P%x00%an%x00%aI%x00%s", count, "HEAD", base ? without : "HEAD", "--"),
                &out->text, err);
    return result == 0 ? read_commits(out, err) : -1;
}

void commits_release(struct commits *commits)
{
    blob_release(&commits->text);
    free(commits->items);
    free(commits->changes);
    *commits = (struct commits){0};
}
