/* An open archive file that is read in small pieces, here and there.
 *
 * Whoever lists a zip archive asks for two or four bytes at a time, a hundred thousand times for a game's, so
 * reads go through a buffer. The file is not mapped: one that is cut short meanwhile must be an error and no
 * signal. Each reader has a place of its own in the file, whatever processes and readers share it. */
#ifndef ASSET_ARCHIVE_FILE_H
#define ASSET_ARCHIVE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_file;

/* At the start of the file. NULL when it cannot be opened, with errno. */
struct archive_file *archive_file_open(const char *path);

/* Another reader of the same open file, at its start; NULL with errno. Free both, in any order. */
struct archive_file *archive_file_share(const struct archive_file *file);
void archive_file_free(struct archive_file *file);

uint64_t archive_file_size(const struct archive_file *file);
uint64_t archive_file_place(const struct archive_file *file);

/* False, and the place as it was, past the end. The end itself is fine. */
bool archive_file_seek(struct archive_file *file, uint64_t place);

/* How many bytes were read: fewer than `size` only at the end of the file. -1 with errno when reading fails. */
int64_t archive_file_read(struct archive_file *file, void *out, size_t size);

#endif
