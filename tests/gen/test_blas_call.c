/*
 * Interprets the arguments of lowered BLAS calls by the BLAS standard: a call must multiply and
 * add exactly the elements of the kernel in the nest. No BLAS is called.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "base/indexset.h"
#include "gen/lower/blas_call.h"
#include "support/random_contraction.h"

/** Returns the kernel node in the body of a nest; NULL if there is none. */
static const struct tcplan_node *find_kernel(const struct tcplan_node *body) {
    const struct tcplan_node *found = NULL;
    for (; body && !found; body = body->next) {
        if (body->kind == TCPLAN_NODE_KERNEL) found = body;
        if (body->kind == TCPLAN_NODE_LOOP) found = find_kernel(body->loop.body);
    }
    return found;
}

/** The product of two elements that is added to a third one. Each position is the offset from
 * the start of the slice. */
struct product {
    int64_t element[TCPLAN_OPERANDS];
};

static int compare_products(const void *a, const void *b) {
    return memcmp(a, b, sizeof(struct product));
}

enum { MAX_PRODUCTS = 1000 };

struct products {
    size_t count;
    struct product product[MAX_PRODUCTS];
};

static void add_product(struct products *products, const struct blas_call *call, int64_t first,
                        int64_t second, int64_t result) {
    struct product product = {.element = {0}};
    assert_true(products->count < MAX_PRODUCTS);
    product.element[call->first] = first;
    product.element[call->second] = second;
    product.element[TCPLAN_C] = result;
    products->product[products->count++] = product;
}

/* Lists the products of each BLAS routine by its definition, for column-major matrices. */

static void read_dot(struct products *out, const struct blas_call *call) {
    for (int64_t i = 0; i < call->m; i++)
        add_product(out, call, i * call->ld[0], i * call->ld[1], 0);
}

static void read_axpy(struct products *out, const struct blas_call *call) {
    for (int64_t i = 0; i < call->m; i++)
        add_product(out, call, i * call->ld[0], 0, i * call->ld[2]);
}

static void read_gemv(struct products *out, const struct blas_call *call) {
    for (int64_t row = 0; row < call->m; row++) {
        for (int64_t column = 0; column < call->n; column++) {
            const int64_t x = call->transposed[0] ? row : column,
                          y = call->transposed[0] ? column : row;
            add_product(out, call, row + column * call->ld[0], x * call->ld[1], y * call->ld[2]);
        }
    }
}

static void read_ger(struct products *out, const struct blas_call *call) {
    for (int64_t row = 0; row < call->m; row++) {
        for (int64_t column = 0; column < call->n; column++) {
            add_product(out, call, row * call->ld[0], column * call->ld[1],
                        row + column * call->ld[2]);
        }
    }
}

static void read_gemm(struct products *out, const struct blas_call *call) {
    for (int64_t row = 0; row < call->m; row++) {
        for (int64_t column = 0; column < call->n; column++) {
            for (int64_t k = 0; k < call->k; k++) {
                add_product(
                    out, call, call->transposed[0] ? k + row * call->ld[0] : row + k * call->ld[0],
                    call->transposed[1] ? column + k * call->ld[1] : k + column * call->ld[1],
                    row + column * call->ld[2]);
            }
        }
    }
}

static void read_call(struct products *out, const struct blas_call *call) {
    static void (*const read[TCPLAN_KERNELS])(struct products *, const struct blas_call *) = {
        [TCPLAN_DOT] = read_dot,
        [TCPLAN_AXPY] = read_axpy,
        [TCPLAN_GEMV] = read_gemv,
        [TCPLAN_GER] = read_ger,
        [TCPLAN_GEMM] = read_gemm};
    out->count = 0;
    read[call->kernel](out, call);
    qsort(out->product, out->count, sizeof *out->product, compare_products);
}

/** Lists the products of the kernel node by the definition of its slices. */
static void read_node(struct products *out, const struct tcplan_kernel_call *node,
                      const struct refined_problem *problem) {
    int64_t extent[TCPLAN_ROLES], stride[TCPLAN_OPERANDS][TCPLAN_ROLES] = {{0}};
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const int index = node->group[role].count > 0 ? node->group[role].index[0] : -1;
        extent[role] = index >= 0 ? problem->extent[index] : 1;
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            if (index >= 0 && indexset_has(node->slice[t].span, index))
                stride[t][role] = slice_stride(problem, node->slice[t], index);
        }
    }
    out->count = 0;
    for (int64_t m = 0; m < extent[TCPLAN_M]; m++) {
        for (int64_t n = 0; n < extent[TCPLAN_N]; n++) {
            for (int64_t k = 0; k < extent[TCPLAN_K]; k++) {
                struct product *product = &out->product[out->count++];
                for (int t = 0; t < TCPLAN_OPERANDS; t++) {
                    product->element[t] =
                        m * stride[t][TCPLAN_M] + n * stride[t][TCPLAN_N] + k * stride[t][TCPLAN_K];
                }
            }
        }
    }
    qsort(out->product, out->count, sizeof *out->product, compare_products);
}

/** Checks that the leading dimension of each matrix is at least its number of rows; BLAS refuses
 * smaller ones. */
static void assert_leading_dimensions(const struct blas_call *call) {
    for (int i = 0; i < 3; i++) assert_true(call->ld[i] >= 1);
    if (call->kernel == TCPLAN_GEMV) assert_true(call->ld[0] >= call->m);
    if (call->kernel == TCPLAN_GER) assert_true(call->ld[2] >= call->m);
    if (call->kernel != TCPLAN_GEMM) return;
    assert_true(call->ld[0] >= (call->transposed[0] ? call->k : call->m));
    assert_true(call->ld[1] >= (call->transposed[1] ? call->n : call->k));
    assert_true(call->ld[2] >= call->m);
}

static void check_lowering(const struct random_contraction *random,
                           const struct tcplan_algorithm *algorithm) {
    static struct products called, named;
    struct tcplan_nest *nest = NULL;
    struct blas_call call;
    assert_int_equal(tcplan_nest_build(&nest, random->contraction, algorithm, NULL), TCPLAN_OK);
    const struct tcplan_kernel_call *node = &find_kernel(nest->body)->kernel;
    const struct refined_problem refined = problem_refine(&random->problem, nest->refinement);
    assert_int_equal(
        blas_call_lower(&call, nest, node, &refined, (struct blas_call_place){0}, NULL), TCPLAN_OK);
    assert_int_equal(call.kernel, algorithm->kernel);
    assert_true((call.first == TCPLAN_A && call.second == TCPLAN_B) ||
                (call.first == TCPLAN_B && call.second == TCPLAN_A));
    assert_leading_dimensions(&call);
    read_call(&called, &call);
    read_node(&named, node, &refined);
    if (called.count != named.count ||
        memcmp(called.product, named.product, called.count * sizeof *called.product) != 0) {
        char *name = tcplan_algorithm_name(algorithm, random->contraction, random->problem.dtype);
        fail_msg("%s --algorithm \"%s\"", random_contraction_describe(random), name);
    }
    tcplan_nest_free(nest);
}

static void calls_multiply_and_add_the_elements_that_the_nest_names(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.min_rank = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct random_contraction random;
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm algorithm;
        random_contraction_init(&random, seed, &options);
        tcplan_enumerator_init(&enumerator, random.contraction);
        while (tcplan_enumerator_next(&enumerator, &algorithm)) {
            if (random_contraction_suits(&random, &algorithm)) check_lowering(&random, &algorithm);
        }
        random_contraction_free(&random);
    }
}

/* Single calls. */

static enum tcplan_status lower(struct blas_call *out, const char *contraction, const char *sizes,
                                const char *algorithm_name, struct tcplan_error *error) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    random_contraction_given(&given, contraction, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    if (tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, algorithm_name, error))
        fail_msg("%s", error->message);
    assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, error), TCPLAN_OK);
    const struct refined_problem refined = problem_refine(&given.problem, nest->refinement);
    enum tcplan_status status = blas_call_lower(out, nest, &find_kernel(nest->body)->kernel,
                                                &refined, (struct blas_call_place){0}, error);
    tcplan_nest_free(nest);
    random_contraction_free(&given);
    return status;
}

static void assert_gemm(const struct blas_call *call, enum tcplan_operand first,
                        const char *letters, const int mnk[3], const int ld[3]) {
    assert_int_equal(call->first, first);
    assert_int_equal(call->transposed[0], letters[0] == 'T');
    assert_int_equal(call->transposed[1], letters[1] == 'T');
    assert_true(call->m == mnk[0] && call->n == mnk[1] && call->k == mnk[2]);
    assert_memory_equal(call->ld, ld, sizeof call->ld);
}

static void a_gemm_takes_the_factor_of_the_results_rows_first(void **state) {
    (void)state;
    struct blas_call call;
    struct tcplan_error error = {0};
    assert_int_equal(lower(&call, "C_abc=A_ai*B_ibc", "a=3,b=4,c=5,i=6", "c-dgemm", &error),
                     TCPLAN_OK);
    assert_gemm(&call, TCPLAN_A, "NN", (const int[]){3, 4, 6}, (const int[]){3, 6, 3});
    assert_int_equal(lower(&call, "C_bac=A_ai*B_ibc", "a=3,b=4,c=5,i=6", "c-dgemm", &error),
                     TCPLAN_OK);
    assert_gemm(&call, TCPLAN_B, "TT", (const int[]){4, 3, 6}, (const int[]){6, 3, 4});
}

static void assert_split(const struct blas_call_split *split, const int extent[2],
                         const int64_t first[2], const int64_t second[2]) {
    assert_int_equal(split->count, 2);
    for (int d = 0; d < 2; d++) {
        assert_int_equal(split->extent[d], extent[d]);
        assert_int_equal(split->stride[0][d], first[d]);
        assert_int_equal(split->stride[1][d], second[d]);
    }
}

/** Only in C are a and b contiguous with each other, and c and d; e and f are in no tensor. */
static void an_emitted_gemm_gets_the_offsets_of_fused_indices(void **state) {
    (void)state;
    struct blas_call call;
    struct tcplan_error error = {0};
    const char *sizes = "a=3,b=4,c=5,d=6,e=7,f=2";
    assert_int_equal(lower(&call, "C_abcd=A_aebf*B_fdec", sizes, "dgemm@emitted", &error),
                     TCPLAN_OK);
    assert_true(call.m == 12 && call.n == 30 && call.k == 14);
    assert_split(&call.split[0], (const int[]){3, 4}, (const int64_t[]){1, 21},
                 (const int64_t[]){1, 3});
    assert_split(&call.split[1], (const int[]){5, 6}, (const int64_t[]){84, 2},
                 (const int64_t[]){12, 60});
    assert_split(&call.split[2], (const int[]){7, 2}, (const int64_t[]){3, 84},
                 (const int64_t[]){12, 1});
    assert_int_equal(lower(&call, "C_abcd=A_abef*B_efcd", sizes, "dgemm@emitted", &error),
                     TCPLAN_OK);
    for (int s = 0; s < 3; s++) assert_int_equal(call.split[s].count, 0);
}

static void a_copy_gives_the_call_the_strides_of_the_temporary(void **state) {
    (void)state;
    struct blas_call call;
    struct tcplan_error error = {0};
    assert_int_equal(lower(&call, "C_abc=A_ija*B_jbic", "a=3,b=4,c=5,i=6,j=7", "i'c-dgemm", &error),
                     TCPLAN_OK);
    assert_gemm(&call, TCPLAN_A, "TN", (const int[]){3, 4, 7}, (const int[]){7, 7, 3});
}

static void factors_are_those_of_the_contraction(void **state) {
    (void)state;
    struct blas_call call;
    struct tcplan_error error = {0};
    assert_int_equal(lower(&call, "C_ab=2*A_ai*B_ib-3*C_ab", "a=3,b=4,i=6", "dgemm", &error),
                     TCPLAN_OK);
    assert_true(call.alpha.re == 2 && call.alpha.im == 0 && call.beta.re == -3 &&
                call.beta.im == 0);
    assert_int_equal(lower(&call, "C_ab=2*A_ai*B_ib-3*C_ab", "a=3,b=4,i=6", "i-dger", &error),
                     TCPLAN_OK);
    assert_true(call.beta.re == 1); /* a scaling node before the kernel applies beta */
}

/** Returns whether the emitted C prefetches: kernels have m x k factors and n columns of the
 * result. */
static bool fetches_ahead(int m, int n, int k, const char *algorithm) {
    struct blas_call call;
    struct tcplan_error error = {0};
    char sizes[64];
    snprintf(sizes, sizeof sizes, "a=%d,b=%d,i=%d,c=5", m, n, k);
    if (lower(&call, "C_abc=A_aic*B_ib", sizes, algorithm, &error))
        fail_msg("%s: %s", algorithm, error.message);
    assert_int_equal(call.n, n);
    return call.fetches_ahead;
}

/** 64 KiB are 8192 elements. */
static void libxsmm_fetches_ahead_where_columns_are_few_or_the_factor_is_short(void **state) {
    (void)state;
    assert_true(fetches_ahead(312, 24, 312, "c-dgemm@libxsmm"));
    assert_true(fetches_ahead(312, 127, 312, "c-dgemm@libxsmm"));
    assert_false(fetches_ahead(312, 128, 312, "c-dgemm@libxsmm"));
    assert_true(fetches_ahead(64, 128, 128, "c-dgemm@libxsmm"));
    assert_false(fetches_ahead(64, 128, 129, "c-dgemm@libxsmm"));
    assert_false(fetches_ahead(64, 24, 8, "c'A-dgemm@libxsmm")); /* all calls use the same
                                                                    temporary, so nothing is
                                                                    prefetched */
    assert_false(fetches_ahead(64, 24, 8, "c-dgemm"));
}

/** Checks which heuristics apply to a temporary of 18 MB, and to a gemm whose calls use different
 * parts of A. */
static void check_heuristics(const char *name, struct tcplan_heuristics heuristics, bool streams,
                             bool fetches) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error;
    struct blas_call call;
    random_contraction_given(&given, "C_abc=A_aic*B_ib", "a=300,b=200,c=100,i=75",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    given.problem.heuristics = heuristics;
    if (tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, name, &error))
        fail_msg("%s", error.message);
    assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, &error), TCPLAN_OK);
    char *sized = tcplan_nest_text(nest, &given.problem, TCPLAN_DOUBLE);
    char *unsized = tcplan_nest_text(nest, NULL, TCPLAN_DOUBLE);
    assert_true((strstr(sized, "(streamed)") != NULL) == streams);
    assert_true((strstr(sized, "(fetching ahead)") != NULL) == fetches);
    assert_int_equal(strchr(unsized, '(') != NULL,
                     strstr(name, "'s") != NULL); /* the suffix s demands a non-temporal copy */
    const struct refined_problem refined = problem_refine(&given.problem, nest->refinement);
    const struct tcplan_node *kernel = find_kernel(nest->body);
    assert_int_equal(blas_call_lower(&call, nest, &kernel->kernel, &refined,
                                     (struct blas_call_place){0}, &error),
                     TCPLAN_OK);
    assert_true(call.fetches_ahead == fetches);
    free(sized);
    free(unsized);
    tcplan_nest_free(nest);
    random_contraction_free(&given);
}

static void nests_with_sizes_show_the_decisions_of_the_machine(void **state) {
    (void)state;
    const struct tcplan_heuristics usual = tcplan_heuristics_default();
    struct tcplan_heuristics other = usual;
    check_heuristics("'A.c-dgemm@libxsmm", usual, true, false);
    check_heuristics("c-dgemm@libxsmm", usual, false, false);
    check_heuristics("c-dgemm@emitted's", usual, true, false);
    other.far_bytes = 20 << 20;
    check_heuristics("'A.c-dgemm@libxsmm", other, false, false);
    other.ahead_columns = 201;
    check_heuristics("c-dgemm@libxsmm", other, false, true);
    other = usual;
    other.ahead_bytes = 300 * 75 * 8;
    check_heuristics("c-dgemm@libxsmm", other, false, true);
}

static void assert_not_applicable(const char *contraction, const char *sizes, const char *algorithm,
                                  const char *message) {
    struct blas_call call;
    struct tcplan_error error = {0};
    assert_int_equal(lower(&call, contraction, sizes, algorithm, &error), TCPLAN_NOT_APPLICABLE);
    assert_int_equal(error.status, TCPLAN_NOT_APPLICABLE);
    assert_string_equal(error.message, message);
}

static void a_stride_beyond_the_blas_integer_does_not_apply(void **state) {
    (void)state;
    static const char contraction[] = "C_abc=A_ai*B_ibc", sizes[] = "a=65536,b=65536,c=4,i=2";
    assert_not_applicable(
        contraction, sizes, "b-dgemm",
        "index c of tensor C has stride 4294967296, beyond the BLAS integer 2147483647");
    assert_not_applicable(
        contraction, sizes, "bi-dger",
        "index c of tensor C has stride 4294967296, beyond the BLAS integer 2147483647");
    assert_not_applicable(
        contraction, sizes, "ab-dgemv",
        "index c of tensor C has stride 4294967296, beyond the BLAS integer 2147483647");
    assert_not_applicable(
        contraction, sizes, "abi-daxpy",
        "index c of tensor C has stride 4294967296, beyond the BLAS integer 2147483647");
}

static void algorithms_without_the_long_stride_apply(void **state) {
    (void)state;
    static const char *const names[] = {"c-dgemm", "ca-dgemv", "ci-dger", "cib-daxpy", "abc-ddot"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct blas_call call;
        struct tcplan_error error = {0};
        if (lower(&call, "C_abc=A_ai*B_ibc", "a=65536,b=65536,c=4,i=2", names[n], &error))
            fail_msg("%s: %s", names[n], error.message);
    }
}

static void the_largest_blas_integer_is_a_stride(void **state) {
    (void)state;
    struct blas_call call;
    struct tcplan_error error = {0};
    assert_int_equal(lower(&call, "C_ab=A_ai*B_ib", "a=2147483647,b=2,i=2", "a-dgemv", &error),
                     TCPLAN_OK);
    assert_int_equal(call.ld[2], INT_MAX);
    assert_not_applicable(
        "C_abc=A_ai*B_ibc", "a=1073741824,b=2,c=2,i=1", "ab-dgemv",
        "index c of tensor C has stride 2147483648, beyond the BLAS integer 2147483647");
}

static void a_copy_can_make_a_long_stride_short(void **state) {
    (void)state;
    struct blas_call call;
    struct tcplan_error error = {0};
    /* In A, the stride of a is i*j = 2^32 elements; in the temporary for one i, it is j. */
    assert_int_equal(
        lower(&call, "C_abc=A_ija*B_jbic", "a=4,b=2,c=2,i=65536,j=65536", "ci'-dgemm", &error),
        TCPLAN_OK);
    assert_int_equal(call.ld[0], 65536);
    assert_not_applicable(
        "C_abc=A_ija*B_jbic", "a=4,b=2,c=2,i=65536,j=65536", "cj'-dgemm",
        "index a of tensor A has stride 4294967296, beyond the BLAS integer 2147483647");
}

static void a_stride_beyond_the_blas_integer_along_one_element_does_not_apply_either(void **state) {
    (void)state;
    assert_not_applicable(
        "C_abc=A_ai*B_ibc", "a=65536,b=65536,c=1,i=2", "ab-dgemv",
        "index c of tensor C has stride 4294967296, beyond the BLAS integer 2147483647");
}

static void fused_indices_beyond_the_blas_integer_do_not_apply(void **state) {
    struct blas_call call;
    struct tcplan_error error = {0};
    (void)state;
    static const char message[] =
        "fused indices have more than 2147483647 values in total, beyond the BLAS integer";
    assert_not_applicable("C_cab=A_iab*B_ic", "a=65536,b=65536,c=2,i=2", "dgemm",
                          message); /* i*j overflows 32 bits to 0 */
    assert_not_applicable("C_cab=A_iab*B_ic", "a=46341,b=46341,c=2,i=2", "dgemm", message);
    assert_int_equal(lower(&call, "C_cab=A_iab*B_ic", "a=2147483647,b=1,c=2,i=2", "dgemm", &error),
                     TCPLAN_OK);
    assert_int_equal(call.n, INT_MAX);
}

static void an_element_wise_product_is_a_call_of_vectors_of_any_length(void **state) {
    (void)state;
    struct blas_call call;
    struct tcplan_error error = {0};
    assert_int_equal(lower(&call, "C_iab=A_abi*B_abi", "a=65536,b=65536,i=2", "i-dmul", &error),
                     TCPLAN_OK);
    assert_true(call.length == INT64_C(4294967296));
    assert_int_equal(call.strides[0][0], 1);
    assert_int_equal(call.strides[2][0], 2);
    assert_int_equal(
        lower(&call, "C_iab=2*A_abi*B_aib-3*C_iab", "a=65536,b=65536,i=2", "ai-dmul", &error),
        TCPLAN_OK);
    assert_int_equal(call.length, 65536);
    assert_int_equal(call.strides[0][0], 65536);
    assert_int_equal(call.strides[1][0], 131072);
    assert_int_equal(call.strides[2][0], 131072);
    assert_true(call.alpha.re == 2 && call.beta.re == -3);
}

/* Numbers of calls. */

static int kinds_of(const char *name, const char *sizes) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_error error;
    random_contraction_given(&given, "C_ab=A_ai*B_ib", sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    if (tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, name, &error))
        fail_msg("%s", error.message);
    const int kinds = blas_call_kinds_of(&given.problem, &algorithm);
    random_contraction_free(&given);
    return kinds;
}

static void last_tiles_and_later_visits_are_calls_of_their_own(void **state) {
    (void)state;
    assert_int_equal(kinds_of("dgemm", "a=60,b=60,i=60"), 1);
    assert_int_equal(kinds_of("a:8-dgemm", "a=64,b=60,i=60"), 1);
    assert_int_equal(kinds_of("a:8-dgemm", "a=60,b=60,i=60"), 2);
    assert_int_equal(kinds_of("a:8.b:8-dgemm", "a=60,b=60,i=60"), 4);
    assert_int_equal(kinds_of("i:20=-dgemm", "a=60,b=60,i=60"), 2);
    assert_int_equal(kinds_of("i:20-dgemm", "a=60,b=60,i=60"),
                     1); /* a scaling node before the loop applies beta */
    assert_int_equal(kinds_of("a:8.i:16=-dgemm", "a=60,b=60,i=60"), 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_multiply_and_add_the_elements_that_the_nest_names),
        cmocka_unit_test(a_gemm_takes_the_factor_of_the_results_rows_first),
        cmocka_unit_test(an_emitted_gemm_gets_the_offsets_of_fused_indices),
        cmocka_unit_test(a_copy_gives_the_call_the_strides_of_the_temporary),
        cmocka_unit_test(factors_are_those_of_the_contraction),
        cmocka_unit_test(libxsmm_fetches_ahead_where_columns_are_few_or_the_factor_is_short),
        cmocka_unit_test(nests_with_sizes_show_the_decisions_of_the_machine),
        cmocka_unit_test(a_stride_beyond_the_blas_integer_does_not_apply),
        cmocka_unit_test(algorithms_without_the_long_stride_apply),
        cmocka_unit_test(fused_indices_beyond_the_blas_integer_do_not_apply),
        cmocka_unit_test(the_largest_blas_integer_is_a_stride),
        cmocka_unit_test(a_copy_can_make_a_long_stride_short),
        cmocka_unit_test(a_stride_beyond_the_blas_integer_along_one_element_does_not_apply_either),
        cmocka_unit_test(an_element_wise_product_is_a_call_of_vectors_of_any_length),
        cmocka_unit_test(last_tiles_and_later_visits_are_calls_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
