#include "render/pass.h"

const struct pass_row pass_rows[PASS_COUNT] = {
#define X(pass, word, ...) [pass] = {__VA_ARGS__},
    PASS_ROWS(X)
#undef X
};

const char *const pass_names[PASS_COUNT] = {
#define X(pass, word, ...) [pass] = word,
    PASS_ROWS(X)
#undef X
};

bool passes_have(uint32_t passes, enum pass pass)
{
    return passes & 1u << pass;
}

bool passes_need(uint32_t passes, enum pass_trait trait)
{
    for (unsigned pass = 0; pass < PASS_COUNT; pass++)
        if (passes_have(passes, (enum pass)pass) && pass_rows[pass].traits & trait)
            return true;
    return false;
}

/* Steps of a low-discrepancy sequence in three dimensions (powers of the inverse of 1.2207..., the root of
 * x^4 = x + 1), in 1/2^32: however many colours there are, they lie about evenly in the cube. Channels stay above
 * 40, so that none is near black. */
void mask_color(uint32_t id, uint8_t rgba[4])
{
    static const uint32_t steps[3] = {3518319155u, 2882110345u, 2360945575u};
    static const uint32_t start = 1u << 31;
    for (int i = 0; i < 3; i++)
        rgba[i] = id ? (uint8_t)(40 + ((uint64_t)(start + steps[i] * id) * 216 >> 32)) : 0;
    rgba[3] = id ? 255 : 0;
}
