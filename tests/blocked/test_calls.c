#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "routines/blocked/calls/calls.h"
#include "support/rng.h"

static struct tcplan_blocked *make(const char *name) {
    enum tcplan_dtype dtype = TCPLAN_DOUBLE;
    struct tcplan_blocked *out = NULL;
    struct tcplan_error error;
    int operation, algorithm;
    if (tcplan_blocked_find(&operation, &algorithm, &dtype, name, &error) != TCPLAN_OK ||
        tcplan_blocked_make(&out, operation, algorithm, dtype, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return out;
}

/** Appends a line with the routine, flags and sizes of a call; a tcplan_blocked_visit_fn. */
static bool add_line(void *context, const struct tcplan_blocked_call *call) {
    struct strbuf *out = context;
    strbuf_add(out, "%d %s_%s(", (int)call->step, call->routine, call->letters);
    for (int s = 0; s < call->size_count; s++)
        strbuf_add(out, "%s%d", s > 0 ? "," : "", (int)call->size[s]);
    strbuf_add(out, ")%s %s\n", call->empty ? " -" : "", call->slices);
    return true;
}

static void check_trace(const char *name, struct tcplan_blocked_sizes sizes, const char *expected) {
    struct tcplan_blocked *blocked = make(name);
    struct strbuf out = {0};
    struct tcplan_error error;
    if (tcplan_blocked_trace(blocked, &sizes, add_line, &out, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_string_equal(out.text ? out.text : "", expected);
    strbuf_free(&out);
    tcplan_blocked_free(blocked);
}

static void example_4_1_has_its_nine_calls(void **state) {
    (void)state;
    check_trace(
        "trtri_LN1", (struct tcplan_blocked_sizes){.size = {800}, .block = 300},
        "1 dtrmm_RLNN(300,0) - A[1:300,1:0] := A[1:300,1:0] A[1:0,1:0]\n"
        "1 dtrsm_LLNN(300,0) - A[1:300,1:0] := -A[1:300,1:300]^-1 A[1:300,1:0]\n"
        "1 dtrti2_LN(300) A[1:300,1:300] := trti2(A[1:300,1:300])\n"
        "2 dtrmm_RLNN(300,300) A[301:600,1:300] := A[301:600,1:300] A[1:300,1:300]\n"
        "2 dtrsm_LLNN(300,300) A[301:600,1:300] := -A[301:600,301:600]^-1 A[301:600,1:300]\n"
        "2 dtrti2_LN(300) A[301:600,301:600] := trti2(A[301:600,301:600])\n"
        "3 dtrmm_RLNN(200,600) A[601:800,1:600] := A[601:800,1:600] A[1:600,1:600]\n"
        "3 dtrsm_LLNN(200,600) A[601:800,1:600] := -A[601:800,601:800]^-1 A[601:800,1:600]\n"
        "3 dtrti2_LN(200) A[601:800,601:800] := trti2(A[601:800,601:800])\n");
}

static void upward_blocks_start_at_multiples_by_default(void **state) {
    (void)state;
    check_trace("trtri_LN5", (struct tcplan_blocked_sizes){.size = {80}, .block = 30},
                "1 dtrmm_LLNN(0,20) - A[81:80,61:80] := A[81:80,81:80] A[81:80,61:80]\n"
                "1 dtrsm_RLNN(0,20) - A[81:80,61:80] := -A[81:80,61:80] A[61:80,61:80]^-1\n"
                "1 dtrti2_LN(20) A[61:80,61:80] := trti2(A[61:80,61:80])\n"
                "2 dtrmm_LLNN(20,30) A[61:80,31:60] := A[61:80,61:80] A[61:80,31:60]\n"
                "2 dtrsm_RLNN(20,30) A[61:80,31:60] := -A[61:80,31:60] A[31:60,31:60]^-1\n"
                "2 dtrti2_LN(30) A[31:60,31:60] := trti2(A[31:60,31:60])\n"
                "3 dtrmm_LLNN(50,30) A[31:80,1:30] := A[31:80,31:80] A[31:80,1:30]\n"
                "3 dtrsm_RLNN(50,30) A[31:80,1:30] := -A[31:80,1:30] A[1:30,1:30]^-1\n"
                "3 dtrti2_LN(30) A[1:30,1:30] := trti2(A[1:30,1:30])\n");
    struct tcplan_blocked *blocked = make("trtri_LN5");
    struct strbuf out = {0};
    const struct tcplan_blocked_sizes sizes = {.size = {80}, .block = 30, .remainder_last = true};
    assert_int_equal(tcplan_blocked_trace(blocked, &sizes, add_line, &out, NULL), TCPLAN_OK);
    assert_non_null(strstr(out.text, "1 dtrti2_LN(30) A[51:80,51:80]"));
    assert_non_null(strstr(out.text, "3 dtrti2_LN(20) A[1:20,1:20]"));
    strbuf_free(&out);
    tcplan_blocked_free(blocked);
}

static void a_recursion_halves_until_there_are_blocks(void **state) {
    (void)state;
    check_trace("potrf_Lr", (struct tcplan_blocked_sizes){.size = {41}, .block = 17},
                "1 dpotf2_L(16) A[1:16,1:16] := potf2(A[1:16,1:16])\n"
                "2 dtrsm_RLTN(8,16) A[17:24,1:16] := A[17:24,1:16] L[1:16,1:16]^-T\n"
                "2 dsyrk_LN(8,16) A[17:24,17:24] -= A[17:24,1:16] A[17:24,1:16]^T\n"
                "2 dpotf2_L(8) A[17:24,17:24] := potf2(A[17:24,17:24])\n"
                "3 dtrsm_RLTN(17,24) A[25:41,1:24] := A[25:41,1:24] L[1:24,1:24]^-T\n"
                "3 dsyrk_LN(17,24) A[25:41,25:41] -= A[25:41,1:24] A[25:41,1:24]^T\n"
                "3 dpotf2_L(17) A[25:41,25:41] := potf2(A[25:41,25:41])\n");
    check_trace("trtri_LNr3", (struct tcplan_blocked_sizes){.size = {5}, .block = 3},
                "1 dtrti2_LN(3) A[3:5,3:5] := trti2(A[3:5,3:5])\n"
                "2 dtrmm_LLNN(3,2) A[3:5,1:2] := A[3:5,3:5] A[3:5,1:2]\n"
                "2 dtrsm_RLNN(3,2) A[3:5,1:2] := -A[3:5,1:2] A[1:2,1:2]^-1\n"
                "2 dtrti2_LN(2) A[1:2,1:2] := trti2(A[1:2,1:2])\n");
}

static void layered_sylvester_solves_panel_by_panel(void **state) {
    (void)state;
    check_trace("trsyl_m1n2", (struct tcplan_blocked_sizes){.size = {3, 4}, .block = 2},
                "1 dgemm_NN(1,4,0) - C[3,1:4] -= A[3,4:3] C[4:3,1:4]\n"
                "1 dtrsyl_NN1(1,2) C[3,1:2] := trsyl(A[3,3], B[1:2,1:2], C[3,1:2])\n"
                "1 dgemm_NN(1,2,2) C[3,3:4] -= C[3,1:2] B[1:2,3:4]\n"
                "1 dtrsyl_NN1(1,2) C[3,3:4] := trsyl(A[3,3], B[3:4,3:4], C[3,3:4])\n"
                "1 dgemm_NN(1,0,2) - C[3,5:4] -= C[3,3:4] B[3:4,5:4]\n"
                "2 dgemm_NN(2,4,1) C[1:2,1:4] -= A[1:2,3] C[3,1:4]\n"
                "2 dtrsyl_NN1(2,2) C[1:2,1:2] := trsyl(A[1:2,1:2], B[1:2,1:2], C[1:2,1:2])\n"
                "2 dgemm_NN(2,2,2) C[1:2,3:4] -= C[1:2,1:2] B[1:2,3:4]\n"
                "2 dtrsyl_NN1(2,2) C[1:2,3:4] := trsyl(A[1:2,1:2], B[3:4,3:4], C[1:2,3:4])\n"
                "2 dgemm_NN(2,0,2) - C[1:2,5:4] -= C[1:2,3:4] B[3:4,5:4]\n");
}

static struct blocked_counts counts_of(const char *name, struct tcplan_blocked_sizes sizes) {
    struct tcplan_blocked *blocked = make(name);
    struct tcplan_error error;
    if (tcplan_blocked_check(blocked, &sizes, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    const struct blocked_counts counts = blocked_count(blocked, &sizes);
    tcplan_blocked_free(blocked);
    return counts;
}

static void dgeqrf_of_order_1568_makes_1873_calls_of_libraries(void **state) {
    (void)state;
    const struct blocked_counts counts =
        counts_of("dgeqrf", (struct tcplan_blocked_sizes){.size = {1568, 1568}, .block = 32});
    assert_int_equal(counts.library, 1873);
    assert_int_equal(counts.made,
                     1873 + 48); /* and 48 times C1 := C1 - W^T: in all steps but the last */
}

static void sizes_of_0_and_1_and_blocks_beyond_them_are_fine(void **state) {
    (void)state;
    assert_int_equal(
        counts_of("potrf_L3", (struct tcplan_blocked_sizes){.size = {0}, .block = 64}).all, 0);
    assert_int_equal(
        counts_of("potrf_L3", (struct tcplan_blocked_sizes){.size = {1}, .block = 64}).made, 1);
    assert_int_equal(
        counts_of("getrf_1", (struct tcplan_blocked_sizes){.size = {5, 0}, .block = 2}).made, 0);
    assert_int_equal(
        counts_of("getrf_1", (struct tcplan_blocked_sizes){.size = {1, 1}, .block = 1000}).made, 1);
    assert_int_equal(
        counts_of("potrf_Lr", (struct tcplan_blocked_sizes){.size = {0}, .block = 2}).all, 0);
    assert_int_equal(
        counts_of("potrf_Lr", (struct tcplan_blocked_sizes){.size = {1}, .block = 1}).made, 1);
    assert_int_equal(
        counts_of("potrf_Ur", (struct tcplan_blocked_sizes){.size = {9}, .block = 1}).made,
        9 + 2 * 8);
    assert_int_equal(
        counts_of("trtri_UNr1", (struct tcplan_blocked_sizes){.size = {100}, .block = 100}).made,
        1);
    assert_int_equal(
        counts_of("trsyl_14m2n1", (struct tcplan_blocked_sizes){.size = {0, 7}, .block = 2}).made,
        0);
    assert_int_equal(
        counts_of("trsyl_3m1m2", (struct tcplan_blocked_sizes){.size = {1, 1}, .block = 2}).made,
        1);
}

static void impossible_sizes_are_refused(void **state) {
    static const struct tcplan_blocked_sizes bad[] = {
        {.size = {-1}, .block = 2},
        {.size = {INT64_C(1) << 31}, .block = 2},
        {.size = {10}, .block = 0},
        {.size = {10}, .block = -3},
        {.size = {10}, .block = 2, .leading = {9}},
        {.size = {10}, .block = 2, .leading = {INT64_C(1) << 40}},
    };
    struct tcplan_blocked *blocked = make("potrf_L3");
    (void)state;
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        struct tcplan_error error = {.message = ""};
        assert_int_equal(tcplan_blocked_check(blocked, &bad[b], &error), TCPLAN_INVALID);
        assert_true(*error.message);
    }
    tcplan_blocked_free(blocked);
}

/* Operations. */

static bool add_flops(void *context, const struct tcplan_blocked_call *call) {
    *(double *)context += call->flops;
    return true;
}

/** Returns the flops of an algorithm's calls, divided by the minimal flops of the operation. */
static double excess_of(const char *name, struct tcplan_blocked_sizes sizes) {
    struct tcplan_blocked *blocked = make(name);
    double flops = 0;
    assert_int_equal(tcplan_blocked_trace(blocked, &sizes, add_flops, &flops, NULL), TCPLAN_OK);
    const double excess = flops / tcplan_blocked_flops(blocked, &sizes);
    tcplan_blocked_free(blocked);
    return excess;
}

static void needed_operations_are_those_of_the_table(void **state) {
    static const struct {
        const char *name;
        struct tcplan_blocked_sizes sizes;
        double flops;
    } rows[] = {
        {"trtri_LN1", {.size = {800}, .block = 300}, 170986800}, /* example 4.3 */
        {"potrf_L2", {.size = {10}, .block = 3}, 385},
        {"zpotrf_L2", {.size = {10}, .block = 3}, 4 * 385},
        {"sygst_1L1", {.size = {10}, .block = 3}, 1210},
        {"lauum_U1", {.size = {10}, .block = 3}, 385},
        {"trsyl_n1m1", {.size = {10, 20}, .block = 3}, 10 * 20 * 34},
        {"geqrf", {.size = {30, 30}, .block = 3}, 2 * 900 * (30 - 10)},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct tcplan_blocked *blocked = make(rows[r].name);
        assert_true(tcplan_blocked_flops(blocked, &rows[r].sizes) == rows[r].flops);
        tcplan_blocked_free(blocked);
    }
}

static void calls_are_as_many_operations_as_needed_but_for_unstable_algorithms(void **state) {
    static const char *const frugal[] = {
        "potrf_L1",  "potrf_L2",  "potrf_L3",  "potrf_U1",  "potrf_U2",  "potrf_U3",
        "trtri_LN1", "trtri_LN2", "trtri_LN3", "trtri_LN5", "trtri_LN6", "trtri_LN7",
        "trtri_UN1", "lauum_L1",  "lauum_Lr",  "lauum_U1",  "getrf_1",   "getrf_r"};
    const struct tcplan_blocked_sizes sizes = {.size = {1000, 1000}, .block = 50};
    (void)state;
    for (size_t f = 0; f < sizeof frugal / sizeof *frugal; f++) {
        const double excess = excess_of(frugal[f], sizes);
        if (!(excess > 0.94 && excess < 1.06)) fail_msg("%s: %g", frugal[f], excess);
    }
    assert_true(excess_of("trtri_LN4", sizes) > 2.5);
    assert_true(excess_of("trtri_LN8", sizes) > 2.5);
}

static void all_sylvester_algorithms_have_the_same_operations(void **state) {
    (void)state;
    struct tcplan_blocked_operation of;
    enum tcplan_dtype dtype;
    int operation, algorithm;
    double first = 0;
    assert_int_equal(tcplan_blocked_find(&operation, &algorithm, &dtype, "trsyl", NULL), TCPLAN_OK);
    tcplan_blocked_operation(&of, operation);
    for (int a = 0; a < of.algorithms; a++) {
        char name[TCPLAN_BLOCKED_NAME];
        tcplan_blocked_algorithm_name(name, operation, a);
        const double excess =
            excess_of(name, (struct tcplan_blocked_sizes){
                                .size = {300, 260}, .block = 20, .remainder_last = a % 2 == 1});
        if (a == 0) first = excess;
        if (!(excess > 0.999 * first && excess < 1.001 * first))
            fail_msg("%s: %g, not %g", name, excess, first);
    }
}

/* Places. */

struct inspection {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
};

/** Checks that all operands of a call are inside their matrices, and that its arguments are valid.
 */
static bool inspect(void *context, const struct blocked_call *call) {
    const struct inspection *inspection = context;
    struct tcplan_error error;
    for (int a = 0; a < call->signature->count; a++) {
        const struct blocked_data *data = &call->data[a];
        if (data->matrix < 0) continue;
        const struct blocked_extent extent =
            blocked_extent_of(inspection->blocked, &inspection->sizes, data->matrix);
        assert_true(data->offset >= 0 && data->rows >= 0 && data->columns >= 0);
        if (data->rows == 0 || data->columns == 0) continue;
        const int64_t last = data->offset + (data->columns - 1) * extent.leading + data->rows - 1;
        if (last >= blocked_elements(&extent) ||
            data->offset % extent.leading + data->rows > extent.rows)
            fail_msg("%s of %s is outside", call->signature->argument[a].name,
                     call->signature->name);
        if (call->empty) continue;
        const int64_t touched = signature_extent(call->signature, call->value, a);
        assert_true(data->offset + touched <= blocked_elements(&extent));
    }
    if (!call->empty && signature_check(call->signature, call->value, NULL, &error) != TCPLAN_OK)
        fail_msg("%s: %s", call->signature->name, error.message);
    return true;
}

static void data_of_every_call_are_within_their_matrices(void **state) {
    uint64_t rng = 7;
    (void)state;
    for (int o = 0; o < tcplan_blocked_operations(); o++) {
        struct tcplan_blocked_operation of;
        tcplan_blocked_operation(&of, o);
        for (int a = 0; a < of.algorithms; a++) {
            struct tcplan_blocked *blocked;
            assert_int_equal(tcplan_blocked_make(&blocked, o, a,
                                                 a % 2 ? TCPLAN_DOUBLE : TCPLAN_DOUBLE_COMPLEX,
                                                 NULL),
                             TCPLAN_OK);
            for (int i = 0; i < 10; i++) {
                struct inspection inspection = {
                    .blocked = blocked,
                    .sizes = {
                        .size = {(int64_t)(rng_next(&rng) % 40), (int64_t)(rng_next(&rng) % 40)},
                        .block = 1 + (int64_t)(rng_next(&rng) % 12),
                        .remainder_last = i % 2 == 1}};
                if (i % 3 == 0) inspection.sizes.leading[0] = 50;
                blocked_walk(blocked, &inspection.sizes, inspect, &inspection);
            }
            tcplan_blocked_free(blocked);
        }
    }
}

static bool stop(void *context, const struct blocked_call *call) {
    int *calls = context;
    (void)call;
    return ++*calls < 5;
}

static void a_visit_can_end_a_walk(void **state) {
    (void)state;
    struct tcplan_blocked *blocked = make("trsyl_m1n1");
    int calls = 0;
    assert_false(blocked_walk(
        blocked, &(const struct tcplan_blocked_sizes){.size = {40, 40}, .block = 3}, stop, &calls));
    assert_int_equal(calls, 5);
    tcplan_blocked_free(blocked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_4_1_has_its_nine_calls),
        cmocka_unit_test(upward_blocks_start_at_multiples_by_default),
        cmocka_unit_test(a_recursion_halves_until_there_are_blocks),
        cmocka_unit_test(layered_sylvester_solves_panel_by_panel),
        cmocka_unit_test(dgeqrf_of_order_1568_makes_1873_calls_of_libraries),
        cmocka_unit_test(sizes_of_0_and_1_and_blocks_beyond_them_are_fine),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(needed_operations_are_those_of_the_table),
        cmocka_unit_test(calls_are_as_many_operations_as_needed_but_for_unstable_algorithms),
        cmocka_unit_test(all_sylvester_algorithms_have_the_same_operations),
        cmocka_unit_test(data_of_every_call_are_within_their_matrices),
        cmocka_unit_test(a_visit_can_end_a_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
