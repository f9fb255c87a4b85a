#include "microbench/providers/built_in.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "microbench/providers/emitted.h"
#include "support/random_gemm.h"
#include "support/random_loops.h"
#include "support/rng.h"

enum { KERNELS = 400, ALIGNMENTS = 2 };

static uint64_t seed(void) {
    const char *given = getenv("TCPLAN_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 45;
}

static struct blas_call call_of(const struct emitted_gemm *gemm) {
    struct blas_call call = {.kernel = TCPLAN_GEMM,
                             .provider = TCPLAN_PROVIDER_EMITTED,
                             .first = TCPLAN_A,
                             .second = TCPLAN_B,
                             .m = gemm->m,
                             .n = gemm->n,
                             .k = gemm->k,
                             .alpha = gemm->alpha,
                             .beta = gemm->beta,
                             .streamed = gemm->streamed};
    for (int part = 0; part < 3; part++) {
        for (int side = 0; side < 2; side++) call.strides[part][side] = gemm->strides[part][side];
        if (part < 2) call.conjugated[part] = gemm->conjugated[part];
        call.split[part] = gemm->split[part];
    }
    return call;
}

static void call_kernel(const void *context, const void *a, const void *b, void *c) {
    const struct kernel *kernel = context;
    kernel->burst(kernel, (struct kernel_operands){.first = a, .second = b, .result = c},
                  (struct kernel_steps){0, 0, 0}, 1);
}

/** Selects an instruction set for tcplan's own kernels; skips the test if the processor lacks it.
 */
static void select_set(enum emitted_set set) {
    if (!built_in_has(set)) skip();
    built_in_select(set);
}

static int select_best(void **state) {
    (void)state;
    built_in_select(EMITTED_SETS);
    return 0;
}

static struct blas_call call_of_loops(const struct emitted_loops *loops) {
    struct blas_call call = {.kernel = TCPLAN_LOOPS,
                             .provider = TCPLAN_PROVIDER_EMITTED,
                             .first = TCPLAN_A,
                             .second = TCPLAN_B,
                             .m = 1,
                             .n = 1,
                             .k = 1,
                             .loop_count = loops->count,
                             .conjugated = {loops->conjugated[0], loops->conjugated[1]},
                             .alpha = loops->alpha,
                             .beta = loops->beta};
    memcpy(call.loop, loops->loop, sizeof call.loop);
    call.streamed = loops->streamed;
    return call;
}

/** Checks tcplan's own kernels for random loops. Returns for how many loops a kernel exists. */
static int check_loops(uint64_t *random) {
    int taken = 0;
    for (int k = 0; k < KERNELS; k++) {
        struct emitted_loops loops = random_loops(random);
        const struct blas_call call = call_of_loops(&loops);
        if (!built_in_takes(&call, loops.dtype)) continue;
        struct kernel kernel = {.call = call};
        built_in_bind(&kernel, loops.dtype);
        for (int a = 0; a < ALIGNMENTS; a++)
            random_loops_check(&loops, call_kernel, &kernel, k, random);
        taken++;
    }
    return taken;
}

static void check_set(enum emitted_set set) {
    static const char *const set_name[EMITTED_SETS] = {"plain C", "AVX2", "AVX-512"};
    uint64_t random = seed();
    int streamed = 0;
    select_set(set);
    const int loops = check_loops(&random);
    assert_true(loops > KERNELS / 2);
    for (int g = 0; g < KERNELS; g++) {
        struct emitted_gemm gemm = random_gemm(&random);
        struct blas_call call = call_of(&gemm);
        if (!built_in_takes(&call, gemm.dtype)) {
            gemm.streamed = call.streamed = false; /* only some products may be streamed */
            assert_true(built_in_takes(&call, gemm.dtype));
        }
        streamed += call.streamed;
        struct kernel kernel = {.call = call};
        built_in_bind(&kernel, gemm.dtype);
        for (int a = 0; a < ALIGNMENTS; a++)
            random_gemm_check(&gemm, call_kernel, &kernel, g, &random);
    }
    assert_true(streamed > 0);
    print_message("%d checks of %d kernels of loops, library, %s: all exact\n", loops * ALIGNMENTS,
                  loops, set_name[set]);
    print_message("%d checks of %d kernels of products, library, %s: all exact\n",
                  KERNELS * ALIGNMENTS, KERNELS, set_name[set]);
}

static void plain_kernels_agree_with_naive_loops(void **state) {
    (void)state;
    check_set(EMITTED_PLAIN);
}

static void avx2_kernels_agree_with_naive_loops(void **state) {
    (void)state;
    check_set(EMITTED_AVX2);
}

static void avx512_kernels_agree_with_naive_loops(void **state) {
    (void)state;
    check_set(EMITTED_AVX512);
}

static void hide_compiler(void) {
    static const struct compiler none = {.path = "/no/such/cc", .name = "cc", .limit_seconds = 1};
    emitted_set_compiler(&none);
}

static int find_compiler_again(void **state) {
    (void)state;
    emitted_set_compiler(NULL);
    return 0;
}

static void a_small_product_needs_no_compiler(void **state) {
    const struct emitted_gemm gemm = {.dtype = TCPLAN_DOUBLE,
                                      .m = 5,
                                      .n = 4,
                                      .k = 3,
                                      .strides = {{1, 5}, {1, 3}, {1, 5}},
                                      .alpha = {1, 0}};
    const struct blas_call call = call_of(&gemm);
    uint64_t random = seed();
    (void)state;
    if (!built_in_has(built_in_set())) skip();
    hide_compiler();
    const struct kernel kernel = kernel_bind(&call, gemm.dtype, NULL);
    assert_non_null(kernel.burst);
    random_gemm_check(&gemm, call_kernel, &kernel, 0, &random);
}

static void large_products_are_not_compiled(void **state) {
    const struct emitted_gemm gemm = {.dtype = TCPLAN_DOUBLE,
                                      .m = 512,
                                      .n = 512,
                                      .k = 65,
                                      .strides = {{1, 512}, {1, 65}, {1, 512}},
                                      .alpha = {1, 0}};
    const struct blas_call call = call_of(&gemm);
    (void)state;
    if (!built_in_has(built_in_set())) skip();
    emitted_set_compiler(NULL);
    assert_non_null(kernel_bind(&call, gemm.dtype, NULL).burst);
    assert_int_equal(tcplan_code_account().compiled, 0);
    assert_false(emitted_needs_compiler(&call, gemm.dtype));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(plain_kernels_agree_with_naive_loops, select_best),
        cmocka_unit_test_teardown(avx2_kernels_agree_with_naive_loops, select_best),
        cmocka_unit_test_teardown(avx512_kernels_agree_with_naive_loops, select_best),
        cmocka_unit_test_teardown(a_small_product_needs_no_compiler, find_compiler_again),
        cmocka_unit_test(large_products_are_not_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
