/*
 * Tests emitted functions with extents and strides as parameters. They are compiled once, and
 * called with the planned extents, with others, with 1 and 0, with extents that tiles do not
 * divide, and with several strides. Results are compared with naive loops.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "gen/emit/strides.h"
#include "support/emitted.h"
#include "support/golden.h"
#include "support/naive.h"
#include "support/random_algorithm.h"
#include "tcplan/blas.h"
#include "tcplan/emit.h"
#include "tcplan/strides.h"

enum { CONTRACTIONS = 10, ALGORITHMS = 6, SIZES = 6 };

/** Functions that are compiled together, and their number for each contraction. */
struct batch {
    struct random_contraction contraction[CONTRACTIONS];
    struct tcplan_algorithm algorithm[CONTRACTIONS][ALGORITHMS];
    int count[CONTRACTIONS];
};

/** Appends the argument `, A` and, if the function has strides as parameters, `, strides[0]`. */
static void add_argument(struct strbuf *out, const struct random_contraction *random,
                         enum tcplan_operand operand, const char *name) {
    strbuf_add(out, "%s%s", operand == TCPLAN_A ? "" : ", ", name);
    if (random->contraction->tensor[operand].strided)
        strbuf_add(out, ", strides[%d]", (int)operand);
}

/** Appends the function NAME_at(extents, strides, A, B, addend, C), which calls NAME. */
static void add_entry(struct strbuf *out, const struct random_contraction *random,
                      const char *name) {
    static const char *const type[TCPLAN_DTYPES] = {"float", "double", "float _Complex",
                                                    "double _Complex"};
    const char *t = type[random->problem.dtype];
    for (int part = 0; part < 2; part++) {
        strbuf_add(
            out,
            "int %s_at(const int64_t *extent, const int64_t *const *strides, const %s *A, const %s *B, const %s *addend, %s *C)%s\n",
            name, t, t, t, t, part == 0 ? ";" : " {");
    }
    strbuf_add(out, "    (void)extent;\n    (void)strides;\n    (void)addend;\n    return %s(",
               name);
    for (int i = 0; i < random->contraction->index_count; i++) strbuf_add(out, "extent[%d], ", i);
    add_argument(out, random, TCPLAN_A, "A");
    add_argument(out, random, TCPLAN_B, "B");
    if (tcplan_contraction_has_addend(random->contraction))
        add_argument(out, random, TCPLAN_ADDEND, "addend");
    add_argument(out, random, TCPLAN_C, "C");
    strbuf_add(out, ");\n}\n\n");
}

typedef int function_at(const int64_t *extent, const int64_t *const *strides, const void *A,
                        const void *B, const void *addend, void *C);

static function_at *find(const struct emitted *emitted, const char *name) {
    char entry[64];
    snprintf(entry, sizeof entry, "%s_at", name);
    return (function_at *)(void (*)(void))emitted_find(emitted, entry);
}

/** Appends an emitted function and its NAME_at to a text; returns false if the provider lacks its
 * kernel. */
static bool add_function(struct strbuf *out, const struct random_contraction *random,
                         const struct tcplan_algorithm *algorithm, const char *name, int threads) {
    struct tcplan_nest *nest = NULL;
    char *text = NULL;
    struct tcplan_error error = {0};
    const struct tcplan_emit_options options = {
        .function = name, .threads = threads, .takes_extents = true};
    enum tcplan_status status = tcplan_nest_build(&nest, random->contraction, algorithm, &error);
    if (status == TCPLAN_OK)
        status = tcplan_emit_c(&text, nest, &random->problem, &options, &error);
    tcplan_nest_free(nest);
    if (status == TCPLAN_NOT_APPLICABLE) return false;
    if (status != TCPLAN_OK) fail_msg("%s: %s", random_contraction_describe(random), error.message);
    strbuf_add(out, "%s\n", text);
    add_entry(out, random, name);
    free(text);
    return true;
}

static void fail_naming(const struct random_contraction *random,
                        const struct tcplan_algorithm *algorithm, const int64_t extent[],
                        const char *what) {
    char *name = tcplan_algorithm_name(algorithm, random->contraction, random->problem.dtype);
    struct strbuf at = {0};
    for (int i = 0; i < random->contraction->index_count; i++)
        strbuf_add(&at, " %s=%d", random->contraction->index[i].name, (int)extent[i]);
    fail_msg("%s --algorithm \"%s\" at%s: %s", random_contraction_describe(random), name,
             at.text ? at.text : "", what);
}

/** Calls a function with extents other than the planned ones, and with the strides of
 * `contraction`; returns false if the function returns EINVAL. */
static bool calls_at(function_at *function, const struct random_contraction *random,
                     const struct tcplan_contraction *contraction,
                     const struct tcplan_algorithm *algorithm, const int64_t extent[]) {
    struct tcplan_problem problem;
    struct naive_case naive;
    const int64_t *strides[TCPLAN_TENSORS];
    for (int t = 0; t < TCPLAN_TENSORS; t++) strides[t] = contraction->tensor[t].stride;
    assert_int_equal(
        tcplan_problem_init(&problem, contraction, extent, random->problem.dtype, NULL), TCPLAN_OK);
    naive_case_init(&naive, &problem, random->seed);
    naive_case_reset(&naive);
    const int status = function(extent, strides, naive.A, naive.B, naive.addend, naive.C);
    if (status != 0 && status != EINVAL) fail_naming(random, algorithm, extent, strerror(status));
    if (status == 0 && !(naive_case_error(&naive) <= naive_tolerance(&problem)))
        fail_naming(random, algorithm, extent, "it differs");
    naive_case_free(&naive);
    return status == 0;
}

static void check_at(function_at *function, const struct random_contraction *random,
                     const struct tcplan_algorithm *algorithm, const int64_t extent[]) {
    if (!calls_at(function, random, random->contraction, algorithm, extent))
        fail_naming(random, algorithm, extent, "it is refused");
}

/** Chooses extents. Set 0: the planned ones; set 1: all 1; other sets: random, 1 to `largest`,
 * rarely 0. */
static void choose_extents(int64_t extent[], const struct random_contraction *random, int set,
                           int64_t largest, uint64_t *state) {
    for (int i = 0; i < random->contraction->index_count; i++) {
        *state = *state * 6364136223846793005U + 1442695040888963407U;
        const int64_t number = (int64_t)(*state >> 33);
        extent[i] = set == 0           ? random->problem.extent[i]
                    : set == 1         ? 1
                    : number % 37 == 0 ? 0
                                       : 1 + number % largest;
    }
}

static int64_t draw(uint64_t *state, int64_t count) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)(*state >> 33) % count;
}

/** Sets strides that increase in the order `dimension`, from `first` on. Every second dimension
 * has a gap of up to `largest` before it. */
static void set_strides(struct tcplan_contraction *contraction, enum tcplan_operand operand,
                        const int dimension[], int64_t first, const int64_t extent[],
                        int64_t largest, uint64_t *state) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    int64_t stride[TCPLAN_MAX_RANK] = {0}, end = first;
    for (int d = 0; d < tensor->rank; d++) {
        const int64_t own = extent[tensor->dims[dimension[d]]];
        if (d > 0 && largest > 0 && draw(state, 2)) end += 1 + draw(state, largest);
        stride[dimension[d]] = end;
        end *= own > 0 ? own : 1;
    }
    assert_int_equal(tcplan_contraction_set_strides(contraction, operand, stride, NULL), TCPLAN_OK);
}

/** Gives most tensors random strides for planning, with any order of dimensions, with or without
 * gaps. Extents are above 1, because strides of extent 1 do not define an order. */
static void pad(struct random_contraction *random, uint64_t *state) {
    struct tcplan_contraction *contraction = random->contraction;
    int64_t extent[TCPLAN_MAX_INDICES];
    size_t length = 0;
    for (int i = 0; i < contraction->index_count; i++) {
        extent[i] = random->problem.extent[i] > 1 ? random->problem.extent[i] : 2;
        length += (size_t)snprintf(random->sizes + length, sizeof random->sizes - length, "%s%s=%d",
                                   i > 0 ? "," : "", contraction->index[i].name, (int)extent[i]);
    }
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const int rank = contraction->tensor[t].rank;
        int dimension[TCPLAN_MAX_RANK] = {0};
        if (rank == 0 || draw(state, 4) == 0) continue;
        for (int d = 0; d < rank; d++)
            dimension[d] = contraction->order == TCPLAN_COLUMN_MAJOR ? d : rank - 1 - d;
        for (int d = rank - 1; d > 0 && draw(state, 2); d--) {
            const int other = (int)draw(state, d + 1), own = dimension[d];
            dimension[d] = dimension[other];
            dimension[other] = own;
        }
        set_strides(contraction, (enum tcplan_operand)t, dimension, draw(state, 4) ? 1 : 2, extent,
                    3, state);
    }
    assert_int_equal(
        tcplan_problem_init(&random->problem, contraction, extent, random->problem.dtype, NULL),
        TCPLAN_OK);
    free(random->strides);
    random->strides = tcplan_strides_text(contraction);
}

/** Returns a contraction with strides for new extents: the dimensions keep their order, with gaps
 * of up to `largest`. */
static struct tcplan_contraction restride(const struct random_contraction *random,
                                          const int64_t extent[], int64_t largest,
                                          uint64_t *state) {
    struct tcplan_contraction changed = *random->contraction;
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const struct tcplan_tensor *tensor = &random->contraction->tensor[t];
        int dimension[TCPLAN_MAX_RANK] = {0};
        if (!tensor->strided) continue;
        emit_sort_dimensions(dimension, tensor, changed.order);
        const int64_t first = tensor->stride[dimension[0]];
        set_strides(&changed, (enum tcplan_operand)t, dimension,
                    first == 1 ? 1 : 1 + draw(state, 3), extent, largest, state);
    }
    return changed;
}

static bool fuses(const struct tcplan_algorithm *algorithm) {
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        if (algorithm->group[role] & (algorithm->group[role] - 1)) return true;
    }
    return false;
}

/** Calls a function with other strides and extents. It must return EINVAL if fused indices are no
 * longer contiguous with each other, and compute the result if they are. */
static bool check_padded(function_at *function, const struct random_contraction *random,
                         const struct tcplan_algorithm *algorithm, const int64_t extent[],
                         uint64_t *state) {
    const struct tcplan_contraction gaps = restride(random, extent, 4, state);
    if (calls_at(function, random, &gaps, algorithm, extent)) return true;
    const struct tcplan_contraction none = restride(random, extent, 0, state);
    if (!fuses(algorithm)) fail_naming(random, algorithm, extent, "strides with gaps are refused");
    if (!calls_at(function, random, &none, algorithm, extent))
        fail_naming(random, algorithm, extent, "strides without gaps are refused");
    return false;
}

/** Checks that the function returns EINVAL for extents that the steps of summed products do not
 * divide, unless the result is empty. */
static void check_indivisible(function_at *function, const struct random_contraction *random,
                              const struct tcplan_algorithm *algorithm, const int64_t extent[],
                              uint64_t *state) {
    const struct tcplan_contraction none = restride(random, extent, 0, state);
    bool writes = true;
    for (int i = 0; i < random->contraction->index_count; i++) writes = writes && extent[i] > 0;
    if (calls_at(function, random, &none, algorithm, extent) && writes)
        fail_naming(random, algorithm, extent, "it is not refused");
}

/** Calls all functions of a batch; returns for how many of them all results were compared and
 * right. */
static int compare(const struct batch *batch, const struct emitted *emitted, int64_t largest) {
    int compared = 0;
    uint64_t state = 7;
    for (int c = 0; c < CONTRACTIONS; c++) {
        for (int a = 0; a < batch->count[c]; a++) {
            const struct random_contraction *random = &batch->contraction[c];
            const struct tcplan_algorithm *algorithm = &batch->algorithm[c][a];
            char name[40];
            int64_t extent[TCPLAN_MAX_INDICES];
            bool all = true;
            snprintf(name, sizeof name, "f%d_%d", c, a);
            check_at(find(emitted, name), random, algorithm, random->problem.extent);
            for (int set = 0; set < SIZES; set++) {
                choose_extents(extent, random, set, largest, &state);
                if (!random_algorithm_divides(algorithm, random->contraction, extent)) {
                    check_indivisible(find(emitted, name), random, algorithm, extent, &state);
                    continue;
                }
                all = check_padded(find(emitted, name), random, algorithm, extent, &state) && all;
            }
            compared += all;
        }
    }
    return compared;
}

/** Which random contractions a test draws: how many, and the first seed. */
struct draw {
    uint64_t first_seed;
    enum tcplan_provider provider;
    int64_t largest; /**< largest extent */
    int threads;
    bool padded;
    bool optimized; /**< compiled with optimization */
    int least;      /**< minimum number of functions that must be compared */
};

static void draw_functions(struct batch *batch, struct strbuf *all,
                           const struct random_contraction_options *options,
                           const struct draw *drawn) {
    for (int c = 0; c < CONTRACTIONS; c++) {
        struct random_contraction *random = &batch->contraction[c];
        uint64_t state = drawn->first_seed + (uint64_t)c;
        random_contraction_init(random, state, options);
        if (drawn->padded) pad(random, &state);
        for (int attempt = 0; attempt < 6 * ALGORITHMS && batch->count[c] < ALGORITHMS; attempt++) {
            struct tcplan_algorithm *algorithm = &batch->algorithm[c][batch->count[c]];
            char name[40];
            snprintf(name, sizeof name, "f%d_%d", c, batch->count[c]);
            if (!random_algorithm(algorithm, random->contraction, drawn->provider, &state))
                continue;
            if (drawn->threads > 1) random_parallel_loop(algorithm, random->contraction, &state);
            batch->count[c] += add_function(all, random, algorithm, name, drawn->threads);
        }
    }
}

static void run_batch(const struct random_contraction_options *options, struct draw drawn) {
    struct batch *batch = calloc(1, sizeof *batch);
    struct strbuf all = {0};
    assert_non_null(batch);
    draw_functions(batch, &all, options, &drawn);
    char *text = strbuf_finish(&all);
    assert_non_null(text);
    struct emitted *emitted =
        drawn.optimized ? emitted_build(NULL, text) : emitted_build_unoptimized(NULL, text);
    const int compared = compare(batch, emitted, drawn.largest);
    if (compared < drawn.least) fail_msg("%d functions compared, %d wanted", compared, drawn.least);
    emitted_free(emitted);
    free(text);
    for (int c = 0; c < CONTRACTIONS; c++) random_contraction_free(&batch->contraction[c]);
    free(batch);
}

static struct random_contraction_options dense(void) {
    struct random_contraction_options options = random_contraction_defaults();
    options.strides = false;
    options.overlaps = false;
    return options;
}

static void random_algorithms_equal_naive_loops_at_any_extents(void **state) {
    (void)state;
    const struct random_contraction_options options = dense();
    run_batch(&options,
              (struct draw){.first_seed = 90001, .largest = 15, .threads = 1, .least = 40});
}

static void random_algorithms_equal_naive_loops_by_any_strides(void **state) {
    (void)state;
    const struct random_contraction_options options = dense();
    run_batch(&options, (struct draw){.first_seed = 92001,
                                      .largest = 15,
                                      .threads = 1,
                                      .padded = true,
                                      .optimized = true,
                                      .least = 30});
}

static void random_algorithms_with_parallel_loops_equal_naive_loops(void **state) {
    (void)state;
    const struct random_contraction_options options = dense();
    run_batch(&options,
              (struct draw){
                  .first_seed = 95501, .largest = 9, .threads = 3, .padded = true, .least = 30});
}

static void need(enum tcplan_provider provider) {
    struct tcplan_provider_info info;
    if (tcplan_provider_info(&info, provider)) return;
    print_message("%s is not there\n", tcplan_provider_name(provider));
    skip();
}

static void random_algorithms_with_kernels_of_blis_equal_naive_loops(void **state) {
    (void)state;
    const struct random_contraction_options options = dense();
    need(TCPLAN_PROVIDER_BLIS);
    run_batch(&options, (struct draw){.first_seed = 96001,
                                      .provider = TCPLAN_PROVIDER_BLIS,
                                      .largest = 9,
                                      .threads = 1,
                                      .padded = true,
                                      .least = 15});
}

static void random_algorithms_with_kernels_of_libxsmm_equal_naive_loops(void **state) {
    (void)state;
    struct random_contraction_options options = dense();
    options.scalars = false;
    need(TCPLAN_PROVIDER_LIBXSMM);
    run_batch(&options, (struct draw){.first_seed = 97001,
                                      .provider = TCPLAN_PROVIDER_LIBXSMM,
                                      .largest = 9,
                                      .threads = 1,
                                      .padded = true,
                                      .least = 10});
    run_batch(&options, (struct draw){.first_seed = 98001,
                                      .provider = TCPLAN_PROVIDER_LIBXSMM,
                                      .largest = 24,
                                      .threads = 1,
                                      .padded = true,
                                      .least = 10});
}

/* Given algorithms. */

/** A contraction with its planned sizes, and the name of an algorithm. */
struct given {
    const char *text;
    const char *sizes;
    enum tcplan_dtype dtype;
    const char *algorithm;
    const char *strides; /**< NULL: all tensors are dense */
};

static const struct given tiled = {"C_abc=A_bda*B_dc", "a=20,b=16,c=17,d=24", TCPLAN_DOUBLE,
                                   "a:8'Cs.a-dgemm", NULL};
static const struct given panels = {"C_mn+=A_mk*B_kn", "m=100,n=1030,k=300", TCPLAN_DOUBLE,
                                    "n:512.k:256'Btp+4.m:96'Ap.n:8.m:16-dgemm", NULL};
static const struct given batched = {"C_abc=2*A_ai*B_ibc-0.5*C_abc", "a=12,b=13,c=14,i=8",
                                     TCPLAN_FLOAT_COMPLEX, "c-cgemm", NULL};
static const struct given padded = {"C_abc=A_kaik*B_ibkc+0.5*C_abc", "a=20,b=16,c=17,i=24,k=3",
                                    TCPLAN_DOUBLE, "k.a:8'A.c-dgemm", "A=1,3,70,2000;C=1,25,450"};
static const struct given shared = {"C_abc=A_bda*B_dc", "a=37,b=16,c=17,d=24", TCPLAN_DOUBLE,
                                    "'B.a:8|'ACs-dgemm", NULL};
static const struct given summed = {"C_mn+=A_mk*B_kn", "m=100,n=44,k=512", TCPLAN_DOUBLE,
                                    "n:20'Bp.m:48'A.k:256=.n:4.m:16.k:64+-dbrgemm@libxsmm", NULL};
static const struct given summed_on = {"C_ab=A_aij*B_ijb", "a=100,b=44,i=64,j=5", TCPLAN_DOUBLE,
                                       "j+.i:8+-dbrgemm@libxsmm", NULL};

static void given_init(struct random_contraction *random, struct tcplan_algorithm *algorithm,
                       const struct given *given) {
    struct tcplan_error error = {0};
    random_contraction_strided(random, given->text, given->sizes,
                               given->strides ? given->strides : "", TCPLAN_COLUMN_MAJOR,
                               given->dtype);
    if (tcplan_algorithm_parse(algorithm, random->contraction, given->dtype, given->algorithm,
                               &error))
        fail_msg("%s", error.message);
}

static char *emit_given(const struct given *given, const struct tcplan_emit_options *options) {
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    char *text = NULL;
    given_init(&random, &algorithm, given);
    assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_emit_c(&text, nest, &random.problem, options, NULL), TCPLAN_OK);
    tcplan_nest_free(nest);
    random_contraction_free(&random);
    return text;
}

static void expressions_replace_numbers(void **state) {
    (void)state;
    char *text = emit_given(&tiled, &(struct tcplan_emit_options){.takes_extents = true});
    golden_check_function("emit/extents.c", text);
    free(text);
}

static void the_drivers_report_success(void **state) {
    (void)state;
    static const struct given *const all[] = {&tiled,  &panels, &batched,  &padded,
                                              &shared, &summed, &summed_on};
    static const char *const name[] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6"};
    enum { DRIVERS = sizeof all / sizeof *all };
    struct tcplan_provider_info info;
    const int count = tcplan_provider_info(&info, TCPLAN_PROVIDER_LIBXSMM) ? DRIVERS : DRIVERS - 2;
    char *text[DRIVERS];
    for (int g = 0; g < count; g++) {
        const struct tcplan_emit_options options = {.function = name[g],
                                                    .takes_extents = true,
                                                    .with_main = true,
                                                    .threads = all[g] == &shared ? 2 : 1};
        text[g] = emit_given(all[g], &options);
    }
    emitted_check_drivers(emitted_run_unoptimized, NULL, text, count, name);
    for (int g = 0; g < count; g++) free(text[g]);
}

/** Called with extents above the planned ones: several full tiles and a partial one. */
static void large_extents_have_many_tiles(void **state) {
    (void)state;
    static const struct given *const all[2] = {&tiled, &panels};
    static const char *const name[2] = {"f0", "f1"};
    static const int64_t extents[2][4] = {{64, 3, 9, 41}, {300, 520, 700, 0}};
    struct random_contraction random[2];
    struct tcplan_algorithm algorithm[2];
    struct strbuf text = {0};
    for (int g = 0; g < 2; g++) {
        given_init(&random[g], &algorithm[g], all[g]);
        assert_true(add_function(&text, &random[g], &algorithm[g], name[g], 1));
    }
    struct emitted *emitted = emitted_build_unoptimized(NULL, text.text);
    for (int g = 0; g < 2; g++) {
        check_at(find(emitted, name[g]), &random[g], &algorithm[g], extents[g]);
        random_contraction_free(&random[g]);
    }
    emitted_free(emitted);
    strbuf_free(&text);
}

static void impossible_extents_are_refused(void **state) {
    (void)state;
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct strbuf text = {0};
    given_init(&random, &algorithm, &batched);
    assert_true(add_function(&text, &random, &algorithm, "f", 1));
    struct emitted *emitted = emitted_build_unoptimized(NULL, text.text);
    function_at *function = find(emitted, "f");
    assert_int_equal(function((const int64_t[]){1, -1, 1, 1}, NULL, NULL, NULL, NULL, NULL),
                     EINVAL);
    assert_int_equal(function((const int64_t[]){-1, 0, 1, 1}, NULL, NULL, NULL, NULL, NULL),
                     EINVAL);
    assert_int_equal(function((const int64_t[]){1, 0, 1, 1}, NULL, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(
        function((const int64_t[]){(int64_t)1 << 31, 1, 1, 1}, NULL, NULL, NULL, NULL, NULL),
        EINVAL);
    assert_int_equal(
        function((const int64_t[]){1, 1, (int64_t)1 << 62, 4}, NULL, NULL, NULL, NULL, NULL),
        EINVAL);
    assert_int_equal(function((const int64_t[]){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}, NULL,
                              NULL, NULL, NULL, NULL),
                     EINVAL);
    emitted_free(emitted);
    strbuf_free(&text);
    random_contraction_free(&random);
}

/** Calls a function that sums the products of steps: one step, several steps, several outer steps,
 * and another index after them. Extents that the steps do not divide are refused. */
static void check_summed(const struct given *given, const int64_t extents[][4], int count,
                         int refusals, const int64_t refused[][4]) {
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct strbuf text = {0};
    given_init(&random, &algorithm, given);
    assert_true(add_function(&text, &random, &algorithm, "f", 1));
    struct emitted *emitted = emitted_build_unoptimized(NULL, text.text);
    for (int e = 0; e < count; e++) check_at(find(emitted, "f"), &random, &algorithm, extents[e]);
    for (int r = 0; r < refusals; r++)
        assert_int_equal(find(emitted, "f")(refused[r], (const int64_t *[TCPLAN_TENSORS]){NULL},
                                            NULL, NULL, NULL, NULL),
                         EINVAL);
    emitted_free(emitted);
    strbuf_free(&text);
    random_contraction_free(&random);
}

static void summed_steps_divide_the_extents(void **state) {
    (void)state;
    static const int64_t blocks[][4] = {{100, 44, 64}, {33, 9, 30},   {64, 20, 192},
                                        {17, 41, 704}, {16, 20, 256}, {5, 3, 0}};
    static const int64_t fused[][4] = {{9, 7, 16, 5}, {9, 7, 8, 5}, {9, 7, 3, 5}, {9, 7, 3, 1}};
    need(TCPLAN_PROVIDER_LIBXSMM);
    check_summed(&summed, blocks, 6, 2, (const int64_t[][4]){{16, 20, 65}, {16, 20, 257}});
    check_summed(&summed_on, fused, 4, 1, (const int64_t[][4]){{9, 7, 12, 5}});
}

/** Compiles an emitted function for `text` with strides as parameters. The caller must free the
 * random contraction. */
static struct emitted *build_strided(struct random_contraction *random,
                                     struct tcplan_algorithm *algorithm, const char *text,
                                     const char *sizes, const char *strides, const char *name) {
    struct strbuf all = {0};
    random_contraction_strided(random, text, sizes, strides, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(algorithm, random->contraction, TCPLAN_DOUBLE, name, NULL),
        TCPLAN_OK);
    assert_true(add_function(&all, random, algorithm, "f", 1));
    struct emitted *emitted = emitted_build_unoptimized(NULL, all.text);
    strbuf_free(&all);
    return emitted;
}

static void impossible_leading_dimensions_are_refused(void **state) {
    (void)state;
    static const int64_t bad[][2] = {
        {1, 4},  {1, 0},         {1, -5},        {0, 5},
        {2, 10}, {1, INT64_MIN}, {1, INT64_MAX}, {1, (int64_t)1 << 31}};
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct emitted *emitted =
        build_strided(&random, &algorithm, "C_ab=A_ai*B_ib", "a=2,b=3,i=4", "A=1,5;C=1,7", "dgemm");
    function_at *function = find(emitted, "f");
    const int64_t good[2] = {1, 5}, extent[] = {5, 3, 4}, none[] = {0, 3, 4};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        assert_int_equal(
            function(extent, (const int64_t *[]){bad[b], NULL, good}, NULL, NULL, NULL, NULL),
            EINVAL);
        assert_int_equal(
            function(extent, (const int64_t *[]){good, NULL, bad[b]}, NULL, NULL, NULL, NULL),
            EINVAL);
    }
    assert_int_equal(
        function(none, (const int64_t *[]){good, NULL, bad[1]}, NULL, NULL, NULL, NULL), EINVAL);
    assert_int_equal(function(none, (const int64_t *[]){good, NULL, good}, NULL, NULL, NULL, NULL),
                     0);
    check_at(function, &random, &algorithm, (const int64_t[]){2, 3, 4});
    emitted_free(emitted);
    random_contraction_free(&random);
}

static void fused_indices_continue_each_other(void **state) {
    (void)state;
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct emitted *emitted = build_strided(&random, &algorithm, "C_abc=A_abi*B_ic",
                                            "a=2,b=3,c=2,i=4", "A=1,2,9", "dgemm");
    function_at *function = find(emitted, "f");
    double A[60] = {0}, B[8] = {0}, C[12];
    for (int c = 0; c < 12; c++) C[c] = -1;
    const int64_t extent[] = {2, 3, 2, 4};
    assert_int_equal(
        function(extent, (const int64_t *[]){(const int64_t[]){1, 3, 9}}, A, B, NULL, C), EINVAL);
    for (int c = 0; c < 12; c++) assert_true(C[c] == -1);
    assert_int_equal(
        function(extent, (const int64_t *[]){(const int64_t[]){1, 2, 6}}, A, B, NULL, C), 0);
    for (int c = 0; c < 12; c++) assert_true(C[c] == 0);
    emitted_free(emitted);
    random_contraction_free(&random);
}

static void strides_that_are_no_leading_dimensions_are_no_arguments(void **state) {
    (void)state;
    static const char *const strides[] = {"A=1,-5", "A=0,1", "A=1,1"};
    static const char *const message[] = {
        "strides of tensor A cannot be arguments: expected at least 1, the span of the smaller dimensions, found -5",
        "strides of tensor A cannot be arguments: expected at least 1, the span of the smaller dimensions, found 0",
        "strides of tensor A cannot be arguments: expected at least 2, the span of the smaller dimensions, found 1",
    };
    for (int s = 0; s < 3; s++) {
        struct random_contraction random;
        struct tcplan_algorithm algorithm;
        struct tcplan_nest *nest = NULL;
        struct tcplan_error error = {0};
        char *text = NULL;
        random_contraction_strided(&random, "C_ab=A_ai*B_ib", "a=2,b=3,i=4", strides[s],
                                   TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
        assert_int_equal(tcplan_algorithm_parse(&algorithm, random.contraction, TCPLAN_DOUBLE,
                                                "ba-ddot", &error),
                         TCPLAN_OK);
        assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, &error),
                         TCPLAN_OK);
        const struct tcplan_emit_options options = {.takes_extents = true};
        assert_int_equal(tcplan_emit_c(&text, nest, &random.problem, &options, &error),
                         TCPLAN_NOT_APPLICABLE);
        assert_string_equal(error.message, message[s]);
        assert_null(text);
        tcplan_nest_free(nest);
        random_contraction_free(&random);
    }
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    char *text = NULL;
    given_init(&random, &algorithm, &tiled);
    assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, NULL), TCPLAN_OK);
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    const struct tcplan_emit_options options = {.takes_extents = true, .with_main = true};
    for (long successes = 0; status == TCPLAN_NO_MEMORY && successes < 10000; successes++) {
        base_alloc_fail_after(successes);
        status = tcplan_emit_c(&text, nest, &random.problem, &options, NULL);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_NO_MEMORY ? !text : text != NULL);
    }
    assert_int_equal(status, TCPLAN_OK);
    free(text);
    tcplan_nest_free(nest);
    random_contraction_free(&random);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_algorithms_equal_naive_loops_at_any_extents),
        cmocka_unit_test(random_algorithms_equal_naive_loops_by_any_strides),
        cmocka_unit_test(random_algorithms_with_parallel_loops_equal_naive_loops),
        cmocka_unit_test(random_algorithms_with_kernels_of_blis_equal_naive_loops),
        cmocka_unit_test(random_algorithms_with_kernels_of_libxsmm_equal_naive_loops),
        cmocka_unit_test(expressions_replace_numbers),
        cmocka_unit_test(the_drivers_report_success),
        cmocka_unit_test(large_extents_have_many_tiles),
        cmocka_unit_test(impossible_extents_are_refused),
        cmocka_unit_test(summed_steps_divide_the_extents),
        cmocka_unit_test(impossible_leading_dimensions_are_refused),
        cmocka_unit_test(fused_indices_continue_each_other),
        cmocka_unit_test(strides_that_are_no_leading_dimensions_are_no_arguments),
        cmocka_unit_test(out_of_memory_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
