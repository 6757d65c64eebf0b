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
#include "sheet/json_value.h"
#include "page/finding.h"
#include "page/metadata.h"
#include "sheet/layout.h"
#include "page/names.h"

/* The job, and how its look-ups ended: members that are pairs. */
enum pair_value { PAIR_TEXT, PAIR_HASH, PAIR_TEXT_OR_NULL };

static const struct pair_key {
    const char *key;
    size_t offset;
    enum pair_value value;
    bool is_optional;
} pair_keys[] = {
    {"settings", offsetof(struct record, settings), PAIR_TEXT, false},
    {"inputs", offsetof(struct record, inputs), PAIR_HASH, false},
    {"packed", offsetof(struct record, packed), PAIR_HASH, true}, /* not in records of 0.4 */
    {"words", offsetof(struct record, words), PAIR_TEXT, true},   /* nor these */
    {"places", offsetof(struct record, places), PAIR_TEXT, true},
    {"found", offsetof(struct record, found), PAIR_TEXT, false},
    {"listed", offsetof(struct record, listed), PAIR_HASH, false},
    {"declared", offsetof(struct record, declared), PAIR_TEXT_OR_NULL, false},
    {"facts", offsetof(struct record, facts), PAIR_TEXT, true},
    {"names", offsetof(struct record, names), PAIR_TEXT, true}, /* not in records of 0.5 */
    {"measured", offsetof(struct record, measured), PAIR_TEXT, true},
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
static int take_pairs(struct record *record, json_t *values, const struct pair_key *key, struct error *err)
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
        if (!text && !(key->value == PAIR_TEXT_OR_NULL && json_is_null(value)))
            return error_set(err, "its '%s' has no text for '%.200s'", key->key, name);
        if (key->value == PAIR_HASH && !is_hash(text))
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
    const struct {
        const char *key;
        uint32_t *member;
    } numbers[] = {{"page", &record->page},
                   {"pages", &record->page_count},
                   {"output", &record->output},
                   {"part", &record->part},
                   {"parts", &record->part_count}};
    bool is_part = json_object_get(root, "part") || json_object_get(root, "parts"); /* of a page in several */
    record->part_count = 1;
    for (size_t i = 0; i < COUNT(numbers) - 2 * !is_part; i++) {
        const json_t *value = json_object_get(root, numbers[i].key);
        json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
        if (number < 0 || number > UINT32_MAX)
            return error_set(err, "its '%s' is not a number from 0 to %u", numbers[i].key, UINT32_MAX);
        *numbers[i].member = (uint32_t)number;
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

/* Takes all else. The texts are those of the JSON, until they are kept. */
static int take_rest(struct record *record, json_t *root, struct error *err)
{
    json_t *absent, *warnings;
    json_error_t problem;
    if (json_unpack_ex(root, &problem, 0, "{s?s, s:{s:s, s:s, s:s, s:s, s:s, s?s}, s?s, s:o, s:o}", "group",
                       &record->group, "renderer", "backend", &record->backend, "cpu", &record->cpu, "library",
                       &record->library, "name", &record->renderer, "program", &record->program, "probe",
                       &record->probe, "assimp", &record->assimp, "absent", &absent, "warnings", &warnings) < 0)
        return error_set(err, "it is not as records are: %s", problem.text);
    if (!json_is_array(absent) || !json_is_array(warnings))
        return error_set(err, "its 'absent' and 'warnings' are not lists");
    if (record->group && !is_hash(record->group))
        return error_set(err, "its 'group' is not a hash");
    const char **texts[] = {&record->backend, &record->cpu,   &record->library, &record->renderer,
                            &record->program, &record->probe, &record->group,   &record->assimp};
    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = *texts[i] ? arena_strdup(&record->arena, *texts[i]) : NULL;
    record->probe = record->probe ? record->probe : ""; /* as 0.4 wrote it */
    for (size_t i = 0; i < COUNT(pair_keys); i++)
        if (take_pairs(record, json_object_get(root, pair_keys[i].key), &pair_keys[i], err) < 0)
            return -1;
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

static json_t *pairs_value(const struct record_pairs *pairs)
{
    json_t *object = json_object();
    for (size_t i = 0; i < pairs->count; i++) {
        const struct record_pair *pair = &pairs->items[i];
        json_t *name = exact_value(pair->name);
        json_object_set_new_nocheck(object, json_string_value(name),
                                    pair->value ? exact_value(pair->value) : json_null());
        json_decref(name);
    }
    return whole_value(object, pairs->count);
}

static json_t *files_value(const struct record *record)
{
    json_t *object = json_object();
    for (size_t i = 0; i < record->file_count; i++) {
        const struct record_file *file = &record->files[i];
        json_object_set_new(object, file->name,
                            json_pack("{s:I, s:s}", "bytes", (json_int_t)file->bytes, "hash", file->hash));
    }
    return whole_value(object, record->file_count);
}

/* Returns the findings; NULL where there are none. */
static json_t *findings_value(const struct record *record)
{
    struct finding finding;
    json_t *array = record->finding_count ? json_array() : NULL;
    for (size_t i = 0; i < record->finding_count; i++)
        json_array_append_new(array, finding_read(record->findings[i], &finding) ? finding_json(&finding) : NULL);
    return array ? whole_value(array, record->finding_count) : NULL;
}

static json_t *record_value(const struct record *record, const char *self)
{
    bool is_part = record->part_count > 1;
    json_t *value = json_pack(
        "{s:o, s:o, s:I, s:I, s:I, s:o*, s:o*, s:o*, s:{s:o, s:o, s:o, s:o, s:o, s:o}, s:o*, s:o, s:o, s:o, s:o*, "
        "s:o*, s:s}",
        "list", exact_value(record->list), "job", text_value(record->job), "page", (json_int_t)record->page,
        "pages", (json_int_t)record->page_count, "output", (json_int_t)record->output, "part",
        is_part ? json_integer(record->part) : NULL, "parts", is_part ? json_integer(record->part_count) : NULL,
        "group", record->group ? text_value(record->group) : NULL, "renderer", "backend",
        text_value(record->backend), "cpu", text_value(record->cpu), "library", text_value(record->library),
        "name", text_value(record->renderer), "program", text_value(record->program), "probe",
        text_value(record->probe), "assimp", record->assimp ? text_value(record->assimp) : NULL, "files",
        files_value(record), "absent", texts_value(record->absent, record->absent_count, exact_value), "warnings",
        texts_value(record->warnings, record->warning_count, text_value), "clips",
        record->clips ? texts_value(record->clips, record->clip_count, text_value) : NULL, "findings",
        findings_value(record), "self", self);
    int result = value ? 0 : -1;
    for (size_t i = 0; i < COUNT(pair_keys) && result == 0; i++) {
        const struct record_pairs *pairs = (const void *)((const char *)record + pair_keys[i].offset);
        if (pairs->count || !pair_keys[i].is_optional)
            result = json_object_set_new(value, pair_keys[i].key, pairs_value(pairs));
    }
    if (result == 0)
        return value;
    json_decref(value);
    return NULL;
}

int record_save(const struct record *record, struct blob *out, struct error *err)
{
    char hash[HASH_SIZE] = {0};
    size_t at;
    memset(hash, '0', sizeof hash - 1);
    json_t *root = record_value(record, hash);
    if (json_save(root, root, JSON_SORTED, out, err) < 0)
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
