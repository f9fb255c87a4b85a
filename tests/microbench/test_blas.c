/* Tests the first calls of a BLAS in a process whose address space is limited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "microbench/timing/session.h"

enum { MANY = 1000 };

static void each_caller_needs_room(void **state) {
    const struct rlimit limit = {.rlim_cur = (rlim_t)64 << 30, .rlim_max = RLIM_INFINITY};
    struct tcplan_error error = {0};
    struct session session;
    (void)state;
    if (setrlimit(RLIMIT_AS, &limit) != 0) skip();
    assert_int_equal(blas_check_memory(1, &error), TCPLAN_OK);
    assert_int_equal(blas_check_memory(MANY, &error), TCPLAN_NO_MEMORY);
    assert_non_null(strstr(error.message, "address space, 65536 MiB, leaves less than the 144000"));
    const int before = blas_threads();
    assert_int_equal(session_begin(&session, MANY, &error), TCPLAN_NO_MEMORY);
    assert_int_equal(blas_threads(), before);
    session_end(&session); /* ending an unused session changes nothing */
    assert_int_equal(session_begin(&session, 1, &error), TCPLAN_OK);
    session_end(&session);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_caller_needs_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
