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

static void add_line(const char *role, const struct material_picture *picture, struct strings *out)
{
    const struct strings *tried = &picture->tried;
    const char *found = picture->program;
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
    for (int i = 0; i < PICTURE_COUNT; i++)
        add_line(picture_names[i], &material->pictures[i], out);
    for (size_t i = 0; i < material->stage_count; i++) {
        char role[32];
        snprintf(role, sizeof role, "stage %zu", i + 1);
        add_line(role, &material->stages[i].image, out);
    }
}

void search_path_add_all(const struct plan *plan, struct strings *out)
{
    for (size_t p = 0; p < plan->part_count; p++)
        for (size_t o = 0; o < plan->parts[p].outfit_count; o++)
            for (uint32_t i = 0; i < plan->parts[p].model->surface_count; i++) {
                const struct outfit *outfit = &plan->parts[p].outfits[o];
                struct strings lines = {0};
                char *name = search_path_surface(&plan->parts[p], outfit, i);
                search_path_add(&outfit->materials[i], &lines);
                for (size_t line = 0; line < lines.count; line++)
                    strings_printf(out, "%s: %s", name, lines.items[line]);
                strings_release(&lines);
                free(name);
            }
}
