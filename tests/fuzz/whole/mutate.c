#include "mutate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Steele, Lea and Flood's SplitMix64: any seed will do, also 1, 2, 3. */
uint64_t random_next(struct random *random)
{
    uint64_t mixed = random->state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

uint32_t random_below(struct random *random, size_t limit)
{
    return limit ? (uint32_t)(random_next(random) % limit) : 0;
}

bool random_one_in(struct random *random, uint32_t odds)
{
    return random_below(random, odds) == 0;
}

struct range {
    size_t start, size;
};

/* Mostly short: half of all ranges have at most 32 bytes. */
static struct range random_range(struct random *random, const struct blob *blob)
{
    size_t start = random_below(random, blob->size), left = blob->size - start;
    size_t most = random_one_in(random, 2) && left > 32 ? 32 : left;
    return (struct range){start, most ? 1 + random_below(random, most) : 0};
}

/* Puts `size` bytes in place of a range. They may be bytes of the blob. */
static void replace(struct blob *blob, struct range range, const void *bytes, size_t size)
{
    size_t after = range.start + range.size, total = blob->size - range.size + size;
    uint8_t *data = must_alloc(total + 1, 1);
    if (range.start)
        memcpy(data, blob->data, range.start);
    if (size)
        memcpy(data + range.start, bytes, size);
    if (after < blob->size)
        memcpy(data + range.start + size, blob->data + after, blob->size - after);
    blob_release(blob);
    *blob = (struct blob){data, total};
}

/* -- Any bytes --------------------------------------------------------------------------------------------- */

static void flip_bit(struct random *random, struct blob *blob)
{
    blob->data[random_below(random, blob->size)] ^= (uint8_t)(1u << random_below(random, 8));
}

static void set_bytes(struct random *random, struct blob *blob)
{
    struct range range = random_range(random, blob);
    for (size_t i = 0; i < range.size && i < 16; i++)
        blob->data[range.start + i] = (uint8_t)random_next(random);
}

/* Half of the time in the first bytes, where headers are. */
static size_t number_place(struct random *random, const struct blob *blob, size_t size)
{
    size_t places = blob->size / size, most = random_one_in(random, 2) && places > 20 ? 20 : places;
    return random_below(random, most) * size;
}

/* What counts, offsets and floats go wrong with; the last are infinity, NaN, 1e38 and the smallest float. */
static void set_number(struct random *random, struct blob *blob)
{
    static const uint32_t numbers[] = {0,          1,          2,          0xffffffff, 0xfffffffe, 0x7fffffff,
                                       0x80000000, 0xffff,     0x10000,    0x7fff,     0x8000,     1000000,
                                       0x7f800000, 0x7fc00000, 0x7e967699, 0x00000001, 0x40000000, 0x3f800000};
    size_t size = random_one_in(random, 4) ? 2 : 4;
    if (blob->size < size)
        return;
    size_t at = number_place(random, blob, size);
    uint32_t number = PICK(random, numbers);
    if (random_one_in(random, 3)) { /* a little more or less than it was, or what the file has */
        number = 0;
        memcpy(&number, blob->data + at, size);
        number = random_one_in(random, 4) ? (uint32_t)blob->size : number + random_below(random, 33) - 16;
    }
    memcpy(blob->data + at, &number, size);
}

static void cut_end(struct random *random, struct blob *blob)
{
    size_t size = random_below(random, blob->size);
    replace(blob, (struct range){size, blob->size - size}, NULL, 0);
}

static void remove_range(struct random *random, struct blob *blob)
{
    replace(blob, random_range(random, blob), NULL, 0);
}

static void repeat_range(struct random *random, struct blob *blob)
{
    struct range range = random_range(random, blob);
    replace(blob, (struct range){random_below(random, blob->size), 0}, blob->data + range.start, range.size);
}

static void copy_range(struct random *random, struct blob *blob)
{
    struct range from = random_range(random, blob), to = random_range(random, blob);
    size_t size = from.size < to.size ? from.size : to.size;
    memmove(blob->data + to.start, blob->data + from.start, size);
}

/* -- Text -------------------------------------------------------------------------------------------------- */

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The word at or after a random place. */
static struct range random_word(struct random *random, const struct blob *blob)
{
    size_t start = random_below(random, blob->size);
    while (start < blob->size && !is_space(blob->data[start]))
        start++;
    while (start < blob->size && is_space(blob->data[start]))
        start++;
    size_t end = start;
    while (end < blob->size && !is_space(blob->data[end]))
        end++;
    return (struct range){start, end - start};
}

static struct range random_line(struct random *random, const struct blob *blob)
{
    size_t start = random_below(random, blob->size), end = start;
    while (start > 0 && blob->data[start - 1] != '\n')
        start--;
    while (end < blob->size && blob->data[end] != '\n')
        end++;
    return (struct range){start, end - start + (end < blob->size)};
}

static void change_word(struct random *random, struct blob *blob)
{
    static const char *const words[] = {"0",
                                        "-1",
                                        "1",
                                        "65536",
                                        "2147483647",
                                        "-2147483648",
                                        "4294967295",
                                        "1e9",
                                        "-1e38",
                                        "1e-400",
                                        "nan",
                                        "inf",
                                        "99999999999999999999",
                                        "0x10",
                                        "{",
                                        "}",
                                        "(",
                                        ")",
                                        "\"",
                                        "\"\"",
                                        "[",
                                        "*",
                                        "&a",
                                        "*a",
                                        "..",
                                        "/etc/x",
                                        "\\",
                                        "%s%n",
                                        "\x1b",
                                        "//",
                                        "/*",
                                        "null",
                                        "~",
                                        "model",
                                        "-",
                                        "a,b",
                                        "models"};
    const char *word = PICK(random, words);
    replace(blob, random_word(random, blob), word, strlen(word));
}

static void copy_word(struct random *random, struct blob *blob)
{
    struct range from = random_word(random, blob);
    replace(blob, random_word(random, blob), blob->data + from.start, from.size);
}

static void remove_line(struct random *random, struct blob *blob)
{
    replace(blob, random_line(random, blob), NULL, 0);
}

static void copy_line(struct random *random, struct blob *blob)
{
    struct range from = random_line(random, blob), to = {random_line(random, blob).start, 0};
    replace(blob, to, blob->data + from.start, from.size);
}

/* A digit at or after a random place. */
static void change_digit(struct random *random, struct blob *blob)
{
    size_t at = random_below(random, blob->size);
    while (at < blob->size && !(blob->data[at] >= '0' && blob->data[at] <= '9'))
        at++;
    if (at < blob->size)
        blob->data[at] = (uint8_t)('0' + random_below(random, 10));
}

static bool is_text(const struct blob *blob)
{
    return !memchr(blob->data, '\0', blob->size < 512 ? blob->size : 512);
}

typedef void (*change_function)(struct random *, struct blob *);

static change_function choose(struct random *random, enum change change, bool is_text)
{
    static const change_function of_bytes[] = {flip_bit, set_bytes,    set_number,   set_number, set_number,
                                               cut_end,  remove_range, repeat_range, copy_range};
    static const change_function of_text[] = {change_word, change_word, change_word,
                                              copy_word,   remove_line, copy_line};
    if (change == CHANGE_NUMBERS)
        return is_text ? change_digit : random_one_in(random, 2) ? set_number : flip_bit;
    return is_text && !random_one_in(random, 3) ? PICK(random, of_text) : PICK(random, of_bytes);
}

void mutate(struct random *random, enum change change, struct blob *blob, uint32_t steps)
{
    for (; steps > 0 && blob->size > 0; steps--)
        choose(random, change, is_text(blob))(random, blob);
}
