#include "image/letters.h"

#include <string.h>

/* Each letter has a character for each of its rows: the bits of its number above that of '0' are the row's pixels. */
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+=";
static const char rows[] =
    ">AAOAAANAANAAN>A@@@A>NAAAAANO@@N@@OO@@N@@@>A@GAA>AAAOAAA>44444>72222B<ABDHDBA@@@@@@OAKEEAAAAAIECAA"
    ">AAAAA>NAAN@@@>AAAEB=NAANDBA?@@>11NO444444AAAAAA>AAAAA:4AAAEEKAAA:4:AAAA:4444O1248@O>ACEIA>4<4444>"
    ">A1248OO2421A>26:BO22O@N11A>68@NAA>O124888>AA>AA>>AA?12<00000<<000O000044O44000O0O00";

bool letter_has(char letter, unsigned x, unsigned y)
{
    const char *found = strchr(letters, letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
    return letter && found && (rows[(found - letters) * LETTER_HEIGHT + y] - '0') & 16 >> x;
}
