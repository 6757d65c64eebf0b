/* The tree is listed as it is asked for.
 *
 * A folder is listed the first time a path leads through it, in all roots and all spellings at once, and its
 * entries are sorted by their folded name (utf8_fold): from then on a look-up is a binary search per component,
 * whatever the case of the path and the number of files. Roots that are folders are listed by the system, through
 * no link; those that are archives have one sorted list (asset/archive.h), in which what a folder holds lies
 * together. */
#include "asset/assets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asset/archive.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/missing.h"
#include "base/utf8.h"

enum {
    /* Room for an uncompressed texture of 8192x8192 with mip levels in 24 bits. The largest models are far below. */
    FILE_SIZE_LIMIT = 256 * 1024 * 1024,
};

/* Entries of one folder whose names differ only in case, root or kind form a run: files first, sorted by root. */
struct asset_entry {
    const char *path;   /* as spelled, from the top of the tree */
    const char *folded; /* the last component, by utf8_fold */
    size_t root;
    bool is_folder;              /* else a regular file; nothing else is kept */
    const struct member *member; /* of a file in an archive */
    struct asset_folder *folder; /* of a run's first entry: what all folders of the run hold, once listed */
};

struct asset_folder {
    struct asset_entry *entries; /* the arena's once all are there */
    size_t count, capacity;
    const char *trouble; /* why it may hold more, or NULL: the first of its parts that could not be listed */
};

struct kept {
    const void *key;
    void *item;
    void (*release)(void *item);
    struct kept *next;
};

struct root {
    const char *path; /* as given */
    int folder;       /* open, or -1 */
    struct archive *archive;
    /* Of an archive, or of a folder as it was, whose paths begin with `above`; else NULL. */
    const struct member *members;
    size_t member_count;
    const char *above;
    int objects; /* open, or -1 */
};

/* The file that is open for those in it. */
struct holder {
    char *asked; /* its path; NULL: none is open */
    struct blob blob;
    struct container container;
    const struct file_opener *opener;
    struct trace trace;   /* what was asked to open it, for each file in it */
    size_t look_up_count; /* in that trace */
};

/* An answer of assets_glob. Jobs ask the same few patterns again and again; one of them takes the place of another. */
struct listing {
    char *pattern; /* NULL: none yet */
    struct strings found;
    char hash[HASH_SIZE];
    const char *trouble;
};

enum { LISTINGS = 64 };

struct assets {
    struct arena arena;
    struct listing listings[LISTINGS];
    struct kept *kept;
    struct root *roots;
    size_t root_count;
    struct asset_folder *top;
    struct strings unusable; /* files in folders that no path could mean */
    struct trace *trace;
    const char *trouble; /* see assets_trouble */
    opener_chooser *choose_opener;
    struct holder holder;
    struct trace embedded; /* paths of files in others, as asked for and as found: each takes memory once */
};

struct entry_run {
    struct asset_entry *first;
    size_t count;
};

/* Copies `path` in its one form: '/' alone as separator, no empty and no "." components. Returns NULL, or why
 * the path is refused. */
static const char *normalise(const char *path, char out[PATH_LIMIT])
{
    if (*path == '/' || *path == '\\')
        return "an absolute path is not allowed";
    size_t length = 0;
    while (*path) {
        size_t size = strcspn(path, "/\\");
        if (size == 2 && path[0] == '.' && path[1] == '.')
            return "a path with '..' is not allowed";
        if (memchr(path, ':', size))
            return "a path with ':' is not allowed";
        if (size > 0 && !(size == 1 && path[0] == '.')) {
            if (length + size + 2 > PATH_LIMIT)
                return "a path that long is not allowed";
            if (length > 0)
                out[length++] = '/';
            memcpy(out + length, path, size);
            length += size;
        }
        path += size + (path[size] != '\0');
    }
    out[length] = '\0';
    return NULL;
}

/* Adds what the folder `path` ("" at the top) of a root holds under a name of `length` bytes. */
static struct asset_entry *add_entry(struct assets *assets, struct asset_folder *to, size_t root, const char *path,
                                     const char *name, size_t length)
{
    struct arena *arena = &assets->arena;
    char *folded = arena_strndup(arena, name, length);
    utf8_fold(folded);
    struct asset_entry *entry = MUST_ADD(to->entries, to->count, to->capacity);
    *entry = (struct asset_entry){
        .path = arena_printf(arena, "%s%s%.*s", path, *path ? "/" : "", (int)length, name),
        .folded = folded,
        .root = root,
    };
    return entry;
}

static void add_trouble(struct assets *assets, struct asset_folder *to, size_t root, const char *path, int reason)
{
    if (to && !to->trouble)
        to->trouble = arena_printf(&assets->arena, "assets '%s': cannot look into '%s': %s",
                                   assets->roots[root].path, *path ? path : ".", strerror(reason));
}

/* A folder that another process removes meanwhile is as good as empty. `to` is NULL where no path can mean the folder. */
static void list_folder(struct assets *assets, struct asset_folder *to, size_t root, const char *path)
{
    int fd = file_open_beneath(assets->roots[root].folder, path, O_RDONLY | O_DIRECTORY);
    SCOPED_BY(folder_close) DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
            add_trouble(assets, to, root, path, errno);
        if (fd >= 0)
            close(fd);
        return;
    }
    const struct dirent *item;
    while (errno = 0, (item = readdir(folder))) {
        const char *name = item->d_name;
        size_t length = strlen(name);
        int kind = item->d_type;
        struct stat info;
        if (!strcmp(name, ".") || !strcmp(name, "..") || strlen(path) + 1 + length >= PATH_LIMIT)
            continue;
        if (kind == DT_UNKNOWN) { /* as some file systems list everything */
            if (fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) < 0) {
                if (errno != ENOENT) /* ENOENT: it was just removed */
                    add_trouble(assets, to, root, path, errno);
                continue;
            }
            kind = (int)IFTODT(info.st_mode);
        }
        if (kind != DT_REG && kind != DT_DIR)
            continue;
        if (to && !strpbrk(name, "\\:")) {
            add_entry(assets, to, root, path, name, length)->is_folder = kind == DT_DIR;
            continue;
        }
        char *inner = path_join(path, name);
        if (kind == DT_DIR)
            list_folder(assets, NULL, root, inner);
        else
            strings_add(&assets->unusable, inner);
        free(inner);
    }
    if (errno && errno != ENOENT)
        add_trouble(assets, to, root, path, errno);
}

/* The first member, from `first` on, that begins with the prefix, or (`after`) that comes after all of these. */
static size_t skip_members(const struct member *members, size_t first, size_t count, const char *prefix,
                           bool after)
{
    size_t low = first, high = count, length = strlen(prefix);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strncmp(members[middle].path, prefix, length) < after)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void list_members(struct assets *assets, struct asset_folder *to, size_t root_number, const char *path)
{
    const struct root *root = &assets->roots[root_number];
    const struct member *members = root->members;
    size_t count = root->member_count, i = 0, length;
    char prefix[3 * PATH_LIMIT];
    snprintf(prefix, sizeof prefix, "%s%s%s", root->above, path, *path ? "/" : "");
    length = strlen(prefix);
    i = skip_members(members, 0, count, prefix, false);
    while (i < count && !strncmp(members[i].path, prefix, length)) {
        const char *name = members[i].path + length;
        size_t size = strcspn(name, "/");
        struct asset_entry *entry = add_entry(assets, to, root_number, path, name, size);
        entry->is_folder = name[size] == '/';
        if (!entry->is_folder) {
            entry->member = &members[i++];
            continue;
        }
        char below[3 * PATH_LIMIT];
        snprintf(below, sizeof below, "%.*s", (int)(length + size + 1), members[i].path);
        i = skip_members(members, i, count, below, true);
    }
}

static void list_in_root(struct assets *assets, struct asset_folder *to, size_t root, const char *path)
{
    if (assets->roots[root].above)
        list_members(assets, to, root, path);
    else
        list_folder(assets, to, root, path);
}

static int compare_entries(const void *a_item, const void *b_item)
{
    const struct asset_entry *a = a_item, *b = b_item;
    int order = strcmp(a->folded, b->folded);
    if (order == 0)
        order = a->is_folder - b->is_folder;
    if (order == 0)
        order = (a->root > b->root) - (a->root < b->root);
    return order ? order : strcmp(a->path, b->path);
}

/* Sorts what was added, which is then the arena's. */
static struct asset_folder *finish_folder(struct assets *assets, struct asset_folder *folder)
{
    struct asset_entry *entries = folder->entries;
    SORT(entries, folder->count, compare_entries);
    folder->entries = arena_copy(&assets->arena, entries, folder->count, sizeof *entries);
    free(entries);
    return folder;
}

/* The number of entries whose names sort before the component, or (`after`) also those that are it. */
static size_t skip_entries(const struct asset_folder *folder, const char *component, size_t length, bool after)
{
    size_t low = 0, high = folder->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *folded = folder->entries[middle].folded;
        int order = strncmp(component, folded, length);
        if (order == 0)
            order = -(folded[length] != '\0');
        if (order > -after)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct entry_run find_run(const struct asset_folder *folder, const char *component, size_t length)
{
    size_t start = skip_entries(folder, component, length, false);
    return (struct entry_run){folder->count ? folder->entries + start : NULL,
                              skip_entries(folder, component, length, true) - start};
}

/* The files and folders that all folders of a run hold together. NULL: none of its entries is a folder. */
static struct asset_folder *run_folder(struct assets *assets, struct entry_run run)
{
    if (run.count == 0)
        return NULL;
    if (run.first->folder)
        return run.first->folder;

    struct asset_folder *folder = NULL;
    for (size_t i = 0; i < run.count; i++)
        if (run.first[i].is_folder) {
            folder = folder ? folder : arena_must_alloc(&assets->arena, 1, sizeof *folder);
            list_in_root(assets, folder, run.first[i].root, run.first[i].path);
        }
    return run.first->folder = folder ? finish_folder(assets, folder) : NULL;
}

static void pass_through(struct assets *assets, const struct asset_folder *folder)
{
    if (!folder || !folder->trouble || assets->trouble)
        return;
    assets->trouble = folder->trouble;
    trace_note_trouble(assets->trace, folder->trouble);
}

/* The folder that a normalised, folded path leads to up to its last '/'; *base is what follows. */
static struct asset_folder *descend(struct assets *assets, const char *folded, const char **base)
{
    struct asset_folder *folder = assets->top;
    const char *slash;
    while (folder && (slash = strchr(folded, '/'))) {
        folder = run_folder(assets, find_run(folder, folded, (size_t)(slash - folded)));
        pass_through(assets, folder);
        folded = slash + 1;
    }
    *base = folded;
    return folder;
}

/* The file of this very spelling, else the first of the run. */
static const struct asset_entry *choose_file(const struct assets *assets, struct entry_run run,
                                             const char *spelled)
{
    if (run.count == 0 || run.first->is_folder)
        return NULL;
    for (size_t root = 0; root < assets->root_count; root++) {
        const struct asset_entry key = {.path = spelled, .folded = run.first->folded, .root = root};
        const struct asset_entry *found = bsearch(&key, run.first, run.count, sizeof key, compare_entries);
        if (found)
            return found;
    }
    return run.first;
}

/* The folder that a path leads to up to its last '/', or NULL; `spelled` and `base` are the path and what follows there. */
static struct asset_folder *find_folder(struct assets *assets, const char *path, char spelled[PATH_LIMIT],
                                        char folded[PATH_LIMIT], const char **base)
{
    assets->trouble = normalise(path, spelled);
    if (assets->trouble)
        return NULL;
    memcpy(folded, spelled, strlen(spelled) + 1);
    utf8_fold(folded);
    return descend(assets, folded, base);
}

static const struct asset_entry *find_entry(struct assets *assets, const char *path)
{
    char spelled[PATH_LIMIT], folded[PATH_LIMIT];
    const char *base;
    struct asset_folder *folder = find_folder(assets, path, spelled, folded, &base);
    return folder ? choose_file(assets, find_run(folder, base, strlen(base)), spelled) : NULL;
}

/* Whether a root, an archive or a folder, may have this suffix. */
static bool is_root_suffix(const char *suffix)
{
    static const char *const suffixes[] = {".pk3", ".pk4", ".zip", ".pak", ""};
    return named_find(suffixes, COUNT(suffixes), sizeof *suffixes, suffix, true);
}

static int open_root(struct root *root, struct error *err)
{
    struct stat info;
    if (stat(root->path, &info) < 0) {
        missing_path_fail(root->path, is_root_suffix, err);
        return error_add(err, "assets '%s'", root->path);
    }
    if (S_ISREG(info.st_mode)) {
        if (archive_open(root->path, &root->archive, err) < 0)
            return error_add(err, "assets '%s'", root->path);
        root->members = archive_members(root->archive, &root->member_count);
        root->above = "";
        return 0;
    }
    if (!S_ISDIR(info.st_mode))
        return error_set(err, "assets '%s': neither a folder nor an archive", root->path);
    root->folder = open(root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return root->folder < 0 ? error_set(err, "assets '%s': %s", root->path, strerror(errno)) : 0;
}

/* False for a root that is not a folder of the tree. */
static bool open_root_as(struct assets *assets, struct root *root, const struct assets_tree *tree)
{
    const char *below = tree && !path_below(tree->objects, root->path) ? path_below(tree->top, root->path) : NULL;
    if (!below)
        return false;
    const char *above = arena_printf(&assets->arena, "%s%s", below, *below ? "/" : "");
    size_t first = skip_members(tree->files, 0, tree->count, below, false);
    if (first < tree->count && !strcmp(tree->files[first].path, below))
        return false; /* an archive */
    first = skip_members(tree->files, first, tree->count, above, false);
    root->member_count = skip_members(tree->files, first, tree->count, above, true) - first;
    root->members = tree->files + first;
    root->above = above;
    root->folder =
        open(root->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); /* -1: all files are objects */
    root->objects = open(tree->objects, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return true;
}

int assets_open(const char *const *roots, size_t root_count, struct assets **out, struct error *err)
{
    return assets_open_as(roots, root_count, NULL, out, err);
}

int assets_open_as(const char *const *roots, size_t root_count, const struct assets_tree *tree,
                   struct assets **out, struct error *err)
{
    struct assets *assets = must_alloc(1, sizeof *assets);
    assets->roots = arena_must_alloc(&assets->arena, root_count, sizeof *assets->roots);
    assets->root_count = root_count;
    for (size_t i = 0; i < root_count; i++)
        assets->roots[i] =
            (struct root){.path = arena_strdup(&assets->arena, roots[i]), .folder = -1, .objects = -1};
    int result = 0;
    for (size_t i = 0; i < root_count && result == 0; i++)
        if (!open_root_as(assets, &assets->roots[i], tree))
            result = open_root(&assets->roots[i], err);
    struct asset_folder *top = arena_must_alloc(&assets->arena, 1, sizeof *top);
    for (size_t i = 0; i < root_count && result == 0; i++)
        list_in_root(assets, top, i, "");
    assets->top = finish_folder(assets, top);
    if (result == 0 && assets->top->trouble)
        result = error_set(err, "%s", assets->top->trouble);
    if (result < 0) {
        assets_close(assets);
        return -1;
    }
    *out = assets;
    return 0;
}

static void listing_release(struct listing *listing)
{
    free(listing->pattern);
    strings_release(&listing->found);
}

void assets_close(struct assets *assets)
{
    if (!assets)
        return;
    assets_close_container(assets);
    for (struct kept *kept = assets->kept; kept; kept = kept->next)
        kept->release(kept->item);
    trace_release(&assets->embedded);
    strings_release(&assets->unusable);
    for (size_t i = 0; i < LISTINGS; i++)
        listing_release(&assets->listings[i]);
    for (size_t i = 0; i < assets->root_count; i++) {
        archive_free(assets->roots[i].archive);
        if (assets->roots[i].folder >= 0)
            close(assets->roots[i].folder);
        if (assets->roots[i].objects >= 0)
            close(assets->roots[i].objects);
    }
    arena_release(&assets->arena);
    free(assets);
}

struct trace *assets_trace(struct assets *assets, struct trace *trace)
{
    struct trace *before = assets->trace;
    assets->trace = trace;
    return before;
}

struct trace *assets_present_trace(const struct assets *assets)
{
    return assets->trace;
}

const char *assets_trouble(const struct assets *assets)
{
    return assets->trouble;
}

void assets_set_openers(struct assets *assets, opener_chooser *choose)
{
    assets->choose_opener = choose;
}

bool assets_is_embedded(const struct assets *assets, const char *path)
{
    return assets->choose_opener && strchr(path, ':');
}

static int open_entry(const struct assets *assets, const struct asset_entry *entry, int flags)
{
    const struct root *root = &assets->roots[entry->root];
    return entry->member && entry->member->object ? file_open_beneath(root->objects, entry->member->object, flags)
                                                  : file_open_beneath(root->folder, entry->path, flags);
}

/* `packed` gets the hash of an archive's packed bytes, or "". */
static int read_entry(const struct assets *assets, const struct asset_entry *entry, struct blob *out,
                      char packed[HASH_SIZE], struct error *err)
{
    const struct root *root = &assets->roots[entry->root];
    packed[0] = '\0';
    if (root->archive) {
        int read = archive_read(root->archive, entry->member, FILE_SIZE_LIMIT, out, packed, err);
        return read < 0 ? error_add(err, "%s: cannot read it from '%s'", entry->path, root->path) : 0;
    }
    SCOPED_BY(file_close) int fd = open_entry(assets, entry, O_RDONLY);
    return fd < 0 ? error_set(err, "%s: cannot open it in '%s': %s", entry->path, root->path, strerror(errno))
                  : file_read_open(fd, entry->path, FILE_SIZE_LIMIT, out, err);
}

/* Reads a file and notes it with the hash of its bytes. A Git LFS pointer is not the file that people mean. */
static int read_noted(struct assets *assets, const char *path, const struct asset_entry *entry, struct blob *out,
                      struct error *err)
{
    char packed[HASH_SIZE];
    int result = read_entry(assets, entry, out, packed, err);
    if (assets->trace) {
        char hash[HASH_SIZE] = TRACE_UNREADABLE;
        if (result == 0)
            hash_bytes(blob_bytes(out), hash);
        trace_note(assets->trace, LOOK_READ, entry->path, hash);
        if (result == 0 && *packed)
            trace_note(assets->trace, LOOK_PACKED, entry->path, packed);
        if (result < 0 &&
            !assets->roots[entry->root].archive) /* the file is there: another process may well read it */
            trace_note_trouble(assets->trace, err->text);
        if (strcmp(path, entry->path))
            trace_note(assets->trace, LOOK_FOUND, path, entry->path);
    }
    if (result == 0 && bytes_are_lfs_pointer(blob_bytes(out))) {
        blob_release(out);
        return error_set(err, "%s: a Git LFS pointer, and its file is not here; to fetch it: git lfs pull",
                         entry->path);
    }
    return result;
}

static int fail_absent(struct assets *assets, const char *path, struct error *err)
{
    trace_note(assets->trace, LOOK_ABSENT, path, NULL);
    return assets->trouble ? error_set(err, "%s" ERROR_NO_FILE ": %s", path, assets->trouble)
                           : error_set(err, "%s" ERROR_NO_FILE, path);
}

void assets_close_container(struct assets *assets)
{
    struct holder *holder = &assets->holder;
    if (holder->container.opened)
        holder->opener->close(holder->container.opened);
    blob_release(&holder->blob);
    trace_release(&holder->trace);
    free(holder->asked);
    *holder = (struct holder){0};
}

static int open_container(struct assets *assets, const char *path, opener_chooser *choose, struct error *err)
{
    struct holder *holder = &assets->holder;
    holder->asked = must_printf("%.*s", (int)strcspn(path, ":"), path);
    const struct asset_entry *entry = find_entry(assets, holder->asked);
    if (!entry)
        return fail_absent(assets, holder->asked, err);
    if (read_noted(assets, holder->asked, entry, &holder->blob, err) < 0)
        return -1;
    holder->container = (struct container){assets, entry->path, blob_bytes(&holder->blob), NULL};
    holder->opener = choose(&holder->container, strchr(path, ':') + 1, err);
    if (!holder->opener || holder->opener->open(&holder->container, err) < 0)
        return error_add(err, "%s", path);
    holder->look_up_count = holder->trace.count;
    return 0;
}

/* Reads what stands behind the ':' of the path in the file before it; the trace gets that file alone. */
static int read_embedded(struct assets *assets, const char *path, struct blob *out, struct error *err)
{
    struct holder *holder = &assets->holder;
    opener_chooser *choose = assets->choose_opener;
    size_t length = strcspn(path, ":");
    const char *name = path + length + 1;
    bool is_open = holder->asked && !strncmp(holder->asked, path, length) && !holder->asked[length] &&
                   holder->opener == choose(&holder->container, name, err);
    if (!is_open)
        assets_close_container(assets);
    assets->choose_opener = NULL; /* a file could be in itself */
    struct trace *trace = assets_trace(assets, &holder->trace);
    int result = is_open ? 0 : open_container(assets, path, choose, err);
    if (result == 0 && holder->opener->read(&holder->container, name, out, err) < 0)
        result = error_add(err, "%s", path);
    assets_trace(assets, trace);
    assets->choose_opener = choose;
    trace_add(trace, &holder->trace);
    /* Else the next file would seem to have asked for what this one did. */
    if (result < 0 || holder->trace.count > holder->look_up_count)
        assets_close_container(assets);
    return result;
}

int assets_read(struct assets *assets, const char *path, struct blob *out, struct error *err)
{
    char spelled[PATH_LIMIT];
    const struct asset_entry *entry;
    if (assets_is_embedded(assets, path))
        return read_embedded(assets, path, out, err);
    const char *refused = normalise(path, spelled);
    if (refused)
        return error_set(err, "%.300s: %s", path, refused);
    entry = find_entry(assets, spelled);
    return entry ? read_noted(assets, path, entry, out, err) : fail_absent(assets, path, err);
}

void assets_look_at_packed(struct assets *assets, const char *path)
{
    const struct asset_entry *entry = find_entry(assets, path);
    const struct archive *archive = entry ? assets->roots[entry->root].archive : NULL;
    char hash[HASH_SIZE];
    struct error ignored;
    if (archive && archive_hash_packed(archive, entry->member, FILE_SIZE_LIMIT, hash, &ignored) == 0 && *hash)
        trace_note(assets->trace, LOOK_PACKED, entry->path, hash);
}

static const char *find_embedded(struct assets *assets, const char *path)
{
    SCOPED char *container_path = must_printf("%.*s", (int)strcspn(path, ":"), path);
    const char *container = assets_find(assets, container_path);
    if (!container)
        return NULL;
    SCOPED char *found = must_printf("%s%s", container, strchr(path, ':'));
    trace_note(&assets->embedded, LOOK_FOUND, path, found);
    return trace_find(&assets->embedded, LOOK_FOUND, path)->value;
}

const char *assets_find(struct assets *assets, const char *path)
{
    if (assets_is_embedded(assets, path))
        return find_embedded(assets, path);
    const struct asset_entry *entry = find_entry(assets, path);
    trace_note(assets->trace, entry ? LOOK_FOUND : LOOK_ABSENT, path, entry ? entry->path : NULL);
    return entry ? entry->path : NULL;
}

const char *assets_root_of(struct assets *assets, const char *path)
{
    SCOPED char *file = must_printf("%.*s", (int)strcspn(path, assets->choose_opener ? ":" : ""), path);
    const struct asset_entry *entry = find_entry(assets, file);
    return entry ? assets->roots[entry->root].path : NULL;
}

bool assets_share(struct assets *assets, struct assets *others, const char *path)
{
    const struct asset_entry *entry = find_entry(assets, path), *other = find_entry(others, path);
    return entry && other && entry->root == other->root && !(entry->member && entry->member->object) &&
           !(other->member && other->member->object);
}

int64_t assets_size(struct assets *assets, const char *path)
{
    const struct asset_entry *entry = find_entry(assets, path);
    if (!entry)
        return -1;
    if (assets->roots[entry->root].archive)
        return (int64_t)entry->member->size;
    struct stat info;
    SCOPED_BY(file_close) int fd = open_entry(assets, entry, O_PATH);
    return fd >= 0 && fstat(fd, &info) == 0 ? (int64_t)info.st_size : -1;
}

/* Adds the files of a run that match the folded pattern: one is hidden by any of the run that an earlier root holds. */
static void add_matching_files(struct entry_run run, const char *pattern, struct strings *out)
{
    const struct asset_entry *first = NULL;
    for (size_t i = 0; i < run.count && !run.first[i].is_folder; i++) {
        const struct asset_entry *entry = &run.first[i];
        if (first && entry->root != first->root)
            break;
        char folded[3 * PATH_LIMIT];
        snprintf(folded, sizeof folded, "%s", entry->path);
        utf8_fold(folded);
        if (!glob_matches(pattern, folded, true))
            continue;
        first = entry;
        strings_add(out, entry->path);
    }
}

/* Walks `depth` levels of folders below this one. */
static void glob_folder(struct assets *assets, const struct asset_folder *folder, const char *pattern,
                        size_t depth, struct strings *out)
{
    for (size_t i = 0; i < folder->count;) {
        struct asset_entry *entry = &folder->entries[i];
        struct entry_run run = find_run(folder, entry->folded, strlen(entry->folded));
        add_matching_files(run, pattern, out);
        struct asset_folder *below = depth > 0 ? run_folder(assets, run) : NULL;
        pass_through(assets, below);
        if (below)
            glob_folder(assets, below, pattern, depth - 1, out);
        i += run.count;
    }
}

void assets_hash_list(const struct strings *paths, char hash[HASH_SIZE])
{
    SCOPED struct bytes *pieces = must_alloc(paths->count, sizeof *pieces);
    for (size_t i = 0; i < paths->count; i++) /* with its NUL, which no path holds */
        pieces[i] = (struct bytes){(const uint8_t *)paths->items[i], strlen(paths->items[i]) + 1};
    hash_pieces(pieces, paths->count, hash);
}

static void list_matching(struct assets *assets, char spelled[PATH_LIMIT], struct listing *out)
{
    char prefix[PATH_LIMIT];
    utf8_fold(spelled);
    size_t fixed = strcspn(spelled, "*?[");
    while (fixed > 0 && spelled[fixed - 1] != '/')
        fixed--;
    snprintf(prefix, sizeof prefix, "%.*s", (int)fixed, spelled);

    const char *rest;
    const struct asset_folder *folder = descend(assets, prefix, &rest);
    size_t depth = 0; /* how many folders below its fixed part the pattern can match */
    for (const char *c = spelled + fixed; *c; c++)
        depth += *c == '/';
    if (folder)
        glob_folder(assets, folder, spelled, strstr(spelled + fixed, "**") ? PATH_LIMIT : depth, &out->found);
    strings_sort(&out->found);
    assets_hash_list(&out->found, out->hash);
    out->trouble = assets->trouble;
}

int assets_glob(struct assets *assets, const char *pattern, struct strings *out, struct error *err)
{
    char spelled[PATH_LIMIT];
    const char *refused = normalise(pattern, spelled);
    assets->trouble = NULL;
    if (refused)
        return error_set(err, "%.300s: %s", pattern, refused);

    const struct bytes name = {(const uint8_t *)pattern, strlen(pattern)};
    struct listing *listing = &assets->listings[hash_number(name) % LISTINGS];
    if (!listing->pattern || strcmp(listing->pattern, pattern) != 0) {
        listing_release(listing);
        *listing = (struct listing){.pattern = must_strdup(pattern)};
        list_matching(assets, spelled, listing);
    }
    assets->trouble = listing->trouble;
    trace_note_trouble(assets->trace, listing->trouble);
    trace_note(assets->trace, LOOK_LISTED, pattern, listing->hash);
    if (!listing->trouble)
        strings_add_all(out, &listing->found);
    return listing->trouble ? error_set(err, "%s", listing->trouble) : 0;
}

const struct strings *assets_unusable(const struct assets *assets)
{
    return &assets->unusable;
}

const char *assets_cure_unusable(char *path)
{
    char *end = strpbrk(path, "\\:") + strcspn(strpbrk(path, "\\:"), "/");
    const bool is_folder = *end;
    *end = '\0';
    return is_folder ? "a path has no ':' and no '\\': rename the folder"
                     : "a path has no ':' and no '\\': rename the file";
}

void assets_find_beside(struct assets *assets, const char *path, const char *suffix, struct strings *out)
{
    struct error ignored;
    SCOPED char *any = must_printf("*%s", suffix), *pattern = glob_beside(path, any);
    assets_glob(assets, pattern, out, &ignored);
}

void assets_keep(struct assets *assets, const void *key, void *item, void (*release)(void *item))
{
    struct kept *kept = arena_must_alloc(&assets->arena, 1, sizeof *kept);
    *kept = (struct kept){key, item, release, assets->kept};
    assets->kept = kept;
}

void *assets_kept(const struct assets *assets, const void *key)
{
    for (const struct kept *kept = assets->kept; kept; kept = kept->next)
        if (kept->key == key)
            return kept->item;
    return NULL;
}

char *assets_nearest(struct assets *assets, const char *path, missing_kind *has_kind)
{
    SCOPED char *beside = glob_beside(path, "*"), *plain = glob_of(path_base(path));
    SCOPED char *anywhere = must_printf("**/%s", plain);
    SCOPED_BY(strings_release) struct strings near = {0}, called = {0};
    struct error ignored;
    const char *nearest =
        assets_glob(assets, beside, &near, &ignored) == 0 ? missing_nearest_file(&near, path, has_kind) : NULL;
    if (!nearest && assets_glob(assets, anywhere, &called, &ignored) == 0 && called.count > 0)
        nearest = called.items[0];
    return nearest ? must_strdup(nearest) : NULL;
}

char *assets_suggestion(const struct assets *assets, const char *nearest)
{
    if (nearest)
        return must_printf(", did you mean '%s'?", nearest);
    for (size_t i = 0; i < assets->root_count; i++)
        if (assets->roots[i].archive) /* the user knows how */
            return must_strdup("");
    for (size_t i = 0; i < assets->top->count; i++) {
        const struct asset_entry *entry = &assets->top->entries[i];
        const char *suffix = path_suffix(entry->folded);
        if (!entry->is_folder && *suffix && is_root_suffix(suffix))
            return must_printf("; archives in them, such as '%s', are opened where they are named as assets",
                               entry->path);
    }
    return must_strdup("");
}

/* Counts the files below a folder by suffix: "5 .glb, 1 .png files". */
static void list_suffixes(struct assets *assets, const char *folder, struct buffer *out)
{
    enum { SHOWN = 8 };
    SCOPED char *all = path_join(folder, "**");
    SCOPED_BY(strings_release) struct strings files = {0}, suffixes = {0};
    struct error ignored;
    assets_glob(assets, all, &files, &ignored);
    for (size_t i = 0; i < files.count; i++)
        strings_add(&suffixes, path_suffix(files.items[i]));
    strings_sort(&suffixes);
    for (size_t i = 0, end = 0, shown = 0; i < suffixes.count && shown < SHOWN; i = end, shown++) {
        while (end < suffixes.count && !strcmp(suffixes.items[end], suffixes.items[i]))
            end++;
        buffer_printf(out, "%s%zu %s", shown ? ", " : "", end - i,
                      *suffixes.items[i] ? suffixes.items[i] : "other");
    }
    buffer_printf(out, files.count ? " files" : "no files");
}

char *assets_instead(struct assets *assets, const char *pattern)
{
    char spelled[PATH_LIMIT], folded[PATH_LIMIT];
    const char *base;
    SCOPED char *any = must_printf("%.*s_", (int)strcspn(pattern, "*?["), pattern), *folder = path_folder(any);
    struct buffer text = {0};
    if (!find_folder(assets, any, spelled, folded, &base)) {
        buffer_printf(&text, "; there is no folder '%s'", folder);
    } else {
        buffer_printf(&text, strcmp(folder, ".") ? "; '%s' has " : "; the assets have ", folder);
        list_suffixes(assets, folder, &text);
    }
    return text.text;
}
