/* Frames as files of their own, beside the sheet: `frames` of a job. What was drawn for a page is cut into them. */
#pragma once

#include "bake/plan.h"
#include "bake/scene.h"
#include "page/write.h"
#include "sheet/sheet.h"

/* "orcs/grunt.frames/walk_s_00.png", below the output folder. The caller frees it. NULL with an error: the cell has
 * none, because its number is beyond the letters or rotations that there are. */
char *frame_file_name(const struct plan *plan, const struct sheet_plan *sheet, uint32_t page,
                      const struct cell *cell, struct error *err);

/* Fails where two cells of a sheet would have one file, or one has no name that a file may have. */
int frame_files_check(const struct plan *plan, struct error *err);

/* Adds the frames of a page: PNGs with their places in chunks oFFs, in the cell, and grAb, of the origin (ZDoom). */
int frame_files_add(const struct plan *plan, const struct views *views, const struct sheet_plan *sheet,
                    uint32_t page, const struct sheet *pixels, struct page_files *files, struct error *err);
