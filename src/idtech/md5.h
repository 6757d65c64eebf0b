/* MD5, the format of Doom 3, version 10, seen from the inside: what its source files share.
 *
 *     md5mesh.c   reads an md5mesh, and joins its meshes to a model
 *     md5anim.c   reads an md5anim onto that model, and the scales of its joints; the format
 *     md5.c       the grammar both files share, and the rig of their joints */
#pragma once

#include "base/lexer.h"
#include "idtech/idtech.h"
#include "model/rig.h"

/* Words that a reader did not know, for one oddity at the end. */
struct md5_unknown {
    size_t count;
    unsigned line; /* of the first */
    char text[64];
};

/* A text longer than this is refused, so that whatever is counted in it fits 32 bits. */
#define MD5_LARGEST_FILE ((size_t)1 << 30)

/* Starts a lexer and takes what both kinds of file begin with: the version, and maybe a command line. The lexer tells `err`
 * of failures. Readers ask it at their end, and before they use a number as an index. */
int md5_start(struct bytes bytes, struct lexer *lexer, struct error *err);

/* Takes a declared count, refused at 0 if it is needed, above `most`, and when the rest of the text is too short for so many items
 * of `shortest_item` characters. Nothing is allocated by a count that did not pass here. */
uint32_t md5_count(struct lexer *lexer, const char *keyword, size_t shortest_item, bool is_needed, uint32_t most);

/* Takes ( x y ... ), each within MODEL_LARGEST_NUMBER. */
void md5_vector(struct lexer *lexer, double *out, size_t count);

/* Takes ( position ) ( orientation without w ). *length_squared is that of the three numbers of the orientation. */
struct transform md5_transform(struct lexer *lexer, double *length_squared);

/* Sorts joints so that parents come first, and else as in the file; `places` gets where each one went. Parents are below
 * `count`; the lexer fails where a joint is below itself. */
int md5_sort_joints(struct joint *joints, uint32_t count, uint32_t *places, struct lexer *lexer, unsigned line);

/* Passes over what is left of a block whose '{' is in that line. */
void md5_skip_block(struct lexer *lexer, unsigned line);

/* Passes over a token that is not known, with its whole block when it opens one. */
void md5_skip(struct lexer *lexer, const struct token *token, struct md5_unknown *unknown);
void md5_report_unknown(const struct md5_unknown *unknown, const char *where, struct strings *oddities);

/* Fills a zeroed model with the joints and the meshes of an md5mesh; or with its joints alone. */
int md5_load_mesh(struct bytes bytes, bool wants_meshes, struct model *model, struct error *err);

/* The model's joints, in its arena, bound where they are in model space. */
struct rig md5_rig(struct model *model, const struct transform *bind);

/* Reads an .md5scale, see md5anim.c, onto the last animation of the model. */
int md5_add_scales(struct model *model, struct bytes bytes, struct error *err);
