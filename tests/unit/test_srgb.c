#include "image/srgb.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static double decode(double code)
{
    double s = code / 255;
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static void table_holds_the_nearest_floats(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++)
        assert_true(srgb_to_linear[i] == (float)decode(i));
}

static void each_code_survives_the_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++)
        assert_int_equal(srgb_from_linear(srgb_to_linear[i]), i);
}

static void code_changes_exactly_half_way(void **state)
{
    (void)state;
    for (int i = 1; i < 256; i++) {
        float half = (float)decode(i - 0.5);
        assert_int_equal(srgb_from_linear(half * (1 - 1e-6f)), i - 1);
        assert_int_equal(srgb_from_linear(half * (1 + 1e-6f)), i);
    }
}

static void codes_never_fall_as_light_grows(void **state)
{
    (void)state;
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
}

static void values_outside_are_clamped(void **state)
{
    (void)state;
    assert_int_equal(srgb_from_linear(-1), 0);
    assert_int_equal(srgb_from_linear(0), 0);
    assert_int_equal(srgb_from_linear(NAN), 0);
    assert_int_equal(srgb_from_linear(-INFINITY), 0);
    assert_int_equal(srgb_from_linear(1), 255);
    assert_int_equal(srgb_from_linear(1.5f), 255);
    assert_int_equal(srgb_from_linear(INFINITY), 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_holds_the_nearest_floats), cmocka_unit_test(each_code_survives_the_round_trip),
        cmocka_unit_test(code_changes_exactly_half_way),  cmocka_unit_test(codes_never_fall_as_light_grows),
        cmocka_unit_test(values_outside_are_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
