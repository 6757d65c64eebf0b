#include "image/srgb.h"
#include "test.h"

#include <math.h>

static double decode(double code)
{
    double s = code / 255;
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

TEST(codes_are_exact)
{
    fact("table holds the nearest floats");
    for (int i = 0; i < 256; i++)
        assert_true(srgb_to_linear[i] == (float)decode(i));
    fact("each code survives the round trip");
    for (int i = 0; i < 256; i++)
        assert_int_equal(srgb_from_linear(srgb_to_linear[i]), i);
    fact("code changes exactly half way");
    for (int i = 1; i < 256; i++) {
        float half = (float)decode(i - 0.5);
        assert_int_equal(srgb_from_linear(half * (1 - 1e-6f)), i - 1);
        assert_int_equal(srgb_from_linear(half * (1 + 1e-6f)), i);
    }
    fact("codes never fall as light grows");
    int last = 0;
    for (uint32_t bits = 0x38000000; bits <= 0x3f800000; bits += 37) { /* 3e-5 to 1 */
        float linear;
        memcpy(&linear, &bits, sizeof linear);
        int code = srgb_from_linear(linear);
        if (code != last)
            assert_int_equal(code, last + 1);
        last = code;
    }
    assert_int_equal(last, 255);
    fact("values outside are clamped");
    assert_int_equal(srgb_from_linear(-1), 0);
    assert_int_equal(srgb_from_linear(0), 0);
    assert_int_equal(srgb_from_linear(NAN), 0);
    assert_int_equal(srgb_from_linear(-INFINITY), 0);
    assert_int_equal(srgb_from_linear(1), 255);
    assert_int_equal(srgb_from_linear(1.5f), 255);
    assert_int_equal(srgb_from_linear(INFINITY), 255);
}
