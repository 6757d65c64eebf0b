#include "job/settings.h"

/* -- tint ----------------------------------------------------------------------------------------------------- */

const struct setting tint_rows[] = {
    {"material", SETTING_TEXT(struct tint, material.name), SETTING_MARK(struct tint, material.mark)},
    {"color", SETTING_COLOR(struct tint, color), .noun = "the colour of a material", .is_opaque = true},
    {0},
};

/* -- teamcolor ------------------------------------------------------------------------------------------------ */

bool teamcolor_is_given(const struct teamcolor *teamcolor)
{
    return teamcolor->material_count || teamcolor->mesh_count || teamcolor->skin_count ||
           teamcolor->range.hue_deg > 0;
}

const struct setting range_rows[] = {
    {"color", SETTING_COLOR(struct color_range, color), .is_opaque = true, .is_needed = true, .is_new = true},
    {"hue", SETTING_NUMBER(struct color_range, hue_deg, 1, 180), .is_new = true},
    {"saturation", SETTING_NUMBER(struct color_range, saturation, 0, 1), .is_new = true},
    {0},
};

static const struct color_range default_range = {{255, 0, 0, 255}, 20, 0.25f};

static void check_range(const struct reader *reader, const struct node *node, void *member)
{
    const uint8_t *color = ((const struct color_range *)member)->color;
    if (color[0] == color[1] && color[1] == color[2])
        problems_add(reader->problems, node->mark,
                     "the 'color' of a range must have a hue, and this is a grey: name a material or a mesh");
}

const struct setting teamcolor_rows[] = {
    {"material", SETTING_LIST(struct teamcolor, materials, material_count, name_rows, &material_list),
     .is_any_of = true},
    {"mesh", SETTING_LIST(struct teamcolor, meshes, mesh_count, name_rows, &mesh_list), .is_any_of = true},
    {"skin", SETTING_LIST(struct teamcolor, skins, skin_count, name_rows, &material_list), .is_any_of = true},
    {"range", SETTING_MAPPING(struct teamcolor, range, range_rows), .is_anew = true, .starts = &default_range,
     .check = check_range, .of_member = true, .is_any_of = true},
    {0},
};
