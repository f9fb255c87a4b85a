/* Tests plans of contraction trees: results equal those of naive loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/strbuf.h"
#include "network/execution/schedule.h"
#include "network/network.h"
#include "support/emitted.h"
#include "support/naive_network.h"
#include "tcplan/network_emit.h"
#include "tcplan/network_measure.h"
#include "tcplan/network_plan.h"
#include "tcplan/network_search.h"

static struct tcplan_planner *planner;

static int begin(void **state) {
    (void)state;
    return tcplan_planner_new(&planner, NULL) == TCPLAN_OK &&
                   tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL) == TCPLAN_OK
               ? 0
               : -1;
}

static int end(void **state) {
    (void)state;
    tcplan_planner_free(planner);
    return 0;
}

static void execute(struct naive_network *naive, const struct tcplan_tree *tree, const char *what) {
    struct tcplan_network_plan *plan = NULL;
    struct tcplan_error error = {0};
    const void *const *tensor = (const void *const *)naive->tensor;
    if (tcplan_network_plan_new(&plan, tree, planner, &error) != TCPLAN_OK)
        fail_msg("%s: %s", what, error.message);
    for (int n = 0; n < 2; n++) {
        if (tcplan_network_execute(plan, tensor, naive->result, NULL, 0, &error) != TCPLAN_OK)
            fail_msg("%s: %s", what, error.message);
        if (!naive_network_check(naive)) fail_msg("%s: wrong", what);
    }
    const int64_t bytes = tcplan_network_plan_workspace(plan) + 63;
    char *workspace = malloc((size_t)bytes + 9);
    memset(workspace, 0x55, (size_t)bytes + 9);
    assert_int_equal(
        tcplan_network_execute(plan, tensor, naive->result, workspace + 3, bytes, &error),
        TCPLAN_OK);
    if (!naive_network_check(naive)) fail_msg("%s: wrong in the caller's workspace", what);
    for (int b = 0; b < 6; b++) assert_int_equal(workspace[bytes + 3 + b], 0x55);
    if (bytes > 63)
        assert_int_equal(
            tcplan_network_execute(plan, tensor, naive->result, workspace, bytes - 1, &error),
            TCPLAN_INVALID);
    free(workspace);
    tcplan_network_plan_free(plan);
}

/** Executes an expression from left to right: without slicing, sliced by each index, and by two
 * indices. Compares the results with naive loops. */
static void check(const char *text, const char *sizes, enum tcplan_dtype dtype,
                  enum tcplan_order order) {
    struct naive_network naive = naive_network_of(text, sizes, dtype, order);
    for (int first = -1; first < naive.network->index_count; first++) {
        struct tcplan_tree *tree = NULL;
        struct tcplan_error error = {0};
        if (tcplan_tree_make(&tree, naive.network, naive.extent, dtype, NULL, 0, &error) !=
            TCPLAN_OK)
            fail_msg("%s: %s", text, error.message);
        if (first >= 0) assert_int_equal(tcplan_tree_slice(tree, first, &error), TCPLAN_OK);
        execute(&naive, tree, text);
        if (first >= 0 && first + 1 < naive.network->index_count) {
            assert_int_equal(tcplan_tree_slice(tree, first + 1, &error), TCPLAN_OK);
            execute(&naive, tree, text);
        }
        tcplan_tree_free(tree);
    }
    naive_network_free(&naive);
}

static const struct {
    const char *text, *sizes;
} networks[] = {
    {"E_ad=A_ab*B_bc*C_cd", "a=4,b=5,c=3,d=6"},
    {"F_ae=A_ab*B_bc*C_cd*D_de", "a=4,b=5,c=3,d=6,e=2"},
    {"D_a=A_ai*B_i*C_i", "a=4,i=5"},            /* index i occurs in three factors */
    {"E_abc=A_a*B_b*C_c", "a=4,b=3,c=5"},       /* outer products */
    {"D=A_ab*B_bc*C_ca", "a=4,b=3,c=5"},        /* a scalar */
    {"D_b=A_aab*B_bc*C_c", "a=4,b=3,c=5"},      /* a trace */
    {"D_ab=A_ai*B_ij*A_bj", "a=4,b=4,i=3,j=3"}, /* one tensor twice */
    {"R_ab=A_ac*B_cb+2*C_ad*D_de*E_eb", "a=4,b=3,c=5,d=2,e=6"},    /* two terms */
    {"R_ab=0.5*R_ab+3*A_ac*B_cb*E_b-C_ba*D_a*D_b", "a=4,b=4,c=5"}, /* beta, three terms */
    {"R_ab+=A_ba+B_ac*C_cb*D_b", "a=4,b=3,c=5"},                   /* a single factor */
    {"R_a=A_ai*B_i*C_i+D_a", "a=4,i=3"},                           /* D_a lacks the sliced index */
    {"R_a=D_a+A_ai*B_i*C_i", "a=4,i=3"},
    {"R_a=A_ai*B_i*C_i+D_ak*E_k*F_k+G_a", "a=4,i=3,k=2"}, /* the first term has i, the second k, the
                                                             third neither */
    {"R=A_i*B_i*C_i+D_k*E_k*F_k+G", "i=3,k=2"},
    {"R_ad=0*A_ab*B_bc*C_cd", "a=4,b=5,c=3,d=6"}, /* factor 0: A, B and C are not read */
    {"R_ad=2*R_ad+0*A_ab*B_bc*C_cd", "a=4,b=5,c=3,d=6"},
    {"R=0*A_i*B_i*C_i+2*R", "i=4"},
    {"R_ab=0*A_ab+2*R_ab", "a=4,b=3"},
    {"R_ab=0*R_ab+0*A_ac*B_cd*C_db+D_ab+0*E_ab", "a=4,b=3,c=5,d=2"},
    {"R_ab=3*D_ac*E_cb+0*A_ac*B_cd*C_db", "a=4,b=3,c=5,d=2"},
};

static void orders_agree_with_loops(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        check(networks[n].text, networks[n].sizes, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR);
}

static void row_major_storage_is_also_supported(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n += 2)
        check(networks[n].text, networks[n].sizes, TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR);
}

static void conjugates_and_complex_factors_are_kept(void **state) {
    (void)state;
    check("R_ab=(1,2)*conj(A)_ac*B_cd*conj(C)_db", "a=3,b=4,c=2,d=5", TCPLAN_DOUBLE_COMPLEX,
          TCPLAN_COLUMN_MAJOR);
    check("R_ab=2*conj(R)_ab+A_ac*B_cd*conj(C)_db", "a=3,b=4,c=2,d=5", TCPLAN_DOUBLE_COMPLEX,
          TCPLAN_COLUMN_MAJOR);
}

/** Expressions, and the same expressions with named intermediate sums; both have the same indices.
 */
static const struct {
    const char *text, *with_sums, *sizes;
} sums[] = {
    {"R_ab=A_ac*B_cb+D_ac*B_cb", "X_ac=A_ac+D_ac; R_ab=X_ac*B_cb", "a=4,b=3,c=5"},
    {"R_ab=2*A_ac*B_cb+3*D_ae*E_ec*B_cb+5*R_ab", "X_ca=2*A_ac+3*D_ae*E_ec; R_ab=X_ca*B_cb+5*R_ab",
     "a=4,b=3,c=5,e=2"},
    {"R_ab=A_ac*A_cb+B_ac*A_cb+A_bc*A_ca+B_bc*A_ca", "X_ab=A_ab+B_ab; R_bc=X_ba*A_ac+X_ca*A_ab",
     "a=b=c=4"}, /* read twice */
    {"R_a=A_ab*B_b+A_ba*B_b+C_a", "Y_ab=A_ab+A_ba; Z_b=Y_ba*B_a; R_a=Z_a+C_a",
     "a=b=4"}, /* Z is a sum that reads the sum Y */
    {"R=A_a*B_a*C+A_a*D_a*C", "X=A_a*B_a+A_a*D_a; R=X*C", "a=5"},
    {"R_ab=0*A_ac*B_cb+D_ac*B_cb", "X_ac=0*A_ac+D_ac; R_ab=X_ac*B_cb", "a=4,b=3,c=5"},
    {"R_ab=0*A_ac*B_cb+0*D_ac*B_cb+E_ab", "X_ac=A_ac+D_ac; R_ab=0*X_ac*B_cb+E_ab", "a=4,b=3,c=5"},
};

static void sums_agree_with_loops(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof sums / sizeof *sums; n++) {
        const enum tcplan_order order = (enum tcplan_order)(n % 2);
        struct naive_network naive =
            naive_network_of(sums[n].text, sums[n].sizes, TCPLAN_DOUBLE, order);
        struct tcplan_network *network = NULL;
        struct tcplan_tree *tree = NULL;
        struct tcplan_error error = {0};
        int64_t extent[16];
        assert_int_equal(tcplan_network_parse(&network, sums[n].with_sums, order, &error),
                         TCPLAN_OK);
        assert_int_equal(tcplan_network_sizes(extent, network, sums[n].sizes, &error), TCPLAN_OK);
        assert_true(network_number_like(network, naive.network));
        assert_int_equal(tcplan_tree_make(&tree, network, extent, TCPLAN_DOUBLE, NULL, 0, &error),
                         TCPLAN_OK);
        execute(&naive, tree, sums[n].with_sums);
        char *text = tcplan_tree_text(tree);
        struct tcplan_tree *again = NULL;
        if (tcplan_tree_parse(&again, network, extent, TCPLAN_DOUBLE, text, &error) != TCPLAN_OK)
            fail_msg("%s: %s", text, error.message);
        execute(&naive, again, text);
        tcplan_tree_free(again);
        free(text);
        assert_int_equal(tcplan_tree_slice(tree, 0, &error), TCPLAN_INVALID);
        tcplan_tree_free(tree);
        tcplan_network_free(network);
        naive_network_free(&naive);
    }
}

/** Also checks expressions that the distributive law has rewritten. Tensors are passed in the order
 * in which the original names them. */
static void sums_by_the_distributive_law_agree_with_loops(void **state) {
    static const char *const texts[] = {
        "R_ab=V_abcd*T_cd+W_abcd*T_cd+V_abcd*S_c*S_d+W_abcd*S_c*S_d",
        "R_ab=3*V_abcd*T_cd-0.5*V_badc*S_d*S_c+2*R_ab", /* both terms have equal products, apart
                                                           from the names of indices */
        "R_ab=(2,1)*V_acbd*T_cd+(2,1)*V_acbd*S_cd+(0,1)*conj(V)_acbd*S_cd",
        "R_ab=(2,1)*V_acbd*T_cd+(1,-3)*V_acbd*S_cd+V_acbd*U_c*U_d",
        "R_ab=2*T_cd*V_abcd+3*V_abcd*S_cd*S_cd",
        "R_abcd=V_aecf*T_ef*S_bd+W_aecf*T_ef*S_bd+W_abcd",
        "R_ab=0*V_abcd*T_cd+0*V_abcd*S_cd+2*R_ab", /* factor 0: V is not read */
        "R_ab=0*V_abcd*T_cd+V_abcd*S_cd+V_abcd*U_c*U_d+0*W_abcd*S_cd",
        "R_ab=0*V_abcd*T_cd+0*V_abcd*S_cd+W_abcd*T_cd+W_abcd*S_cd",
    };
    (void)state;
    int made = 0;
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        const enum tcplan_dtype dtype =
            strchr(texts[n], '(') ? TCPLAN_DOUBLE_COMPLEX : TCPLAN_DOUBLE;
        const char *sizes = strchr(texts[n], 'f') ? "a=b=c=d=e=f=12" : "a=b=c=d=12";
        struct naive_network naive =
            naive_network_of(texts[n], sizes, dtype, (enum tcplan_order)(n % 2));
        struct tcplan_network_search_options options = tcplan_network_search_defaults();
        struct tcplan_network_found found = {.tree = NULL};
        struct tcplan_error error = {0};
        options.objective = TCPLAN_OBJECTIVE_FLOPS;
        if (tcplan_network_search(&found, naive.network, naive.extent, dtype, &options, &error) !=
            TCPLAN_OK)
            fail_msg("%s: %s", texts[n], error.message);
        made += found.network != NULL;
        execute(&naive, found.tree, texts[n]);
        tcplan_network_found_free(&found);
        naive_network_free(&naive);
    }
    assert_int_equal(made, 7);
}

/** Calls an emitted function for a network with this number of operands. */
static int call(const struct emitted *emitted, struct naive_network *naive) {
    union {
        emitted_function *found;
        int (*two)(const void *, const void *, void *);
        int (*three)(const void *, const void *, const void *, void *);
        int (*five)(const void *, const void *, const void *, const void *, const void *, void *);
    } f = {emitted_find(emitted, "contract")};
    void *const *t = naive->tensor;
    if (naive->network->tensor_count == 2) return f.two(t[0], t[1], naive->result);
    if (naive->network->tensor_count == 3) return f.three(t[0], t[1], t[2], naive->result);
    assert_int_equal(naive->network->tensor_count, 5);
    return f.five(t[0], t[1], t[2], t[3], t[4], naive->result);
}

static void emitted_functions_agree_with_loops(void **state) {
    static const struct {
        const char *text, *sizes;
        int sliced;
    } cases[] = {
        {"E_ad=A_ab*B_bc*C_cd", "a=4,b=5,c=3,d=6", -1},
        {"R_ab=A_ac*B_cb+2*C_ad*D_de*E_eb", "a=4,b=3,c=5,d=2,e=6", 2},
        {"D_ab=A_ai*B_ij*A_bj", "a=4,b=4,i=3,j=3", -1},
        {"D_a=A_ai*B_i*C_i", "a=4,i=5", 1},
        {"D_ab=int_ai*status_ij*int_bj", "a=4,b=4,i=3,j=3",
         -1}, /* names of tensors that C reserves, or that the function uses itself */
        {"R_a=A_ai*B_i*C_i+2*B_a", "a=4,i=4", 1},
        {"R_a=2*B_a+A_ai*B_i*C_i", "a=4,i=4", 1},
        {"E_ad=A_ab*B_bc*C_cd", "a=0,b=5,c=3,d=6", -1}, /* a = 0: an intermediate has no elements */
        {"E_ad=A_ab*B_bc*C_cd", "a=4,b=5,c=3,d=6", 0},  /* sliced by a, which the result has: slices
                                                           are not accumulated */
        {"R_ab=0*R_ab+0*A_ac*B_cd*C_db+D_ab+0*E_ab", "a=4,b=3,c=5,d=2", -1}, /* factors 0: only D is
                                                                                read */
    };
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct naive_network naive =
            naive_network_of(cases[n].text, cases[n].sizes, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR);
        struct tcplan_tree *tree = NULL;
        struct tcplan_error error = {0};
        char *text = NULL;
        assert_int_equal(
            tcplan_tree_make(&tree, naive.network, naive.extent, TCPLAN_DOUBLE, NULL, 0, &error),
            TCPLAN_OK);
        if (cases[n].sliced >= 0)
            assert_int_equal(tcplan_tree_slice(tree, cases[n].sliced, &error), TCPLAN_OK);
        if (tcplan_network_emit(&text, tree, planner, NULL, &error) != TCPLAN_OK)
            fail_msg("%s: %s", cases[n].text, error.message);
        struct emitted *emitted = emitted_build_unoptimized(NULL, text);
        assert_int_equal(call(emitted, &naive), 0);
        if (!naive_network_check(&naive)) fail_msg("%s: wrong:\n%s", cases[n].text, text);
        emitted_free(emitted);
        free(text);
        tcplan_tree_free(tree);
        naive_network_free(&naive);
    }
}

/** Trees with steps that need a copy and so may fail; one comes after a step that wrote to the
 * result. */
static void emitted_results_are_separate_if_steps_may_fail(void **state) {
    (void)state;
    struct naive_network naive =
        naive_network_of("R_ab=2*R_ab+A_iaj*B_jib+A_jai*B_jib", "a=5,b=4,i=3,j=3", TCPLAN_DOUBLE,
                         TCPLAN_COLUMN_MAJOR);
    struct tcplan_tree *tree = NULL;
    struct tcplan_error error = {0};
    char *text = NULL;
    assert_int_equal(
        tcplan_tree_make(&tree, naive.network, naive.extent, TCPLAN_DOUBLE, NULL, 0, &error),
        TCPLAN_OK);
    tree->step[0].algorithm = base_strdup("'A-dgemm");
    tree->step[1].algorithm = base_strdup("'A-dgemm");
    if (tcplan_network_emit(&text, tree, planner, "sum", &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_non_null(strstr(text, "_copy = aligned_alloc("));
    assert_non_null(strstr(text, "memcpy(made, R, 160);"));
    struct emitted *emitted = emitted_build_unoptimized(NULL, text);
    assert_int_equal(emitted_find(emitted, "sum")(naive.tensor[0], naive.tensor[1], naive.result),
                     0);
    if (!naive_network_check(&naive)) fail_msg("wrong:\n%s", text);
    emitted_free(emitted);
    free(text);
    tcplan_tree_free(tree);
    naive_network_free(&naive);
}

/** Emits C for `text`, with a driver that checks the function against another text. */
static char *program_of(const char *text, const char *checked, const char *sizes,
                        enum tcplan_dtype dtype, enum tcplan_order order) {
    char *part[2] = {NULL, NULL};
    for (int n = 0; n < 2; n++) {
        struct tcplan_network *network = NULL;
        struct tcplan_tree *tree = NULL;
        struct tcplan_error error = {0};
        int64_t extent[16];
        assert_int_equal(tcplan_network_parse(&network, n ? checked : text, order, &error),
                         TCPLAN_OK);
        assert_int_equal(tcplan_network_sizes(extent, network, sizes, &error), TCPLAN_OK);
        assert_int_equal(tcplan_tree_make(&tree, network, extent, dtype, NULL, 0, &error),
                         TCPLAN_OK);
        if (n == 0)
            assert_int_equal(tcplan_network_emit(&part[n], tree, planner, "made", &error),
                             TCPLAN_OK);
        if (n == 1)
            assert_int_equal(tcplan_network_emit_main(&part[n], tree, "made", 1, &error),
                             TCPLAN_OK);
        assert_int_equal(tcplan_network_emit_main(&part[n], tree, "int", 1, &error),
                         TCPLAN_INVALID);
        tcplan_tree_free(tree);
        tcplan_network_free(network);
    }
    const size_t bytes = strlen(part[0]) + strlen(part[1]) + 1;
    char *program = malloc(bytes);
    assert_non_null(program);
    snprintf(program, bytes, "%s%s", part[0], part[1]);
    free(part[0]);
    free(part[1]);
    return program;
}

static void emitted_programs_check_their_function(void **state) {
    static const struct {
        const char *text, *checked, *sizes;
        enum tcplan_dtype dtype;
        int status;
        const char *says;
    } cases[] = {
        {"E_ad=A_ab*B_bc*C_cd", "E_ad=A_ab*B_bc*C_cd", "a=4,b=5,c=3,d=6", TCPLAN_DOUBLE, 0,
         "made: check passed (max error"},
        {"E_ad=A_ab*B_bc*C_cd", "E_ad=2*A_ab*B_bc*C_cd", "a=4,b=5,c=3,d=6", TCPLAN_DOUBLE, 1,
         "made: check FAILED (max error"},
        {"R_ab=0.5*R_ab+3*A_ac*B_cb*E_b-C_ba*D_a*D_b", "R_ab=0.5*R_ab+3*A_ac*B_cb*E_b-C_ba*D_a*D_b",
         "a=4,b=4,c=5", TCPLAN_FLOAT, 0, "check passed"},
        {"R_ab=(1,2)*conj(R)_ab+conj(A)_ac*B_cd*C_db", "R_ab=(1,2)*conj(R)_ab+conj(A)_ac*B_cd*C_db",
         "a=3,b=4,c=2,d=5", TCPLAN_DOUBLE_COMPLEX, 0, "check passed"},
        {"E_ad=A_ab*B_bc*C_cd", "E_ad=A_ab*B_bc*C_cd", "a=64,b=5,c=3,d=60", TCPLAN_DOUBLE, 0,
         "at 3840 of 3840 elements"},
        {"R=A_i*B_i*C_i+G", "R=A_i*B_i*C_i+G", "i=3", TCPLAN_FLOAT_COMPLEX, 0, "check passed"},
        {"X_ac=A_ac+B_ac; R_ab=X_ac*C_cb", "X_ac=A_ac-B_ac; R_ab=X_ac*C_cb", "a=4,b=3,c=5",
         TCPLAN_DOUBLE, 1, "check FAILED"},
        {"X_ac=A_ac+B_ac; R_ab=X_ac*C_cb", "X_ca=A_ac+B_ac; R_ab=X_ca*C_cb", "a=4,b=3,c=5",
         TCPLAN_DOUBLE, 0, "check passed"},
        {"R_ab=A_ac*conj(B)_cb+C_ac*conj(B)_cb",
         "X_ac=A_ac; Y_cb=conj(B)_cb; R_ab=X_ac*Y_cb+C_ac*Y_cb", "a=4,b=3,c=5",
         TCPLAN_FLOAT_COMPLEX, 0, "check passed"},
    };
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char output[512];
        char *program = program_of(cases[n].text, cases[n].checked, cases[n].sizes, cases[n].dtype,
                                   (enum tcplan_order)(n % 2));
        if (emitted_run(NULL, program, output, sizeof output) != cases[n].status ||
            !strstr(output, cases[n].says))
            fail_msg("%s: %s", cases[n].text, output);
        free(program);
    }
}

/** Like the temporaries of a single product, large intermediates keep their memory for the next
 * call. */
static void memory_of_large_intermediates_stays_for_the_next_call(void **state) {
    static const char text[] = "E_ad=A_ab*B_bc*C_cd";
    char output[512];
    (void)state;
    char *large =
        program_of(text, text, "a=2200,b=2,c=2200,d=2", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR);
    assert_non_null(strstr(large, "workspace = pool_take(3, 38720000);"));
    assert_non_null(strstr(large, "pool_give(3, workspace);"));
    assert_non_null(strstr(large, "is reused by the next call"));
    if (emitted_run(NULL, large, output, sizeof output) != 0 || !strstr(output, "check passed"))
        fail_msg("%s", output);
    free(large);
    char *small = program_of(text, text, "a=4,b=5,c=3,d=6", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR);
    assert_null(strstr(small, "kept_"));
    free(small);
}

static void headers_declare_emitted_functions(void **state) {
    (void)state;
    struct naive_network naive = naive_network_of("E_ad=A_ab*int_bc*C_cd", "a=4,b=5,c=3,d=6",
                                                  TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR);
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        struct tcplan_tree *tree = NULL;
        struct tcplan_error error = {0};
        char *header = NULL, *source = NULL;
        struct strbuf both = {0};
        assert_int_equal(tcplan_tree_make(&tree, naive.network, naive.extent,
                                          (enum tcplan_dtype)dtype, NULL, 0, &error),
                         TCPLAN_OK);
        assert_int_equal(tcplan_network_emit_header(&header, tree, "made", &error), TCPLAN_OK);
        assert_int_equal(tcplan_network_emit(&source, tree, planner, "made", &error), TCPLAN_OK);
        assert_non_null(strstr(header, "#ifndef MADE_H\n#define MADE_H\n"));
        assert_non_null(strstr(header, " *A, const "));
        assert_non_null(strstr(header, " *operand2, const "));
        strbuf_add(&both, "%s%s", header, source);
        assert_false(both.failed);
        emitted_check(NULL, both.text);
        strbuf_free(&both);
        free(header);
        free(source);
        tcplan_tree_free(tree);
    }
    naive_network_free(&naive);
}

static void the_whole_and_each_step_are_measured(void **state) {
    (void)state;
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        struct naive_network naive = naive_network_of("R_a=A_ai*B_i*C_i+2*B_a", "a=4,i=4",
                                                      TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR);
        struct tcplan_network_measured measured;
        struct tcplan_tree *tree = NULL;
        struct tcplan_error error = {0};
        assert_int_equal(tcplan_tree_make(&tree, naive.network, naive.extent,
                                          (enum tcplan_dtype)dtype, NULL, 0, &error),
                         TCPLAN_OK);
        assert_int_equal(tcplan_tree_slice(tree, 1, &error), TCPLAN_OK);
        if (tcplan_network_measure(&measured, tree, planner, 1e-3, 1, &error) != TCPLAN_OK)
            fail_msg("%s", error.message);
        assert_in_range(measured.runs, TCPLAN_NETWORK_LEAST_RUNS, TCPLAN_NETWORK_MOST_RUNS);
        assert_true(measured.fastest <= measured.seconds && measured.seconds <= measured.slowest);
        assert_int_equal(measured.step_count, 3);
        for (int s = 0; s < measured.step_count; s++) assert_true(measured.step_seconds[s] >= 0);
        assert_int_equal(measured.tensor_bytes,
                         (16 + 4 + 4 + 4) * (int64_t)tcplan_dtype_bytes((enum tcplan_dtype)dtype));
        tcplan_network_measured_free(&measured);
        tcplan_tree_free(tree);
        naive_network_free(&naive);
    }
}

/** Draws a sum of up to five terms of up to four factors, from only four tensors: many products
 * occur repeatedly. */
static void random_sum(char text[512], struct random *random) {
    static const char *const names[] = {"A", "B", "C", "D"};
    static const int ranks[] = {2, 2, 3, 1};
    const int terms = 2 + (int)random_below(random, 4);
    size_t length = (size_t)snprintf(text, 512, "R_ab=");
    for (int t = 0; t < terms; t++) {
        const int factors = 2 + (int)random_below(random, 3);
        length += (size_t)snprintf(text + length, 512 - length, "%s%d*A_ai*B_bj", t > 0 ? "+" : "",
                                   1 + (int)random_below(random, 3));
        for (int f = 1; f < factors; f++) {
            const int tensor = (int)random_below(random, 4);
            length += (size_t)snprintf(text + length, 512 - length, "*%s_", names[tensor]);
            for (int d = 0; d < ranks[tensor]; d++)
                length += (size_t)snprintf(text + length, 512 - length, "%c",
                                           "abijkl"[random_below(random, 6)]);
        }
    }
}

static int shared_in(const struct tcplan_tree *tree) {
    int count = 0;
    for (int s = 0; s < tree->step_count; s++) count += tree->step[s].same >= 0;
    return count;
}

/** Checks random sums with any limit on memory, executed and emitted. */
static void sums_that_share_products_agree_with_loops(void **state) {
    struct random random = {5};
    int shared = 0;
    (void)state;
    for (int n = 0; n < 12; n++) {
        char text[512], sizes[] = "a=2,b=2,i=2,j=2,k=2,l=2";
        struct tcplan_error error = {0};
        struct tcplan_network *probe = NULL;
        random_sum(text, &random);
        assert_int_equal(tcplan_network_parse(&probe, text, TCPLAN_COLUMN_MAJOR, &error),
                         TCPLAN_OK);
        size_t length = 0;
        for (int i = 0; i < probe->index_count; i++)
            length += (size_t)snprintf(sizes + length, sizeof sizes - length, "%s%s=2",
                                       i > 0 ? "," : "", probe->index[i]);
        tcplan_network_free(probe);
        struct naive_network naive = naive_network_of(
            text, sizes, TCPLAN_DOUBLE, n % 2 ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR);
        struct tcplan_network_search_options options = tcplan_network_search_defaults();
        options.objective = n % 4 == 3 ? TCPLAN_OBJECTIVE_FLOPS : TCPLAN_OBJECTIVE_TIME;
        for (int limit = 0; limit < 2; limit++) {
            struct tcplan_network_found found;
            options.max_memory_bytes = limit ? 96 : 0;
            if (tcplan_network_search(&found, naive.network, naive.extent, TCPLAN_DOUBLE, &options,
                                      &error) != TCPLAN_OK)
                fail_msg("%s: %s", text, error.message);
            shared += shared_in(found.flops); /* not asserted per expression: the fastest order
                                                 depends on the available libraries */
            execute(&naive, found.tree, text);
            execute(&naive, found.flops, text);
            if (limit) assert_true(tcplan_tree_totals(found.tree).peak_bytes <= 96);
            tcplan_network_found_free(&found);
        }
        naive_network_free(&naive);
    }
    assert_true(shared > 5);
}

static void shared_results_live_until_their_last_reader(void **state) {
    (void)state;
    struct naive_network naive =
        naive_network_of("R_ab=A_ac*B_cd*D_db+D_ac*D_cd*D_db+2*A_bd*B_dc*D_ca", "a=2,b=2,c=2,d=2",
                         TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR);
    struct tcplan_tree *tree = NULL;
    struct tcplan_error error = {0};
    int shared = 0;
    assert_int_equal(
        tcplan_tree_make(&tree, naive.network, naive.extent, TCPLAN_DOUBLE, NULL, 0, &error),
        TCPLAN_OK);
    const double apart = tcplan_tree_totals(tree).flops;
    assert_int_equal(tcplan_tree_share(&shared, tree, 32, &error),
                     TCPLAN_OK); /* the limit allows only one of the two intermediates at a time */
    assert_int_equal(shared, 0);
    assert_int_equal(tcplan_tree_share(&shared, tree, 0, &error), TCPLAN_OK);
    assert_int_equal(shared, 1);
    assert_true(tree->step[4].same == 0 && tree->step[4].idle);
    assert_true(tcplan_tree_step_times(tree, 4) == 0);
    assert_true(tcplan_tree_totals(tree).flops == apart - 16);
    assert_true(tcplan_tree_totals(tree).peak_bytes == 64);
    execute(&naive, tree, "shared");
    char *emitted_text = NULL;
    assert_int_equal(tcplan_network_emit(&emitted_text, tree, planner, NULL, &error), TCPLAN_OK);
    struct emitted *emitted = emitted_build_unoptimized(NULL, emitted_text);
    assert_int_equal(call(emitted, &naive), 0);
    assert_true(naive_network_check(&naive));
    emitted_free(emitted);
    free(emitted_text);
    assert_int_equal(tcplan_tree_slice(tree, 2, &error), TCPLAN_OK);
    assert_int_equal(shared_in(tree), 0);
    execute(&naive, tree, "sliced");
    tcplan_tree_free(tree);
    naive_network_free(&naive);
}

/** A long chain of matrices: intermediates reuse the memory of earlier ones. */
static void memory_of_dead_intermediates_is_reused(void **state) {
    (void)state;
    struct tcplan_network *network = NULL;
    int64_t extent[10];
    struct tcplan_tree *tree = NULL;
    struct schedule schedule;
    int64_t scratch[16] = {0};
    for (int i = 0; i < 10; i++) extent[i] = 8;
    assert_int_equal(tcplan_network_parse(&network,
                                          "R_aj=A_ab*B_bc*C_cd*D_de*E_ef*F_fg*G_gh*H_hi*K_ij",
                                          TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_tree_make(&tree, network, extent, TCPLAN_DOUBLE, NULL, 0, NULL),
                     TCPLAN_OK);
    assert_int_equal(schedule_make(&schedule, tree, scratch, NULL), TCPLAN_OK);
    assert_int_equal(schedule.count, 8);
    assert_int_equal(schedule.bytes, 2 * 8 * 8 * 8);
    schedule_free(&schedule);
    scratch[3] = 100;
    assert_int_equal(schedule_make(&schedule, tree, scratch, NULL), TCPLAN_OK);
    assert_int_equal(schedule.bytes, 2 * 8 * 8 * 8 + 128);
    schedule_free(&schedule);
    tcplan_tree_free(tree);
    tcplan_network_free(network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_agree_with_loops),
        cmocka_unit_test(row_major_storage_is_also_supported),
        cmocka_unit_test(conjugates_and_complex_factors_are_kept),
        cmocka_unit_test(sums_agree_with_loops),
        cmocka_unit_test(sums_by_the_distributive_law_agree_with_loops),
        cmocka_unit_test(emitted_functions_agree_with_loops),
        cmocka_unit_test(emitted_results_are_separate_if_steps_may_fail),
        cmocka_unit_test(emitted_programs_check_their_function),
        cmocka_unit_test(memory_of_large_intermediates_stays_for_the_next_call),
        cmocka_unit_test(headers_declare_emitted_functions),
        cmocka_unit_test(the_whole_and_each_step_are_measured),
        cmocka_unit_test(sums_that_share_products_agree_with_loops),
        cmocka_unit_test(shared_results_live_until_their_last_reader),
        cmocka_unit_test(memory_of_dead_intermediates_is_reused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
