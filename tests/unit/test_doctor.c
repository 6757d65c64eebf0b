#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/doctor.h"

static void check_advice(const char *os_release, const char *first_word)
{
    struct strings advice = {0};
    advise_install(os_release, &advice);
    assert_true(advice.count > 0);
    assert_int_equal(strncmp(advice.items[0], first_word, strlen(first_word)), 0);
    strings_release(&advice);
}

static void debian_is_told_of_apt(void **state)
{
    (void)state;
    check_advice("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n", "apt-get ");
}

static void systems_like_debian_are_too(void **state)
{
    (void)state;
    check_advice("ID=ubuntu\nID_LIKE=debian\n", "apt-get ");
    check_advice("ID=pop\nID_LIKE=\"ubuntu debian\"", "apt-get ");
}

static void others_have_their_own_commands(void **state)
{
    (void)state;
    check_advice("NAME=Fedora\nID=fedora\n", "dnf ");
    check_advice("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf ");
    check_advice("ID=alpine\n", "apk ");
    check_advice("ID=arch\n", "pacman ");
}

static void unknown_systems_are_told_what_is_needed(void **state)
{
    (void)state;
    check_advice("", "the packages ");
    check_advice("ID=plan9\nNAME=debian\n", "the packages ");
    check_advice("ID=archaic\nID_LIKE=debianish\n", "the packages ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(debian_is_told_of_apt),
        cmocka_unit_test(systems_like_debian_are_too),
        cmocka_unit_test(others_have_their_own_commands),
        cmocka_unit_test(unknown_systems_are_told_what_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
