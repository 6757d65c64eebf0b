/* A tree of assets that lives as long as a test: files are added first, then it is opened. */
#ifndef UNIT_ASSET_TREE_H
#define UNIT_ASSET_TREE_H

#include "asset/assets.h"
#include "blobs.h"
#include "temp_folder.h"
#include "test.h"

struct asset_tree {
    char *folder;
    struct assets *assets;
};

static inline void asset_tree_remove(void *folder)
{
    temp_folder_free(folder);
}

static inline struct asset_tree asset_tree_new(void)
{
    struct asset_tree tree = {.folder = temp_folder_new()};
    at_end(asset_tree_remove, tree.folder);
    return tree;
}

static inline void asset_tree_close(void *assets)
{
    assets_close(assets);
}

static inline void asset_tree_add(const struct asset_tree *tree, const char *name, const char *text)
{
    temp_folder_add(tree->folder, name, text);
}

static inline void asset_tree_open(struct asset_tree *tree)
{
    struct error err;
    if (assets_open((const char *const *)&tree->folder, 1, &tree->assets, &err) < 0)
        fail_msg("%s", err.text);
    at_end(asset_tree_close, tree->assets);
}

/* A tree of one file. */
static inline struct asset_tree asset_tree_with(const char *name, const char *text)
{
    struct asset_tree tree = asset_tree_new();
    asset_tree_add(&tree, name, text);
    asset_tree_open(&tree);
    return tree;
}

static inline void assert_says(const char *message, const char *part)
{
    if (!strstr(message, part))
        fail_msg("'%s' does not say '%s'", message, part);
}

/* What a trace has of one kind, in its order: "a b=value c=value", without values equal to the name, and hashes.
 */
static inline void assert_traced(const struct trace *trace, enum look_up_kind kind, const char *expected)
{
    struct strings texts = {0};
    char all[4096] = "";
    for (size_t i = 0; i < trace->count; i++) {
        const struct look_up *item = &trace->items[i];
        bool has_value =
            item->value && strcmp(item->name, item->value) && kind != LOOK_READ && kind != LOOK_LISTED;
        if (item->kind == kind)
            strings_printf(&texts, "%s%s%s", item->name, has_value ? "=" : "", has_value ? item->value : "");
    }
    for (size_t i = 0; i < texts.count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "", texts.items[i]);
    strings_release(&texts);
    assert_string_equal(all, expected);
}

static inline void assert_listed(const struct strings *strings, const char *part)
{
    for (size_t i = 0; i < strings->count; i++)
        if (strstr(strings->items[i], part))
            return;
    fail_msg("none of %zu says '%s'; the first is '%s'", strings->count, part,
             strings->count ? strings->items[0] : "");
}

#endif
