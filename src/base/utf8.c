#include "base/utf8.h"

#include <stdbool.h>

enum { LONGEST = 4 }; /* bytes of a character; none contains the NUL at the end of a text */

size_t utf8_read(const char *text, size_t size, uint32_t *character)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint8_t lead = size ? (uint8_t)text[0] : 0xff;
    if (lead < 0x80) {
        *character = lead;
        return 1;
    }
    unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    uint32_t read = lead & (0x3fu >> more);
    for (unsigned i = 1; i <= more; i++) {
        if (i >= size || ((uint8_t)text[i] & 0xc0) != 0x80) /* also at the end of the text */
            return 0;
        read = read << 6 | ((uint8_t)text[i] & 0x3f);
    }
    bool is_surrogate = read >= 0xd800 && read < 0xe000;
    if (read < least[more] || read > 0x10ffff || is_surrogate)
        return 0;
    *character = read;
    return 1 + more;
}

void utf8_mask(char *text)
{
    uint32_t ignored;
    while (*text) {
        size_t length = *text & 0x80 ? utf8_read(text, LONGEST, &ignored) : 1; /* most are ASCII */
        if (length == 0)
            *text = '?';
        text += length ? length : 1;
    }
}

/* -- Names ----------------------------------------------------------------------------------------------------- */

static uint32_t small_letter(uint32_t code)
{
    static const struct {
        uint32_t first, last, step;
        int32_t further;
    } runs[] = {
        {'A', 'Z', 1, 32},     {0xc0, 0xd6, 1, 32},   {0xd8, 0xde, 1, 32},   {0x100, 0x12e, 2, 1},
        {0x132, 0x136, 2, 1},  {0x139, 0x147, 2, 1},  {0x14a, 0x176, 2, 1},  {0x178, 0x178, 1, -121},
        {0x179, 0x17d, 2, 1},  {0x1f8, 0x21e, 2, 1},  {0x386, 0x386, 1, 38}, {0x388, 0x38a, 1, 37},
        {0x38c, 0x38c, 1, 64}, {0x38e, 0x38f, 1, 63}, {0x391, 0x3a1, 1, 32}, {0x3a3, 0x3ab, 1, 32},
        {0x400, 0x40f, 1, 80}, {0x410, 0x42f, 1, 32}, {0x48a, 0x4be, 2, 1},  {0x1e00, 0x1e94, 2, 1},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs && code >= runs[i].first; i++)
        if (code <= runs[i].last && (code - runs[i].first) % runs[i].step == 0)
            return code + (uint32_t)runs[i].further;
    return code;
}

/* The letter with the mark (U+0300 to U+036F), where that is one character; else 0. */
static uint32_t with_mark(uint32_t letter, uint32_t mark)
{
    static const struct {
        uint32_t mark;
        const char *pairs; /* a letter, and it with the mark */
    } marks[] = {
        {0x300, "aàeèiìnǹoòuùwẁyỳеѐиѝ"},
        {0x301, "aácćeégǵiílĺnńoórŕsśuúwẃyýzźαάεέηήιίοόυύωώϊΐϋΰгѓкќ"},
        {0x302, "aâcĉeêgĝhĥiîjĵoôsŝuûwŵyŷ"},
        {0x303, "aãeẽiĩnñoõuũ"},
        {0x304, "aāeēiīoōuūиӣуӯ"},
        {0x306, "aăeĕgğiĭoŏuŭạặийуўжӂаӑеӗ"},
        {0x307, "aȧcċeėgġoȯzżnṅsṡ"},
        {0x308, "aäeëiïoöuüyÿwẅιϊυϋеёіїаӓжӝзӟиӥоӧуӱ"},
        {0x30a, "aåuů"},
        {0x30b, "oőuűуӳ"},
        {0x30c, "aǎcčdďeěgǧiǐjǰkǩlľnňoǒrřsštťuǔzžüǚ"},
        {0x326, "sștț"},
        {0x327, "cçeȩgģkķlļnņrŗsştţ"},
        {0x328, "aąeęiįoǫuų"},
    };
    uint32_t plain, marked;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        for (const char *at = marks[i].pairs; marks[i].mark == mark && *at;
             at += utf8_read(at, LONGEST, &marked)) {
            at += utf8_read(at, LONGEST, &plain);
            if (plain == letter && utf8_read(at, LONGEST, &marked))
                return marked;
        }
    return 0;
}

void utf8_fold(char *name)
{
    static const uint32_t leads[] = {0, 0xc0, 0xe0};
    char *to = name, *last = name; /* where `letter` begins, the one before */
    uint32_t letter = 0, code;
    for (size_t size; *name; name += size) {
        size = utf8_read(name, LONGEST, &code);
        const uint32_t marked = size && code >= 0x300 && code < 0x370 ? with_mark(letter, code) : 0;
        if (size == 0 || size == LONGEST) {
            for (size_t i = 0; i < size + !size; i++)
                *to++ = name[i];
            size += !size;
            letter = 0;
            continue;
        }
        to = last = marked ? last : to;
        letter = marked ? marked : small_letter(code);
        const unsigned more = (letter >= 0x80) + (letter >= 0x800);
        *to++ = (char)(leads[more] | letter >> 6 * more);
        for (unsigned i = more; i-- > 0;)
            *to++ = (char)(0x80 | (letter >> 6 * i & 0x3f));
    }
    *to = '\0';
}

/* Control characters, and marks that end a line or turn its direction, so that it reads as another one. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

size_t printable_length(const char *text)
{
    uint32_t character;
    size_t length = utf8_read(text, LONGEST, &character);
    return length > 0 && is_control(character) ? 0 : length;
}

void printable_mask(char *text)
{
    while (*text) {
        size_t length = *text >= ' ' && *text <= '~' ? 1 : printable_length(text);
        if (length == 0)
            *text = '?';
        text += length ? length : 1;
    }
}

void printable_add(struct buffer *out, const char *text)
{
    while (*text) {
        size_t length = printable_length(text);
        buffer_add(out, length ? text : "?", length ? length : 1);
        text += length ? length : 1;
    }
}
