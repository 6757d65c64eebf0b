#include "bake/search_path.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"

char *search_path_surface(const struct part *part, const struct outfit *outfit, uint32_t surface)
{
    struct buffer text = {0};
    buffer_printf(&text, "surface '%s%s%s'", part->attachment ? part->name : "", part->attachment ? "/" : "",
                  part->model->surfaces[surface].name);
    if (outfit->name)
        buffer_printf(&text, " in skin '%s'", outfit->name);
    return text.text;
}

/* `found` is an image program, or NULL. */
static void add_line(const char *role, const struct strings *tried, const char *found, struct strings *out)
{
    struct buffer line = {0};
    if (!found && tried->count == 0)
        return;
    buffer_printf(&line, "%s: ", role);
    for (size_t i = 0; i < tried->count; i++)
        buffer_printf(&line, "%s%s", i ? ", " : "tried ", tried->items[i]);
    buffer_printf(&line, "%sfound %s", tried->count ? "; " : "", found ? found : "nothing");
    strings_add(out, line.text);
    buffer_release(&line);
}

void search_path_add(const struct material *material, struct strings *out)
{
    if (material->declared)
        strings_printf(out, "material '%s': declared at %s", material->name, material->declared);
    add_line("diffuse", &material->tried, material->diffuse, out);
    add_line("normal", &material->normal_tried, material->normal, out);
    add_line("specular", &material->specular_tried, material->specular, out);
    for (size_t i = 0; i < material->stage_count; i++) {
        char role[32];
        snprintf(role, sizeof role, "stage %zu", i + 1);
        add_line(role, &material->stages[i].tried, material->stages[i].image, out);
    }
}

static void add_surface(const struct part *part, const struct outfit *outfit, uint32_t surface,
                        struct strings *out)
{
    struct strings lines = {0};
    char *name = search_path_surface(part, outfit, surface);
    search_path_add(&outfit->materials[surface], &lines);
    for (size_t i = 0; i < lines.count; i++)
        strings_printf(out, "%s: %s", name, lines.items[i]);
    strings_release(&lines);
    free(name);
}

void search_path_add_all(const struct plan *plan, struct strings *out)
{
    for (size_t p = 0; p < plan->part_count; p++) {
        const struct part *part = &plan->parts[p];
        for (size_t o = 0; o < part->outfit_count; o++)
            for (uint32_t i = 0; i < part->model->surface_count; i++)
                add_surface(part, &part->outfits[o], i, out);
    }
}
