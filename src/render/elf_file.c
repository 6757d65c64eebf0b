#include "render/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"

enum {
    MOST_HEADERS = 128,      /* real files have a dozen */
    MOST_PART = 1024 * 1024, /* bytes of notes, or of what it needs; real ones have a few hundred */
};

struct reading {
    int file;
    int reason; /* of the system, why a read failed; 0 where none did */
    ElfW(Phdr) headers[MOST_HEADERS];
    size_t header_count;
};

static int read_at(struct reading *reading, uint64_t offset, void *out, size_t size, struct error *err)
{
    ssize_t got = pread(reading->file, out, size, (off_t)offset);
    if (got < 0) {
        reading->reason = errno;
        return error_set(err, "%s", strerror(errno));
    }
    return (size_t)got == size ? 0 : error_set(err, "the file ends too early");
}

/* A part of the file, with a NUL behind it; the caller's to free. */
static char *read_part(struct reading *reading, uint64_t offset, uint64_t size, struct error *err)
{
    if (size > MOST_PART) {
        error_set(err, "a part of %ju bytes, at most %d are read", (uintmax_t)size, MOST_PART);
        return NULL;
    }
    char *part = must_alloc(size + 1, 1);
    if (read_at(reading, offset, part, size, err) == 0)
        return part;
    free(part);
    return NULL;
}

static int read_headers(struct reading *reading, struct error *err)
{
    ElfW(Ehdr) file;
    if (read_at(reading, 0, &file, sizeof file, err) < 0)
        return -1;
    int class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (memcmp(file.e_ident, ELFMAG, SELFMAG) || file.e_ident[EI_CLASS] != class || file.e_ident[EI_DATA] != order)
        return error_set(err, "it is no library for this machine");
    if (file.e_phentsize != sizeof *reading->headers || file.e_phnum > MOST_HEADERS)
        return error_set(err, "%u program headers of %u bytes", file.e_phnum, file.e_phentsize);
    reading->header_count = file.e_phnum;
    return read_at(reading, file.e_phoff, reading->headers, file.e_phnum * sizeof *reading->headers, err);
}

/* -- The build id ------------------------------------------------------------------------------------------ */

static void spell_id(const uint8_t *id, size_t size, char out[BUILD_ID_SIZE])
{
    for (size_t i = 0; i < size && i < 32; i++)
        snprintf(out + 2 * i, 3, "%02x", id[i]);
}

/* Notes have a name, which is "GNU" for ours, and a content, each filled up to 4 bytes. */
void elf_notes_find_id(const void *bytes, size_t size, char out[BUILD_ID_SIZE])
{
    const char *notes = bytes;
    ElfW(Nhdr) note;
    size_t at = 0;
    while (size - at >= sizeof note) {
        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        uint64_t name = ((uint64_t)note.n_namesz + 3) & ~3ull, content = ((uint64_t)note.n_descsz + 3) & ~3ull;
        if (name + note.n_descsz > size - at)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + at, "GNU", 4))
            spell_id((const uint8_t *)notes + at + name, note.n_descsz, out);
        if (name + content > size - at) /* the last one need not be filled up */
            return;
        at += name + content;
    }
}

static int read_notes(struct reading *reading, struct elf_file *elf, struct error *err)
{
    for (size_t i = 0; i < reading->header_count; i++) {
        const ElfW(Phdr) *header = &reading->headers[i];
        if (header->p_type != PT_NOTE || elf->build_id[0])
            continue;
        char *notes = read_part(reading, header->p_offset, header->p_filesz, err);
        if (!notes)
            return -1;
        elf_notes_find_id(notes, header->p_filesz, elf->build_id);
        free(notes);
    }
    return 0;
}

/* -- What it needs ----------------------------------------------------------------------------------------- */

/* Where an address of the loaded library is in the file, or UINT64_MAX. */
static uint64_t offset_of(const struct reading *reading, uint64_t address)
{
    for (size_t i = 0; i < reading->header_count; i++) {
        const ElfW(Phdr) *header = &reading->headers[i];
        if (header->p_type == PT_LOAD && address >= header->p_vaddr &&
            address - header->p_vaddr < header->p_filesz)
            return header->p_offset + (address - header->p_vaddr);
    }
    return UINT64_MAX;
}

/* The names of symbols are there, too, millions of bytes: so each is read by itself. The caller's to free. */
static char *read_text(struct reading *reading, uint64_t offset, struct error *err)
{
    char text[4096];
    ssize_t got = pread(reading->file, text, sizeof text, (off_t)offset);
    if (got < 0)
        reading->reason = errno;
    if (got > 0 && memchr(text, '\0', (size_t)got))
        return must_strdup(text);
    error_set(err, "a name or path of libraries it needs is not in the file, or too long");
    return NULL;
}

/* `dynamic` has an address for the table of names, and a place in it for each library needed and for folders. */
static int take_needed(struct reading *reading, const ElfW(Dyn) * dynamic, size_t count, struct elf_file *elf,
                       struct error *err)
{
    uint64_t table = UINT64_MAX;
    for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++)
        if (dynamic[i].d_tag == DT_STRTAB)
            table = offset_of(reading, dynamic[i].d_un.d_ptr);
    if (table == UINT64_MAX)
        return error_set(err, "its names are not in the file");
    for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++) {
        int64_t tag = dynamic[i].d_tag;
        if (tag != DT_NEEDED && tag != DT_RPATH && tag != DT_RUNPATH)
            continue;
        char *text = read_text(reading, table + dynamic[i].d_un.d_val, err);
        if (!text)
            return -1;
        char **folders = tag == DT_RPATH ? &elf->rpath : &elf->runpath;
        if (tag == DT_NEEDED) {
            strings_add(&elf->needed, text);
            free(text);
        } else {
            free(*folders);
            *folders = text;
        }
    }
    return 0;
}

static int read_needed(struct reading *reading, struct elf_file *elf, struct error *err)
{
    for (size_t i = 0; i < reading->header_count; i++) {
        const ElfW(Phdr) *header = &reading->headers[i];
        if (header->p_type != PT_DYNAMIC)
            continue;
        char *dynamic = read_part(reading, header->p_offset, header->p_filesz, err);
        if (!dynamic)
            return -1;
        int result =
            take_needed(reading, (const ElfW(Dyn) *)dynamic, header->p_filesz / sizeof(ElfW(Dyn)), elf, err);
        free(dynamic);
        return result;
    }
    return 0;
}

/* -- Folders ----------------------------------------------------------------------------------------------- */

/* "$ORIGIN/../lib" or "${ORIGIN}/../lib" of /opt/mesa/lib/libOSMesa.so.8 is "/opt/mesa/lib/../lib". Uses up the
 * text. */
static char *fill_in_origin(char *folders, const char *path)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    struct buffer filled = {0};
    char *origin = path_folder(path);
    buffer_add(&filled, "", 0);
    for (const char *at = folders; *at;) {
        size_t length = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (!strncmp(at, words[i], strlen(words[i])))
                length = strlen(words[i]);
        buffer_add(&filled, length ? origin : at, length ? strlen(origin) : 1);
        at += length ? length : 1;
    }
    free(origin);
    free(folders);
    return filled.text;
}

static void find_folders(struct elf_file *elf, const char *path)
{
    if (elf->rpath && elf->runpath) { /* then it does not count */
        free(elf->rpath);
        elf->rpath = NULL;
    }
    if (elf->rpath)
        elf->rpath = fill_in_origin(elf->rpath, path);
    if (elf->runpath)
        elf->runpath = fill_in_origin(elf->runpath, path);
}

int elf_file_read(const char *path, struct elf_file *out, struct error *err)
{
    struct reading reading = {.file = open(path, O_RDONLY | O_CLOEXEC)};
    struct elf_file elf = {0};
    if (reading.file < 0) {
        int reason = errno;
        error_set(err, "%s: %s", path, strerror(reason));
        errno = reason;
        return -1;
    }
    int result = read_headers(&reading, err);
    if (result == 0)
        result = read_notes(&reading, &elf, err);
    if (result == 0)
        result = read_needed(&reading, &elf, err);
    close(reading.file);
    if (result < 0) {
        elf_file_release(&elf);
        error_add(err, "%s", path);
        errno = reading.reason;
        return -1;
    }
    find_folders(&elf, path);
    *out = elf;
    return 0;
}

void elf_file_release(struct elf_file *elf)
{
    strings_release(&elf->needed);
    free(elf->rpath);
    free(elf->runpath);
}
