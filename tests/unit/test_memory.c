#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "test.h"

/* Matrices must lie on 16 bytes, in whatever order and size they are asked for. */
TEST(an_arena_gives_zeroed_memory_on_16_bytes)
{
    static const size_t sizes[] = {1, 24, 16, 40000, 3, 64, 16 * 1024, 5};
    struct arena arena = {0};
    for (size_t i = 0; i < 200; i++) {
        size_t size = sizes[i % (sizeof sizes / sizeof *sizes)];
        uint8_t *memory = arena_must_alloc(&arena, size, 1);
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (size_t j = 0; j < size; j++)
            assert_int_equal(memory[j], 0);
        memset(memory, 0xff, size);
    }
    arena_release(&arena);
}

TEST(sizes_that_overflow_are_refused)
{
    struct arena arena = {0};
    struct error err = {""};
    assert_null(memory_alloc(SIZE_MAX / 2, 3, &err));
    assert_null(arena_alloc(&arena, SIZE_MAX / 2, 3, &err));
    assert_null(arena_alloc(&arena, SIZE_MAX, 1, &err));
    assert_string_not_equal(err.text, "");
    arena_release(&arena);
}

/* Libraries call it, too. */
TEST(aligned_memory_of_any_size_can_be_written_and_freed)
{
    static const size_t sizes[] = {0, 1, 100, (2 << 20) - 1, 2 << 20, (5 << 20) + 3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t alignment = 16; alignment <= 8 << 20; alignment *= 8) {
            void *memory = NULL;
            assert_int_equal(posix_memalign(&memory, alignment, sizes[i]), 0);
            assert_int_equal((uintptr_t)memory % alignment, 0);
            memset(memory, 0xff, sizes[i]);
            free(memory);
        }
}
