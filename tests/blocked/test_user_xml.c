#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "routines/blocked/algorithms/user_xml.h"
#include "support/memory_source.h"

static const char two[] =
    "<?xml version=\"1.0\"?>\n"
    "<algorithms format=\"1\">\n"
    "  <algorithm name=\"inner\" matrices=\"+A(n,n).hermitian.lower L=A.lower\" routine=\"potrf uplo=L\" note=\"right-looking\">\n"
    "    for n down:\n"
    "      A11 := potf2(A11)\n"
    "      A21 := A21 L11^-H; A22 := A22 - A21 A21^H\n"
    "  </algorithm>\n"
    "  <algorithm name=\"outer\" matrices=\"+M(n,n).hermitian.lower L=M.lower\">\n"
    "    for n down by 256: M11 := inner(M11)\n"
    "      M21 := M21 L11^-H\n"
    "      M22 := M22 - M21 M21^H\n"
    "  </algorithm>\n"
    "</algorithms>\n";

static void free_all(struct tcplan_blocked **all, int count) {
    for (int a = 0; a < count; a++) tcplan_blocked_free(all[a]);
    free(all);
}

static enum tcplan_status read_text(const char *text, struct tcplan_blocked ***out, int *count,
                                    struct tcplan_error *error) {
    struct memory_source source = memory_source_of(text);
    return user_algorithms_from(out, count, memory_source_read, &source, TCPLAN_DOUBLE, error);
}

static void algorithms_are_read_and_may_be_within_later_ones(void **state) {
    (void)state;
    struct tcplan_blocked **all;
    struct tcplan_error error;
    int count;
    if (read_text(two, &all, &count, &error) != TCPLAN_OK)
        fail_msg("line %zu: %s", error.line, error.message);
    assert_int_equal(count, 2);
    assert_string_equal(tcplan_blocked_name(all[0]), "inner");
    assert_string_equal(tcplan_blocked_note(all[0]), "right-looking");
    assert_int_equal(tcplan_blocked_of(all[0]), -1);
    char *text = tcplan_blocked_text(all[1]);
    assert_string_equal(text, "for n1 = 1:256:n\n"
                              "  for n1' = 1:b:n1\n"
                              "    dpotf2_L: M1'1' := potf2(M1'1')\n"
                              "    dtrsm_RLTN: M2'1' := M2'1' L1'1'^-T\n"
                              "    dsyrk_LN: M2'2' -= M2'1' M2'1'^T\n"
                              "  dtrsm_RLTN: M21 := M21 L11^-T\n"
                              "  dsyrk_LN: M22 -= M21 M21^T\n");
    free(text);
    const struct tcplan_blocked_sizes sizes = {.size = {10}, .block = 3};
    assert_true(tcplan_blocked_flops(all[0], &sizes) == 385);
    assert_true(tcplan_blocked_flops(all[1], &sizes) >= 385); /* without a named LAPACK routine, the
                                                                 flops are those of the calls */
    free_all(all, count);
}

static void errors_are_reported_with_the_line(void **state) {
    static const struct {
        const char *text, *expected;
        size_t line;
    } rows[] = {
        {"", "empty", 0},
        {"<algorithms format=\"2\"><algorithm/></algorithms>", "format", 1},
        {"<algorithms format=\"1\"/>", "algorithm", 1},
        {"<algorithms format=\"1\">\n<algorithm matrices=\"A(n)\">for n down: A1 := A1</algorithm></algorithms>",
         "name", 2},
        {"<algorithms format=\"1\">\n<algorithm name=\"a-b\" matrices=\"A(n)\">x</algorithm></algorithms>",
         "letters", 2},
        {"<algorithms format=\"1\">\n<algorithm name=\"a\" matrices=\"A(n\">x</algorithm></algorithms>",
         "matrices of 'a', character 4", 2},
        {"<algorithms format=\"1\">\n<algorithm name=\"a\" matrices=\"+A(n,n)\">\nfor n down:\nA11 := nothing(A11)\n</algorithm></algorithms>",
         "'a', at `A11 := nothing(A11)`: unknown routine or algorithm 'nothing'", 0},
        {"<algorithms format=\"1\">\n<algorithm name=\"a\" routine=\"potrf side=L\" matrices=\"+A(n,n).lower\">for n down: A11 := "
         "trti2(A11)</algorithm></algorithms>",
         "routine of 'a', character 7: dpotrf has no flag 'side'", 0},
        {"<algorithms format=\"1\">\n<algorithm name=\"a\" routine=\"trsyl\" matrices=\"+A(n,n).lower\">for n down: A11 := "
         "trti2(A11)</algorithm></algorithms>",
         "dtrsyl has a size m, which no matrix has", 0},
        {"<algorithms format=\"1\"><algorithm name=\"a\" matrices=\"+A(n,n).lower\">for n down: A11 := trti2(A11)</algorithm>\n"
         "<algorithm name=\"a\" matrices=\"+A(n,n).lower\">for n down: A11 := trti2(A11)</algorithm></algorithms>",
         "an algorithm 'a' exists already", 2},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct tcplan_blocked **all;
        struct tcplan_error error = {.message = ""};
        int count;
        assert_int_equal(read_text(rows[r].text, &all, &count, &error), TCPLAN_INVALID);
        assert_null(all);
        if (r > 0 && !strstr(error.message, rows[r].expected))
            fail_msg("%s: expected %s", error.message, rows[r].expected);
        if (rows[r].line > 0) assert_int_equal(error.line, rows[r].line);
    }
}

static void a_missing_file_is_reported(void **state) {
    (void)state;
    struct tcplan_blocked **all;
    struct tcplan_error error;
    int count;
    assert_int_equal(tcplan_blocked_read(&all, &count, "/no/such/file.xml", TCPLAN_DOUBLE, &error),
                     TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "/no/such/file.xml"));
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    for (long allowed = 0;; allowed++) {
        struct tcplan_blocked **all;
        struct tcplan_error error;
        int count;
        base_alloc_fail_after(allowed);
        const enum tcplan_status status = read_text(two, &all, &count, &error);
        base_alloc_fail_after(-1);
        if (status == TCPLAN_OK) {
            free_all(all, count);
            assert_true(allowed > 3);
            return;
        }
        assert_true(status == TCPLAN_NO_MEMORY);
        assert_null(all);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms_are_read_and_may_be_within_later_ones),
        cmocka_unit_test(errors_are_reported_with_the_line),
        cmocka_unit_test(a_missing_file_is_reported),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
