/* Inside the reader of glTF 2.0: a file that is being read, and what its parts ask of each other.
 *
 *     gltf_json      values of the JSON
 *     gltf_file      container, extensions, buffers, URIs
 *     gltf_accessor  numbers out of buffers
 *     gltf_material  materials, textures, variants
 *     gltf_mesh      triangles of meshes
 *     gltf_scene     nodes, skins, animations; the format: all of it as a rig
 *
 * Values of the JSON are asked for by their keys. A value that is missing is `otherwise`, or stays as the caller had it. A
 * value of a wrong type is, too, and makes the file fail. Readers of a part go on after a failure, and ask gltf_failed
 * before they hand the part on; functions that return a pointer return NULL then. The first failure counts: its message
 * names the value, and callers put the place in front. */
#pragma once

#include "format/formats.h"
#include "model/rig.h"

enum gltf_kind { GLTF_FALSE_OR_NULL, GLTF_TRUE, GLTF_NUMBER, GLTF_STRING, GLTF_LIST, GLTF_OBJECT };

/* A value of the JSON. */
struct json {
    enum gltf_kind kind;
    uint32_t count; /* items of a list, members of an object */
    union {
        double number;
        const char *text;
        const struct json *items; /* of an object: the name of a member, a string, before each value */
    };
};

struct gltf_view {
    struct bytes bytes;
    size_t stride; /* 0: elements are next to each other */
};

/* The elements of an accessor. */
struct gltf_numbers {
    uint32_t width, count;            /* numbers of an element; elements */
    const void *as_floats, *as_uints; /* NULL: nobody has asked for them in this form */
};

struct gltf_mesh {
    const char *name;
    struct rig_surface *surfaces; /* without their nodes and skins */
    uint32_t *largest_joints;     /* of each surface with influences */
    uint32_t surface_count, morph_count;
    const float *weights; /* morph_count of them, or NULL */
};

struct gltf {
    struct error err; /* empty: the file has not failed */
    const struct model_options *options;
    struct model *model;
    struct arena *arena;  /* the model's */
    struct arena scratch; /* until the file is read */
    const struct json *root;
    struct bytes chunk; /* BIN of a GLB, which is buffer 0 */
    /* Parts that are read so far, by their numbers in the file: */
    struct blob *buffers; /* files and data URIs */
    struct gltf_view *views;
    struct gltf_numbers *numbers; /* of accessors */
    struct gltf_mesh **meshes;
    struct model_material **materials; /* 1 + their number; 0 is the default one */
    size_t number_count;               /* of gltf_take_numbers */
    bool for_pictures;                 /* the model is not read */
    bool reads_weights;                /* of points: those that are not finite become 0 */
};

/* -- gltf_json ---------------------------------------------------------------------------------------------- */

bool gltf_failed(const struct gltf *gltf);

/* Returns -1, and makes the file fail for this reason unless it has failed already. */
int gltf_fail(struct gltf *gltf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Parses the text into `root`, an object, which lasts as long as the file. Numbers are finite; of members with the same
 * name the last counts. */
int gltf_parse(struct gltf *gltf, struct bytes json);

/* All take NULL, a value that is missing: its members and items are missing, too. */
bool gltf_is(const struct json *value, enum gltf_kind kind);
const struct json *gltf_get(const struct json *object, const char *name);
size_t gltf_length(const struct json *list);
const struct json *gltf_at(const struct json *list, size_t index); /* NULL: past the end */

/* The length of a list at the top, and an item of it; `index` is below the length. */
size_t gltf_count(const struct gltf *gltf, const char *list);
const struct json *gltf_item(const struct gltf *gltf, const char *list, size_t index);

/* An index below the count, -1: the value is none. With a key: of that member, which may be missing but not wrong; of a
 * list, below its length. */
int32_t gltf_index_of(const struct json *value, size_t count);
int32_t gltf_index_below(struct gltf *gltf, const struct json *object, const char *key, size_t count);
int32_t gltf_index(struct gltf *gltf, const struct json *object, const char *key, const char *list);

size_t gltf_size(struct gltf *gltf, const struct json *object, const char *key, size_t otherwise);
double gltf_number(struct gltf *gltf, const struct json *object, const char *key, double otherwise);
void gltf_numbers(struct gltf *gltf, const struct json *object, const char *key, double *out, size_t count);
const struct json *gltf_list(struct gltf *gltf, const struct json *object, const char *key); /* NULL: missing */

/* "" and NULL for a value that is missing or of another type; the file does not fail. */
const char *gltf_text(const struct json *object, const char *key);
const struct json *gltf_extension(const struct json *object, const char *name);

/* The number of the text among the words; -1: it is none of them. The second: of a member, 0 where it is missing. */
int gltf_word(const char *text, const char *const *words, size_t count);
int gltf_choice(struct gltf *gltf, const struct json *object, const char *key, const char *const words[3]);

/* -- gltf_file ---------------------------------------------------------------------------------------------- */

bool gltf_matches(struct bytes bytes);

/* Parses the bytes, and notes which extensions are left out. Fails where the file requires one without which it cannot
 * be read. The file is the caller's to close, also after a failure. */
int gltf_open(struct gltf *gltf, struct bytes bytes);
void gltf_close(struct gltf *gltf);

/* Adds to the oddities of the model, once. */
void gltf_add_oddity(struct gltf *gltf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Warns, once, of what an engine would show in another way. */
void gltf_warn(struct gltf *gltf, const char *text);

/* Warns of the extensions of an object that we do not read and that change the picture; false: there are none. */
bool gltf_warn_of_lost(struct gltf *gltf, const struct json *object);

int gltf_buffer(struct gltf *gltf, size_t index, struct bytes *out);

bool gltf_uri_is_data(const char *uri);
int gltf_decode_data_uri(const char *uri, struct blob *out, struct error *err);

/* A URI without %20 and the like, until the file is read; *length counts what comes after a %00, too. */
const char *gltf_decode_uri(struct gltf *gltf, const char *uri, size_t *length);

/* -- gltf_accessor ------------------------------------------------------------------------------------------ */

/* The bufferView that an object names. */
const struct gltf_view *gltf_view_of(struct gltf *gltf, const struct json *object);

/* Counts numbers that are read. -1: they are too many, or the file has failed. */
int gltf_take_numbers(struct gltf *gltf, size_t count, size_t width);

/* Room in the model's arena for numbers of 32 bits, counted. */
void *gltf_alloc_numbers(struct gltf *gltf, size_t count, size_t width);

/* Divides whole numbers that are parts of their largest, and fails for numbers that are not finite or too large. */
int gltf_finish_floats(struct gltf *gltf, float *values, size_t count, double divisor);

/* How many numbers an element has; 0: its type is not read. */
uint32_t gltf_accessor_width(const struct gltf *gltf, size_t index);

/* What whole numbers of an accessor are divided by to become floats: 1 unless it is normalized. 0: it has floats. */
int gltf_accessor_divisor(struct gltf *gltf, size_t index, double *out);

/* All numbers of an accessor whose elements have that width, in the model's arena: float, or else uint32_t. NULL for
 * index -1, too. */
const void *gltf_read_accessor(struct gltf *gltf, int32_t index, uint32_t width, bool as_floats, uint32_t *count);

/* -- gltf_material ------------------------------------------------------------------------------------------ */

/* The variants become skins of the model. Before the materials. */
int gltf_read_variants(struct gltf *gltf);

void gltf_read_material(struct gltf *gltf, const struct json *primitive, struct surface_material *out);

/* Of the pictures, called by their numbers in the file. */
extern const struct file_opener gltf_pictures;

/* -- gltf_mesh ---------------------------------------------------------------------------------------------- */

const struct gltf_mesh *gltf_mesh_of(struct gltf *gltf, size_t index);

/* The weights of morph targets that a mesh or a node has; *out stays where there are none. */
void gltf_read_weights(struct gltf *gltf, const struct json *object, uint32_t count, const float **out);
