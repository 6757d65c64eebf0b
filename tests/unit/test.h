/* A unit test is a function
 *
 *     TEST(name_says_a_fact)
 *     {
 *         assert_true(...);
 *     }
 *
 * with the `state` of cmocka. The tests of a file run in their order; tests/unit/main.c runs them. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A row of a table may leave out its last fields. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

void test_add(const char *name, CMUnitTestFunction test, CMFixtureFunction set_up, CMFixtureFunction tear_down);
/* What the next lines of a test, or a row of its table, show: a failure says it. */
void fact(const char *what);

/* Calls the function when the test ends, however it ends; what was asked for last comes first. */
void at_end(void (*function)(void *context), void *context);

/* Skips a test of limits of memory under the address sanitizer, which takes all addresses there are. */
static inline void skip_without_addresses(void)
{
#ifdef __has_feature
#if __has_feature(address_sanitizer)
    skip();
#endif
#endif
}

void test_set_group(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* A test with functions that run before and after it, or NULL. */
#define TEST_WITH(name, set_up, tear_down)                                                                        \
    static void name(void **state);                                                                               \
    __attribute__((constructor)) static void register_##name(void)                                                \
    {                                                                                                             \
        test_add(#name, name, set_up, tear_down);                                                                 \
    }                                                                                                             \
    static void name(__attribute__((unused)) void **state)

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* At the end of a file: functions that run before its first test and after its last. */
#define TEST_GROUP(set_up, tear_down)                                                                             \
    __attribute__((constructor)) static void register_group(void)                                                 \
    {                                                                                                             \
        test_set_group(set_up, tear_down);                                                                        \
    }

#endif
