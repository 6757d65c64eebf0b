/* Verdicts of people on the sheets of a review, as lines that they write into a review of code:
 *
 *     /sheetbake accept 0123456789abcdef units/barbarian: longer sword
 *     /sheetbake reject 0123456789abcdef units/barbarian
 *     /sheetbake accept fedcba9876543210 all of input models/shell.png changed
 *
 * The number is half a hash of the sheet's name and of the files that it ships after the change, or of those of all sheets
 * whose first cause it is. So a verdict holds while these are the same, in whatever commit. XXH3 is no seal: who can choose
 * every byte of two pictures can give them one hash. */
#pragma once

#include "review/review.h"

/* A file of verdicts holds at most this. */
enum { VERDICTS_MOST_TEXT = 4 << 20 };

/* Gives each sheet, and each cause of sheets, the line that accepts it. A sheet that failed, is unknown or breaks a rule has
 * none. */
void verdicts_ask(struct review *review);

/* Takes the verdicts of a file that messages call `name`. A line of it is who gave a verdict, a tab, and the verdict as above;
 * the last one on a sheet or on its cause holds. Those on other files than the sheets have now are passed over. Lines that are
 * no verdicts are problems. `asks` has a bit for each enum review_state that needs a verdict. */
void verdicts_take(struct review *review, struct bytes file, const char *name, unsigned asks,
                   struct strings *problems);
