#include "page/record.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/strings.h"
#include "page/finding.h"
#include "page/json_file.h"
#include "page/metadata.h"
#include "sheet/layout.h"
#include "page/names.h"

/* What a record is read into, and written from. */
enum member_kind {
    MEMBER_NUMBER,
    MEMBER_PART, /* a number, of a page in several parts */
    MEMBER_TEXT,
    MEMBER_RENDERER, /* a text, in the object of this name */
    MEMBER_PAIRS,    /* of texts */
    MEMBER_HASHES,   /* pairs whose values are hashes, or... */
    MEMBER_NULLS,    /* ...texts or null */
};

#define MEMBER(key, member) key, offsetof(struct record, member)
static const struct member {
    const char *key;
    size_t offset;
    enum member_kind kind;
    bool is_optional;
} members[] = {
    {MEMBER("assimp", assimp), MEMBER_TEXT, true},
    {MEMBER("declared", declared), MEMBER_NULLS, false},
    {MEMBER("facts", facts), MEMBER_PAIRS, true},
    {MEMBER("found", found), MEMBER_PAIRS, false},
    {MEMBER("group", group), MEMBER_TEXT, true},
    {MEMBER("inputs", inputs), MEMBER_HASHES, false},
    {MEMBER("listed", listed), MEMBER_HASHES, false},
    {MEMBER("measured", measured), MEMBER_PAIRS, true},
    {MEMBER("names", names), MEMBER_PAIRS, true}, /* not in records of 0.5 */
    {MEMBER("output", output), MEMBER_NUMBER, false},
    {MEMBER("packed", packed), MEMBER_HASHES, true}, /* not in records of 0.4 */
    {MEMBER("page", page), MEMBER_NUMBER, false},
    {MEMBER("pages", page_count), MEMBER_NUMBER, false},
    {MEMBER("part", part), MEMBER_PART, false},
    {MEMBER("parts", part_count), MEMBER_PART, false},
    {MEMBER("places", places), MEMBER_PAIRS, true},
    {MEMBER("backend", backend), MEMBER_RENDERER, false},
    {MEMBER("cpu", cpu), MEMBER_RENDERER, false},
    {MEMBER("library", library), MEMBER_RENDERER, false},
    {MEMBER("name", renderer), MEMBER_RENDERER, false},
    {MEMBER("probe", probe), MEMBER_RENDERER, true}, /* not in records of 0.4 */
    {MEMBER("program", program), MEMBER_RENDERER, false},
    {MEMBER("settings", settings), MEMBER_PAIRS, false},
    {MEMBER("words", words), MEMBER_PAIRS, true}, /* not in records of 0.4 */
};

/* -- Reading ----------------------------------------------------------------------------------------------- */

static bool is_hash(const char *text)
{
    return strlen(text) == HASH_SIZE - 1 && strspn(text, "0123456789abcdef") == HASH_SIZE - 1;
}

void record_sort_pairs(struct record_pair *pairs, size_t count)
{
    SORT(pairs, count, strings_compare);
}

/* Keys of a file of ours are sorted; what reads the pairs depends on it. */
static int take_pairs(struct record *record, json_t *values, const struct member *key, struct error *err)
{
    struct record_pair *pairs = arena_must_alloc(&record->arena, json_object_size(values), sizeof *pairs);
    size_t count = 0;
    const char *name, *before = NULL;
    json_t *value;
    if (!json_is_object(values))
        return values || !key->is_optional ? error_set(err, "it has no '%s' that is an object", key->key) : 0;
    json_object_foreach(values, name, value)
    {
        const char *text = json_string_value(value);
        if (!*name || (before && strcmp(before, name) >= 0))
            return error_set(err, "the names in its '%s' are not sorted", key->key);
        if (!text && !(key->kind == MEMBER_NULLS && json_is_null(value)))
            return error_set(err, "its '%s' has no text for '%.200s'", key->key, name);
        if (key->kind == MEMBER_HASHES && !is_hash(text))
            return error_set(err, "its '%s' has no hash for '%.200s'", key->key, name);
        before = name;
        pairs[count++] =
            (struct record_pair){exact_text(&record->arena, name), text ? exact_text(&record->arena, text) : NULL};
    }
    record_sort_pairs(pairs, count); /* names that are not UTF-8 stand elsewhere in JSON */
    *(struct record_pairs *)((char *)record + key->offset) = (struct record_pairs){pairs, count};
    return 0;
}

static int take_absent(struct record *record, const json_t *values, struct error *err)
{
    const char **absent = arena_must_alloc(&record->arena, json_array_size(values), sizeof *absent);
    json_t *value;
    size_t i;
    json_array_foreach(values, i, value)
    {
        const char *path = json_string_value(value);
        absent[i] = exact_text(&record->arena, path ? path : "");
        if (!*absent[i] || (i > 0 && strcmp(absent[i - 1], absent[i]) >= 0))
            return error_set(err, "its 'absent' is not a sorted list of paths");
    }
    record->absent = absent;
    record->absent_count = json_array_size(values);
    return 0;
}

/* Information for people: values that are not texts are left out. */
static const char *const *take_texts(struct record *record, const json_t *values, size_t *count)
{
    const char **texts = arena_must_alloc(&record->arena, json_array_size(values), sizeof *texts);
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *text = json_string_value(json_array_get(values, i));
        if (text)
            texts[(*count)++] = arena_strdup(&record->arena, text);
    }
    return texts;
}

static int take_findings(struct record *record, const json_t *root, struct error *err)
{
    const json_t *values = json_object_get(root, "findings");
    const size_t count = json_array_size(values), most = 1000; /* a run finds one of each rule */
    const char **findings = arena_must_alloc(&record->arena, count, sizeof *findings);
    for (size_t i = 0; i < count && count <= most; i++) {
        char *finding = finding_from_json(json_array_get(values, i));
        if (finding)
            findings[record->finding_count++] = arena_take(&record->arena, finding);
    }
    record->findings = findings;
    return count <= most ? 0 : error_set(err, "it has %zu findings, at most %zu are allowed", count, most);
}

/* Puts what describes pictures first. */
static int compare_files(const void *a_item, const void *b_item)
{
    const struct record_file *a = a_item, *b = b_item;
    int order = metadata_is_picture(a->name) - metadata_is_picture(b->name);
    return order ? order : strcmp(a->name, b->name);
}

static int take_files(struct record *record, json_t *values, struct error *err)
{
    json_t *value;
    struct record_file *files = arena_must_alloc(&record->arena, json_object_size(values), sizeof *files);
    const char *name;
    record->files = files;
    json_object_foreach(values, name, value)
    {
        struct record_file *file = &files[record->file_count];
        const json_t *bytes = json_object_get(value, "bytes");
        const char *hash = json_string_value(json_object_get(value, "hash"));
        /* A run removes files that a record names, so these must be plain ones beside it. */
        if (!names_is_plain(name))
            return error_set(err, "it names '%.200s', which is not a file beside it", name);
        if (!json_is_integer(bytes) || json_integer_value(bytes) < 0 || !hash || !is_hash(hash))
            return error_set(err, "it has no size and hash of '%.200s'", name);
        *file = (struct record_file){
            .name = arena_strdup(&record->arena, name),
            .bytes = (uint64_t)json_integer_value(bytes),
            .hash = arena_strdup(&record->arena, hash),
        };
        if (record->file_count > 0 && strcmp(file[-1].name, file->name) >= 0)
            return error_set(err, "the names in its 'files' are not sorted");
        record->file_count++;
    }
    SORT(files, record->file_count, compare_files);
    return 0;
}

static int take_numbers(struct record *record, const json_t *root, struct error *err)
{
    const bool is_part = json_object_get(root, "part") || json_object_get(root, "parts");
    record->part_count = 1;
    for (const struct member *key = members; key < members + COUNT(members); key++) {
        const json_t *value = json_object_get(root, key->key);
        json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
        if (key->kind > MEMBER_PART || (key->kind == MEMBER_PART && !is_part))
            continue;
        if (number < 0 || number > UINT32_MAX)
            return error_set(err, "its '%s' is not a number from 0 to %u", key->key, UINT32_MAX);
        *(uint32_t *)((char *)record + key->offset) = (uint32_t)number;
    }
    if (record->page_count > LAYOUT_MOST_CELLS)
        return error_set(err, "it tells of %u pages, at most %d are allowed", record->page_count,
                         LAYOUT_MOST_CELLS);
    if (record->part_count > LAYOUT_MOST_PAGES)
        return error_set(err, "it tells of %u parts, at most %d are allowed", record->part_count,
                         LAYOUT_MOST_PAGES);
    if (record->page >= record->page_count)
        return error_set(err, "it calls itself page %u of %u", record->page, record->page_count);
    if (record->part >= record->part_count)
        return error_set(err, "it calls itself part %u of %u", record->part, record->part_count);
    return 0;
}

/* Takes what tells whose page it is. */
static int take_page(struct record *record, json_t *root, struct error *err)
{
    json_t *files = json_object_get(root, "files");
    const char *list = json_string_value(json_object_get(root, "list"));
    const char *job = json_string_value(json_object_get(root, "job"));
    if (!list || !job || !json_is_object(files))
        return error_set(err, "it has no 'list', 'job' and 'files'");
    record->list = exact_text(&record->arena, list);
    record->job = arena_strdup(&record->arena, job);
    return take_numbers(record, root, err) < 0 ? -1 : take_files(record, files, err);
}

static int take_text(struct record *record, const json_t *value, const struct member *key, struct error *err)
{
    const char *text = json_string_value(value);
    if (!text && (value || !key->is_optional))
        return error_set(err, "it is not as records are: it has no text '%s'", key->key);
    *(const char **)((char *)record + key->offset) = text ? arena_strdup(&record->arena, text) : NULL;
    return 0;
}

/* Takes all else. */
static int take_rest(struct record *record, json_t *root, struct error *err)
{
    const json_t *absent = json_object_get(root, "absent"), *warnings = json_object_get(root, "warnings");
    for (const struct member *key = members; key < members + COUNT(members); key++) {
        json_t *of = key->kind == MEMBER_RENDERER ? json_object_get(root, "renderer") : root;
        json_t *value = json_object_get(of, key->key);
        if (key->kind > MEMBER_PART && (key->kind <= MEMBER_RENDERER ? take_text(record, value, key, err)
                                                                     : take_pairs(record, value, key, err)) < 0)
            return -1;
    }
    if (!json_is_array(absent) || !json_is_array(warnings))
        return error_set(err, "its 'absent' and 'warnings' are not lists");
    if (record->group && !is_hash(record->group))
        return error_set(err, "its 'group' is not a hash");
    record->probe = record->probe ? record->probe : "";
    record->warnings = take_texts(record, warnings, &record->warning_count);
    if (json_object_get(root, "clips"))
        record->clips = take_texts(record, json_object_get(root, "clips"), &record->clip_count);
    return take_findings(record, root, err) < 0 ? -1 : take_absent(record, absent, err);
}

/* Leaves out what take_page does not ask for, the last member among it. As record_save writes them, a line with one blank
 * begins each member. */
static json_t *load_page(struct bytes file, json_error_t *problem)
{
    static const char *const keys[] = {"files\"", "job\"",   "list\"", "output\"",
                                       "page\"",  "pages\"", "part\"", "parts\""};
    static const char mark[] = "\n \"";
    const size_t length = sizeof mark - 1;
    struct buffer kept = {0};
    buffer_add(&kept, "{", 1);
    const char *end = (const char *)file.data + file.size, *at = memmem(file.data, file.size, mark, length), *next;
    for (; at && (next = memmem(at + length, (size_t)(end - at) - length, mark, length)); at = next)
        for (size_t i = 0; i < COUNT(keys); i++)
            if (!strncmp(at + length, keys[i], strlen(keys[i])))
                buffer_add(&kept, at, (size_t)(next - at));
    buffer_printf(&kept, "\"self\": \"\"}");
    json_t *root = json_loadb(kept.text, kept.length, JSON_REJECT_DUPLICATES, problem);
    buffer_release(&kept);
    return root;
}

/* -- The file ---------------------------------------------------------------------------------------------- */

/* A line break is never part of a text in JSON, so what follows one is a key of the record itself. */
int record_hash(struct bytes file, size_t *at, char hash[HASH_SIZE])
{
    static const char key[] = "\n \"self\": \"";
    const uint8_t *line = file.size ? memmem(file.data, file.size, key, sizeof key - 1) : NULL;
    size_t start = line ? (size_t)(line - file.data) + sizeof key - 1 : 0;
    if (!line || file.size - start < HASH_SIZE - 1)
        return -1;
    uint8_t zeros[HASH_SIZE - 1];
    memset(zeros, '0', sizeof zeros);
    size_t after = start + sizeof zeros;
    const struct bytes pieces[] = {
        {file.data, start}, {zeros, sizeof zeros}, {file.data + after, file.size - after}};
    hash_pieces(pieces, 3, hash);
    *at = start;
    return 0;
}

int record_load(struct bytes file, enum record_extent extent, struct record *out, struct error *err)
{
    size_t at;
    char hash[HASH_SIZE];
    if (file.size > RECORD_MOST_TEXT)
        return error_set(err, "it has %zu bytes, at most %d are allowed", file.size, RECORD_MOST_TEXT);
    if (record_hash(file, &at, hash) < 0)
        return error_set(err, "it is not the record of a sheet, or is cut off");
    if (memcmp(file.data + at, hash, HASH_SIZE - 1))
        return error_set(err, "it is cut off, or was changed since it was written");
    json_error_t problem;
    json_t *root = extent == RECORD_OF_PAGE
                       ? load_page(file, &problem)
                       : json_loadb((const char *)file.data, file.size, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return error_set(err, "it cannot be read: %s", problem.text);
    struct record record = {0};
    int result = take_page(&record, root, err);
    if (result == 0 && extent == RECORD_WHOLE)
        result = take_rest(&record, root, err);
    json_decref(root);
    if (result < 0)
        record_release(&record);
    else
        *out = record;
    return result;
}

void record_release(struct record *record)
{
    arena_release(&record->arena);
    *record = (struct record){0};
}

const struct record_pair *record_find(const struct record_pairs *pairs, const char *name)
{
    return pairs->count ? bsearch(&name, pairs->items, pairs->count, sizeof *pairs->items, strings_compare) : NULL;
}

/* -- Writing ----------------------------------------------------------------------------------------------- */

static void add_pairs(struct json_file *json, const struct record_pairs *pairs, const struct member *key)
{
    json->is_exact = true;
    json_add(json, "{", key->key);
    for (size_t i = 0; i < pairs->count; i++)
        json_add(json, "S", pairs->items[i].name, pairs->items[i].value);
    json_add(json, key->is_optional ? "." : "}");
    json->is_exact = false;
}

static void add_members(struct json_file *json, const struct record *record, bool are_renderer)
{
    for (const struct member *key = members; key < members + COUNT(members); key++) {
        const void *member = (const char *)record + key->offset;
        if ((key->kind == MEMBER_RENDERER) != are_renderer ||
            (key->kind == MEMBER_PART && record->part_count <= 1))
            continue;
        if (key->kind <= MEMBER_PART)
            json_add(json, "u", key->key, *(const uint32_t *)member);
        else if (key->kind <= MEMBER_RENDERER)
            json_add(json, "s", key->key, *(const char *const *)member);
        else
            add_pairs(json, member, key);
    }
}

static void add_findings(struct json_file *json, const struct record *record)
{
    struct finding finding;
    json_add(json, "[", "findings");
    for (size_t i = 0; i < record->finding_count; i++)
        if (finding_read(record->findings[i], &finding))
            json_add(json, "{sssS}", "rule", finding.rule, "level", finding_level(&finding), "text", finding.text,
                     "cell", *finding.cell ? finding.cell : NULL);
    json_add(json, ".");
}

int record_save(const struct record *record, struct blob *out, struct error *err)
{
    struct json_file file = {0}, *json = &file;
    char hash[HASH_SIZE] = {0};
    size_t at;
    memset(hash, '0', sizeof hash - 1);
    json_add(json, "{sts", "job", record->job, "warnings", record->warnings, record->warning_count, "self", hash);
    if (record->clips)
        json_add(json, "t", "clips", record->clips, record->clip_count);
    add_findings(json, record);
    json_add(json, "{", "files");
    for (size_t i = 0; i < record->file_count; i++)
        json_add(json, "{0s}", record->files[i].name, "bytes", (double)record->files[i].bytes, "hash",
                 record->files[i].hash);
    json_add(json, "}{", "renderer");
    add_members(json, record, true);
    json_add(json, "}");
    add_members(json, record, false);
    json->is_exact = true;
    json_add(json, "st}", "list", record->list, "absent", record->absent, record->absent_count);
    if (json_finish(json, out, err) < 0)
        return -1;
    if (record_hash(blob_bytes(out), &at, hash) == 0)
        memcpy(out->data + at, hash, HASH_SIZE - 1);
    return 0;
}

static void add_to_hash(char hash[HASH_SIZE], const char *text)
{
    char *both = must_printf("%s %s", hash, text);
    hash_bytes((struct bytes){(const uint8_t *)both, strlen(both)}, hash);
    free(both);
}

void record_add_to_hash(const struct record *record, char hash[HASH_SIZE])
{
    for (size_t i = 0; i < record->file_count; i++)
        add_to_hash(hash, record->files[i].hash);
    for (size_t i = 0; i < record->inputs.count; i++)
        if (!strcmp(path_suffix(record->inputs.items[i].name), TEMPLATE_SUFFIX))
            add_to_hash(hash, record->inputs.items[i].value);
}

/* -- In an output folder ------------------------------------------------------------------------------------ */

bool record_is_of(const struct record *record, const char *path)
{
    char *page = path_stem(path_base(path));
    bool is_own = names_is_page_of(page, path_base(record->job));
    for (size_t i = 0; is_own && i < record->file_count; i++)
        is_own = names_is_file_of(record->files[i].name, page);
    free(page);
    return is_own;
}

enum record_kind recorded_load(const char *path, const char *final, enum record_extent extent, struct record *out,
                               struct error *err)
{
    struct stat info;
    struct blob file;
    struct record record = {0};
    char hash[HASH_SIZE];
    if (lstat(path, &info) < 0 && errno == ENOENT)
        return RECORD_NONE;
    *out = record;
    if (file_read(path, RECORD_MOST_TEXT, &file, err) < 0)
        return RECORD_BROKEN;
    hash_bytes(blob_bytes(&file), hash);
    int result = record_load(blob_bytes(&file), extent, &record, err);
    blob_release(&file);
    if (result == 0 && !record_is_of(&record, final)) {
        result = error_set(err, "it is the record of another page, of job '%s'", record.job);
        record_release(&record);
    }
    *out = record;
    memcpy(out->hash, hash, sizeof hash);
    return result < 0 ? RECORD_BROKEN : RECORD_GOOD;
}

enum recorded_state recorded_verify(const char *folder, const struct record_file *file, struct error *err)
{
    char *path = path_join(folder, file->name), *above = path_folder(path), hash[HASH_SIZE];
    struct stat info;
    struct blob blob;
    enum recorded_state state;
    if (strchr(file->name, '/') && file_is_link(above)) {
        state = RECORDED_CHANGED;
    } else if (lstat(path, &info) < 0) {
        state = errno == ENOENT ? RECORDED_MISSING : RECORDED_UNREADABLE;
        error_set(err, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode) || (uintmax_t)info.st_size != file->bytes) {
        state = RECORDED_CHANGED;
    } else if (file_read(path, file->bytes, &blob, err) < 0) {
        state = RECORDED_UNREADABLE;
    } else {
        hash_bytes(blob_bytes(&blob), hash);
        blob_release(&blob);
        state = strcmp(hash, file->hash) ? RECORDED_CHANGED : RECORDED_SAME;
    }
    free(above);
    free(path);
    return state;
}

enum recorded_state recorded_remove(const char *folder, const struct record_file *file, struct error *err)
{
    enum recorded_state state = recorded_verify(folder, file, err);
    char *path = path_join(folder, file->name);
    if (state == RECORDED_SAME && unlink(path) < 0) {
        state = RECORDED_UNREADABLE;
        error_set(err, "%s: cannot remove this file: %s", path, strerror(errno));
    }
    if (strchr(file->name, '/')) { /* the last frame goes with its folder */
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
    free(path);
    return state;
}

const struct record_file *record_file(const struct record *record, const char *name)
{
    return named_find(record->files, record->file_count, sizeof *record->files, name, false);
}
