/* The formats of models: the table of all, and what asks it. A format is a constant of type struct model_format, and a row in
 * the table of formats.c.
 *
 *     model_load(bytes, &options, &model, err);          recognises the format by content
 *     model->format->companions[...].add(...)            for formats that keep normals, clips or tags apart
 *     model_add_animation(model, "walk", bytes, err);    for formats that keep animations apart */
#pragma once

#include "asset/assets.h"
#include "idtech/idtech.h"
#include "model/format.h"

extern const struct model_format gltf_format, assimp_format;

/* Begins the names of pictures that assimp reads: they differ from those of our own reader of the same file. */
#define ASSIMP_PICTURE_PREFIX "assimp"

/* All formats; NULL after the last. */
extern const struct model_format *const model_formats[];

/* The first format that takes the bytes; the path may be NULL. NULL when they are none. */
const struct model_format *model_format_of(struct bytes bytes, const char *path);

/* The format of the models that the animation in the bytes is for, or NULL when they are none. */
const struct model_format *model_format_of_animation(struct bytes bytes);

/* Whether a file that is called as models are is an animation alone, as some IQM files are. Others are not opened. */
bool model_is_animation(struct assets *assets, const char *path);

/* The format's suffix that the path ends with, in any case; NULL: none. */
const struct model_suffix *model_format_suffix(const struct model_format *format, const char *path);

/* Whether models of a format have this suffix, in any case. */
bool model_has_suffix(const char *suffix);

/* The path of a model as it is found in the assets: a file, or the one that makes a folder a model. NULL: neither. */
const char *model_find_file(struct assets *assets, const char *path);

/* Whether the file is one that makes its folder a model. */
bool model_is_in_folder(const char *path);

/* Adds the paths of the animations of a format, or of its models, in the folder of `path`, sorted. Where both have one
 * suffix, their contents tell them apart. */
void model_find_of_format(struct assets *assets, const char *path, const struct model_format *format,
                          bool wants_animations, struct strings *out);

/* Options may be NULL: the defaults. A file that names others, such as buffers, reads them from options.assets. */
int model_load(struct bytes bytes, const struct model_options *options, struct model **out, struct error *err);

/* Adds the animation in the bytes, and its clip or clips; `name` is what a clip without a name of its own is
 * called. On failure the model is as before. */
int model_add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err);

/* The opener of a model file for a picture in it: an opener_chooser (asset/assets.h). */
const struct file_opener *model_picture_opener(const struct container *file, const char *name, struct error *err);

/* "5.2.5", or why there is no assimp. It loads the library. */
int assimp_version(char *out, size_t size, struct error *err);
