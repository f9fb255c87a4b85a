/*
 * Tests that kernels of every available provider give the results of naive loops; unavailable
 * providers are skipped with a message. Opened libraries do not affect the BLAS that tcplan is
 * linked with.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/provider.h"
#include "ast/nest/refine.h"
#include "gen/kernels/kernel_code.h"
#include "gen/providers/provider.h"
#include "gen/providers/provider_code.h"
#include "microbench/predict/kernel_bursts.h"
#include "microbench/program/program.h"
#include "microbench/providers/blas.h"
#include "microbench/providers/cblas_routines.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/symbol.h"
#include "support/naive.h"
#include "support/random_contraction.h"
#include "support/rng.h"
#include "support/run_algorithm.h"
#include "support/upper_registers.h"
#include "tcplan/rank.h"

/** Returns the name of the library file that contains a function. */
static const char *file_of_function(void (*function)(void)) {
    Dl_info info;
    void *address;
    memcpy(&address, &function, sizeof address);
    assert_int_not_equal(dladdr(address, &info), 0);
    return info.dli_fname;
}

/** Opens the linked BLAS once more, by its file. */
static enum tcplan_provider open_linked(void) {
    enum tcplan_provider provider;
    struct tcplan_error error;
    if (tcplan_provider_open(&provider, file_of_function((void (*)(void))cblas_dgemm), &error) !=
        TCPLAN_OK)
        fail_msg("%s", error.message);
    return provider;
}

static bool is_there(enum tcplan_provider provider) {
    struct tcplan_provider_info info;
    return tcplan_provider_info(&info, provider);
}

/** Skips the test if the provider is unavailable. */
static void need(enum tcplan_provider provider) {
    if (is_there(provider)) return;
    print_message("%s is not there\n", tcplan_provider_name(provider));
    skip();
}

/* Names. */

static void names_are_found_again(void **state) {
    (void)state;
    enum tcplan_provider found;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        assert_true(tcplan_provider_find(&found, tcplan_provider_name((enum tcplan_provider)p)));
        assert_int_equal(found, p);
    }
    assert_false(tcplan_provider_find(&found, "mkl"));
    assert_false(tcplan_provider_find(&found, ""));
}

/* Tables. */

static void every_provider_has_a_line_in_every_table(void **state) {
    (void)state;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        const enum tcplan_provider provider = (enum tcplan_provider)p;
        const struct provider_traits *traits = provider_traits_of(provider);
        assert_true(traits->is_cblas || traits->kernels != 0);
        assert_true((traits->library == NULL) ==
                    (p >= TCPLAN_PROVIDER_FILE_1 ||
                     traits->is_compiled)); /* the version identifies a provider in stored data */
        assert_non_null(provider_code_of(provider));
        assert_non_null(provider_code_of(provider)->emit_include);
        assert_true((provider_code_of(provider)->emit_link == NULL) ==
                    (provider == TCPLAN_PROVIDER_EMITTED));
        assert_non_null(provider_of(provider));
        assert_true(provider_of(provider)->find && provider_of(provider)->bind);
        assert_true((provider_of(provider)->threads == NULL) ==
                    (provider_of(provider)->put_back == NULL));
    }
}

static void every_class_has_a_line_in_every_table(void **state) {
    (void)state;
    for (int k = 0; k < TCPLAN_KERNELS; k++) {
        const enum tcplan_kernel kernel = (enum tcplan_kernel)k;
        bool has_provider = false;
        assert_non_null(kernel_class_of(kernel)->name);
        assert_true(kernel_roles(kernel) != 0);
        for (int p = 0; p < TCPLAN_PROVIDERS; p++)
            has_provider = has_provider || provider_has_kernel((enum tcplan_provider)p, kernel);
        assert_true(has_provider);
        assert_non_null(kernel_code_of(kernel));
        assert_true(kernel_code_of(kernel)->lower && kernel_code_of(kernel)->role_at &&
                    kernel_code_of(kernel)->step && kernel_code_of(kernel)->emit);
        assert_non_null(kernel_bursts_of(kernel));
        assert_true(kernel_bursts_of(kernel)->cost.call_ns > 0 &&
                    kernel_bursts_of(kernel)->cost.rate > 0);
        if (!kernel_class_of(kernel)->takes_loops)
            assert_non_null(kernel_bursts_of(kernel)->burst[TCPLAN_DOUBLE]); /* libxsmm generates
                                                                                code for each call
                                                                              */
    }
}

/* Kernels in nests. */

static struct tcplan_node *find_kernel(const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_KERNEL)
            return (struct tcplan_node *)(uintptr_t)node; /* casts const away: the nest was
                                                             allocated as writable memory */
        struct tcplan_node *inner =
            node->kind == TCPLAN_NODE_LOOP ? find_kernel(node->loop.body) : NULL;
        if (inner) return inner;
    }
    return NULL;
}

/** Executes an algorithm with the provider's kernel and checks the result; returns false if the
 * provider lacks the kernel. */
static bool check_algorithm(const struct random_contraction *random,
                            const struct tcplan_algorithm *algorithm, enum tcplan_provider provider,
                            struct naive_case *naive) {
    struct tcplan_error error = {0};
    struct tcplan_nest *nest = NULL;
    struct tcplan_program *program = NULL;
    struct blas_call call;
    assert_int_equal(tcplan_nest_build(&nest, random->contraction, algorithm, &error), TCPLAN_OK);
    struct tcplan_node *kernel = find_kernel(nest->body);
    kernel->kernel.provider = provider;
    const struct refined_problem refined = problem_refine(&random->problem, nest->refinement);
    enum tcplan_status status = blas_call_lower(&call, nest, &kernel->kernel, &refined,
                                                (struct blas_call_place){0}, &error);
    assert_true(status == TCPLAN_OK || (status == TCPLAN_NOT_APPLICABLE && *random->strides));
    assert_int_equal(call.provider, provider);
    const bool calls = !tcplan_problem_only_scales(&random->problem);
    const bool has = !calls || (status == TCPLAN_OK &&
                                blas_call_provider_has(&call, random->problem.dtype, provider));
    status = tcplan_program_build(&program, nest, &random->problem, &error);
    assert_int_equal(status, has ? TCPLAN_OK : TCPLAN_NOT_APPLICABLE);
    if (has) {
        naive_case_reset(naive);
        tcplan_program_run_adding(program, naive->A, naive->B, naive->addend, naive->C, NULL);
        if (naive_case_error(naive) > naive_tolerance(&random->problem)) {
            fail_msg("%s --algorithm \"%s\": wrong with %s", random_contraction_describe(random),
                     tcplan_algorithm_name(algorithm, random->contraction, random->problem.dtype),
                     tcplan_provider_name(provider));
        }
    }
    tcplan_program_free(program);
    tcplan_nest_free(nest);
    return has && calls;
}

/** Returns how many algorithms of random contractions were executed with the provider's kernels. */
static int check_contractions(enum tcplan_provider provider, int contractions,
                              uint64_t first_seed) {
    struct random_contraction_options options = random_contraction_defaults();
    int count = 0;
    options.zeros = false;
    options.max_extent = 20;
    options.max_rank = 3;
    options.min_rank = 2;
    for (int c = 0; c < contractions; c++) {
        struct random_contraction random;
        struct naive_case naive;
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm algorithm;
        options.scalars = c % 4 == 0; /* libxsmm supports few values of alpha and beta */
        random_contraction_init(&random, first_seed + (uint64_t)c, &options);
        naive_case_init(&naive, &random.problem, random.seed);
        tcplan_enumerator_init(&enumerator, random.contraction);
        while (tcplan_enumerator_next(&enumerator, &algorithm))
            count += check_algorithm(&random, &algorithm, provider, &naive);
        naive_case_free(&naive);
        random_contraction_free(&random);
    }
    return count;
}

static void kernels_of_libxsmm_equal_naive_loops(void **state) {
    (void)state;
    need(TCPLAN_PROVIDER_LIBXSMM);
    assert_true(check_contractions(TCPLAN_PROVIDER_LIBXSMM, 900, 30001) > 100);
}

static void kernels_of_libxsmm_leave_vector_registers_clean(void **state) {
    (void)state;
    need(TCPLAN_PROVIDER_LIBXSMM);
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    double A[64] = {0}, B[64] = {0}, C[64] = {0};
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=b=i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, "dgemm@libxsmm", NULL),
        TCPLAN_OK);
    assert_int_equal(run_algorithm(&given.problem, &algorithm, A, B, NULL, C, NULL), TCPLAN_OK);
    assert_false(upper_registers_are_used());
    random_contraction_free(&given);
}

static void kernels_of_blis_equal_naive_loops(void **state) {
    (void)state;
    need(TCPLAN_PROVIDER_BLIS);
    assert_true(check_contractions(TCPLAN_PROVIDER_BLIS, 200, 31001) > 100);
}

static void kernels_of_a_file_equal_naive_loops(void **state) {
    (void)state;
    assert_true(check_contractions(open_linked(), 200, 32001) > 1000);
}

static void kernels_of_absent_providers_do_not_apply(void **state) {
    (void)state;
    const struct blas_call call = {.kernel = TCPLAN_GEMM,
                                   .provider = TCPLAN_PROVIDER_FILE_4,
                                   .m = 2,
                                   .n = 2,
                                   .k = 2,
                                   .ld = {2, 2, 2},
                                   .alpha = {1, 0}};
    assert_false(is_there(TCPLAN_PROVIDER_FILE_4));
    assert_null(kernel_bind(&call, TCPLAN_DOUBLE, NULL).burst);
}

static void only_libraries_of_files_can_be_wrong(void **state) {
    (void)state;
    char text[TCPLAN_MESSAGE_SIZE];
    for (int p = 0; p < TCPLAN_PROVIDER_FILE_1; p++)
        assert_false(tcplan_provider_wrong(text, (enum tcplan_provider)p));
}

/* Single calls. */

enum { ROOM = 40 * 40 * 8, MOST = 12 }; /* elements of a matrix with gaps; largest extent */

/** Reads element `i` of an array as a complex number. */
static void get(double out[2], const void *data, enum tcplan_dtype dtype, int64_t i) {
    switch (dtype) {
    case TCPLAN_FLOAT: out[0] = ((const float *)data)[i], out[1] = 0; break;
    case TCPLAN_DOUBLE: out[0] = ((const double *)data)[i], out[1] = 0; break;
    case TCPLAN_FLOAT_COMPLEX:
        out[0] = ((const float *)data)[2 * i], out[1] = ((const float *)data)[2 * i + 1];
        break;
    case TCPLAN_DOUBLE_COMPLEX:
        out[0] = ((const double *)data)[2 * i], out[1] = ((const double *)data)[2 * i + 1];
        break;
    case TCPLAN_DTYPES: break;
    }
}

/** Computes the expected element in row `i` and column `j` of a gemm. */
static void expected_element(double out[2], const struct blas_call *call, enum tcplan_dtype dtype,
                             const void *first, const void *second, const void *before, int i,
                             int j) {
    double sum[2] = {0, 0}, a[2], b[2], old[2];
    const int64_t(*s)[2] = call->strides;
    for (int k = 0; k < call->k; k++) {
        get(a, first, dtype, i * s[0][0] + k * s[0][1]);
        get(b, second, dtype, k * s[1][0] + j * s[1][1]);
        sum[0] += a[0] * b[0] - a[1] * b[1];
        sum[1] += a[0] * b[1] + a[1] * b[0];
    }
    get(old, before, dtype, i * s[2][0] + j * s[2][1]);
    out[0] = call->alpha.re * sum[0] - call->alpha.im * sum[1] + call->beta.re * old[0] -
             call->beta.im * old[1];
    out[1] = call->alpha.re * sum[1] + call->alpha.im * sum[0] + call->beta.re * old[1] +
             call->beta.im * old[0];
}

/** Makes two gemm calls on adjacent memory, and checks both results. */
static void check_call(const struct blas_call *call, enum tcplan_dtype dtype, uint64_t seed) {
    static double first[2 * ROOM], second[2 * ROOM], result[2 * ROOM], before[2 * ROOM];
    uint64_t random = seed;
    const struct kernel kernel = kernel_bind(call, dtype, NULL);
    const size_t bytes = tcplan_dtype_bytes(dtype);
    const int64_t apart =
        ROOM / 2; /* elements between the operands of the first and the second call */
    const ptrdiff_t step = (ptrdiff_t)(apart * (int64_t)bytes);
    assert_non_null(kernel.burst);
    naive_fill(first, ROOM, dtype, &random);
    naive_fill(second, ROOM, dtype, &random);
    naive_fill(before, ROOM, dtype, &random);
    memcpy(result, before, sizeof result);
    kernel.burst(&kernel,
                 (struct kernel_operands){.first = (const char *)first,
                                          .second = (const char *)second,
                                          .result = (char *)result},
                 (struct kernel_steps){step, step, step}, 2);
    for (int c = 0; c < 2; c++) {
        const size_t at = (size_t)(c * step);
        for (int i = 0; i < call->m; i++) {
            for (int j = 0; j < call->n; j++) {
                double expected[2], found[2];
                expected_element(expected, call, dtype, (char *)first + at, (char *)second + at,
                                 (char *)before + at, i, j);
                get(found, (char *)result + at, dtype,
                    i * call->strides[2][0] + j * call->strides[2][1]);
                for (int part = 0; part < 2; part++) {
                    const double difference = found[part] - expected[part];
                    if (!(difference < 1e-4 && difference > -1e-4))
                        fail_msg("seed %llu: %g, not %g", (unsigned long long)seed, found[part],
                                 expected[part]);
                }
            }
        }
    }
}

/** Draws strides of a matrix with gaps, none of them 1. With `swapped`, the column stride is
 * smaller than the row stride. */
static void any_strides(int64_t strides[2], int rows, int columns, bool swapped, uint64_t *random) {
    const int64_t inner = 2 + (int64_t)rng_below(random, 3);
    strides[swapped] = inner;
    strides[!swapped] = inner * (swapped ? columns : rows) + (int64_t)rng_below(random, 5);
}

static void blis_takes_matrices_without_contiguous_dimension(void **state) {
    (void)state;
    need(TCPLAN_PROVIDER_BLIS);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        uint64_t random = seed;
        const enum tcplan_dtype dtype = (enum tcplan_dtype)(seed % TCPLAN_DTYPES);
        const double imaginary = tcplan_dtype_is_complex(dtype) ? 0.5 : 0;
        struct blas_call call = {.kernel = TCPLAN_GEMM,
                                 .provider = TCPLAN_PROVIDER_BLIS,
                                 .m = 1 + (int)rng_below(&random, MOST),
                                 .n = 1 + (int)rng_below(&random, MOST),
                                 .k = 1 + (int)rng_below(&random, MOST),
                                 .alpha = {1.5, imaginary},
                                 .beta = {(double)rng_below(&random, 3), 0}};
        any_strides(call.strides[0], call.m, call.k, rng_below(&random, 2), &random);
        any_strides(call.strides[1], call.k, call.n, rng_below(&random, 2), &random);
        any_strides(call.strides[2], call.m, call.n, rng_below(&random, 2), &random);
        assert_true(blas_call_provider_applies(&call, dtype, TCPLAN_PROVIDER_BLIS));
        assert_false(blas_call_provider_applies(&call, dtype, TCPLAN_PROVIDER_BLAS));
        assert_false(blas_call_provider_applies(&call, dtype, TCPLAN_PROVIDER_LIBXSMM));
        check_call(&call, dtype, seed);
    }
}

/** Draws a gemm with leading dimensions above the minimum. */
static struct blas_call any_gemm(uint64_t *random) {
    struct blas_call call = {.kernel = TCPLAN_GEMM,
                             .m = 1 + (int)rng_below(random, MOST),
                             .n = 1 + (int)rng_below(random, MOST),
                             .k = 1 + (int)rng_below(random, MOST),
                             .transposed = {rng_below(random, 2), rng_below(random, 2)},
                             .alpha = {rng_below(random, 4) ? 1 : 2.5, 0},
                             .beta = {(double)rng_below(random, 3), 0}};
    call.ld[0] = (call.transposed[0] ? call.k : call.m) + (int)rng_below(random, 4);
    call.ld[1] = (call.transposed[1] ? call.n : call.k) + (int)rng_below(random, 4);
    call.ld[2] = call.m + (int)rng_below(random, 4);
    blas_call_set_strides(&call);
    return call;
}

/** Checks that a kernel is available exactly if blas_call_provider_has() returns true, and that its
 * results are right. */
static void check_gemms(enum tcplan_provider provider) {
    const int seeds =
        provider_traits_of(provider)->is_compiled ? 12 : 600; /* compiling takes time */
    int bound = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
        uint64_t random = seed;
        struct blas_call call = any_gemm(&random);
        const enum tcplan_dtype dtype = (enum tcplan_dtype)rng_below(&random, TCPLAN_DTYPES);
        call.provider = provider;
        const bool has = blas_call_provider_has(&call, dtype, provider);
        assert_int_equal(has, kernel_bind(&call, dtype, NULL).burst != NULL);
        if (has) check_call(&call, dtype, seed);
        bound += has;
    }
    assert_true(bound > seeds / 12);
}

static void gemms_of_every_provider_are_right(void **state) {
    (void)state;
    open_linked();
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        if (is_there((enum tcplan_provider)p)) {
            check_gemms((enum tcplan_provider)p);
        } else {
            print_message("%s is not there\n", tcplan_provider_name((enum tcplan_provider)p));
        }
    }
}

static void libxsmm_is_offered_gemms_with_a_small_first_factor_only(void **state) {
    (void)state;
    struct blas_call call = {.kernel = TCPLAN_GEMM,
                             .m = 24,
                             .n = 24,
                             .k = 24,
                             .ld = {5000, 5000, 5000},
                             .alpha = {1, 0},
                             .beta = {1, 0}};
    blas_call_set_strides(&call);
    assert_true(blas_call_provider_applies(&call, TCPLAN_DOUBLE, TCPLAN_PROVIDER_LIBXSMM));
    assert_false(blas_call_provider_applies(&call, TCPLAN_DOUBLE_COMPLEX, TCPLAN_PROVIDER_LIBXSMM));
    call.m = call.n = call.k = 4000;
    assert_true(blas_call_provider_has(&call, TCPLAN_DOUBLE, TCPLAN_PROVIDER_LIBXSMM));
    assert_false(blas_call_provider_applies(&call, TCPLAN_DOUBLE, TCPLAN_PROVIDER_LIBXSMM));
    assert_true(blas_call_provider_applies(&call, TCPLAN_DOUBLE, TCPLAN_PROVIDER_BLIS));
    call.m = call.n = call.k = 24;
    call.transposed[0] = true;
    blas_call_set_strides(&call);
    assert_false(blas_call_provider_applies(&call, TCPLAN_DOUBLE, TCPLAN_PROVIDER_LIBXSMM));
    call = (struct blas_call){
        .kernel = TCPLAN_GEMV, .m = 24, .n = 24, .k = 1, .ld = {24, 1, 1}, .alpha = {1, 0}};
    assert_false(blas_call_provider_applies(&call, TCPLAN_DOUBLE, TCPLAN_PROVIDER_LIBXSMM));
    assert_false(blas_call_provider_applies(&call, TCPLAN_DOUBLE, TCPLAN_PROVIDER_BLIS));
    assert_true(blas_call_provider_applies(&call, TCPLAN_DOUBLE, TCPLAN_PROVIDER_BLAS));
}

static void the_linked_blas_serves_its_calls_whatever_else_is_open(void **state) {
    (void)state;
    const struct blas_call call = {
        .kernel = TCPLAN_GEMM, .m = 1, .n = 1, .k = 1, .ld = {1, 1, 1}, .alpha = {1, 0}};
    is_there(TCPLAN_PROVIDER_BLIS); /* opens BLIS */
    const char *linked = file_of_function((void (*)(void))cblas_dgemm);
    const struct kernel kernel = kernel_bind(&call, TCPLAN_DOUBLE, NULL);
    assert_string_equal(file_of_function((void (*)(void))kernel.cblas->dgemm), linked);
    assert_string_equal(file_of_function((void (*)(void))kernel.cblas->zdotu_sub), linked);
    provider_routine *blis;
    if (symbol_find(RTLD_DEFAULT, "bli_dgemm", &blis))
        assert_string_equal(file_of_function(blis), linked); /* the linked BLAS is BLIS itself */
}

/** A folder for the sources and libraries that tests compile. */
struct workshop {
    char folder[32];
    char path[64];
};

static void workshop_path(struct workshop *shop, const char *name) {
    snprintf(shop->path, sizeof shop->path, "%s/%s", shop->folder, name);
}

static void workshop_write(struct workshop *shop, const char *name, const char *text) {
    workshop_path(shop, name);
    FILE *file = fopen(shop->path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/** Compiles `text` to a shared library; shop->path receives its path. */
static void workshop_build(struct workshop *shop, const char *name, const char *text) {
    char command[256];
    workshop_write(shop, "library.c", text);
    workshop_path(shop, name);
    snprintf(command, sizeof command, "%s -shared -fPIC -O1 -o %s %s/library.c", TCPLAN_CC,
             shop->path, shop->folder);
    assert_int_equal(system(command), 0); /* NOLINT: the command line is a constant of this test */
}

static int workshop_begin(void **state) {
    struct workshop *shop = calloc(1, sizeof *shop);
    if (!shop) return -1;
    strcpy(shop->folder, "providers-XXXXXX");
    *state = shop;
    return mkdtemp(shop->folder) ? 0 : -1;
}

static int workshop_end(void **state) {
    static const char *const names[] = {"library.c", "libown.so", "libpart.so", "liblong.so",
                                        "text.so"};
    struct workshop *shop = *state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        workshop_path(shop, names[n]);
        unlink(shop->path);
    }
    rmdir(shop->folder);
    free(shop);
    return 0;
}

/** Source of a CBLAS with all routines. Only its dgemm computes a right result; it calls dgemm_,
 * which counts its calls. */
static const char own_library[] =
    "int seen_calls;\n"
    "#define R(name) void name(void) {}\n"
    "R(cblas_sdot) R(cblas_ddot) R(cblas_cdotu_sub) R(cblas_zdotu_sub) R(cblas_cdotc_sub) R(cblas_zdotc_sub) R(cblas_saxpy) R(cblas_daxpy) "
    "R(cblas_caxpy) R(cblas_zaxpy)\n"
    "R(cblas_sgemv) R(cblas_dgemv) R(cblas_cgemv) R(cblas_zgemv) R(cblas_sger) R(cblas_dger) R(cblas_cgeru) R(cblas_zgeru) R(cblas_cgerc) R(cblas_zgerc)\n"
    "R(cblas_sgemm) R(cblas_cgemm) R(cblas_zgemm)\n"
    "void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha, const double *a,\n"
    "            const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc) {\n"
    "    seen_calls++;\n"
    "    for (int j = 0; j < *n; j++) {\n"
    "        for (int i = 0; i < *m; i++) {\n"
    "            double sum = 0;\n"
    "            for (int l = 0; l < *k; l++)\n"
    "                sum += (*ta == 'N' ? a[i + l * *lda] : a[l + i * *lda]) * (*tb == 'N' ? b[l + j * *ldb] : b[j + l * *ldb]);\n"
    "            c[i + j * *ldc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * *ldc]);\n"
    "        }\n"
    "    }\n"
    "}\n"
    "void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb,\n"
    "                 double beta, double *c, int ldc) {\n"
    "    (void)order;\n"
    "    dgemm_(ta == 111 ? \"N\" : \"T\", tb == 111 ? \"N\" : \"T\", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);\n"
    "}\n"
    "int seen_threads;\n"
    "void openblas_set_num_threads(int threads) { seen_threads = threads; }\n"
    "int openblas_get_num_threads(void) { return seen_threads; }\n"
    "char *openblas_get_config(void) { return \"OpenBLAS 9.8.7 DYNAMIC_ARCH\"; }\n"
    "char *openblas_get_corename(void) { return \"Own\"; }\n";

/** Returns the value of an integer variable in an open library. */
static int seen_by(const char *path, const char *name) {
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    const int *seen = dlsym(library, name);
    assert_non_null(seen);
    dlclose(library);
    return *seen;
}

static int threads_seen_by(const char *path) {
    return seen_by(path, "seen_threads");
}

static void a_file_runs_its_own_routines(void **state) {
    struct workshop *shop = *state;
    struct tcplan_error error;
    struct tcplan_provider_info info;
    enum tcplan_provider provider, again;
    workshop_build(shop, "libown.so", own_library);
    if (tcplan_provider_open(&provider, shop->path, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_true(tcplan_provider_info(&info, provider));
    assert_string_equal(info.name, "OpenBLAS");
    assert_string_equal(info.version, "9.8.7");
    assert_string_equal(info.core, "Own");
    assert_non_null(strstr(info.file, "libown.so"));
    assert_int_equal(info.file[0], '/');
    assert_int_equal(tcplan_provider_open(&again, shop->path, &error), TCPLAN_OK);
    assert_int_equal(again, provider);

    const int before = blas_set_threads(1);
    blas_set_threads(3);
    assert_int_equal(threads_seen_by(info.file), 3);
    blas_set_threads(before);
    assert_int_equal(threads_seen_by(info.file), before);

#if !defined(__SANITIZE_ADDRESS__) &&                                                              \
    !defined(__SANITIZE_THREAD__) /* RTLD_DEEPBIND is not available: the sanitizers refuse it */
    const struct blas_call call = {.kernel = TCPLAN_GEMM,
                                   .provider = provider,
                                   .m = 1,
                                   .n = 1,
                                   .k = 1,
                                   .ld = {1, 1, 1},
                                   .alpha = {1, 0},
                                   .beta = {0, 0}};
    const struct kernel kernel = kernel_bind(&call, TCPLAN_DOUBLE, NULL);
    const int calls = seen_by(info.file, "seen_calls"); /* calls that went to this library's dgemm_,
                                                           not to OpenBLAS's */
    double a = 2, b = 3, c = 0;
    kernel.burst(
        &kernel,
        (struct kernel_operands){.first = (char *)&a, .second = (char *)&b, .result = (char *)&c},
        (struct kernel_steps){0}, 1);
    assert_true(c == 6);
    assert_int_equal(seen_by(info.file, "seen_calls"), calls + 1);
#endif
}

/** Sets the number of threads of an open library directly, and prints the number that the library
 * returns. */
static void report_threads(const char *path, int threads) {
    void (*set_threads)(int);
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    void *symbol = dlsym(library, "openblas_set_num_threads");
    assert_non_null(symbol);
    memcpy(&set_threads, &symbol, sizeof set_threads);
    set_threads(threads);
    dlclose(library);
}

static void the_threads_of_every_library_are_restored(void **state) {
    struct workshop *shop = *state;
    enum tcplan_provider provider;
    workshop_build(shop, "libown.so", own_library);
    assert_int_equal(tcplan_provider_open(&provider, shop->path, NULL), TCPLAN_OK);
    blas_set_threads(1);
    report_threads(shop->path, 5);
    const struct blas_threads before = blas_take_threads(3);
    assert_int_equal(blas_threads(), 3);
    assert_int_equal(threads_seen_by(shop->path), 3);
    blas_put_threads_back(&before);
    assert_int_equal(blas_threads(), 1);
    assert_int_equal(threads_seen_by(shop->path), 5);
}

/** `tcplan --version` prints the BLAS that the loader chose in its first lines. */
static void the_blas_chosen_by_the_loader_is_reported(void **state) {
#if defined(__SANITIZE_ADDRESS__) ||                                                               \
    defined(__SANITIZE_THREAD__) /* the sanitizer's library must be loaded first, so no other      \
                                    library can be preloaded */
    (void)state;
    skip();
#else
    struct workshop *shop = *state;
    char command[1024], line[128] = "";
    workshop_build(shop, "libown.so", own_library);
    snprintf(command, sizeof command, "LD_PRELOAD=$PWD/%s '%s' --version | sed -n 2p", shop->path,
             TCPLAN_COMMAND);
    FILE *said = popen(command, "r"); /* NOLINT: the command line is a constant of this test */
    assert_non_null(said);
    assert_non_null(fgets(line, sizeof line, said));
    pclose(said);
    assert_string_equal(line, "OpenBLAS 9.8.7 (Own)\n");
#endif
}

static void assert_refused_as(enum tcplan_status status, const char *path, const char *reason) {
    struct tcplan_error error = {0};
    enum tcplan_provider provider = TCPLAN_PROVIDER_BLAS;
    assert_int_equal(tcplan_provider_open(&provider, path, &error), status);
    assert_int_equal(provider, TCPLAN_PROVIDER_BLAS);
    if (!strstr(error.message, reason))
        fail_msg("'%s' does not mention '%s'", error.message, reason);
}

static void assert_refused(const char *path, const char *reason) {
    assert_refused_as(TCPLAN_INVALID, path, reason);
}

static void a_library_without_cblas_is_refused(void **state) {
    struct workshop *shop = *state;
    assert_refused_as(TCPLAN_ENVIRONMENT, "no/such/library.so", "No such file");
    assert_refused_as(TCPLAN_ENVIRONMENT, shop->folder, "Is a directory");
    assert_refused("/dev/null", "expected a regular file, found a pipe or device");
    workshop_write(shop, "text.so", "INPUT(libblas.so.3)\n");
    assert_refused(shop->path, "as a shared library");
    workshop_build(shop, "libpart.so", "void cblas_sdot(void) {}\nvoid cblas_ddot(void) {}\n");
    assert_refused(shop->path, "lacks the routine cblas_cdotu_sub and 21 more");
    workshop_build(shop, "libpart.so", "int x;\n");
    assert_refused(shop->path, "is not a CBLAS");
}

static void a_library_with_long_integers_is_refused(void **state) {
    struct workshop *shop = *state;
    char text[sizeof own_library + 16];
    const char *config = strstr(own_library, "DYNAMIC_ARCH");
    snprintf(text, sizeof text, "%.*sUSE64BITINT %s", (int)(config - own_library), own_library,
             config);
    workshop_build(shop, "liblong.so", text);
    assert_refused(shop->path, "64-bit integers");
}

static void libxsmm_is_identified_before_its_first_call(void **state) {
    (void)state;
    struct tcplan_provider_info before, after;
    if (!tcplan_provider_info(&before, TCPLAN_PROVIDER_LIBXSMM)) skip();
    setenv("LIBXSMM_TARGET", "", 1); /* unset: the library detects its own target */
    assert_true(tcplan_provider_info(&after, TCPLAN_PROVIDER_LIBXSMM));
    unsetenv("LIBXSMM_TARGET");
    assert_string_equal(before.core, after.core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_again),
        cmocka_unit_test(every_provider_has_a_line_in_every_table),
        cmocka_unit_test(every_class_has_a_line_in_every_table),
        cmocka_unit_test(kernels_of_libxsmm_equal_naive_loops),
        cmocka_unit_test(kernels_of_libxsmm_leave_vector_registers_clean),
        cmocka_unit_test(kernels_of_blis_equal_naive_loops),
        cmocka_unit_test(kernels_of_a_file_equal_naive_loops),
        cmocka_unit_test(kernels_of_absent_providers_do_not_apply),
        cmocka_unit_test(only_libraries_of_files_can_be_wrong),
        cmocka_unit_test(blis_takes_matrices_without_contiguous_dimension),
        cmocka_unit_test(gemms_of_every_provider_are_right),
        cmocka_unit_test(libxsmm_is_offered_gemms_with_a_small_first_factor_only),
        cmocka_unit_test(the_linked_blas_serves_its_calls_whatever_else_is_open),
        cmocka_unit_test_setup_teardown(a_file_runs_its_own_routines, workshop_begin, workshop_end),
        cmocka_unit_test_setup_teardown(the_blas_chosen_by_the_loader_is_reported, workshop_begin,
                                        workshop_end),
        cmocka_unit_test_setup_teardown(the_threads_of_every_library_are_restored, workshop_begin,
                                        workshop_end),
        cmocka_unit_test_setup_teardown(a_library_without_cblas_is_refused, workshop_begin,
                                        workshop_end),
        cmocka_unit_test_setup_teardown(a_library_with_long_integers_is_refused, workshop_begin,
                                        workshop_end),
        cmocka_unit_test(libxsmm_is_identified_before_its_first_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
