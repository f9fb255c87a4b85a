/*
 * Tests the memory for temporaries: all requests succeed, and the memory contains numbers. Blocks
 * other than the latest return their pages to the system.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "microbench/program/scratch.h"

enum { BLOCK_BYTES = 1 << 20 };

static size_t resident_bytes(char *memory, size_t bytes) {
    static unsigned char in_core[16 * BLOCK_BYTES / 1024];
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    size_t resident = 0;
    assert_true(bytes / page_bytes <= sizeof in_core);
    assert_int_equal(mincore(memory, bytes, in_core), 0);
    for (size_t page = 0; page < bytes / page_bytes; page++)
        resident += in_core[page] & 1U ? page_bytes : 0;
    return resident;
}

static char *get(struct scratch *scratch, enum tcplan_operand operand, size_t bytes) {
    char *memory = scratch_get(scratch, operand, bytes);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
    return memory;
}

static void the_largest_block_is_given_to_all(void **state) {
    (void)state;
    struct scratch scratch = {0};
    char *first = get(&scratch, TCPLAN_A, BLOCK_BYTES);
    assert_ptr_equal(get(&scratch, TCPLAN_A, BLOCK_BYTES / 2), first);
    assert_ptr_not_equal(get(&scratch, TCPLAN_B, BLOCK_BYTES / 2), first);
    assert_int_not_equal(first[0], 0);
    assert_int_not_equal(first[BLOCK_BYTES - 1], 0);
    scratch_free(&scratch);
    scratch_free(&scratch);
}

static void up_to_the_limit_a_block_grows_in_place(void **state) {
    (void)state;
    struct scratch scratch = {.limit_bytes = 4 * BLOCK_BYTES};
    char *small = get(&scratch, TCPLAN_C, BLOCK_BYTES);
    small[0] = small[BLOCK_BYTES - 1] = 7;
    char *large = get(&scratch, TCPLAN_C, 3 * BLOCK_BYTES);
    assert_ptr_equal(small, large);
    assert_int_equal(small[0], 7);
    assert_int_equal(small[BLOCK_BYTES - 1], 7);
    assert_int_not_equal(large[BLOCK_BYTES], 0);
    assert_int_not_equal(large[3 * BLOCK_BYTES - 1], 0);
    assert_int_equal(resident_bytes(large, 3 * BLOCK_BYTES), 3 * BLOCK_BYTES);
    assert_int_equal(resident_bytes(large + 3 * BLOCK_BYTES, BLOCK_BYTES), 0);
    scratch_free(&scratch);
}

static void beyond_the_limit_a_larger_block_takes_the_pages_of_the_smaller_one(void **state) {
    (void)state;
    struct scratch scratch = {0};
    char *small = get(&scratch, TCPLAN_C, BLOCK_BYTES);
    assert_int_equal(resident_bytes(small, BLOCK_BYTES), BLOCK_BYTES);
    char *large = get(&scratch, TCPLAN_C, 2 * BLOCK_BYTES);
    assert_int_equal(resident_bytes(small, BLOCK_BYTES), 0);
    assert_int_equal(resident_bytes(large, 2 * BLOCK_BYTES), 2 * BLOCK_BYTES);
    small[0] = 1; /* the caller may still use the memory */
    scratch_free(&scratch);
}

static void other_operands_give_their_pages_back_beyond_both_limits_only(void **state) {
    (void)state;
    for (int exceeds = 0; exceeds <= 1; exceeds++) {
        const size_t bytes = exceeds ? 3 * BLOCK_BYTES - 1 : 3 * BLOCK_BYTES;
        struct scratch scratch = {.limit_bytes = bytes, .kept_bytes = 2 * BLOCK_BYTES};
        char *a = get(&scratch, TCPLAN_A, BLOCK_BYTES);
        char *b = get(&scratch, TCPLAN_B, 2 * BLOCK_BYTES);
        assert_int_equal(resident_bytes(a, BLOCK_BYTES), exceeds ? 0 : BLOCK_BYTES);
        assert_int_equal(resident_bytes(b, 2 * BLOCK_BYTES), 2 * BLOCK_BYTES);
        scratch_free(&scratch);
        scratch = (struct scratch){.limit_bytes = 2 * BLOCK_BYTES, .kept_bytes = bytes};
        a = get(&scratch, TCPLAN_A, BLOCK_BYTES);
        b = get(&scratch, TCPLAN_B, 2 * BLOCK_BYTES);
        assert_int_equal(resident_bytes(a, BLOCK_BYTES), exceeds ? 0 : BLOCK_BYTES);
        scratch_free(&scratch);
    }
}

/** A block that returned its pages is requested again: it contains numbers, not the zeros of new
 * pages, and counts towards the limit. */
static void released_blocks_contain_numbers_on_the_next_request(void **state) {
    (void)state;
    struct scratch scratch = {.limit_bytes = 3 * BLOCK_BYTES - 1};
    char *a = get(&scratch, TCPLAN_A, BLOCK_BYTES);
    assert_false(scratch.has_zeros);
    char *b = get(&scratch, TCPLAN_B, 2 * BLOCK_BYTES);
    assert_true(scratch.has_zeros);
    assert_int_equal(a[0], 0);
    assert_ptr_equal(get(&scratch, TCPLAN_A, BLOCK_BYTES / 2), a);
    assert_int_not_equal(a[0], 0);
    assert_int_not_equal(a[BLOCK_BYTES / 2 - 1], 0);
    assert_int_equal(resident_bytes(a, BLOCK_BYTES / 2), BLOCK_BYTES / 2);
    assert_int_equal(resident_bytes(b, 2 * BLOCK_BYTES),
                     2 * BLOCK_BYTES); /* both blocks now fit below the limit */
    scratch_free(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_block_is_given_to_all),
        cmocka_unit_test(up_to_the_limit_a_block_grows_in_place),
        cmocka_unit_test(beyond_the_limit_a_larger_block_takes_the_pages_of_the_smaller_one),
        cmocka_unit_test(other_operands_give_their_pages_back_beyond_both_limits_only),
        cmocka_unit_test(released_blocks_contain_numbers_on_the_next_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
