/* How the tree is kept.
 *
 * Each root is mounted under its number (asset/mounts.h), so PhysFS never merges anything and each listing says
 * which root it is of; the merging is ours. A folder is listed the first time a path leads through it, in all
 * roots and all spellings at once, and its entries are sorted by their name in lower case: from then on a
 * look-up is a binary search per component, whatever the case of the path and the number of files. */
#include "asset/assets.h"

#include <errno.h>
#include <physfs.h>
#include <stdlib.h>
#include <string.h>

#include "asset/mounts.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/memory.h"

enum {
    /* Longer paths are not looked up, and longer ones in archives not seen. Also bounds how deep folders nest. */
    PATH_LIMIT = 1024,
    MOUNTED_LIMIT = PATH_LIMIT + 32, /* with the number of its root in front */

    /* Room for an uncompressed texture of 8192x8192 with mip levels in 24 bits. The largest models are far below.
     */
    FILE_SIZE_LIMIT = 256 * 1024 * 1024,

    /* Deflate shrinks nothing further than this: an archive that claims more lies about the file's size. */
    DEFLATE_BEST_RATIO = 1032,
};

enum kind {
    KIND_UNKNOWN,
    KIND_FILE,
    KIND_FOLDER,
    KIND_OTHER,
    KIND_BROKEN, /* it is listed, and what it is cannot be told: a damaged archive, a folder that may not be entered */
};

/* Entries of one folder whose names differ only in case or root form a run, sorted by root. */
struct entry {
    const char *path;   /* as spelled, from the top of the tree */
    const char *folded; /* the last component in lower case */
    size_t root;
    enum kind kind;        /* asked for when it first matters */
    const char *trouble;   /* why it is KIND_BROKEN */
    struct folder *folder; /* of a run's first entry: what all folders of the run hold, once listed */
};

struct folder {
    struct entry *entries;
    size_t count;
    const char *trouble; /* why it may hold more, or NULL: the first of its parts that could not be listed */
};

struct kept {
    const void *key;
    void *item;
    void (*release)(void *item);
    struct kept *next;
};

struct assets {
    struct arena arena;
    struct kept *kept;
    struct root *roots;
    size_t root_count;
    struct folder *top;
    struct trace *trace;
    const char *trouble; /* see assets_trouble */
};

struct run {
    struct entry *first;
    size_t count;
};

static void mounted_path(char out[MOUNTED_LIMIT], size_t root, const char *path)
{
    snprintf(out, MOUNTED_LIMIT, "%zu/%s", root, path);
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Copies `path` in its one form: '/' alone as separator, no empty and no "." components. Returns NULL, or why
 * the path is refused. */
static const char *normalise(const char *path, char out[PATH_LIMIT])
{
    if (*path == '/' || *path == '\\')
        return "an absolute path is never looked up in the assets";
    size_t length = 0;
    while (*path) {
        size_t size = strcspn(path, "/\\");
        if (size == 2 && path[0] == '.' && path[1] == '.')
            return "a path with '..' is never looked up in the assets";
        if (memchr(path, ':', size))
            return "a path with ':' is never looked up in the assets";
        if (size > 0 && !(size == 1 && path[0] == '.')) {
            if (length + size + 2 > PATH_LIMIT)
                return "a path that is too long is never looked up in the assets";
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

static int refuse(const char *path, const char *reason, struct error *err)
{
    return error_set(err, "%.300s: %s", path, reason);
}

struct listing {
    struct assets *assets;
    const char *path; /* of the folder, "" at the top */
    size_t root;
    struct entry *entries;
    size_t count, capacity;
    const char *trouble; /* as of the folder */
};

static PHYSFS_EnumerateCallbackResult list_entry(void *data, const char *folder, const char *name)
{
    (void)folder;
    struct listing *listing = data;
    /* Archives may hold any name; those that no path could mean are left out. */
    if (!*name || !strcmp(name, ".") || !strcmp(name, "..") || strpbrk(name, "/\\:"))
        return PHYSFS_ENUM_OK;
    if (strlen(listing->path) + 1 + strlen(name) >= PATH_LIMIT)
        return PHYSFS_ENUM_OK;

    struct arena *arena = &listing->assets->arena;
    char *folded = arena_strdup(arena, name);
    for (char *c = folded; *c; c++)
        *c = fold(*c);
    listing->entries = must_grow(listing->entries, listing->count, &listing->capacity, sizeof *listing->entries);
    listing->entries[listing->count++] = (struct entry){
        .path = arena_printf(arena, "%s%s%s", listing->path, *listing->path ? "/" : "", name),
        .folded = folded,
        .root = listing->root,
    };
    errno = 0; /* see enumerate */
    return PHYSFS_ENUM_OK;
}

/* While links are off, PhysFS asks what each entry is in order to leave them out, and ends the list at the first of
 * which it cannot tell: one file that is damaged, or is just being removed, would hide others. So links are listed,
 * too. Nobody follows them: of what kind an entry is we ask when they are off again.
 *
 * A list of a folder that breaks off is whole to PhysFS. What the system said of it is still in errno; ENOENT is that
 * the folder was just removed. */
static bool enumerate(const char *mounted, struct listing *listing)
{
    PHYSFS_permitSymbolicLinks(1);
    PHYSFS_setErrorCode(PHYSFS_ERR_OK);
    errno = 0;
    bool is_listed = PHYSFS_enumerate(mounted, list_entry, listing) != 0;
    if (is_listed && errno && errno != ENOENT && !mounts_is_archive(&listing->assets->roots[listing->root])) {
        PHYSFS_setErrorCode(PHYSFS_ERR_IO);
        is_listed = false;
    }
    PHYSFS_permitSymbolicLinks(0);
    return is_listed;
}

static void add_trouble(struct listing *listing, size_t root, const char *path, const char *reason)
{
    struct assets *assets = listing->assets;
    if (!listing->trouble)
        listing->trouble = arena_printf(&assets->arena, "assets '%s': cannot look into '%s': %s",
                                        assets->roots[root].path, *path ? path : ".", reason);
}

static void list_folder(struct listing *listing, size_t root, const char *path)
{
    char mounted[MOUNTED_LIMIT];
    mounted_path(mounted, root, path);
    listing->root = root;
    listing->path = path;
    if (enumerate(mounted, listing))
        return;
    PHYSFS_ErrorCode code = PHYSFS_getLastErrorCode();
    if (code != PHYSFS_ERR_NOT_FOUND)
        add_trouble(listing, root, path, PHYSFS_getErrorByCode(code));
}

static int compare_entries(const void *a_item, const void *b_item)
{
    const struct entry *a = a_item, *b = b_item;
    int order = strcmp(a->folded, b->folded);
    if (order == 0)
        order = (a->root > b->root) - (a->root < b->root);
    return order ? order : strcmp(a->path, b->path);
}

/* Turns the gathered entries into a folder and uses them up. */
static struct folder *finish_listing(struct listing *listing)
{
    struct arena *arena = &listing->assets->arena;
    struct folder *folder = arena_must_alloc(arena, 1, sizeof *folder);
    folder->trouble = listing->trouble;
    if (listing->count > 0) {
        qsort(listing->entries, listing->count, sizeof *listing->entries, compare_entries);
        folder->entries = arena_must_alloc(arena, listing->count, sizeof *folder->entries);
    }
    for (size_t i = 0; i < listing->count; i++) /* a broken archive may name a file twice */
        if (i == 0 || compare_entries(&listing->entries[i - 1], &listing->entries[i]))
            folder->entries[folder->count++] = listing->entries[i];
    free(listing->entries);
    return folder;
}

static enum kind kind_of(const PHYSFS_Stat *stat)
{
    bool is_file = stat->filetype == PHYSFS_FILETYPE_REGULAR;
    return is_file ? KIND_FILE : stat->filetype == PHYSFS_FILETYPE_DIRECTORY ? KIND_FOLDER : KIND_OTHER;
}

static enum kind entry_kind(const struct assets *assets, struct entry *entry)
{
    if (entry->kind != KIND_UNKNOWN)
        return entry->kind;
    char mounted[MOUNTED_LIMIT];
    mounted_path(mounted, entry->root, entry->path);
    PHYSFS_Stat stat;
    if (PHYSFS_stat(mounted, &stat))
        return entry->kind = kind_of(&stat);
    PHYSFS_ErrorCode code = PHYSFS_getLastErrorCode();
    if (code == PHYSFS_ERR_NOT_FOUND || code == PHYSFS_ERR_SYMLINK_FORBIDDEN)
        return entry->kind = KIND_OTHER;
    PHYSFS_setErrorCode(code);
    entry->trouble = mounts_message_of_file(&assets->roots[entry->root]);
    return entry->kind = KIND_BROKEN;
}

/* What is broken counts: whoever reads it is told why it cannot be. */
static bool is_file(const struct assets *assets, struct entry *entry)
{
    enum kind kind = entry_kind(assets, entry);
    return kind == KIND_FILE || kind == KIND_BROKEN;
}

/* Adds what the entry holds, where it is a folder. What is broken in an archive is a file: its folders are told by
 * its list. */
static bool list_entries_of(struct listing *listing, struct entry *entry)
{
    const struct assets *assets = listing->assets;
    enum kind kind = entry_kind(assets, entry);
    if (kind == KIND_FOLDER)
        list_folder(listing, entry->root, entry->path);
    else if (kind != KIND_BROKEN || mounts_is_archive(&assets->roots[entry->root]))
        return false;
    else
        add_trouble(listing, entry->root, entry->path, entry->trouble);
    return true;
}

/* How a folded component of `length` characters sorts against an entry's name. */
static int compare_component(const char *component, size_t length, const char *folded)
{
    int order = strncmp(component, folded, length);
    return order ? order : -(folded[length] != '\0');
}

static struct run find_run(const struct folder *folder, const char *component, size_t length)
{
    size_t low = 0, high = folder->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_component(component, length, folder->entries[middle].folded) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < folder->count && compare_component(component, length, folder->entries[end].folded) == 0)
        end++;
    return (struct run){end > low ? folder->entries + low : NULL, end - low};
}

/* What the folders of a run hold together, or NULL when none of them is a folder. */
static struct folder *run_folder(struct assets *assets, struct run run)
{
    if (run.count == 0)
        return NULL;
    if (run.first->folder)
        return run.first->folder;

    struct listing listing = {.assets = assets};
    bool is_folder = false;
    for (size_t i = 0; i < run.count; i++)
        if (list_entries_of(&listing, &run.first[i]))
            is_folder = true;
    if (!is_folder)
        return NULL;
    return run.first->folder = finish_listing(&listing);
}

static void pass_through(struct assets *assets, const struct folder *folder)
{
    if (!folder || !folder->trouble || assets->trouble)
        return;
    assets->trouble = folder->trouble;
    assets_note_trouble(assets, folder->trouble);
}

/* The folder that a normalised, folded path leads to up to its last '/'; *base is what follows. */
static struct folder *descend(struct assets *assets, const char *folded, const char **base)
{
    struct folder *folder = assets->top;
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
static struct entry *choose_file(const struct assets *assets, struct run run, const char *spelled)
{
    for (size_t i = 0; i < run.count; i++)
        if (!strcmp(run.first[i].path, spelled) && is_file(assets, &run.first[i]))
            return &run.first[i];
    for (size_t i = 0; i < run.count; i++)
        if (is_file(assets, &run.first[i]))
            return &run.first[i];
    return NULL;
}

static struct entry *find_entry(struct assets *assets, const char *path)
{
    char spelled[PATH_LIMIT], folded[PATH_LIMIT];
    assets->trouble = normalise(path, spelled);
    if (assets->trouble)
        return NULL;
    size_t length = strlen(spelled);
    for (size_t i = 0; i <= length; i++)
        folded[i] = fold(spelled[i]);

    const char *base;
    struct folder *folder = descend(assets, folded, &base);
    return folder ? choose_file(assets, find_run(folder, base, strlen(base)), spelled) : NULL;
}

static void list_roots(struct assets *assets)
{
    struct listing top = {.assets = assets};
    for (size_t i = 0; i < assets->root_count; i++)
        list_folder(&top, i, "");
    assets->top = finish_listing(&top);
}

int assets_open(const char *const *roots, size_t root_count, struct assets **out, struct error *err)
{
    struct assets *assets = must_alloc(1, sizeof *assets);
    assets->roots = arena_must_alloc(&assets->arena, root_count, sizeof *assets->roots);
    assets->root_count = root_count;
    for (size_t i = 0; i < root_count; i++)
        assets->roots[i].path = arena_strdup(&assets->arena, roots[i]);

    if (mounts_open(assets->roots, root_count, err) < 0) {
        arena_release(&assets->arena);
        free(assets);
        return -1;
    }
    list_roots(assets);
    if (assets->top->trouble) {
        error_set(err, "%s", assets->top->trouble);
        assets_close(assets);
        return -1;
    }
    *out = assets;
    return 0;
}

void assets_close(struct assets *assets)
{
    if (!assets)
        return;
    for (struct kept *kept = assets->kept; kept; kept = kept->next)
        kept->release(kept->item);
    mounts_close();
    arena_release(&assets->arena);
    free(assets);
}

struct trace *assets_trace(struct assets *assets, struct trace *trace)
{
    struct trace *before = assets->trace;
    assets->trace = trace;
    return before;
}

void assets_note(struct assets *assets, enum look_up_kind kind, const char *name, const char *value)
{
    if (assets->trace)
        trace_note(assets->trace, kind, name, value);
}

void assets_note_all(struct assets *assets, const struct trace *trace)
{
    if (assets->trace)
        trace_add(assets->trace, trace);
}

void assets_note_trouble(struct assets *assets, const char *trouble)
{
    if (assets->trace && trouble)
        trace_note_trouble(assets->trace, trouble);
}

const char *assets_trouble(const struct assets *assets)
{
    return assets->trouble;
}

const char *assets_find(struct assets *assets, const char *path)
{
    const struct entry *entry = find_entry(assets, path);
    assets_note(assets, entry ? LOOK_FOUND : LOOK_ABSENT, path, entry ? entry->path : NULL);
    return entry ? entry->path : NULL;
}

const char *assets_root_of(struct assets *assets, const char *path)
{
    const struct entry *entry = find_entry(assets, path);
    return entry ? assets->roots[entry->root].path : NULL;
}

int64_t assets_size(struct assets *assets, const char *path)
{
    const struct entry *entry = find_entry(assets, path);
    if (!entry)
        return -1;
    char mounted[MOUNTED_LIMIT];
    mounted_path(mounted, entry->root, entry->path);
    PHYSFS_Stat stat;
    return PHYSFS_stat(mounted, &stat) ? stat.filesize : -1;
}

/* Checks what the archive or folder says about the size before that much is allocated. */
static int check_size(const struct root *root, PHYSFS_sint64 size, struct error *err)
{
    if (size < 0)
        return error_set(err, "its size is not known");
    if (size > FILE_SIZE_LIMIT)
        return error_set(err, "%jd bytes, at most %d are allowed", (intmax_t)size, FILE_SIZE_LIMIT);
    if ((uint64_t)(size + DEFLATE_BEST_RATIO - 1) / DEFLATE_BEST_RATIO > root->size)
        return error_set(err, "claims to be %jd bytes, more than an archive of %ju bytes can hold", (intmax_t)size,
                         (uintmax_t)root->size);
    return 0;
}

static int read_whole(PHYSFS_File *file, const struct root *root, struct blob *out, struct error *err)
{
    PHYSFS_sint64 size = PHYSFS_fileLength(file);
    if (check_size(root, size, err) < 0)
        return -1;
    uint8_t *data = memory_alloc((size_t)size, 1, err);
    if (!data)
        return -1;
    PHYSFS_setErrorCode(PHYSFS_ERR_OK);
    PHYSFS_sint64 got = PHYSFS_readBytes(file, data, (PHYSFS_uint64)size);
    if (got != size) {
        free(data);
        /* Where there is less than there should be, it sets none, or one of any kind. */
        PHYSFS_ErrorCode code = PHYSFS_getLastErrorCode();
        return error_set(err, "only %jd of %jd bytes can be read from '%s': %s", (intmax_t)(got < 0 ? 0 : got),
                         (intmax_t)size, root->path,
                         code == PHYSFS_ERR_IO ? PHYSFS_getErrorByCode(code) : "it was cut short, or is damaged");
    }
    *out = (struct blob){data, (size_t)size};
    return 0;
}

static int read_entry(const struct assets *assets, const struct entry *entry, struct blob *out, struct error *err)
{
    const struct root *root = &assets->roots[entry->root];
    char mounted[MOUNTED_LIMIT];
    mounted_path(mounted, entry->root, entry->path);
    if (entry->trouble)
        return error_set(err, "cannot open it in '%s': %s", root->path, entry->trouble);
    PHYSFS_File *file = PHYSFS_openRead(mounted);
    if (!file)
        return error_set(err, "cannot open it in '%s': %s", root->path, mounts_message_of_file(root));
    int result = read_whole(file, root, out, err);
    PHYSFS_close(file);
    return result;
}

/* `blob` is NULL where the file could not be read. */
static void note_read(struct assets *assets, const char *path, const struct entry *entry, const struct blob *blob)
{
    char hash[HASH_SIZE] = TRACE_UNREADABLE;
    if (!assets->trace)
        return;
    if (blob)
        hash_bytes(blob_bytes(blob), hash);
    trace_note(assets->trace, LOOK_READ, entry->path, hash);
    if (strcmp(path, entry->path))
        trace_note(assets->trace, LOOK_FOUND, path, entry->path);
}

int assets_read(struct assets *assets, const char *path, struct blob *out, struct error *err)
{
    char spelled[PATH_LIMIT];
    const char *refused = normalise(path, spelled);
    if (refused)
        return refuse(path, refused, err);
    const struct entry *entry = find_entry(assets, spelled);
    if (!entry) {
        assets_note(assets, LOOK_ABSENT, path, NULL);
        return assets->trouble ? error_set(err, "%s: no such file in the assets: %s", path, assets->trouble)
                               : error_set(err, "%s: no such file in the assets", path);
    }
    int result = read_entry(assets, entry, out, err);
    note_read(assets, path, entry, result == 0 ? out : NULL);
    return result < 0 ? error_add(err, "%s", path) : 0;
}

/* Adds the matching files of a run: one is hidden by any of the run that an earlier root holds. */
static void add_matching_files(const struct assets *assets, struct run run, const char *pattern, struct strings *out)
{
    const struct entry *first = NULL;
    for (size_t i = 0; i < run.count; i++) {
        struct entry *entry = &run.first[i];
        if (first && entry->root != first->root)
            break;
        if (!glob_matches(pattern, entry->path, true) || !is_file(assets, entry))
            continue;
        first = entry;
        strings_add(out, entry->path);
    }
}

/* Walks `depth` levels of folders below this one. */
static void glob_folder(struct assets *assets, const struct folder *folder, const char *pattern, size_t depth,
                        struct strings *out)
{
    for (size_t i = 0; i < folder->count;) {
        struct entry *entry = &folder->entries[i];
        struct run run = find_run(folder, entry->folded, strlen(entry->folded));
        add_matching_files(assets, run, pattern, out);
        struct folder *below = depth > 0 ? run_folder(assets, run) : NULL;
        pass_through(assets, below);
        if (below)
            glob_folder(assets, below, pattern, depth - 1, out);
        i += run.count;
    }
}

void assets_hash_list(const struct strings *paths, char hash[HASH_SIZE])
{
    struct bytes *pieces = must_alloc(paths->count, sizeof *pieces);
    for (size_t i = 0; i < paths->count; i++) /* with its NUL, which no path holds */
        pieces[i] = (struct bytes){(const uint8_t *)paths->items[i], strlen(paths->items[i]) + 1};
    hash_pieces(pieces, paths->count, hash);
    free(pieces);
}

/* How many folders deep below its fixed part a pattern can match. */
static size_t pattern_depth(const char *pattern)
{
    if (strstr(pattern, "**"))
        return PATH_LIMIT;
    size_t depth = 0;
    for (const char *c = pattern; *c; c++)
        depth += *c == '/';
    return depth;
}

static void note_listed(struct assets *assets, const char *pattern, const struct strings *found)
{
    char hash[HASH_SIZE];
    if (!assets->trace)
        return;
    assets_hash_list(found, hash);
    trace_note(assets->trace, LOOK_LISTED, pattern, hash);
}

int assets_glob(struct assets *assets, const char *pattern, struct strings *out, struct error *err)
{
    char spelled[PATH_LIMIT], prefix[PATH_LIMIT];
    const char *refused = normalise(pattern, spelled);
    assets->trouble = NULL;
    if (refused)
        return refuse(pattern, refused, err);

    size_t fixed = strcspn(spelled, "*?[");
    while (fixed > 0 && spelled[fixed - 1] != '/')
        fixed--;
    for (size_t i = 0; i < fixed; i++)
        prefix[i] = fold(spelled[i]);
    prefix[fixed] = '\0';

    const char *rest;
    const struct folder *folder = descend(assets, prefix, &rest);
    struct strings found = {0};
    if (folder)
        glob_folder(assets, folder, spelled, pattern_depth(spelled + fixed), &found);
    strings_sort(&found);
    note_listed(assets, pattern, &found);
    for (size_t i = 0; i < found.count && !assets->trouble; i++)
        strings_add(out, found.items[i]);
    strings_release(&found);
    return assets->trouble ? error_set(err, "%s", assets->trouble) : 0;
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
