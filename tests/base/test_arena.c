#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/arena.h"

static void memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    struct arena arena = {0};
    for (size_t bytes = 0; bytes < 200; bytes++) {
        unsigned char *memory = arena_alloc(&arena, bytes);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % alignof(max_align_t), 0);
        for (size_t i = 0; i < bytes; i++) assert_int_equal(memory[i], 0);
        memset(memory, 0xff, bytes);
    }
    arena_free(&arena);
}

static void pieces_do_not_overlap(void **state) {
    (void)state;
    enum { PIECES = 500 };
    struct arena arena = {0};
    unsigned char *piece[PIECES];
    for (size_t p = 0; p < PIECES; p++)
        piece[p] = memset(arena_alloc(&arena, p + 1), (int)(p % 251), p + 1);
    for (size_t p = 0; p < PIECES; p++) {
        for (size_t i = 0; i <= p; i++) assert_int_equal(piece[p][i], p % 251);
    }
    arena_free(&arena);
}

static void a_piece_may_be_larger_than_a_block(void **state) {
    (void)state;
    struct arena arena = {0};
    char *small = memset(arena_alloc(&arena, 10), 'x', 10);
    char *large = arena_alloc(&arena, 1 << 20);
    assert_non_null(large);
    memset(large, 'y', 1 << 20);
    assert_int_equal(small[9], 'x');
    arena_free(&arena);
}

static void impossible_sizes_are_refused(void **state) {
    (void)state;
    struct arena arena = {0};
    static const size_t below_the_largest[] = {0, 1, alignof(max_align_t), 40};
    for (size_t i = 0; i < sizeof below_the_largest / sizeof *below_the_largest; i++) {
        assert_null(arena_alloc(&arena, SIZE_MAX - below_the_largest[i]));
    }
    assert_null(arena_strndup(&arena, "text", SIZE_MAX));
    arena_free(&arena);
}

static void strings_are_copied_and_terminated(void **state) {
    (void)state;
    struct arena arena = {0};
    const char text[] = {'a', 'b', 'c', 'd'};
    assert_string_equal(arena_strndup(&arena, text, 3), "abc");
    assert_string_equal(arena_strndup(&arena, text, 0), "");
    arena_free(&arena);
}

static void freeing_leaves_an_empty_arena(void **state) {
    (void)state;
    struct arena arena = {0};
    arena_free(&arena);
    assert_non_null(arena_alloc(&arena, 8));
    arena_free(&arena);
    assert_null(arena.blocks);
    assert_non_null(arena_alloc(&arena, 8));
    arena_free(&arena);
}

static void running_out_of_memory_returns_null_and_keeps_earlier_blocks(void **state) {
    (void)state;
    struct arena arena = {0};
    char *before = memset(arena_alloc(&arena, 100), 'x', 100);
    base_alloc_fail_after(0);
    void *fits = arena_alloc(&arena, 100), *needs_a_block = arena_alloc(&arena, 1 << 16);
    char *text = arena_strndup(&arena, before, 100);
    base_alloc_fail_after(-1);
    assert_non_null(fits);
    assert_null(needs_a_block);
    assert_non_null(text);
    assert_int_equal(before[99], 'x');
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(a_piece_may_be_larger_than_a_block),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(strings_are_copied_and_terminated),
        cmocka_unit_test(freeing_leaves_an_empty_arena),
        cmocka_unit_test(running_out_of_memory_returns_null_and_keeps_earlier_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
