#include "material/declaration_index.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/glob.h"
#include "base/memory.h"
#include "base/strings.h"

/* Files beyond these limits are left out with a warning, because all are kept in memory. Doom 3 has some hundred
 * material files, 2 MB together. */
enum {
    DECLARATION_FILE_LIMIT = 16 * 1024 * 1024,
    DECLARATION_TOTAL_LIMIT = 64 * 1024 * 1024, /* of all files of a kind */
};

struct kind {
    const char *folder; /* names the kind in traces */
    const char *pattern;
    const char *type;
    bool is_default; /* of declarations without a type in these files */
};

static const struct kind kinds[] = {
    [DECLARATION_MATERIAL] = {"materials", "materials/*.mtr", "material", true},
    [DECLARATION_SHADER] = {"scripts", "scripts/*.shader", "material", true},
    [DECLARATION_SKIN] = {"skins", "skins/*.skin", "skin", true},
    [DECLARATION_MODEL] = {"def", "def/*.def", "model", false},
};

static char *make_key(const char *name)
{
    char *key = must_strdup(name), *dot = NULL;
    for (char *c = key; *c; c++) {
        *c = *c == '\\' ? '/' : ascii_lower(*c);
        if (*c == '/')
            dot = NULL;
        else if (*c == '.')
            dot = c;
    }
    if (dot)
        *dot = '\0';
    return key;
}

/* -- Making an index --------------------------------------------------------------------------------------- */

/* The file then owns the blob. The hash of one of models, which nothing reads otherwise, leaves out what is behind the last
 * declaration, such as a comment, but for what is wrong with it. */
static void scan_file(struct declaration_file *file, const struct kind *kind, const struct blob *blob)
{
    SCOPED_BY(strings_release) struct strings warnings = {0};
    file->blob = *blob;
    declarations_scan(blob_bytes(blob), &file->declarations, &warnings);
    for (size_t i = 0; i < warnings.count; i++)
        strings_printf(&file->warnings, "%s:%s", file->path, warnings.items[i]);
    size_t count = file->declarations.count;
    bool is_cut = kind == &kinds[DECLARATION_MODEL] && count > 0 && warnings.count == 0;
    hash_bytes(
        (struct bytes){blob->data, is_cut ? file->declarations.items[count - 1].body.bytes.size : blob->size},
        file->hash);
}

/* Subtracts the file's size from *left, the bytes that may still be read. */
static int read_file(struct assets *assets, struct declaration_file *file, const struct kind *kind, size_t *left,
                     struct error *err)
{
    struct blob blob;
    int64_t size = assets_size(assets, file->path);
    if (size > DECLARATION_FILE_LIMIT)
        return error_set(err, "%s: %jd bytes, at most %d are read", file->path, (intmax_t)size,
                         DECLARATION_FILE_LIMIT);
    if (size > 0 && (uint64_t)size > *left)
        return error_set(err, "%s: left out, for with it these files have more than %d bytes", file->path,
                         DECLARATION_TOTAL_LIMIT);
    if (assets_read(assets, file->path, &blob, err) < 0)
        return -1;
    *left -= blob.size < *left ? blob.size : *left;
    scan_file(file, kind, &blob);
    return 0;
}

static int compare_entries(const void *a_item, const void *b_item)
{
    const struct declaration_entry *a = a_item, *b = b_item;
    int order = strcmp(a->key, b->key);
    if (order == 0)
        order = (a->file > b->file) - (a->file < b->file);
    return order ? order : (a->item > b->item) - (a->item < b->item);
}

static void index_files(struct declaration_index *index, const struct kind *kind)
{
    size_t most = 0;
    for (size_t i = 0; i < index->file_count; i++)
        most += index->files[i].declarations.count;
    index->entries = must_alloc(most, sizeof *index->entries);
    for (size_t i = 0; i < index->file_count; i++) {
        const struct declaration_file *file = &index->files[i];
        for (size_t j = 0; j < file->declarations.count; j++) {
            const struct declaration *item = &file->declarations.items[j];
            if (item->type[0] ? !strcasecmp(item->type, kind->type) : kind->is_default)
                index->entries[index->entry_count++] =
                    (struct declaration_entry){.key = make_key(item->name), .item = item, .file = file};
        }
    }

    /* The entries are sorted, and the first of each name is kept. */
    struct declaration_entry *entries = index->entries;
    size_t kept = 0;
    qsort(entries, index->entry_count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < index->entry_count; i++) {
        struct declaration_entry *first = kept ? &entries[kept - 1] : NULL;
        if (!first || strcmp(first->key, entries[i].key) != 0) {
            entries[kept++] = entries[i];
            continue;
        }
        if (!first->again)
            first->again = must_printf("%s:%u", entries[i].file->path, entries[i].item->line);
        free(entries[i].key);
    }
    index->entry_count = kept;
}

static struct declaration_index *new_index(const char *const *paths, size_t count)
{
    struct declaration_index *index = must_alloc(1, sizeof *index);
    index->files = must_alloc(count, sizeof *index->files);
    index->file_count = count;
    for (size_t i = 0; i < count; i++)
        index->files[i].path = must_strdup(paths[i]);
    return index;
}

void declaration_index_free(void *item)
{
    struct declaration_index *index = item;
    if (!index)
        return;
    for (size_t i = 0; i < index->entry_count; i++) {
        free(index->entries[i].key);
        free(index->entries[i].again);
    }
    for (size_t i = 0; i < index->file_count; i++) {
        struct declaration_file *file = &index->files[i];
        free(file->path);
        declarations_release(&file->declarations);
        strings_release(&file->warnings);
        blob_release(&file->blob);
    }
    free(index->entries);
    free(index->files);
    free(index->trouble);
    free(index);
}

const struct declaration_index *declaration_index_of(struct assets *assets, enum declaration_kind kind)
{
    struct declaration_index *index = assets_kept(assets, &kinds[kind]);
    if (index)
        return index;
    struct trace *trace =
        assets_trace(assets, NULL); /* a trace has the look-ups in the index, not the files that it is made from */
    SCOPED_BY(strings_release) struct strings paths = {0};
    struct error err;
    bool is_listed = assets_glob(assets, kinds[kind].pattern, &paths, &err) == 0;
    index = new_index((const char *const *)paths.items, paths.count);
    index->trouble = is_listed ? NULL : must_strdup(err.text);
    size_t left = DECLARATION_TOTAL_LIMIT;
    for (size_t i = 0; i < index->file_count; i++)
        if (read_file(assets, &index->files[i], &kinds[kind], &left, &err) < 0)
            strings_add(&index->files[i].warnings, err.text);
    index_files(index, &kinds[kind]);
    assets_trace(assets, trace);
    index->assets = assets;
    index->kind = kind;
    assets_keep(assets, &kinds[kind], index, declaration_index_free);
    return index;
}

int declaration_index_read(struct assets *assets, enum declaration_kind kind, const char *path,
                           struct declaration_index **out, struct error *err)
{
    const char *found = assets_find(assets, path);
    struct declaration_index *index = new_index(found ? &found : &path, 1);
    size_t left = DECLARATION_TOTAL_LIMIT;
    if (read_file(assets, &index->files[0], &kinds[kind], &left, err) < 0) {
        declaration_index_free(index);
        return -1;
    }
    index_files(index, &kinds[kind]);
    *out = index;
    return 0;
}

struct declaration_index *declaration_index_load(enum declaration_kind kind, const char *path, struct bytes bytes)
{
    struct declaration_index *index = new_index(&path, 1);
    struct blob copy = {must_alloc(bytes.size, 1), bytes.size};
    if (bytes.size > 0)
        memcpy(copy.data, bytes.data, bytes.size);
    scan_file(&index->files[0], &kinds[kind], &copy);
    index_files(index, &kinds[kind]);
    return index;
}

/* -- Asking it --------------------------------------------------------------------------------------------- */

static const struct declaration_entry *find(const struct declaration_index *index, const char *name)
{
    SCOPED char *key = make_key(name);
    return bsearch(&key, index->entries, index->entry_count, sizeof *index->entries, strings_compare);
}

static void add_warnings(const struct declaration_index *index, struct strings *out)
{
    for (size_t i = 0; i < index->file_count; i++)
        strings_add_all(out, &index->files[i].warnings);
}

/* The hash of the warnings of all files, or NULL if there is none. */
static char *hash_warnings(const struct declaration_index *index)
{
    SCOPED_BY(strings_release) struct strings warnings = {0};
    char hash[HASH_SIZE];
    add_warnings(index, &warnings);
    assets_hash_list(&warnings, hash);
    return warnings.count ? must_strdup(hash) : NULL;
}

/* Where an entry is declared, as traces have it. The answer includes where it is declared again, as the warning about
 * the entry does. */
static char *places_of(const struct declaration_entry *entry)
{
    if (!entry)
        return NULL;
    const char *path = entry->file->path;
    return entry->again ? must_printf("%s, again in %s", path, entry->again) : must_strdup(path);
}

const struct declaration_entry *declaration_index_find(const struct declaration_index *index, const char *name)
{
    const struct declaration_entry *found = find(index, name);
    if (!index->assets)
        return found;
    struct trace *trace = assets_present_trace(index->assets);
    SCOPED char *look_up = must_printf("%s %s", kinds[index->kind].folder, name), *places = places_of(found);
    trace_note(trace, LOOK_DECLARED, look_up, places);
    trace_note_trouble(trace, index->trouble);
    if (found)
        trace_note(trace, LOOK_READ, found->file->path, found->file->hash);
    return found;
}

void declaration_entry_warnings(const struct declaration_entry *entry, struct strings *out)
{
    const struct strings *of_file = &entry->file->warnings;
    for (size_t i = 0; i < of_file->count; i++)
        strings_add_new(out, of_file->items[i]);
    if (entry->again)
        strings_printf(out, "%s:%u: '%s' is declared again in %s; the first one counts", entry->file->path,
                       entry->item->line, entry->item->name, entry->again);
}

void declaration_index_warnings(const struct declaration_index *index, struct strings *out)
{
    add_warnings(index, out);
    if (!index->assets)
        return;
    SCOPED char *hash = hash_warnings(index);
    trace_note(assets_present_trace(index->assets), LOOK_DECLARED, kinds[index->kind].folder, hash);
}

static const struct kind *kind_of(const char *look_up)
{
    size_t length = strcspn(look_up, " ");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].folder) == length && !strncmp(look_up, kinds[i].folder, length))
            return &kinds[i];
    return NULL;
}

bool declaration_look_again(struct assets *assets, const char *look_up, char **value)
{
    const struct kind *kind = kind_of(look_up);
    if (!kind)
        return false;
    size_t length = strlen(kind->folder);
    const struct declaration_index *index = declaration_index_of(assets, (enum declaration_kind)(kind - kinds));
    trace_note_trouble(assets_present_trace(assets), index->trouble);
    *value = look_up[length] ? places_of(find(index, look_up + length + 1)) : hash_warnings(index);
    return true;
}

const char *declaration_files_of(const char *look_up)
{
    const struct kind *kind = kind_of(look_up);
    return kind ? kind->pattern : NULL;
}

const char *declaration_file_hash(struct assets *assets, const char *path)
{
    if (!glob_matches(kinds[DECLARATION_MODEL].pattern, path, true))
        return NULL;
    const struct declaration_index *index = declaration_index_of(assets, DECLARATION_MODEL);
    for (size_t i = 0; i < index->file_count; i++)
        if (!strcmp(index->files[i].path, path) && *index->files[i].hash)
            return index->files[i].hash;
    return NULL;
}

bool declaration_same_name(const char *a, const char *b)
{
    SCOPED char *key_a = make_key(a), *key_b = make_key(b);
    return !strcmp(key_a, key_b);
}

int declaration_index_fail(const struct declaration_index *index, const char *what, const char *name,
                           struct error *err)
{
    const char **names = must_alloc(index->entry_count, sizeof *names);
    for (size_t i = 0; i < index->entry_count; i++)
        names[i] = index->entries[i].item->name;
    const char *nearest = strings_nearest(name, names, index->entry_count);
    free(names);
    if (nearest)
        return error_set(err, "no %s '%s' is declared, did you mean '%s'?", what, name, nearest);
    return error_set(err, "no %s '%s' among the %zu declared", what, name, index->entry_count);
}
