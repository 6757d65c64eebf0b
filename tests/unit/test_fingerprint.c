/* What draws, found out without drawing; and the parts of which that is made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "render/cpu.h"
#include "render/fingerprint.h"
#include "render/library_path.h"
#include "temp_folder.h"

static struct fingerprint take(enum backend_choice choice)
{
    struct fingerprint print;
    fingerprint_take(choice, &print);
    return print;
}

static bool is_same(const struct fingerprint *a, const struct fingerprint *b)
{
    return !strcmp(a->backend, b->backend) && !strcmp(a->cpu, b->cpu) && !strcmp(a->library, b->library) &&
           !strcmp(a->program, b->program);
}

/* -- The whole --------------------------------------------------------------------------------------------- */

static void it_is_the_same_each_time(void **state)
{
    (void)state;
    struct fingerprint a = take(BACKEND_OSMESA), b = take(BACKEND_OSMESA);
    assert_true(is_same(&a, &b));
    assert_non_null(strstr(a.library, "libOSMesa"));
    assert_true(strlen(a.cpu) > 8);
    assert_string_equal(a.backend, "osmesa");
}

static void what_the_library_needs_of_llvm_shows(void **state)
{
    (void)state;
    struct elf_file elf;
    char *path = library_path_find("libOSMesa.so.8", NULL, &elf, &(bool){true});
    struct fingerprint print = take(BACKEND_OSMESA);
    assert_non_null(path);
    assert_non_null(strstr(print.library, elf.build_id));
    for (size_t i = 0; i < elf.needed.count; i++)
        if (!strncmp(elf.needed.items[i], "libLLVM", 7))
            assert_non_null(strstr(print.library, elf.needed.items[i]));
    elf_file_release(&elf);
    free(path);
}

/* A worker, which has opened what draws, records what the supervisor, which has not, compares with. */
static void what_is_loaded_is_told_as_from_its_file(void **state)
{
    (void)state;
    for (enum backend_choice choice = BACKEND_AUTO + 1; choice < BACKEND_COUNT; choice++) {
        struct context *context;
        struct error err;
        struct fingerprint before = take(choice);
        assert_int_equal(context_open(choice, &context, &err), 0);
        struct fingerprint after = before;
        fingerprint_take_renderer(choice, &after);
        context_close(context);
        assert_true(is_same(&before, &after));
    }
}

static void auto_is_the_first_that_is_there(void **state)
{
    (void)state;
    struct fingerprint automatic = take(BACKEND_AUTO), osmesa = take(BACKEND_OSMESA), egl = take(BACKEND_EGL);
    assert_true(is_same(&automatic, osmesa.library[0] ? &osmesa : &egl));
    assert_false(is_same(&osmesa, &egl));
}

static void variables_of_drivers_show_and_others_do_not(void **state)
{
    (void)state;
    static const char *const harmless[] = {"LP_NUM_THREADS", "MESA_SHADER_CACHE_DIR", "MESA_LOG_FILE",
                                           "PATH_OF_MINE"};
    static const char *const heard[] = {"LP_NATIVE_VECTOR_WIDTH", "GALLIUM_OVERRIDE_CPU_CAPS",
                                        "GALLIUM_DRIVER",         "GALLIVM_PERF",
                                        "LIBGL_ALWAYS_SOFTWARE",  "MESA_EXTENSION_OVERRIDE"};
    struct fingerprint before = take(BACKEND_OSMESA), after;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        setenv(harmless[i], "7", 1);
        after = take(BACKEND_OSMESA);
        assert_true(is_same(&before, &after));
        unsetenv(harmless[i]);
    }
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++) {
        setenv(heard[i], "7", 1);
        after = take(BACKEND_OSMESA);
        assert_false(is_same(&before, &after));
        unsetenv(heard[i]);
    }
}

static void variables_of_cards_show_with_egl_alone_and_hide_their_values(void **state)
{
    (void)state;
    setenv("VK_TOKEN", "a-secret", 1);
    struct fingerprint osmesa = take(BACKEND_OSMESA), egl = take(BACKEND_EGL), other;
    setenv("VK_TOKEN", "another", 1);
    other = take(BACKEND_EGL);
    unsetenv("VK_TOKEN");
    assert_null(strstr(osmesa.backend, "VK_TOKEN"));
    assert_non_null(strstr(egl.backend, "VK_TOKEN=#"));
    assert_null(strstr(egl.backend, "secret"));
    assert_string_not_equal(egl.backend, other.backend);
}

static void assert_told_apart(const char *variable)
{
    setenv(variable, "1", 1);
    struct fingerprint a = take(BACKEND_OSMESA);
    setenv(variable, "\xe4", 1);
    struct fingerprint b = take(BACKEND_OSMESA);
    setenv(variable, "\xf6", 1);
    struct fingerprint c = take(BACKEND_OSMESA);
    unsetenv(variable);
    assert_string_not_equal(a.backend, b.backend);
    assert_string_not_equal(b.backend, c.backend);
    for (const char *at = c.backend; *at; at++)
        assert_in_range(*at, 0x20, 0x7e);
}

/* A JSON could not give it back. */
static void variables_that_are_not_utf8_are_told_as_text(void **state)
{
    (void)state;
    assert_told_apart("LP_A");
    assert_told_apart("LP_\xe4");
}

static void variables_come_in_one_order(void **state)
{
    (void)state;
    setenv("LP_B", "2", 1);
    setenv("LP_A", "1", 1);
    assert_non_null(strstr(take(BACKEND_EGL).backend, "egl, LP_A=1, LP_B=2"));
    unsetenv("LP_A");
    unsetenv("LP_B");
}

/* More than there is room for still makes a difference. */
static void long_variables_show(void **state)
{
    (void)state;
    char value[2000];
    memset(value, 'x', sizeof value);
    value[sizeof value - 1] = '\0';
    setenv("MESA_X", value, 1);
    struct fingerprint a = take(BACKEND_OSMESA), b;
    value[1900] = 'y';
    setenv("MESA_X", value, 1);
    b = take(BACKEND_OSMESA);
    assert_string_not_equal(a.backend, b.backend);
    unsetenv("MESA_X");
}

static int is_library_loaded(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    struct stat loaded, expected;
    return stat(info->dlpi_name, &loaded) == 0 && stat(path, &expected) == 0 && loaded.st_ino == expected.st_ino &&
           loaded.st_dev == expected.st_dev;
}

static void what_is_found_is_what_the_linker_loads(void **state)
{
    (void)state;
    static const char *const names[] = {"libOSMesa.so.8", "libLLVM-15.so.1", "libcmocka.so.0"};
    struct context *context;
    struct error err;
    assert_int_equal(context_open(BACKEND_OSMESA, &context, &err), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct elf_file elf;
        char *path = library_path_find(names[i], NULL, &elf, &(bool){true});
        if (!path)
            continue; /* another release of Mesa */
        if (!dl_iterate_phdr(is_library_loaded, path))
            fail_msg("%s is not loaded", path);
        elf_file_release(&elf);
        free(path);
    }
    context_close(context);
}

/* -- Libraries --------------------------------------------------------------------------------------------- */

static void a_library_in_a_folder_of_the_users_comes_first(void **state)
{
    (void)state;
    char *folder = temp_folder_new(), *copy = must_printf("%s/libOSMesa.so.8", folder), *bytes_path;
    struct elf_file elf;
    struct blob blob;
    struct error err;
    struct fingerprint before = take(BACKEND_OSMESA);
    bytes_path = library_path_find("libjansson.so.4", NULL, &elf, &(bool){true});
    assert_non_null(bytes_path);
    elf_file_release(&elf);
    assert_int_equal(file_read(bytes_path, 1 << 24, &blob, &err), 0);
    free(temp_folder_write(folder, "libOSMesa.so.8", blob.data, blob.size));
    setenv("LD_LIBRARY_PATH", folder, 1);
    struct fingerprint after = take(BACKEND_OSMESA);
    unsetenv("LD_LIBRARY_PATH");
    assert_string_not_equal(before.library, after.library);
    assert_null(strstr(after.library, "LLVM"));
    blob_release(&blob);
    free(bytes_path);
    free(copy);
    temp_folder_free(folder);
}

static void put_copy(const char *folder, const char *name, const char *library)
{
    struct elf_file elf;
    struct blob blob;
    struct error err;
    char *path = library_path_find(library, NULL, &elf, &(bool){true}), *copy = must_printf("%s/%s", folder, name);
    assert_non_null(path);
    assert_int_equal(file_read(path, 1 << 24, &blob, &err), 0);
    unlink(copy); /* what is loaded keeps its bytes */
    free(temp_folder_write(folder, name, blob.data, blob.size));
    elf_file_release(&elf);
    blob_release(&blob);
    free(copy);
    free(path);
}

/* As when the system is updated while a run goes on. */
static void a_library_replaced_after_it_was_loaded_is_told_as_it_runs(void **state)
{
    (void)state;
    char *folder = temp_folder_new(), *path = must_printf("%s/libOSMesa.so.8", folder);
    put_copy(folder, "libOSMesa.so.8", "libjansson.so.4");
    setenv("LD_LIBRARY_PATH", folder, 1);
    struct fingerprint before = take(BACKEND_OSMESA);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    put_copy(folder, "libOSMesa.so.8", "libdeflate.so.0");
    struct fingerprint running = take(BACKEND_OSMESA);
    dlclose(library);
    struct fingerprint after = take(BACKEND_OSMESA);
    unsetenv("LD_LIBRARY_PATH");
    assert_string_equal(before.library, running.library);
    assert_string_not_equal(before.library, after.library);
    free(path);
    temp_folder_free(folder);
}

static void what_is_no_library_is_passed_over(void **state)
{
    (void)state;
    char *folder = temp_folder_new();
    struct fingerprint before = take(BACKEND_OSMESA);
    temp_folder_add(folder, "libOSMesa.so.8", "not a library");
    setenv("LD_LIBRARY_PATH", folder, 1);
    struct fingerprint after = take(BACKEND_OSMESA);
    unsetenv("LD_LIBRARY_PATH");
    assert_string_equal(before.library, after.library);
    temp_folder_free(folder);
}

static void a_library_that_is_nowhere_is_not_found(void **state)
{
    (void)state;
    struct elf_file elf;
    assert_null(library_path_find("libnothing-of-this-name.so.1", NULL, &elf, &(bool){true}));
    assert_null(library_path_find("/nowhere/libOSMesa.so.8", NULL, &elf, &(bool){true}));
}

static struct blob read_program(void)
{
    struct blob blob;
    struct error err;
    assert_int_equal(file_read("/proc/self/exe", (size_t)1 << 28, &blob, &err), 0);
    return blob;
}

static int read_elf(const char *folder, const uint8_t *data, size_t size, struct elf_file *elf)
{
    struct error err = {""};
    char *path = temp_folder_write(folder, "elf", data, size);
    int result = elf_file_read(path, elf, &err);
    assert_int_equal(result < 0, err.text[0] != '\0');
    free(path);
    return result;
}

static void a_file_tells_what_it_needs(void **state)
{
    (void)state;
    struct elf_file elf;
    struct error err;
    assert_int_equal(elf_file_read("/proc/self/exe", &elf, &err), 0);
    assert_true(strings_has(&elf.needed, "libcmocka.so.0"));
    elf_file_release(&elf);
}

static void a_file_cut_anywhere_in_its_headers_fails_or_is_read(void **state)
{
    (void)state;
    char *folder = temp_folder_new();
    struct blob blob = read_program();
    struct elf_file elf;
    for (size_t size = 0; size < 64 + 56 * 16; size++)
        if (read_elf(folder, blob.data, size, &elf) == 0)
            elf_file_release(&elf);
    assert_int_equal(read_elf(folder, blob.data, 63, &elf), -1);
    blob_release(&blob);
    temp_folder_free(folder);
}

/* Each 4 bytes of the headers at their least and most. */
static void damaged_headers_fail_or_are_read(void **state)
{
    (void)state;
    char *folder = temp_folder_new();
    struct blob blob = read_program();
    size_t size = blob.size < 65536 ? blob.size : 65536;
    for (size_t at = 0; at + 4 <= 64 + 56 * 16; at += 4)
        for (int value = 0; value < 256; value += 255) {
            uint8_t kept[4];
            struct elf_file elf;
            memcpy(kept, blob.data + at, 4);
            memset(blob.data + at, value, 4);
            if (read_elf(folder, blob.data, size, &elf) == 0)
                elf_file_release(&elf);
            memcpy(blob.data + at, kept, 4);
        }
    blob_release(&blob);
    temp_folder_free(folder);
}

/* -- The linker's cache ------------------------------------------------------------------------------------ */

/* One entry, "lib" at "/a/lib", and one for newer processors before it. */
static size_t make_cache(uint8_t out[256])
{
    uint32_t numbers[] = {2, 0, 0, 0, 0, 0, 0, /* entries: */ 3, 96, 100, 0, 1, 1u << 30, 3, 96, 107, 0, 0, 0};
    memset(out, 0, 256);
    memcpy(out, "glibc-ld.so.cache1.1", 20);
    memcpy(out + 20, numbers, sizeof numbers);
    memcpy(out + 96, "lib\0/b/lib\0/a/lib", 18);
    return 114;
}

static void the_cache_names_paths(void **state)
{
    (void)state;
    uint8_t cache[256];
    struct strings paths = {0};
    size_t size = make_cache(cache);
    library_cache_find((struct bytes){cache, size}, "lib", &paths);
    assert_int_equal(paths.count, 1);
    assert_string_equal(paths.items[0], "/a/lib");
    library_cache_find((struct bytes){cache, size}, "li", &paths);
    assert_int_equal(paths.count, 1);
    strings_release(&paths);
}

static void the_cache_may_follow_an_older_one(void **state)
{
    (void)state;
    uint8_t cache[512] = "ld.so-1.7.0";
    struct strings paths = {0};
    size_t size = make_cache(cache + 64);
    library_cache_find((struct bytes){cache, 64 + size}, "lib", &paths);
    assert_int_equal(paths.count, 1);
    strings_release(&paths);
}

static void a_cache_cut_or_damaged_names_nothing_outside(void **state)
{
    (void)state;
    uint8_t cache[256];
    size_t whole = make_cache(cache);
    for (size_t size = 0; size <= whole; size++) {
        uint8_t *copy = malloc(size ? size : 1);
        memcpy(copy, cache, size);
        struct strings paths = {0};
        library_cache_find((struct bytes){copy, size}, "lib", &paths);
        assert_int_equal(paths.count, size == whole);
        strings_release(&paths);
        free(copy);
    }
    for (size_t at = 20; at + 4 <= 96; at += 4)
        for (int value = 0; value < 256; value += 51) {
            uint8_t *copy = malloc(whole);
            memcpy(copy, cache, whole);
            memset(copy + at, value, 4);
            struct strings paths = {0};
            library_cache_find((struct bytes){copy, whole}, "lib", &paths);
            strings_release(&paths);
            free(copy);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_same_each_time),
        cmocka_unit_test(what_the_library_needs_of_llvm_shows),
        cmocka_unit_test(a_library_replaced_after_it_was_loaded_is_told_as_it_runs),
        cmocka_unit_test(what_is_loaded_is_told_as_from_its_file),
        cmocka_unit_test(auto_is_the_first_that_is_there),
        cmocka_unit_test(variables_of_drivers_show_and_others_do_not),
        cmocka_unit_test(variables_of_cards_show_with_egl_alone_and_hide_their_values),
        cmocka_unit_test(variables_that_are_not_utf8_are_told_as_text),
        cmocka_unit_test(variables_come_in_one_order),
        cmocka_unit_test(long_variables_show),
        cmocka_unit_test(what_is_found_is_what_the_linker_loads),
        cmocka_unit_test(a_library_in_a_folder_of_the_users_comes_first),
        cmocka_unit_test(what_is_no_library_is_passed_over),
        cmocka_unit_test(a_library_that_is_nowhere_is_not_found),
        cmocka_unit_test(a_file_tells_what_it_needs),
        cmocka_unit_test(a_file_cut_anywhere_in_its_headers_fails_or_is_read),
        cmocka_unit_test(damaged_headers_fail_or_are_read),
        cmocka_unit_test(the_cache_names_paths),
        cmocka_unit_test(the_cache_may_follow_an_older_one),
        cmocka_unit_test(a_cache_cut_or_damaged_names_nothing_outside),
    };
    return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
