/*
 * Converts calls to the cases of models and back: handmade calls, and the calls of all structures
 * for the contractions of bench/peers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/algorithm/provider.h"
#include "base/alloc.h"
#include "gen/providers/provider.h"
#include "gen/space/enumerate.h"
#include "gen/space/structures.h"
#include "plan/times/copy_case.h"
#include "plan/times/model_case.h"
#include "support/random_contraction.h"

enum { LINE = 64 };

/* Handmade calls. */

/** Makes a call with column-major operands, alpha 1 and beta 0. */
static struct blas_call call_of(enum tcplan_kernel kernel, int m, int n, int k) {
    struct blas_call call = {
        .kernel = kernel, .m = m, .n = n, .k = k, .ld = {1, 1, 1}, .alpha = {1, 0}};
    if (kernel == TCPLAN_GEMM) call.ld[0] = call.ld[2] = m;
    if (kernel == TCPLAN_GEMM) call.ld[1] = k;
    if (kernel == TCPLAN_GEMV) call.ld[0] = m;
    if (kernel == TCPLAN_GER) call.ld[2] = m;
    return call;
}

static const struct model_case_choice own_case = {.line_bytes = LINE},
                                      any_case = {.any_scalars = true, .line_bytes = LINE};

static void assert_case(const struct blas_call *call, enum tcplan_dtype dtype, bool any,
                        const char *text) {
    struct model_case model_case;
    assert_true(model_case_of(&model_case, call, dtype, any ? any_case : own_case));
    assert_string_equal(model_case.text, text);
}

static void assert_none(const struct blas_call *call, enum tcplan_dtype dtype) {
    struct model_case model_case;
    assert_false(model_case_of(&model_case, call, dtype, own_case));
    assert_false(model_case_of(&model_case, call, dtype, any_case));
}

static void arguments_are_those_of_the_routine_in_their_order(void **state) {
    (void)state;
    struct blas_call gemm = call_of(TCPLAN_GEMM, 7, 5, 3), gemv = call_of(TCPLAN_GEMV, 7, 5, 1),
                     ger = call_of(TCPLAN_GER, 7, 5, 1);
    struct blas_call axpy = call_of(TCPLAN_AXPY, 7, 1, 1), dot = call_of(TCPLAN_DOT, 7, 1, 1);
    struct blas_call mul = {.kernel = TCPLAN_MUL,
                            .m = 1,
                            .n = 1,
                            .k = 1,
                            .length = 7,
                            .alpha = {1, 0},
                            .strides = {{1}, {1}, {8}}};
    gemm.transposed[1] = true;
    gemv.transposed[0] = true;
    gemv.ld[1] = 100;
    axpy.ld[2] = 8;
    assert_case(&gemm, TCPLAN_DOUBLE, false, "dgemm transA=N transB=T alpha=1 beta=0");
    assert_case(&gemv, TCPLAN_FLOAT, false, "sgemv trans=T alpha=1 beta=0 incx=large incy=1");
    assert_case(&ger, TCPLAN_DOUBLE, false, "dger alpha=1 incx=1 incy=1");
    assert_case(&ger, TCPLAN_DOUBLE_COMPLEX, false, "zgeru alpha=1 incx=1 incy=1");
    assert_case(&axpy, TCPLAN_DOUBLE, false, "daxpy alpha=any incx=1 incy=large");
    assert_case(&dot, TCPLAN_FLOAT_COMPLEX, false, "cdotu incx=1 incy=1");
    assert_case(&mul, TCPLAN_DOUBLE, false, "dmul alpha=1 beta=0 incx=1 incy=1 incz=large");
    assert_string_equal(model_case_provider(&mul), "own");
    assert_string_equal(model_case_provider(&gemm), "openblas");
}

static void scalars_have_classes(void **state) {
    (void)state;
    static const struct {
        struct tcplan_scalar alpha, beta;
        const char *own, *any;
    } given[] = {{{1, 0}, {0, 0}, "alpha=1 beta=0", "alpha=any beta=0"},
                 {{-1, 0}, {1, 0}, "alpha=-1 beta=1", "alpha=any beta=any"},
                 {{0.5, 0}, {-1, 0}, "alpha=any beta=-1", "alpha=any beta=any"},
                 {{0, 0}, {2, 0}, "alpha=0 beta=any", "alpha=0 beta=any"},
                 {{1, 1}, {0, 1}, "alpha=any beta=any", "alpha=any beta=any"},
                 {{-0.0, 0}, {-0.0, 0}, "alpha=0 beta=0", "alpha=0 beta=0"}};
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        struct blas_call call = call_of(TCPLAN_GEMM, 4, 4, 4);
        char text[TCPLAN_MODEL_TEXT];
        call.alpha = given[g].alpha;
        call.beta = given[g].beta;
        snprintf(text, sizeof text, "zgemm transA=N transB=N %s", given[g].own);
        assert_case(&call, TCPLAN_DOUBLE_COMPLEX, false, text);
        snprintf(text, sizeof text, "zgemm transA=N transB=N %s", given[g].any);
        assert_case(&call, TCPLAN_DOUBLE_COMPLEX, true, text);
    }
}

/** An increment between 1 and a cache line counts as the nearer of both, and is recorded. */
static void check_increments(int64_t line_bytes) {
    static const enum tcplan_dtype dtype[] = {TCPLAN_FLOAT, TCPLAN_DOUBLE, TCPLAN_DOUBLE_COMPLEX};
    const struct model_case_choice own = {.line_bytes = line_bytes},
                                   as_one = {.near_as_one = true, .line_bytes = line_bytes};
    for (int t = 0; t < 3; t++) {
        const int line = (int)line_bytes / (int)tcplan_dtype_bytes(dtype[t]);
        struct blas_call call = call_of(TCPLAN_DOT, 10, 1, 1);
        struct model_case model_case;
        for (int increment = 2; increment < line; increment++) {
            call.ld[0] = increment % 2 ? increment : -increment;
            assert_true(model_case_of(&model_case, &call, dtype[t], own));
            assert_non_null(strstr(model_case.text, "incx=large incy=1"));
            assert_true(model_case.increment == increment && model_case.line == line);
            assert_true(model_case_of(&model_case, &call, dtype[t], as_one));
            assert_non_null(strstr(model_case.text, "incx=1 incy=1"));
            assert_true(model_case.increment == increment && model_case.line == line);
        }
        call.ld[0] = line;
        for (int near = 0; near < 2; near++) {
            assert_true(model_case_of(&model_case, &call, dtype[t], near ? as_one : own));
            assert_non_null(strstr(model_case.text, "incx=large incy=1"));
            assert_true(model_case.increment == 0);
        }
        call.ld[0] = 3;
        call.m = 1; /* a vector of one element: its increment has no effect */
        assert_true(model_case_of(&model_case, &call, dtype[t], own));
        assert_non_null(strstr(model_case.text, "incx=1 incy=1"));
        assert_true(model_case.increment == 0);
        call.m = 10;
        call.ld[0] = 0; /* all elements coincide */
        assert_none(&call, dtype[t]);
    }
}

static void increments_are_one_or_a_line_and_more(void **state) {
    (void)state;
    check_increments(64);
    check_increments(128);
    struct blas_call both = call_of(TCPLAN_AXPY, 10, 1, 1);
    struct model_case model_case;
    both.ld[0] = 2, both.ld[2] = 7;
    assert_true(model_case_of(&model_case, &both, TCPLAN_DOUBLE, own_case));
    assert_true(model_case.increment == 4.5);
}

static void conjugates_are_transposed_or_routines_of_their_own(void **state) {
    (void)state;
    struct blas_call gemm = call_of(TCPLAN_GEMM, 4, 4, 4), dot = call_of(TCPLAN_DOT, 4, 1, 1),
                     ger = call_of(TCPLAN_GER, 4, 4, 1);
    gemm.conjugated[0] = true;
    assert_none(&gemm, TCPLAN_DOUBLE_COMPLEX);
    gemm.transposed[0] = true;
    assert_case(&gemm, TCPLAN_DOUBLE_COMPLEX, false, "zgemm transA=C transB=N alpha=1 beta=0");
    dot.conjugated[1] = ger.conjugated[1] = true;
    assert_case(&dot, TCPLAN_DOUBLE_COMPLEX, false, "zdotc incx=1 incy=1");
    assert_case(&ger, TCPLAN_DOUBLE_COMPLEX, false, "zgerc alpha=1 incx=1 incy=1");
}

/** BLIS supports any strides: a call of BLIS that a BLAS could also make has a case, with the
 * corresponding transpositions. */
static void matrices_of_any_strides_have_a_contiguous_dimension(void **state) {
    (void)state;
    struct blas_call call = {.kernel = TCPLAN_GEMM,
                             .provider = TCPLAN_PROVIDER_BLIS,
                             .m = 4,
                             .n = 5,
                             .k = 6,
                             .ld = {1, 1, 1},
                             .alpha = {1, 0}};
    call.strides[0][0] = 6, call.strides[0][1] = 1;
    call.strides[1][0] = 1, call.strides[1][1] = 6;
    call.strides[2][0] = 1, call.strides[2][1] = 4;
    assert_case(&call, TCPLAN_DOUBLE, false, "dgemm transA=T transB=N alpha=1 beta=0");
    call.strides[0][1] = 2;
    assert_none(&call, TCPLAN_DOUBLE);
    call.strides[0][1] = 1, call.strides[2][0] = 2;
    assert_none(&call, TCPLAN_DOUBLE);
}

static void calls_without_a_routine_have_no_case(void **state) {
    (void)state;
    struct blas_call call = call_of(TCPLAN_GEMM, 4, 4, 4);
    call.kernel = TCPLAN_BRGEMM;
    call.products = 3;
    assert_none(&call, TCPLAN_DOUBLE);
}

/* Copies. */

/** A copied block, and the cases of models that fit it, ended by NULL. */
struct copied {
    struct copy_case_block block;
    struct {
        const char *text;
        int64_t size[3];
        double calls;
        double increment;
    } own[COPY_CASES];
};

static void copies_are_calls_of_our_own_routines(void **state) {
    (void)state;
    static const struct copied given[] = {
        {{.rank = 1, .dimension = {{100, 1, 1}}, .dtype = TCPLAN_DOUBLE, .line_bytes = LINE},
         {{"dmove incx=1 incy=1", {100}, 1, 0}}},
        {{.rank = 1, .dimension = {{100, 1, 40}}, .dtype = TCPLAN_FLOAT, .line_bytes = LINE},
         {{"smove incx=large incy=1", {100}, 1, 0}}},
        {{.rank = 1, .dimension = {{100, 3, 1}}, .dtype = TCPLAN_DOUBLE, .line_bytes = LINE},
         {{"dmove incx=1 incy=large", {100}, 1, 3}}},
        {{.rank = 1, .dimension = {{100, 2, 2}}, .dtype = TCPLAN_DOUBLE, .line_bytes = LINE},
         {{0}}},
        {{.rank = 2,
          .dimension = {{30, 1, 1}, {50, 30, 70}},
          .dtype = TCPLAN_DOUBLE,
          .line_bytes = LINE},
         {{"dmove incx=1 incy=1", {30}, 50, 0}}},
        {{.rank = 2,
          .dimension = {{30, 1, 9}, {50, 30, 1}},
          .streamed = true,
          .dtype = TCPLAN_FLOAT_COMPLEX,
          .line_bytes = LINE},
         {{"ctranspose streamed=1", {50, 30}, 1, 0}}},
        {{.rank = 2,
          .dimension = {{30, 1, 90}, {50, 30, 8}},
          .dtype = TCPLAN_DOUBLE,
          .line_bytes = LINE},
         {{"dmove incx=large incy=1", {30}, 50, 0}}},
        {{.rank = 3,
          .dimension = {{30, 1, 1}, {50, 30, 280}, {7, 1500, 40}},
          .dtype = TCPLAN_DOUBLE,
          .line_bytes = LINE},
         {{"dpermute order=132 streamed=0", {30, 7, 50}, 1, 0},
          {"dmove incx=1 incy=1", {30}, 350, 0}}},
        {{.rank = 3,
          .dimension = {{30, 1, 56}, {7, 30, 1}, {8, 210, 7}},
          .dtype = TCPLAN_DOUBLE,
          .line_bytes = LINE},
         {{"dpermute order=312 streamed=0", {7, 8, 30}, 1, 0},
          {"dtranspose streamed=0", {7, 30}, 8, 0}}},
        {{.rank = 4,
          .dimension = {{4, 1, 900}, {5, 4, 1}, {6, 20, 100}, {7, 120, 8000}},
          .dtype = TCPLAN_DOUBLE,
          .line_bytes = LINE},
         {{"dtranspose streamed=0", {5, 4}, 42, 0}}},
        {{.rank = 0}, {{0}}},
    };
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        struct copy_case found[COPY_CASES];
        char read[TCPLAN_MODEL_TEXT];
        int expected = 0;
        const int count = copy_case_of(found, &given[g].block);
        while (expected < COPY_CASES && given[g].own[expected].text) expected++;
        assert_int_equal(count, expected);
        for (int c = 0; c < count; c++) {
            const struct model_case *own = &found[c].model_case;
            assert_string_equal(own->text, given[g].own[c].text);
            for (int s = 0; s < own->sizes; s++)
                assert_int_equal(own->size[s], given[g].own[c].size[s]);
            assert_true(found[c].calls == given[g].own[c].calls &&
                        own->increment == given[g].own[c].increment);
            assert_int_equal(found[c].is_run, strstr(own->text, "move") && given[g].block.rank > 1);
            assert_int_equal(tcplan_model_case_read(read, own->text, NULL), TCPLAN_OK);
            assert_string_equal(read, own->text);
        }
    }
}

static void other_texts_are_no_calls(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "dgem transA=N transB=N alpha=1 beta=1",
                                        "dtrsm side=L uplo=L transA=N diag=N alpha=1",
                                        "dgemm transA=N transB=N alpha=1",
                                        "dgemm transA=N transB=N alpha=1 beta=1 incx=1",
                                        "dgemm transB=N transA=N alpha=1 beta=1",
                                        "dgemm transA=X transB=N alpha=1 beta=1",
                                        "dgemm transA=N transB=N alpha=2 beta=1",
                                        "dgemm  transA=N transB=N alpha=1 beta=1",
                                        "ddot incx=2 incy=1",
                                        "ddot incx=largelargelarge incy=1",
                                        "zdot incx=1 incy=1"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        struct model_case model_case = {.sizes = texts[t][0] == 'd' && texts[t][1] == 'g' ? 3 : 1,
                                        .size = {4, 4, 4}};
        struct blas_call call;
        enum tcplan_dtype dtype;
        struct tcplan_error error = {0};
        snprintf(model_case.text, sizeof model_case.text, "%s", texts[t]);
        assert_int_equal(model_case_call(&call, &dtype, &model_case, &error), TCPLAN_INVALID);
        assert_true(*error.message);
    }
    for (int which = 0; which < 3; which++) {
        struct model_case model_case = {.text = "dgemm transA=N transB=N alpha=1 beta=1",
                                        .sizes = which == 0 ? 2 : 3,
                                        .size = {4, 4, 4}};
        struct blas_call call;
        enum tcplan_dtype dtype;
        if (which == 1) model_case.size[1] = 0;
        if (which == 2) model_case.size[1] = (int64_t)1 << 31;
        assert_int_equal(model_case_call(&call, &dtype, &model_case, NULL), TCPLAN_INVALID);
    }
}

/* Calls of contractions. */

/** The contractions of bench/peers. */
static const char *const peers[][2] = {
    {"C_abc=A_bda*B_dc", "a=312,b=312,c=24,d=312"},
    {"C_abc=A_dca*B_bd", "a=312,b=24,c=296,d=312"},
    {"C_abcd=A_dbea*B_ec", "a=72,b=72,c=24,d=72,e=72"},
    {"C_abcd=A_deca*B_be", "a=72,b=24,c=72,d=72,e=72"},
    {"C_abcd=A_ebad*B_ce", "a=72,b=72,c=24,d=72,e=72"},
    {"C_abcde=A_efbad*B_cf", "a=48,b=32,c=24,d=32,e=48,f=32"},
    {"C_abcde=A_ecbfa*B_fd", "a=48,b=32,c=32,d=24,e=48,f=48"},
    {"C_abcde=A_efcad*B_bf", "a=48,b=24,c=32,d=32,e=48,f=32"},
    {"C_abcd=A_ea*B_ebcd", "a=72,b=72,c=72,d=72,e=72"},
    {"C_abcd=A_eb*B_aecd", "a=72,b=72,c=72,d=72,e=72"},
    {"C_abcd=A_ec*B_abed", "a=72,b=72,c=72,d=72,e=72"},
    {"C_ab=A_ac*B_cb", "a=2568,b=2560,c=2568"},
    {"C_ab=A_acd*B_dbc", "a=312,b=296,c=296,d=312"},
    {"C_ab=A_cad*B_dcb", "a=312,b=296,c=312,d=312"},
    {"C_abc=A_acd*B_db", "a=312,b=296,c=296,d=312"},
    {"C_abc=A_adc*B_bd", "a=312,b=312,c=296,d=296"},
    {"C_abc=A_adec*B_ebd", "a=72,b=72,c=72,d=72,e=72"},
    {"C_abcd=A_aebf*B_dfce", "a=48,b=48,c=48,d=48,e=48,f=48"},
    {"C_abcd=A_aebf*B_fdec", "a=48,b=48,c=48,d=48,e=48,f=48"},
    {"C_abcd=A_eafd*B_fbec", "a=48,b=48,c=48,d=48,e=48,f=48"},
    {"C_abcdef=A_dega*B_gfbc", "a=24,b=16,c=16,d=24,e=16,f=16,g=24"},
    {"C_abcdef=A_degb*B_gfac", "a=24,b=16,c=16,d=24,e=16,f=16,g=24"},
    {"C_abcdef=A_degc*B_gfab", "a=24,b=16,c=16,d=24,e=16,f=16,g=24"},
    {"C_abcdef=A_dfgb*B_geac", "a=24,b=16,c=16,d=24,e=16,f=16,g=24"},
    {"C_abc=A_ai*B_ibc", "a=64,b=64,c=64,i=8"},
    {"C_abc=A_ai*B_ibc", "a=200,b=200,c=200,i=8"},
    {"C_abc=A_ai*B_ibc", "a=400,b=400,c=400,i=8"},
    {"C_abc=A_ai*B_ibc", "a=800,b=800,c=800,i=8"},
    {"C_abc=A_ija*B_jbic", "a=64,b=64,c=64,i=8,j=8"},
    {"C_abc=A_ija*B_jbic", "a=128,b=128,c=128,i=8,j=8"},
    {"C_abc=A_ija*B_jbic", "a=256,b=256,c=256,i=8,j=8"},
    {"C_a=A_iaj*B_ji", "a=64,i=64,j=64"},
    {"C_a=A_iaj*B_ji", "a=256,i=256,j=256"},
    {"C_a=A_iaj*B_ji", "a=512,i=512,j=512"},
};

/** Visits the calls of all structures of a contraction. */
struct visit {
    const struct random_contraction *given;
    enum tcplan_dtype dtype;
    int64_t cases;
    int64_t others;
};

/** Returns whether a call has no case, for one of the reasons that the header lists. */
static bool is_none_by_rule(const struct blas_call *call) {
    const bool is_product =
        call->kernel == TCPLAN_GEMM && provider_traits_of(call->provider)->takes_any_strides;
    bool scattered = false;
    for (int part = 0; part < 3; part++) {
        scattered = scattered ||
                    (call->strides[part][0] != 1 && (part == 2 || call->strides[part][1] != 1));
    }
    return call->kernel == TCPLAN_BRGEMM || (is_product && scattered);
}

/** Checks that the case of a call can be parsed, and that a call with its arguments and sizes has
 * the same case. */
static void check_inverse(const struct blas_call *call, enum tcplan_dtype dtype,
                          const struct model_case *model_case) {
    struct model_case again;
    struct blas_call back;
    enum tcplan_dtype back_dtype;
    char read[TCPLAN_MODEL_TEXT];
    struct tcplan_error error = {0};
    if (tcplan_model_case_read(read, model_case->text, &error))
        fail_msg("'%s': %s", model_case->text, error.message);
    assert_string_equal(read, model_case->text);
    if (model_case_call(&back, &back_dtype, model_case, &error))
        fail_msg("'%s': %s", model_case->text, error.message);
    assert_true(back.kernel == call->kernel && back_dtype == dtype);
    assert_true(back.m == call->m && back.n == call->n && back.k == call->k &&
                back.length == call->length);
    for (int part = 0; part < 2 && !provider_traits_of(call->provider)->takes_any_strides; part++) {
        assert_true(back.transposed[part] == call->transposed[part]);
    }
    assert_true(model_case_of(&again, &back, dtype, own_case));
    assert_string_equal(again.text, model_case->text);
    assert_memory_equal(again.size, model_case->size, sizeof again.size);
}

/** Checks the calls of a structure; a structures_fn. */
static bool check_structure(void *context, const struct tcplan_algorithm *structure) {
    struct visit *visit = context;
    struct blas_call call;
    double calls;
    struct model_case model_case;
    if (blas_call_of(&call, &calls, &visit->given->problem, structure, NULL) != TCPLAN_OK)
        return true;
    if (!blas_call_provider_has(&call, visit->dtype, call.provider)) return true;
    if (model_case_of(&model_case, &call, visit->dtype, own_case)) {
        check_inverse(&call, visit->dtype, &model_case);
        visit->cases++;
    } else {
        if (!is_none_by_rule(&call))
            fail_msg("%s: no case", random_contraction_describe(visit->given));
        visit->others++;
    }
    return true;
}

static void check_contraction(struct visit *visit) {
    size_t count;
    const struct structures_options options = {.problem = &visit->given->problem,
                                               .line_elems =
                                                   64 / (int64_t)tcplan_dtype_bytes(visit->dtype),
                                               .near_elems = {4096, 131072},
                                               .provider = {[TCPLAN_PROVIDER_BLAS] = true,
                                                            [TCPLAN_PROVIDER_LIBXSMM] = true,
                                                            [TCPLAN_PROVIDER_BLIS] = true},
                                               .threads = 1};
    struct tcplan_algorithm *structure = enumerator_structures(visit->given->contraction, &count);
    assert_non_null(structure);
    for (size_t s = 0; s < count; s++) check_structure(visit, &structure[s]);
    base_free(structure);
    structures_visit(&options, check_structure, visit);
}

static void every_call_of_the_peers_contractions_is_a_case_that_parses(void **state) {
    (void)state;
    static const enum tcplan_dtype dtypes[] = {TCPLAN_DOUBLE, TCPLAN_FLOAT_COMPLEX};
    for (size_t p = 0; p < sizeof peers / sizeof *peers; p++) {
        struct random_contraction given;
        struct visit visit = {.given = &given, .dtype = dtypes[p % 2]};
        random_contraction_given(&given, peers[p][0], peers[p][1], TCPLAN_COLUMN_MAJOR,
                                 visit.dtype);
        check_contraction(&visit);
        assert_true(visit.cases > 0);
        random_contraction_free(&given);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_those_of_the_routine_in_their_order),
        cmocka_unit_test(scalars_have_classes),
        cmocka_unit_test(increments_are_one_or_a_line_and_more),
        cmocka_unit_test(conjugates_are_transposed_or_routines_of_their_own),
        cmocka_unit_test(matrices_of_any_strides_have_a_contiguous_dimension),
        cmocka_unit_test(calls_without_a_routine_have_no_case),
        cmocka_unit_test(copies_are_calls_of_our_own_routines),
        cmocka_unit_test(other_texts_are_no_calls),
        cmocka_unit_test(every_call_of_the_peers_contractions_is_a_case_that_parses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
