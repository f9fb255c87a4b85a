#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/alloc.h"

static void memory_is_allocated_and_enlarged(void **state) {
    (void)state;
    char *memory = base_alloc(4);
    memcpy(memory, "abc", 4);
    memory = base_realloc(memory, 1000);
    assert_string_equal(memory, "abc");
    base_free(memory);
}

static void zero_bytes_can_be_allocated(void **state) {
    (void)state;
    void *memory = base_alloc(0);
    assert_non_null(memory);
    memory = base_realloc(memory, 0);
    assert_non_null(memory);
    free(memory);
    base_free(NULL);
}

static void requests_fail_after_the_given_number(void **state) {
    (void)state;
    base_alloc_fail_after(2);
    void *first = base_alloc(1), *second = base_realloc(NULL, 1), *third = base_alloc(1),
         *fourth = base_realloc(second, 100);
    base_alloc_fail_after(-1);
    void *after = base_alloc(1);
    assert_non_null(first);
    assert_non_null(second);
    assert_null(third);
    assert_null(fourth);
    assert_non_null(after);
    base_free(first);
    base_free(second);
    base_free(after);
}

static void a_negative_number_ends_the_failures(void **state) {
    (void)state;
    base_alloc_fail_after(0);
    base_alloc_fail_after(-7);
    void *memory = base_alloc(1);
    assert_non_null(memory);
    base_free(memory);
}

/** Returns whether the mapping that contains an address has requested huge pages; 1 if the system
 * does not report it. */
static int asks_for_huge_pages(const void *address) {
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    int is_in = 0, told = file == NULL, asks = 0;
    while (file && fgets(line, sizeof line, file)) {
        unsigned long first, end;
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            is_in = (uintptr_t)address >= first && (uintptr_t)address < end;
        if (!is_in || strncmp(line, "VmFlags:", 8) != 0) continue;
        told = 1;
        asks = strstr(line, " hg") != NULL;
    }
    if (file) fclose(file);
    return told ? asks : 1;
}

/** Returns whether the system reports requests for huge pages; an emulator may ignore them. */
static bool tells_of_advice(void) {
    char *memory =
        mmap(NULL, BASE_LARGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    const bool tells =
        madvise(memory, BASE_LARGE_BYTES, MADV_HUGEPAGE) == 0 && asks_for_huge_pages(memory);
    munmap(memory, BASE_LARGE_BYTES);
    return tells;
}

static void large_blocks_request_large_pages(void **state) {
    (void)state;
    char *small = base_large_alloc(64, BASE_LARGE_BYTES - 1),
         *large = base_large_alloc(64, BASE_LARGE_BYTES);
    assert_non_null(small);
    assert_non_null(large);
    assert_int_equal((uintptr_t)small % 64, 0);
    assert_int_equal((uintptr_t)large % BASE_LARGE_PAGE_BYTES, 0);
    if (tells_of_advice()) {
        assert_false(asks_for_huge_pages(small + BASE_LARGE_BYTES / 2));
        assert_true(asks_for_huge_pages(large));
        assert_true(asks_for_huge_pages(large + BASE_LARGE_BYTES - 1));
    }
    base_free(small);
    base_free(large);
    base_alloc_fail_after(0);
    assert_null(base_large_alloc(64, BASE_LARGE_BYTES));
    base_alloc_fail_after(-1);
}

enum { THREADS = 4, REQUESTS = 20000, SUCCESSES = THREADS * REQUESTS / 2 };

static void *request_memory(void *context) {
    long *successes = context;
    for (int r = 0; r < REQUESTS; r++) {
        void *memory = base_alloc(1);
        *successes += memory != NULL;
        base_free(memory);
    }
    return NULL;
}

static void threads_together_have_the_given_number_of_requests(void **state) {
    (void)state;
    pthread_t thread[THREADS];
    long successes[THREADS] = {0}, total = 0;
    base_alloc_fail_after(SUCCESSES);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, request_memory, &successes[t]), 0);
    for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
    base_alloc_fail_after(-1);
    for (int t = 0; t < THREADS; t++) total += successes[t];
    assert_int_equal(total, SUCCESSES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_allocated_and_enlarged),
        cmocka_unit_test(zero_bytes_can_be_allocated),
        cmocka_unit_test(requests_fail_after_the_given_number),
        cmocka_unit_test(a_negative_number_ends_the_failures),
        cmocka_unit_test(large_blocks_request_large_pages),
        cmocka_unit_test(threads_together_have_the_given_number_of_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
