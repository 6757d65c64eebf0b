/* What a job is made of: skins, attachments, sockets, models of declarations. */
#include <string.h>

#include "job_text.h"

static int set_up_parts(void **state)
{
    static const char *const files[] = {
        "assets/weapons/blade.md2",    "assets/weapons/blade.png", "assets/weapons/staff.md5mesh",
        "assets/weapons/spin.md5anim", "assets/skins/imp.skin",    "assets/models/tail.md2",
    };
    set_up(state);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        temp_folder_add(*state, files[i], "");
    return 0;
}

#undef TEST
TEST_WITH(skin_may_be_an_image, set_up_parts, tear_down)
{
    const struct job *job = load_job(state, "  skin: SKIN.tga\n");
    assert_int_equal(job->skin_choice, SKIN_SEARCH);
    assert_int_equal(job->skin_count, 1);
    assert_null(job->skins[0].from);
    assert_null(job->skins[0].shader);
    assert_string_equal(job->skins[0].path, "skin.tga");
}

TEST_WITH(skin_may_be_a_number, set_up_parts, tear_down)
{
    const struct job *job = load_job(state, "  skin: 3\n");
    assert_int_equal(job->skin_choice, SKIN_INDEX);
    assert_int_equal(job->skin_index, 3);
    assert_int_equal(job->skin_mark.line, 6);
    assert_int_equal(job->skin_mark.column, 9);
    assert_int_equal(job->skin_count, 0);
}

TEST_WITH(word_that_is_not_a_file_is_a_skin_of_the_list, set_up_parts, tear_down)
{
    const struct job *job = load_job(state, "  skin: pain\n");
    assert_int_equal(job->skin_choice, SKIN_NAME);
    assert_string_equal(job->skin_name, "pain");
    assert_null(job->skin_file);
    assert_int_equal(job->skin_count, 0);
}

TEST_WITH(quoted_number_is_a_name, set_up_parts, tear_down)
{
    const struct job *job = load_job(state, "  skin: '3'\n");
    assert_int_equal(job->skin_choice, SKIN_NAME);
    assert_string_equal(job->skin_name, "3");
}

TEST_WITH(all_skins_may_be_asked_for, set_up_parts, tear_down)
{
    const struct job *job = load_job(state, "  skins: all\n");
    assert_int_equal(job->skin_choice, SKIN_ALL);
}

TEST_WITH(skin_may_be_declared_in_a_file, set_up_parts, tear_down)
{
    const struct job *job = load_job(state, "  skin: SKINS/imp.skin#monsters/imp/red\n");
    assert_int_equal(job->skin_choice, SKIN_SEARCH);
    assert_string_equal(job->skin_file, "skins/imp.skin");
    assert_string_equal(job->skin_name, "monsters/imp/red");
    assert_int_equal(job->skin_count, 0);
}

TEST_WITH(mapping_of_skins_has_images_and_materials, set_up_parts, tear_down)
{
    const struct job *job = load_job(state, "  skin: {body: skin.tga, head: models/imp/red_head}\n");
    assert_int_equal(job->skin_count, 2);
    assert_string_equal(job->skins[0].path, "skin.tga");
    assert_null(job->skins[0].shader);
    assert_null(job->skins[1].path);
    assert_string_equal(job->skins[1].shader, "models/imp/red_head");
}

TEST_WITH(skin_and_skins_replace_each_other, set_up_parts, tear_down)
{
    struct job_list *list = load(state, "assets: assets\ndefaults: {skins: all}\njobs:\n"
                                        "- {name: a, model: models/orc.md2, skin: skin.tga}\n"
                                        "- {name: b, model: models/orc.md2, skin: 1}\n"
                                        "- {name: c, model: models/orc.md2}\n");
    assert_int_equal(list->jobs[0].skin_choice, SKIN_SEARCH);
    assert_int_equal(list->jobs[0].skin_count, 1);
    assert_int_equal(list->jobs[1].skin_choice, SKIN_INDEX);
    assert_int_equal(list->jobs[2].skin_choice, SKIN_ALL);
}

TEST_WITH(attachment_needs_only_a_model, set_up_parts, tear_down)
{
    const struct job *job = load_job(state, "  attach: {model: Weapons/blade.md2}\n");
    assert_int_equal(job->attachment_count, 1);
    const struct attachment *blade = job->attachments;
    assert_string_equal(blade->name, "blade");
    assert_string_equal(blade->model, "weapons/blade.md2");
    assert_null(blade->at);
    assert_null(blade->animation);
    assert_null(blade->animation_file);
    assert_false(blade->same_frame);
    assert_int_equal(blade->skin_count, 0);
    assert_true(blade->scale == 1 && blade->offset[0] == 0 && blade->rotation_deg[2] == 0);
}

TEST_WITH(attachment_has_a_place_a_skin_and_a_clip, set_up_parts, tear_down)
{
    const struct job *job =
        load_job(state, "  attach:\n"
                        "  - {name: hand, model: weapons/blade.md2, at: right hand, skin: blade.png,\n"
                        "     offset: [1, -2, 3.5], rotation: [0, 90, -45], scale: 0.5, animation: idle}\n"
                        "  - {name: back, model: weapons/staff.md5mesh, animation: {file: spin.md5anim}}\n"
                        "  - {name: orbit, model: weapons/staff.md5mesh,\n"
                        "     animation: {name: turn, file: weapons/spin.md5anim}, skin: {wood: models/oak}}\n"
                        "  - {model: tail.md2, same_frame: true}\n");
    const struct attachment *parts = job->attachments;
    assert_int_equal(job->attachment_count, 4);
    assert_string_equal(parts[0].name, "hand");
    assert_string_equal(parts[0].at, "right hand");
    assert_string_equal(parts[0].skins[0].path, "weapons/blade.png");
    assert_string_equal(parts[0].animation, "idle");
    assert_true(parts[0].offset[1] == -2 && parts[0].rotation_deg[2] == -45 && parts[0].scale == 0.5f);
    assert_string_equal(parts[1].animation, "spin");
    assert_string_equal(parts[1].animation_file, "weapons/spin.md5anim");
    assert_string_equal(parts[2].animation, "turn");
    assert_string_equal(parts[2].skins[0].shader, "models/oak");
    assert_string_equal(parts[3].model, "models/tail.md2");
    assert_true(parts[3].same_frame);
}

TEST_WITH(attachments_of_defaults_are_replaced_as_a_whole, set_up_parts, tear_down)
{
    struct job_list *list = load(state, "assets: assets\ndefaults: {attach: [{model: weapons/blade.md2}]}\njobs:\n"
                                        "- {name: a, model: models/orc.md2}\n"
                                        "- {name: b, model: models/orc.md2, attach: []}\n");
    assert_int_equal(list->jobs[0].attachment_count, 1);
    assert_int_equal(list->jobs[1].attachment_count, 0);
}

TEST_WITH(sockets_are_names_in_the_order_given, set_up_parts, tear_down)
{
    struct job_list *list = load(state, "assets: assets\ndefaults: {sockets: head}\njobs:\n"
                                        "- {name: a, model: models/orc.md2, sockets: [tag_weapon, Bip01 R Hand]}\n"
                                        "- {name: b, model: models/orc.md2}\n");
    assert_int_equal(list->jobs[0].socket_count, 2);
    assert_string_equal(list->jobs[0].sockets[0].name, "tag_weapon");
    assert_string_equal(list->jobs[0].sockets[1].name, "Bip01 R Hand");
    assert_int_equal(list->jobs[1].socket_count, 1);
    assert_string_equal(list->jobs[1].sockets[0].name, "head");
    assert_int_equal(list->jobs[0].sockets[1].mark.line, 5);
    assert_int_equal(list->jobs[1].sockets[0].mark.line, 3);
}

TEST_WITH(model_may_be_a_declaration, set_up_parts, tear_down)
{
    struct job_list *list = load(state, "assets: assets\njobs:\n"
                                        "- {name: zombie, model: def:monster_zombie, animations: [walk*]}\n"
                                        "- {name: 'x/{stem}', model: def:monster_imp}\n"
                                        "- {name: plain, model: models/orc.md2}\n");
    assert_string_equal(list->jobs[0].model, "def:monster_zombie");
    assert_string_equal(list->jobs[0].def_name, "monster_zombie");
    assert_string_equal(list->jobs[1].name, "x/monster_imp");
    assert_null(list->jobs[2].def_name);
}

TEST_WITH(files_of_a_declaration_are_looked_for_in_the_assets_alone, set_up_parts, tear_down)
{
    assert_problem(state, "assets: assets\njobs: [{name: a, model: def:imp, skin: own.png}]\n",
                   ":3:40: no file 'own.png' in the assets, did you mean 'models/sub/own.png'?");
}
