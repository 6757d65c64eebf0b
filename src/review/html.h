/* The pages that `diff` and `gallery` write: each is a file with its style, its script and its data.
 *
 * review/page/assemble makes them of the files in review/page when the program is built; @@DATA@@ is put in here. A page
 * shows pictures and runs its own script alone; that of the gallery also scripts that lie beside it. */
#pragma once

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "sheet/json_value.h"

/* The folder beside an index.html that has all else of the page, and nothing of anybody else. No job can have files of
 * this name (page/names.h). */
#define HTML_FOLDER "index@files"

enum html_page { HTML_DIFF, HTML_GALLERY };

/* Fails where `index` is there and is not such a page. */
int html_check(const char *index, enum html_page page, struct error *err);

/* Flags of json_dumps for data: compact, in ASCII. */
enum { HTML_JSON = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9) };

/* Returns the bytes of a page without its data. */
size_t html_size(enum html_page page);

/* Adds the page with these data, in an element that nothing in them can end. */
int html_add(struct buffer *out, enum html_page page, const json_t *data, struct error *err);

/* The data of such a page; NULL where there are none. The caller releases them. */
json_t *html_data(struct bytes page);
