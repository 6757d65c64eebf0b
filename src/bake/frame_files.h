/* Frames as files of their own, beside the sheet: `frames` of a job. What was drawn for a page is cut into them. */
#pragma once

#include "plan/plan.h"
#include "plan/scene.h"
#include "page/write.h"
#include "sheet/sheet.h"

/* What ZDoom calls the directions of sprites that a camera is for, of at most 16: "1" for the front, "3" for the model's left,
 * "37" for that and for the right, which is left out as its mirror image, "0" for an only camera. "" for one between. */
void sprite_rotations(const struct job *job, uint32_t camera, char out[3]);

/* "orcs/grunt.frames/walk_s_00.png", below the output folder. The caller frees it. NULL with an error: the cell has
 * none, because its number is beyond the letters or rotations that there are. */
char *frame_file_name(const struct plan *plan, const struct sheet_plan *sheet, uint32_t page,
                      const struct cell *cell, struct error *err);

/* Fails where two cells of a sheet would have one file, or one has no name that a file may have, or GZDoom's. */
int frame_files_check(const struct plan *plan, struct error *err);

/* Adds the frames of a page: PNGs with their places in chunks oFFs, in the cell, and grAb, of the origin (ZDoom). */
int frame_files_add(const struct plan *plan, const struct views *views, const struct sheet_plan *sheet,
                    uint32_t page, const struct sheet *pixels, struct page_files *files, struct error *err);
