/* Declarations by name.
 *
 * Files are scanned, not parsed: a few thousand materials take a few milliseconds, and most of them are never needed.
 * Names are compared as the engine does: without regard to case, '\' for '/', and without a suffix. Where a name is
 * declared several times, the first counts: files in the order of their paths, each from top to bottom.
 *
 * In a trace (asset/trace.h) a look-up in the index of all files of a kind is "materials NAME", "scripts NAME", "skins NAME" or
 * "def NAME" with the path of the file that declares it, or NULL. If it is declared again, the answer says where:
 * "materials/a.mtr, again in materials/b.mtr:40". The other files of the kind are not inputs. The answer to "materials"
 * alone is the hash of the warnings of all files, or NULL if there is none. */
#pragma once

#include "asset/assets.h"
#include "material/declarations.h"
#include "base/hash.h"

enum declaration_kind {
    DECLARATION_MATERIAL, /* materials/ .mtr */
    DECLARATION_SHADER,   /* scripts/ .shader */
    DECLARATION_SKIN,     /* skins/ .skin */
    DECLARATION_MODEL,    /* def/ .def */
};

struct declaration_file {
    char *path; /* as found in the assets */
    char hash[HASH_SIZE];
    struct blob blob;
    struct declarations declarations;
    struct strings warnings; /* "materials/imp.mtr:12: ..." */
};

struct declaration_entry {
    char *key; /* the name, as it is compared */
    const struct declaration *item;
    const struct declaration_file *file;
    char *again; /* where else the name is declared, "materials/imp.mtr:40", or NULL */
};

struct declaration_index {
    struct assets *assets; /* whose trace notes what is looked for; NULL: none */
    enum declaration_kind kind;
    struct declaration_file *files;
    size_t file_count;
    struct declaration_entry *entries; /* sorted by key, each once */
    size_t entry_count;
    char *trouble; /* why files of the kind may be missing, or NULL */
};

/* The index of all files of a kind, made when it is first needed. The assets own it. */
const struct declaration_index *declaration_index_of(struct assets *assets, enum declaration_kind kind);

/* The index of one file; the caller frees it. _load takes the bytes of the file at `path`. */
int declaration_index_read(struct assets *assets, enum declaration_kind kind, const char *path,
                           struct declaration_index **out, struct error *err);
struct declaration_index *declaration_index_load(enum declaration_kind kind, const char *path, struct bytes bytes);
void declaration_index_free(void *index); /* NULL is fine */

const struct declaration_entry *declaration_index_find(const struct declaration_index *index, const char *name);

/* Adds the warnings of the entry's file, unless `out` has them already, and those of the entry. */
void declaration_entry_warnings(const struct declaration_entry *entry, struct strings *out);

/* Adds the warnings of all files. */
void declaration_index_warnings(const struct declaration_index *index, struct strings *out);

/* Repeats a look-up of a trace. False for a look-up of another kind, else *value is the present answer, which the
 * caller frees. */
bool declaration_look_again(struct assets *assets, const char *look_up, char **value);

/* The hash of a file of model declarations as a trace has it: less what is behind the last of them. NULL for others. */
const char *declaration_file_hash(struct assets *assets, const char *path);

/* The pattern of the files that such a look-up reads, or NULL for one of another kind. */
const char *declaration_files_of(const char *look_up);

/* Whether two names mean the same declaration. */
bool declaration_same_name(const char *a, const char *b);

/* Fails: the index has no such name. The message suggests the nearest one. */
int declaration_index_fail(const struct declaration_index *index, const char *what, const char *name,
                           struct error *err);
