/*
 * Tests kernel times from synthetic models with known predictions: where each time comes from, how
 * it affects estimates and intervals, and that rankings with measured times do not change.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/lower/blas_call.h"
#include "microbench/predict/probe.h"
#include "plan/times/kernel_times.h"
#include "plan/times/model_times.h"
#include "support/made_model.h"
#include "support/ranked.h"

#define PRODUCT "C_ab=A_ai*B_ib"
#define DGEMM "dgemm transA=N transB=N alpha=1 beta=0"
#define DGEMM_ANY "dgemm transA=N transB=N alpha=any beta=0"

static struct tcplan_models *new_models(void) {
    struct tcplan_models *models = tcplan_models_new();
    assert_non_null(models);
    return models;
}

static struct tcplan_rank_options estimating(const struct tcplan_models *models) {
    struct tcplan_rank_options options = ranked_options();
    options.effort = TCPLAN_EFFORT_ESTIMATE;
    options.models = models;
    return options;
}

static bool is_close(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/** Returns the estimated entry of the named algorithm. */
static struct tcplan_entry estimate(const char *contraction, const char *sizes, const char *name,
                                    const struct tcplan_rank_options *options) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_ranking *ranking;
    struct tcplan_error error = {0};
    random_contraction_given(&given, contraction, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    if (tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, name, &error))
        fail_msg("%s", error.message);
    if (tcplan_rank_one(&ranking, &given.problem, &algorithm, options, &error))
        fail_msg("%s", error.message);
    const struct tcplan_entry entry = ranking->entry[0];
    assert_true(entry.basis == TCPLAN_BASIS_ESTIMATE &&
                entry.prediction.seconds == entry.estimate_seconds);
    assert_true(entry.prediction.low == entry.estimate_low &&
                entry.prediction.high == entry.estimate_high);
    assert_true(entry.estimate_low > 0 && entry.estimate_low <= entry.estimate_seconds &&
                entry.estimate_seconds <= entry.estimate_high);
    tcplan_ranking_free(ranking);
    random_contraction_free(&given);
    return entry;
}

static struct tcplan_entry estimate_product(const struct tcplan_rank_options *options) {
    return estimate(PRODUCT, "a=b=i=64", "dgemm", options);
}

/* Sources. */

static void models_come_first_and_nominal_speeds_last(void **state) {
    (void)state;
    struct tcplan_models *models = new_models();
    struct tcplan_rank_options options = estimating(NULL);
    assert_int_equal(estimate_product(&options).kernel_source, TCPLAN_TIME_NOMINAL);
    options.models = models;
    assert_int_equal(estimate_product(&options).kernel_source, TCPLAN_TIME_NOMINAL);
    made_model_add(models,
                   (struct made_model){.case_text = DGEMM, .sizes = 3, .largest = 32, .ns = 1e4});
    assert_int_equal(estimate_product(&options).kernel_source, TCPLAN_TIME_BEYOND);
    made_model_add(models,
                   (struct made_model){.case_text = DGEMM, .sizes = 3, .largest = 64, .ns = 1e4});
    const struct tcplan_entry first = estimate_product(&options);
    assert_int_equal(first.kernel_source, TCPLAN_TIME_MODEL);
    assert_int_equal(first.copy_source, TCPLAN_TIME_NONE);
    made_model_add(models,
                   (struct made_model){.case_text = DGEMM, .sizes = 3, .largest = 64, .ns = 3e4});
    assert_true(
        is_close(estimate_product(&options).estimate_seconds - first.estimate_seconds, 2e-5));
    tcplan_models_free(models);
}

/** Stores a time, in ns, for the call that the algorithm makes. */
static void keep_time(struct tcplan_kernel_times *times, double ns) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct blas_call call;
    double calls;
    random_contraction_given(&given, PRODUCT, "a=b=i=64", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, "dgemm", NULL),
        TCPLAN_OK);
    assert_int_equal(blas_call_of(&call, &calls, &given.problem, &algorithm, NULL), TCPLAN_OK);
    const struct probe_call probe = probe_call_of(&call);
    const struct kernel_key key = kernel_key_of(&probe.call, TCPLAN_DOUBLE, 1);
    for (int timed = 0; timed < 3; timed++)
        assert_int_equal(kernel_times_add(times, &key, ns / probe.scale, NULL), TCPLAN_OK);
    random_contraction_free(&given);
}

static void stored_times_precede_nominal_speeds(void **state) {
    (void)state;
    struct tcplan_models *models = new_models();
    struct tcplan_rank_options options = estimating(models);
    options.kernel_times = tcplan_kernel_times_new();
    keep_time(options.kernel_times, 5e4);
    assert_int_equal(estimate_product(&options).kernel_source, TCPLAN_TIME_STORED);
    made_model_add(models,
                   (struct made_model){.case_text = DGEMM, .sizes = 3, .largest = 32, .ns = 1e4});
    assert_int_equal(estimate_product(&options).kernel_source,
                     TCPLAN_TIME_STORED); /* the stored time: the model's domain lacks these sizes
                                           */
    made_model_add(models,
                   (struct made_model){.case_text = DGEMM, .sizes = 3, .largest = 64, .ns = 1e4});
    assert_int_equal(estimate_product(&options).kernel_source, TCPLAN_TIME_MODEL);
    assert_int_equal(tcplan_kernel_times_count(options.kernel_times), 1);
    tcplan_kernel_times_free(options.kernel_times);
    tcplan_models_free(models);
}

static void other_setups_are_no_models_of_a_call(void **state) {
    (void)state;
    static const struct made_model others[] = {
        {.case_text = DGEMM, .sizes = 3, .largest = 64, .ns = 1, .provider = "blis"},
        {.case_text = DGEMM, .sizes = 3, .largest = 64, .ns = 1, .threads = 2},
        {.case_text = DGEMM,
         .sizes = 3,
         .largest = 64,
         .ns = 1,
         .version = "OpenBLAS 0.0.1 (Abacus)"},
        {.case_text = DGEMM, .sizes = 3, .largest = 64, .ns = 1, .placement = TCPLAN_MODEL_COLD},
        {.case_text = DGEMM, .sizes = 2, .largest = 64, .ns = 1},
        {.case_text = "dgemm transA=T transB=N alpha=1 beta=0", .sizes = 3, .largest = 64, .ns = 1},
        {.case_text = "dgemm transA=N transB=N alpha=1 beta=1", .sizes = 3, .largest = 64, .ns = 1},
        {.case_text = "sgemm transA=N transB=N alpha=1 beta=0", .sizes = 3, .largest = 64, .ns = 1},
        {.case_text = DGEMM, .sizes = 3, .largest = 64, .ns = 0}, /* predicts no time */
    };
    for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
        struct tcplan_models *models = new_models();
        const struct tcplan_rank_options options = estimating(models);
        made_model_add(models, others[o]);
        assert_int_equal(estimate_product(&options).kernel_source, TCPLAN_TIME_NOMINAL);
        tcplan_models_free(models);
    }
}

static void models_of_any_scalar_stand_in(void **state) {
    (void)state;
    struct tcplan_models *models = new_models();
    const struct tcplan_rank_options options = estimating(models);
    made_model_add(
        models, (struct made_model){.case_text = DGEMM_ANY, .sizes = 3, .largest = 64, .ns = 2e4});
    const struct tcplan_entry any = estimate_product(&options);
    assert_int_equal(any.kernel_source, TCPLAN_TIME_MODEL);
    made_model_add(models,
                   (struct made_model){.case_text = DGEMM, .sizes = 3, .largest = 64, .ns = 1e4});
    assert_true(is_close(any.estimate_seconds - estimate_product(&options).estimate_seconds, 1e-5));
    tcplan_models_free(models);
}

/** Each kernel time of an estimate has one source, and the ranking counts the kernels of each
 * source. */
static void sources_are_counted(void **state) {
    (void)state;
    struct tcplan_models *models = new_models();
    struct tcplan_rank_options options = estimating(models);
    struct ranked ranked;
    size_t count[TCPLAN_TIME_SOURCES], predicted = 0, modelled = 0;
    options.space = TCPLAN_SPACE_FULL;
    made_model_add(models,
                   (struct made_model){.case_text = DGEMM, .sizes = 3, .largest = 1000, .ns = 1e4});
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=b=c=40,i=8", TCPLAN_DOUBLE, &options);
    for (size_t e = 0; e < ranked.ranking->entry_count; e++) {
        predicted += ranked.ranking->entry[e].predicted;
        modelled += ranked.ranking->entry[e].predicted &&
                    ranked.ranking->entry[e].kernel_source == TCPLAN_TIME_MODEL;
    }
    assert_int_equal(tcplan_ranking_time_sources(ranked.ranking, count), predicted);
    assert_int_equal(count[TCPLAN_TIME_MODEL], modelled);
    assert_true(modelled > 0 && count[TCPLAN_TIME_NONE] == 0 && count[TCPLAN_TIME_TIMED] == 0);
    assert_int_equal(count[TCPLAN_TIME_MODEL] + count[TCPLAN_TIME_NOMINAL] +
                         count[TCPLAN_TIME_BEYOND],
                     predicted);
    ranked_free(&ranked);
    tcplan_models_free(models);
}

/* Errors of times. */

static struct blas_call product(int m, int n, int k) {
    return (struct blas_call){
        .kernel = TCPLAN_GEMM, .m = m, .n = n, .k = k, .ld = {m, k, m}, .alpha = {1, 0}};
}

static const struct tcplan_machine machine = {.line_bytes = 64, .page_bytes = 4096};

static void the_error_of_a_model_has_spread_and_bias(void **state) {
    (void)state;
    const struct blas_call call = product(40, 40, 40);
    for (int checked = 0; checked < 2; checked++) {
        struct tcplan_models *models = new_models();
        const struct made_model made = {.case_text = DGEMM,
                                        .sizes = 3,
                                        .largest = 64,
                                        .ns = 1000,
                                        .maximum_ns = 1500,
                                        .error = 0.1,
                                        .checked_p90 = checked ? 0.25 : 0};
        made_model_add(models, made);
        const struct model_times times = model_times_of(models, &machine);
        const double factor = checked ? 1.25 : 1.1;
        struct call_time time;
        assert_true(model_times_call(&time, &times, &call, TCPLAN_DOUBLE, 1, TCPLAN_MODEL_WARM));
        assert_true(is_close(time.ns, 1000) && is_close(time.low_ns, 1000 / factor) &&
                    is_close(time.high_ns, 1500 * factor));
        tcplan_models_free(models);
    }
}

static void a_model_errs_more_outside_its_domain(void **state) {
    (void)state;
    static const int sizes[][3] = {{8, 32, 32},  {64, 2, 64}, {32, 64, 1}, {1000, 32, 32},
                                   {64, 64, 65}, {1, 1, 1},   {8, 500, 50}};
    struct tcplan_models *models = new_models();
    made_model_add(models, (struct made_model){.case_text = DGEMM,
                                               .sizes = 3,
                                               .smallest = 32,
                                               .largest = 64,
                                               .ns = 1000,
                                               .error = 0.1});
    const struct model_times times = model_times_of(models, &machine);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const struct blas_call call = product(sizes[s][0], sizes[s][1], sizes[s][2]);
        struct call_time time;
        double work = 1;
        for (int i = 0; i < 3; i++) work *= sizes[s][i] / fmin(fmax(sizes[s][i], 32), 64);
        assert_false(model_times_call(&time, &times, &call, TCPLAN_DOUBLE, 1, TCPLAN_MODEL_WARM));
        assert_true(model_times_beyond(&time, &times, &call, TCPLAN_DOUBLE, 1, &machine));
        assert_int_equal(time.source, TCPLAN_TIME_BEYOND);
        assert_true(time.low_ns <= 1000 * fmin(work, 1) && time.high_ns >= 1000 * fmax(work, 1));
        assert_true(time.low_ns > 0 && time.low_ns <= time.ns && time.ns <= time.high_ns &&
                    isfinite(time.high_ns));
    }
    tcplan_models_free(models);
}

/** Returns the predicted time of a dot with increments 1 and `increment`. */
static struct call_time time_dot(const struct model_times *times, int increment) {
    const struct blas_call call = {
        .kernel = TCPLAN_DOT, .m = 40, .n = 1, .k = 1, .ld = {increment, 1, 1}, .alpha = {1, 0}};
    struct call_time time;
    assert_true(model_times_call(&time, times, &call, TCPLAN_DOUBLE, 1, TCPLAN_MODEL_WARM));
    assert_int_equal(time.source, TCPLAN_TIME_MODEL);
    assert_true(time.low_ns > 0 && time.low_ns <= time.ns && time.ns <= time.high_ns);
    return time;
}

static void increments_between_have_times_between(void **state) {
    (void)state;
    static const struct made_model large = {
        .case_text = "ddot incx=large incy=1", .sizes = 1, .largest = 64, .ns = 800, .error = 0.1};
    static const struct made_model one = {
        .case_text = "ddot incx=1 incy=1", .sizes = 1, .largest = 64, .ns = 100, .error = 0.1};
    for (int which = 0; which < 3; which++) {
        struct tcplan_models *models = new_models();
        if (which != 0) made_model_add(models, large);
        if (which != 1) made_model_add(models, one);
        const struct model_times times = model_times_of(models, &machine);
        double before = 0;
        for (int increment = 2; increment < 8; increment++) {
            const struct call_time time = time_dot(&times, increment);
            if (which == 0)
                assert_true(is_close(time.ns, 100) && is_close(time.high_ns, 110 * increment));
            if (which == 1)
                assert_true(is_close(time.ns, 800) &&
                            is_close(time.low_ns, 800 / 1.1 * increment / 8));
            if (which == 2)
                assert_true(is_close(time.ns, 100 * increment) &&
                            is_close(time.low_ns, 100 / 1.1) && is_close(time.high_ns, 880));
            assert_true(time.ns >= before);
            before = time.ns;
        }
        if (which != 0)
            assert_true(is_close(time_dot(&times, 8).low_ns,
                                 800 / 1.1)); /* 8 doubles are a cache line: such increments are
                                                 cases of their own, with their own model */
        if (which != 1) assert_true(is_close(time_dot(&times, 1).high_ns, 110));
        tcplan_models_free(models);
    }
}

/** brgemm with six products of 8 x 8 x 5 has the time of one product of 8 x 8 x 30, or of six. */
static void batches_of_products_are_like_products(void **state) {
    (void)state;
    static const char *const added = "dgemm transA=N transB=N alpha=1 beta=1";
    struct blas_call call = product(8, 8, 5);
    struct call_time time;
    struct tcplan_models *models = new_models();
    call.kernel = TCPLAN_BRGEMM;
    call.provider = TCPLAN_PROVIDER_LIBXSMM;
    call.products = 6;
    made_model_add(models, (struct made_model){.case_text = DGEMM,
                                               .sizes = 3,
                                               .largest = 30,
                                               .ns = 1}); /* this model is of another library */
    made_model_add(
        models, (struct made_model){
                    .case_text = DGEMM, .sizes = 3, .largest = 29, .ns = 1, .provider = "libxsmm"});
    const struct model_times times = model_times_of(models, &machine);
    assert_false(model_times_call(&time, &times, &call, TCPLAN_DOUBLE, 1, TCPLAN_MODEL_WARM));
    made_model_add(
        models,
        (struct made_model){
            .case_text = DGEMM, .sizes = 3, .largest = 30, .ns = 100, .provider = "libxsmm"});
    assert_true(model_times_call(&time, &times, &call, TCPLAN_DOUBLE, 1, TCPLAN_MODEL_WARM));
    assert_true(is_close(time.ns, 100) && is_close(time.low_ns, 100) &&
                is_close(time.high_ns, 300));
    made_model_add(
        models,
        (struct made_model){
            .case_text = added, .sizes = 3, .largest = 30, .ns = 40, .provider = "libxsmm"});
    assert_true(model_times_call(&time, &times, &call, TCPLAN_DOUBLE, 1, TCPLAN_MODEL_WARM));
    assert_true(is_close(time.ns, 100) && is_close(time.low_ns, 100) &&
                is_close(time.high_ns, 240));
    tcplan_models_free(models);
}

/** Intervals of estimates are narrower for operands in cache than in memory, and for models than
 * for ceilings. */
static void intervals_follow_from_sources(void **state) {
    (void)state;
    struct tcplan_models *models = new_models();
    struct tcplan_rank_options options = estimating(NULL);
    const struct tcplan_entry nominal = estimate_product(&options);
    assert_true(is_close(nominal.estimate_high / nominal.estimate_seconds,
                         nominal.estimate_seconds / nominal.estimate_low));
    made_model_add(models,
                   (struct made_model){
                       .case_text = DGEMM, .sizes = 3, .largest = 64, .ns = 1e9, .error = 0.01});
    options.models = models;
    const struct tcplan_entry modelled = estimate_product(&options);
    assert_true(modelled.estimate_high / modelled.estimate_low <
                nominal.estimate_high / nominal.estimate_low);
    assert_true(fabs(modelled.estimate_high / modelled.estimate_seconds - 1.01) <
                1e-3); /* the kernel's 1 s is nearly all of the time */
    tcplan_models_free(models);
}

/* Places of operands. */

/** The result has 64 MB, and kernels write consecutive slices of it. With small extents, everything
 * stays in cache. */
static void operands_from_memory_are_streamed(void **state) {
    (void)state;
    for (int place = TCPLAN_MODEL_WARM; place < TCPLAN_MODEL_PLACEMENTS; place++) {
        struct tcplan_models *models = new_models();
        const struct tcplan_rank_options options = estimating(models);
        made_model_add(models, (struct made_model){
                                   .case_text = DGEMM, .sizes = 3, .largest = 1000, .ns = 1e4});
        made_model_add(models,
                       (struct made_model){.case_text = DGEMM,
                                           .sizes = 3,
                                           .largest = 1000,
                                           .ns = 7e4,
                                           .placement = (enum tcplan_model_placement)place});
        const double large =
            estimate("C_abc=A_ai*B_ibc", "a=b=c=200,i=8", "c-dgemm", &options).estimate_seconds;
        const double small =
            estimate("C_abc=A_ai*B_ibc", "a=b=c=16,i=8", "c-dgemm", &options).estimate_seconds;
        if (place == TCPLAN_MODEL_STREAMING)
            assert_true(is_close(large, 200 * 7e-5)); /* everything streams */
        if (place == TCPLAN_MODEL_COLD) assert_true(large > 200 * 1e-5 && large < 200 * 7e-5);
        if (place == TCPLAN_MODEL_WARM) assert_true(large > 200 * 7e-5);
        assert_true(small > 16 * (place == TCPLAN_MODEL_WARM ? 7e-5 : 1e-5));
        assert_true(small < 16 * (place == TCPLAN_MODEL_WARM ? 7e-5 : 1e-5) + 1e-4);
        tcplan_models_free(models);
    }
}

/* Copies. */

static void copies_that_turn_have_models(void **state) {
    (void)state;
    struct tcplan_models *models = new_models();
    struct tcplan_rank_options options = estimating(models);
    struct ranked ranked;
    options.space = TCPLAN_SPACE_FULL;
    for (int place = 0; place < TCPLAN_MODEL_PLACEMENTS; place++) {
        const enum tcplan_model_placement placement = (enum tcplan_model_placement)place;
        made_model_add(models, (struct made_model){.case_text = "dtranspose streamed=0",
                                                   .provider = "own",
                                                   .sizes = 2,
                                                   .largest = 1 << 20,
                                                   .ns = 1,
                                                   .placement = placement});
        made_model_add(models, (struct made_model){.case_text = "dtranspose streamed=1",
                                                   .provider = "own",
                                                   .sizes = 2,
                                                   .largest = 1 << 20,
                                                   .ns = 1,
                                                   .placement = placement});
    }
    ranked_init(&ranked, "C_abc=A_ija*B_jbic", "a=b=c=64,i=j=16", TCPLAN_DOUBLE, &options);
    size_t modelled = 0;
    for (size_t e = 0; e < ranked.ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranked.ranking->entry[e];
        if (!entry->predicted || entry->copy_source != TCPLAN_TIME_MODEL) continue;
        char *name =
            tcplan_algorithm_name(&entry->algorithm, ranked.given.contraction, TCPLAN_DOUBLE);
        options.models = NULL;
        const struct tcplan_entry without =
            estimate("C_abc=A_ija*B_jbic", "a=b=c=64,i=j=16", name, &options);
        assert_int_equal(without.copy_source, TCPLAN_TIME_LOOPS);
        assert_true(entry->estimate_seconds < without.estimate_seconds);
        modelled++;
        free(name);
    }
    assert_true(modelled > 0);
    ranked_free(&ranked);
    tcplan_models_free(models);
}

/** A copy that transposes 50 rows of 30 elements. */
static const struct arrangement_copy transposed = {.executions = 4,
                                                   .elements = 1500,
                                                   .rank = 2,
                                                   .dimension = {{30, 50, 1}, {50, 1, 30}},
                                                   .line_seconds = 4e-6};

/** A copy of 50 contiguous runs of 30 elements. */
static const struct arrangement_copy runs = {
    .executions = 4, .elements = 1500, .rank = 2, .dimension = {{30, 1, 1}, {50, 64, 30}}};

static struct tcplan_problem problem_of_copies(void) {
    return (struct tcplan_problem){
        .dtype = TCPLAN_DOUBLE, .element_bytes = 8, .heuristics = {.far_bytes = 1 << 24}};
}

static bool time_copy(struct call_time *out, const struct tcplan_models *models,
                      struct arrangement_copy copy, enum tcplan_operand operand, bool streamed) {
    const struct model_times times = model_times_of(models, &machine);
    const struct tcplan_problem problem = problem_of_copies();
    struct tcplan_algorithm algorithm = tcplan_algorithm_empty();
    algorithm.copy[operand].streamed = streamed;
    const struct model_copy wanted = {.copy = &copy, .operand = operand, .algorithm = &algorithm};
    return model_times_copy(out, &times, &problem, &wanted);
}

static void add_copy_model(struct tcplan_models *models, const char *text, int sizes, double ns,
                           enum tcplan_model_placement place) {
    made_model_add(models, (struct made_model){.case_text = text,
                                               .provider = "own",
                                               .sizes = sizes,
                                               .largest = 1000,
                                               .ns = ns,
                                               .placement = place});
}

static void copies_are_placed_as_the_tensor_is(void **state) {
    (void)state;
    struct tcplan_models *models = new_models();
    struct arrangement_copy copy = transposed;
    struct call_time time;
    assert_false(time_copy(&time, models, copy, TCPLAN_A, false));
    add_copy_model(models, "dtranspose streamed=0", 2, 100, TCPLAN_MODEL_WARM);
    assert_true(time_copy(&time, models, copy, TCPLAN_A, false));
    assert_true(is_close(time.ns, 100) && is_close(time.high_ns, 100));
    copy.from_memory = true; /* adds a microsecond per execution for loading cache lines */
    assert_true(time_copy(&time, models, copy, TCPLAN_A, false));
    assert_true(is_close(time.ns, 1100) && time.low_ns < 500 && time.high_ns > 3000);
    add_copy_model(models, "dtranspose streamed=0", 2, 700, TCPLAN_MODEL_COLD);
    assert_true(time_copy(&time, models, copy, TCPLAN_A, false));
    assert_true(is_close(time.ns, 700));
    copy.streams = true;
    assert_true(time_copy(&time, models, copy, TCPLAN_A, false));
    assert_true(is_close(time.ns, 1100));
    add_copy_model(models, "dtranspose streamed=0", 2, 400, TCPLAN_MODEL_STREAMING);
    assert_true(time_copy(&time, models, copy, TCPLAN_A, false));
    assert_true(is_close(time.ns, 400));
    copy.from_memory = false;
    assert_true(time_copy(&time, models, copy, TCPLAN_A, false));
    assert_true(is_close(time.ns, 100));
    tcplan_models_free(models);
}

static void results_are_filled_emptied_and_streamed(void **state) {
    (void)state;
    struct tcplan_models *models = new_models();
    struct arrangement_copy copy = transposed;
    struct call_time time;
    add_copy_model(models, "dtranspose streamed=0", 2, 100, TCPLAN_MODEL_WARM);
    assert_true(time_copy(&time, models, copy, TCPLAN_C, false));
    assert_true(is_close(time.ns, 100));
    assert_false(time_copy(&time, models, copy, TCPLAN_C, true));
    add_copy_model(models, "dtranspose streamed=1", 2, 30, TCPLAN_MODEL_WARM);
    assert_true(time_copy(&time, models, copy, TCPLAN_C, true));
    assert_true(is_close(time.ns, 30));
    copy.elements *= 2; /* the result's temporary is also filled, from the caches */
    assert_true(time_copy(&time, models, copy, TCPLAN_C, true));
    assert_true(is_close(time.ns, 130));
    copy = transposed;
    copy.dimension[0].extent =
        900; /* also for a factor of 900 x 990 x 3 elements, which exceeds the caches */
    copy.dimension[1].extent = 990;
    copy.dimension[2] = (struct arrangement_dimension){3, 1e7, 891000};
    copy.rank = 3;
    assert_true(time_copy(&time, models, copy, TCPLAN_B, false));
    assert_true(is_close(time.ns, 3 * 30));
    tcplan_models_free(models);
}

/** One call may copy each contiguous run, or all of them. The estimate is between both: it exceeds
 * the model's time for one run of all elements. */
static void runs_cost_less_than_a_call_each(void **state) {
    (void)state;
    struct tcplan_models *models = new_models();
    struct call_time time;
    add_copy_model(models, "dmove incx=1 incy=1", 1, 100, TCPLAN_MODEL_WARM);
    assert_true(time_copy(&time, models, runs, TCPLAN_A, false));
    assert_true(is_close(time.high_ns, 5000) && is_close(time.low_ns, 5000 * 30 / 1000.0) &&
                time.low_ns < time.ns && time.ns < 5000);
    add_copy_model(models, "dpermute order=132 streamed=0", 3, 70, TCPLAN_MODEL_WARM);
    struct arrangement_copy three = runs;
    three.rank = 3;
    three.dimension[1].tensor = 30 * 7;
    three.dimension[2] = (struct arrangement_dimension){7, 30, 1500};
    three.elements *= 7;
    assert_true(time_copy(&time, models, three, TCPLAN_A, false));
    assert_true(is_close(time.ns, 70));
    three.rank = 0; /* a sum */
    assert_false(time_copy(&time, models, three, TCPLAN_A, false));
    tcplan_models_free(models);
}

/** Adds a model that predicts a time of almost 0 for dots. */
static void add_absurd_dots(struct tcplan_models *models) {
    static const char *const cases[] = {"ddot incx=1 incy=1", "ddot incx=large incy=1",
                                        "ddot incx=1 incy=large", "ddot incx=large incy=large"};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        made_model_add(models, (struct made_model){
                                   .case_text = cases[c], .sizes = 1, .largest = 1000, .ns = 1e-9});
    }
}

static void an_absurd_model_changes_the_pick_of_an_estimate(void **state) {
    (void)state;
    for (int space = TCPLAN_SPACE_FULL; space <= TCPLAN_SPACE_BLAS; space++) {
        struct tcplan_models *models = new_models();
        struct tcplan_rank_options options = estimating(NULL);
        struct ranked without, with;
        options.space = (enum tcplan_space)space;
        ranked_init(&without, PRODUCT, "a=b=24,i=8", TCPLAN_DOUBLE, &options);
        add_absurd_dots(models);
        options.models = models;
        ranked_init(&with, PRODUCT, "a=b=24,i=8", TCPLAN_DOUBLE, &options);
        assert_int_not_equal(tcplan_ranking_chosen(without.ranking)->algorithm.kernel, TCPLAN_DOT);
        assert_int_equal(tcplan_ranking_chosen(with.ranking)->algorithm.kernel, TCPLAN_DOT);
        assert_int_equal(tcplan_ranking_chosen(with.ranking)->kernel_source, TCPLAN_TIME_MODEL);
        ranked_free(&without);
        ranked_free(&with);
        tcplan_models_free(models);
    }
}

/** The model's times are ten times too long; the first timed call shows this. */
static void an_absurd_model_does_not_change_a_timed_pick(void **state) {
    (void)state;
    static const enum tcplan_effort efforts[] = {TCPLAN_EFFORT_QUICK, TCPLAN_EFFORT_NORMAL};
    for (int space = TCPLAN_SPACE_FULL; space <= TCPLAN_SPACE_BLAS; space++) {
        for (size_t e = 0; e < sizeof efforts / sizeof *efforts; e++) {
            struct tcplan_models *models = new_models();
            struct tcplan_rank_options options = ranked_options();
            struct ranked ranked;
            add_absurd_dots(models);
            options.models = models;
            options.effort = efforts[e];
            options.space = (enum tcplan_space)space;
            options.gemm_gflops = 1.5;
            ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=b=c=64,i=8", TCPLAN_DOUBLE, &options);
            const struct tcplan_entry *pick = tcplan_ranking_chosen(ranked.ranking);
            assert_int_not_equal(pick->algorithm.kernel, TCPLAN_DOT);
            assert_int_not_equal(pick->basis, TCPLAN_BASIS_ESTIMATE);
            for (size_t other = 0; other < ranked.ranking->entry_count; other++) {
                const struct tcplan_entry *entry = &ranked.ranking->entry[other];
                /* A time from a model is no lower bound: a candidate is pruned only after its
                 * kernel was timed. */
                if (entry->status == TCPLAN_ENTRY_PRUNED)
                    assert_true(entry->lower_bound_seconds > 1e-7);
            }
            ranked_free(&ranked);
            tcplan_models_free(models);
        }
    }
}

/** A model predicts a day for the best algorithm. Its kernel is timed before the algorithm is
 * pruned. */
static void a_slow_model_excludes_no_candidate(void **state) {
    (void)state;
    struct tcplan_models *models = new_models();
    struct tcplan_rank_options options = ranked_options();
    struct ranked ranked;
    static const char *const cases[] = {DGEMM, "dgemm transA=T transB=N alpha=1 beta=0",
                                        "dgemm transA=N transB=T alpha=1 beta=0",
                                        "dgemm transA=T transB=T alpha=1 beta=0"};
    for (size_t c = 0; c < 4; c++)
        made_model_add(models, (struct made_model){
                                   .case_text = cases[c], .sizes = 3, .largest = 1000, .ns = 1e14});
    options.models = models;
    options.gemm_gflops = 1.5;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=b=i=128", TCPLAN_DOUBLE, &options);
    for (size_t e = 0; e < ranked.ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranked.ranking->entry[e];
        if (entry->status == TCPLAN_ENTRY_PRUNED) assert_true(entry->lower_bound_seconds < 1000);
    }
    assert_true(ranked.ranking->pruned_bound_seconds < 1000);
    ranked_free(&ranked);
    tcplan_models_free(models);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_come_first_and_nominal_speeds_last),
        cmocka_unit_test(stored_times_precede_nominal_speeds),
        cmocka_unit_test(other_setups_are_no_models_of_a_call),
        cmocka_unit_test(models_of_any_scalar_stand_in),
        cmocka_unit_test(sources_are_counted),
        cmocka_unit_test(the_error_of_a_model_has_spread_and_bias),
        cmocka_unit_test(a_model_errs_more_outside_its_domain),
        cmocka_unit_test(increments_between_have_times_between),
        cmocka_unit_test(batches_of_products_are_like_products),
        cmocka_unit_test(intervals_follow_from_sources),
        cmocka_unit_test(operands_from_memory_are_streamed),
        cmocka_unit_test(copies_that_turn_have_models),
        cmocka_unit_test(copies_are_placed_as_the_tensor_is),
        cmocka_unit_test(results_are_filled_emptied_and_streamed),
        cmocka_unit_test(runs_cost_less_than_a_call_each),
        cmocka_unit_test(an_absurd_model_changes_the_pick_of_an_estimate),
        cmocka_unit_test(an_absurd_model_does_not_change_a_timed_pick),
        cmocka_unit_test(a_slow_model_excludes_no_candidate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
