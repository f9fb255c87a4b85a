/*
 * Tests figures of predicted and measured times: each figure shows its data, and changes when a
 * single input changes. The tips of the marks have the values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/commands/blocked/blocked_job.h"
#include "cli/commands/blocked/cache_plot.h"
#include "cli/commands/model/model.h"
#include "cli/options/options.h"
#include "cli/page/pictures.h"
#include "support/a_model.h"
#include "tcplan/tuning.h"

enum {
    LONGEST = 1 << 18,
    POINTS = 2,
    BLOCKS = 3,
    ALGORITHMS = 2,
    MOST = 11,
    ALL = POINTS * BLOCKS
};

static char picture[LONGEST];
static char path[] = "/tmp/tcplan-figure-XXXXXX";

static int make_file(void **state) {
    (void)state;
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state) {
    (void)state;
    return remove(path);
}

static void read_picture(void) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    picture[fread(picture, 1, sizeof picture - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(picture, "</svg>"));
}

static void assert_tips(const char *const tip[]) {
    char text[256];
    for (; *tip; tip++) {
        snprintf(text, sizeof text, "<title>%s</title>", *tip);
        if (!strstr(picture, text)) fail_msg("no tip \"%s\" in\n%s", *tip, picture);
    }
}

#define TIPS(...)                                                                                  \
    (const char *const[]) {                                                                        \
        __VA_ARGS__, NULL                                                                          \
    }

/* Blocked algorithms. */

/** Up to two algorithms of a Cholesky decomposition, or all of an inversion, with two sizes and
 * three block sizes. */
struct scene {
    struct options options;
    struct tcplan_blocked *algorithm[MOST];
    struct tcplan_blocked_sizes point[POINTS];
    int64_t block[BLOCKS];
    struct tcplan_blocked_prediction prediction[MOST * ALL];
    struct tcplan_blocked_measured measured[MOST * ALL];
    struct tcplan_blocked_rank rank[POINTS * MOST];
    struct tcplan_model_setup setup;
    struct blocked_job job;
};

static void fill(double seconds[TCPLAN_MODEL_STATISTICS], double median) {
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) seconds[s] = median;
}

/** Predicts and measures a second for each combination. The smallest block size is predicted to be
 * a fifth faster, and the second size takes twice as long. */
static struct scene *scene_of(int figure, int algorithms) {
    struct scene *scene = calloc(1, sizeof *scene);
    struct tcplan_error error;
    int operation, number;
    enum tcplan_dtype dtype = TCPLAN_DOUBLE;
    assert_non_null(scene);
    assert_int_equal(tcplan_blocked_find(&operation, &number, &dtype,
                                         algorithms == MOST ? "trtri" : "potrf", &error),
                     TCPLAN_OK);
    for (int a = 0; a < algorithms; a++)
        assert_int_equal(
            tcplan_blocked_make(&scene->algorithm[a], operation, a, TCPLAN_DOUBLE, &error),
            TCPLAN_OK);
    scene->options = (struct options){.plot = path, .figure = figure};
    for (int b = 0; b < BLOCKS; b++) scene->block[b] = 32 << b;
    for (int p = 0; p < POINTS; p++) scene->point[p].size[0] = 100 * (p + 1);
    struct blocked_job *job = &scene->job;
    job->options = &scene->options;
    job->map = (struct tcplan_blocked_map){
        .algorithms = algorithms,
        .points = POINTS,
        .blocks = BLOCKS,
        .blocked = (const struct tcplan_blocked *const *)scene->algorithm,
        .point = scene->point,
        .block = scene->block,
        .prediction = scene->prediction};
    job->head = (struct blocked_head){
        .operation = "potrf_L", .dtype = TCPLAN_DOUBLE, .setup = &scene->setup};
    job->of.of.default_block = 64;
    job->default_place = 1;
    job->rank = scene->rank;
    for (int i = 0; i < algorithms * ALL; i++) {
        const int point = i / BLOCKS % POINTS;
        fill(scene->prediction[i].seconds, (i % BLOCKS == 0 ? 0.8 : 1) * (point + 1));
        fill(scene->measured[i].seconds, point + 1);
        scene->prediction[i].flops = 2e9;
        scene->measured[i].count = 10;
    }
    for (int p = 0; p < POINTS; p++)
        tcplan_blocked_rank(&scene->rank[p * algorithms], &job->map, p, TCPLAN_BLOCKED_TIE);
    return scene;
}

static void draw(struct scene *scene) {
    assert_int_equal(
        blocked_plot(&(struct blocked_picture){.job = &scene->job, .measured = scene->measured}),
        EXIT_DONE);
    read_picture();
}

static void scene_free(struct scene *scene) {
    for (int a = 0; a < MOST; a++) tcplan_blocked_free(scene->algorithm[a]);
    free(scene);
}

/** Sets the measured median time of an algorithm at a size and block size. */
static void measure(struct scene *scene, int algorithm, int point, int block, double seconds) {
    scene->measured[blocked_job_place(&scene->job, algorithm, point, block)]
        .seconds[TCPLAN_MODEL_MEDIAN] = seconds;
}

static void errors_have_a_sign_and_a_statistic(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_ERROR, 1);
    draw(scene);
    assert_tips(TIPS("median: -20 % at 100", "median: -20 % at 200", "maximum: -20 % at 200"));
    measure(scene, 0, 1, 0, 1.28);
    draw(scene);
    assert_tips(TIPS("median: -20 % at 100", "median: 25 % at 200", "maximum: -20 % at 200"));
    scene_free(scene);
}

static void errors_of_several_algorithms_are_those_of_medians(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_ERROR, ALGORITHMS);
    measure(scene, 1, 0, 0, 1.6);
    draw(scene);
    assert_tips(TIPS("potrf_L1: -20 % at 100", "potrf_L2: -50 % at 100", "potrf_L2: -20 % at 200"));
    scene_free(scene);
}

static void extrapolated_predictions_are_marked_with_their_interval(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_ERROR, 1);
    draw(scene);
    assert_null(strstr(picture, "extrapolated"));
    for (int b = 0; b < BLOCKS; b++) {
        struct tcplan_blocked_prediction *prediction =
            &scene->prediction[blocked_job_place(&scene->job, 0, 1, b)];
        prediction->extrapolated = 2;
        prediction->low_seconds = 1;
        prediction->high_seconds = 4;
    }
    draw(scene);
    assert_tips(TIPS("median: -20 % at 100", "median: -20 % at 200, extrapolated"));
    assert_non_null(strstr(picture, "extrapolated: n = 200 to 200"));
    scene->options.figure = BLOCKED_PERFORMANCE;
    scene->job.map.blocks = 1; /* performance over n */
    scene->prediction[1] = scene->prediction[BLOCKS];
    scene->measured[1] = scene->measured[BLOCKS];
    for (int p = 0; p < POINTS; p++) scene->rank[p].block = 0;
    draw(scene);
    assert_tips(TIPS("potrf_L1: 1.25 GFLOP/s (0.5 to 2) at 200, extrapolated"));
    scene_free(scene);
}

static void a_yield_compares_the_predicted_choice_with_the_fastest(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_YIELD, 1);
    draw(scene);
    assert_tips(TIPS("predicted b: 100 % at 100", "LAPACK&#39;s b = 64: 100 % at 200"));
    measure(scene, 0, 1, 2, 1.5); /* instead of 2 */
    draw(scene);
    assert_tips(TIPS("predicted b: 100 % at 100", "predicted b: 75 % at 200",
                     "LAPACK&#39;s b = 64: 75 % at 200"));
    scene_free(scene);
}

static void a_yield_of_several_algorithms_is_also_that_of_the_best_of_all(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_YIELD, ALGORITHMS);
    measure(scene, 1, 0, 0, 0.5); /* instead of 1; the first of equal predictions is the choice */
    draw(scene);
    assert_tips(TIPS("predicted algorithm and b: 50 % at 100",
                     "predicted b of potrf_L1: 100 % at 100",
                     "predicted b of potrf_L2: 100 % at 100"));
    scene_free(scene);
}

static void best_blocks_are_predicted_and_measured(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_BLOCKS, 1);
    measure(scene, 0, 0, 1, 0.9);
    draw(scene);
    assert_tips(TIPS("predicted: 32 at 100", "predicted: 32 at 200", "measured: 64 at 100",
                     "measured: 32 at 200"));
    measure(scene, 0, 0, 2, 0.8);
    draw(scene);
    assert_tips(TIPS("predicted: 32 at 100", "measured: 128 at 100", "measured: 32 at 200"));
    assert_non_null(strstr(picture, "LAPACK&#39;s b = 64"));
    scene_free(scene);
}

static void optima_are_marked_for_each_size(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_OPTIMA, 1);
    measure(scene, 0, 1, 1, 1.6);
    draw(scene);
    assert_tips(TIPS("best b, predicted: 2.5 GFLOP/s at 32",
                     "best b, predicted: 1.25 GFLOP/s at 32", "best b, measured: 2 GFLOP/s at 32",
                     "best b, measured: 1.25 GFLOP/s at 64"));
    measure(scene, 0, 1, 2, 0.5);
    draw(scene);
    assert_tips(TIPS("best b, measured: 2 GFLOP/s at 32", "best b, measured: 4 GFLOP/s at 128"));
    scene_free(scene);
}

static void what_was_not_measured_is_a_gap(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_ERROR, 1);
    scene->measured[blocked_job_place(&scene->job, 0, 0, 0)].count = 0;
    draw(scene);
    assert_null(strstr(picture, " % at 100<"));
    assert_tips(TIPS("median: -20 % at 200"));
    scene_free(scene);
}

static void performance_is_that_of_the_best_block_of_each_algorithm(void **state) {
    (void)state;
    static const char second[] = "class=\"curve c1 d0\" x1=\"50.00%\" y1=\"0.0\"";
    struct scene *scene = scene_of(BLOCKED_PERFORMANCE, ALGORITHMS);
    draw(scene);
    assert_null(strstr(picture, "fastest and"));
    assert_non_null(strstr(picture, second)); /* lines are predicted, marks are measured */
    assert_tips(TIPS("potrf_L1: 2 GFLOP/s (2 to 2) at 100", "potrf_L2: 1 GFLOP/s (1 to 1) at 200"));
    fill(scene->measured[ALL + BLOCKS].seconds, 0.5);
    draw(scene);
    assert_tips(TIPS("potrf_L1: 2 GFLOP/s (2 to 2) at 100", "potrf_L2: 4 GFLOP/s (4 to 4) at 200"));
    fill(scene->measured[ALL + BLOCKS].seconds, 2);
    fill(scene->prediction[0].seconds, 0.4); /* the first algorithm at 100 */
    draw(scene);
    assert_null(strstr(picture, second));
    scene_free(scene);
}

static void of_many_algorithms_the_fastest_and_the_slowest_are_drawn(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_PERFORMANCE, MOST);
    int drawn = 0;
    draw(scene);
    assert_non_null(strstr(picture, "predicted to be the 7 fastest and the slowest of 11"));
    for (int a = 0; a < MOST; a++) {
        char text[64];
        snprintf(text, sizeof text, ">%s<", tcplan_blocked_name(scene->algorithm[a]));
        drawn += strstr(picture, text) != NULL;
    }
    assert_int_equal(drawn, 8);
    scene_free(scene);
}

static void errors_over_sizes_and_blocks_are_cells(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_PERFORMANCE, 1);
    draw(scene);
    assert_tips(TIPS("n 100 to 200, b 32: 20 %", "n 100 to 200, b 64: 0 %"));
    measure(scene, 0, 1, 1, 4); /* instead of 2 */
    draw(scene);
    assert_tips(
        TIPS("n 100 to 200, b 32: 20 %", "n 100 to 100, b 64: 0 %", "n 200 to 200, b 64: 50 %"));
    scene_free(scene);
}

static void kernels_have_shares_and_rates(void **state) {
    (void)state;
    struct scene *scene = scene_of(BLOCKED_KERNELS, 1);
    struct blocked_predicted kernels[BLOCKS];
    const struct blocked_picture drawn = {.job = &scene->job, .kernels = kernels};
    memset(kernels, 0, sizeof kernels);
    scene->job.map.points = 1;
    for (int b = 0; b < BLOCKS; b++) {
        struct tcplan_blocked_kernel *kernel = kernels[b].kernel;
        kernels[b].prediction = scene->prediction[b];
        kernels[b].kernels = 2;
        snprintf(kernel[0].name, sizeof kernel[0].name, "dsyrk_LN");
        snprintf(kernel[1].name, sizeof kernel[1].name, "dpotf2_L");
        fill(kernel[0].seconds, 0.5);
        fill(kernel[1].seconds, 0.25);
        kernel[0].flops = kernel[1].flops = 1e9;
    }
    assert_int_equal(blocked_plot(&drawn), EXIT_DONE);
    read_picture();
    assert_tips(TIPS("dsyrk_LN: 2 GFLOP/s at 64", "dpotf2_L: 4 GFLOP/s at 128"));
    fill(kernels[1].kernel[0].seconds, 0.1);
    assert_int_equal(blocked_plot(&drawn), EXIT_DONE);
    read_picture();
    assert_tips(TIPS("dsyrk_LN: 10 GFLOP/s at 64", "dsyrk_LN: 2 GFLOP/s at 128"));
    scene->options.figure = BLOCKED_PERFORMANCE;
    assert_int_equal(blocked_plot(&drawn), EXIT_DONE);
    read_picture();
    assert_tips(TIPS("dsyrk_LN: 0.1 of the time at 64", "dpotf2_L: 0.25 of the time at 128"));
    scene_free(scene);
}

/* Models. */

static void configurations_have_a_cost_and_an_error(void **state) {
    (void)state;
    struct tcplan_studied row[] = {
        {.error = 0.01, .cost_seconds = 2, .accurate = true, .config = {.min_width = 32}},
        {.error = 0.05, .cost_seconds = 1, .config = {.min_width = 64}}};
    const struct tcplan_study study = {.count = 2, .of = row, .cases = 1};
    assert_int_equal(study_plot(&study, path), EXIT_DONE);
    read_picture();
    assert_non_null(strstr(picture, "width 32: error 1.00 %, cost 2 s</title>"));
    assert_non_null(strstr(picture, ">accurate<"));
    assert_null(strstr(picture, ">chosen<"));
    row[0].cost_seconds = 3;
    row[0].chosen = true;
    assert_int_equal(study_plot(&study, path), EXIT_DONE);
    read_picture();
    assert_non_null(strstr(picture, "width 32: error 1.00 %, cost 3 s</title>"));
    assert_non_null(strstr(picture, ">chosen<"));
    assert_null(strstr(picture, ">accurate<"));
}

/** Draws the pieces of a model, all of whose sizes but two are given. */
static enum exit_status draw_pieces(const struct tcplan_model *model,
                                    const struct tcplan_model_samples *samples,
                                    const struct model_sizes *sizes) {
    const struct options options = {.output = path};
    const enum exit_status status = model_pieces_plot(&options, model, samples, sizes);
    if (status == EXIT_DONE) read_picture();
    return status;
}

static void pieces_have_the_colour_of_their_error(void **state) {
    (void)state;
    const struct tcplan_model_samples samples = {0};
    const struct model_sizes sizes = {0};
    struct tcplan_model *model = a_model("routine", 2, 5, 1);
    char part[64];
    for (size_t p = 0; p < model->piece_count; p++) model->piece[p].error = 0.01 * (double)(p + 1);
    assert_int_equal(draw_pieces(model, &samples, &sizes), EXIT_DONE);
    for (size_t p = 0; p < model->piece_count; p++) {
        snprintf(part, sizeof part, ": %zu %%, error of the model", p + 1);
        if (!strstr(picture, part)) fail_msg("no \"%s\" in\n%s", part, picture);
    }
    model->piece[2].error = 0.5;
    assert_int_equal(draw_pieces(model, &samples, &sizes), EXIT_DONE);
    assert_null(strstr(picture, ": 3 %, error of the model"));
    assert_non_null(strstr(picture, ": 50 %, error of the model"));
    tcplan_model_free(model);
}

static void pieces_of_three_sizes_need_one_of_them(void **state) {
    (void)state;
    const struct tcplan_model_samples samples = {0};
    const struct model_sizes none = {0};
    struct tcplan_model *model = a_model("routine", 3, 2, 1);
    struct model_sizes one = {.count = 1, .value = {16}};
    snprintf(one.name[0], sizeof one.name[0], "%s", model->size_name[2]);
    assert_int_equal(draw_pieces(model, &samples, &none), EXIT_USAGE);
    assert_int_equal(draw_pieces(model, &samples, &one), EXIT_DONE);
    assert_non_null(strstr(picture, " = 16; "));
    tcplan_model_free(model);
}

static void a_sample_shows_the_error_of_the_model(void **state) {
    (void)state;
    struct tcplan_model *model = a_model("routine", 2, 5, 1);
    const struct model_sizes sizes = {0};
    for (int higher = 0; higher < 2; higher++) {
        struct tcplan_model_sample sample = {.size = {64, 128}, .repetitions = 1};
        struct tcplan_model_samples samples = {0};
        struct tcplan_model_estimate estimate;
        char tip[96];
        tcplan_model_evaluate(&estimate, model, sample.size);
        for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
            sample.ns[s] = estimate.ns[model->config.reference] * (higher ? 2 : 0.8);
        assert_int_equal(tcplan_model_samples_add(&samples, &sample, NULL), TCPLAN_OK);
        assert_int_equal(draw_pieces(model, &samples, &sizes), EXIT_DONE);
        snprintf(tip, sizeof tip, "sample at %s=64, %s=128: predicted %s %%", model->size_name[0],
                 model->size_name[1], higher ? "-50" : "+25");
        assert_tips(TIPS(tip));
        tcplan_model_samples_free(&samples);
    }
    tcplan_model_free(model);
}

/* The cache model. */

static void draw_study(struct tcplan_blocked_cache *study, int figure) {
    assert_int_equal(cache_plot(&(struct cache_picture){.study = study,
                                                        .figure = figure,
                                                        .name = "geqrf",
                                                        .sizes = "n=64, b=32",
                                                        .library = "a library",
                                                        .threads = 1},
                                path),
                     EXIT_DONE);
    read_picture();
}

static void calls_show_the_estimates_of_a_stage(void **state) {
    (void)state;
    static struct tcplan_blocked_cache_kernel kernel[] = {{.name = "dgemm_TN", .counts = true},
                                                          {.name = "dcopy"}};
    struct tcplan_blocked_cache_call call[] = {{.kernel = 0, .counts = true, .seconds = 2e-6},
                                               {.kernel = 1, .seconds = 1e-6}};
    struct tcplan_blocked_cache study = {
        .count = 2, .call = call, .kernel_count = 2, .kernel = kernel};
    call[0].estimate[TCPLAN_CACHE_SMOOTHED] = 1e-6;
    call[0].estimate[TCPLAN_CACHE_IN] = 1.5e-6;
    draw_study(&study, CACHE_SCATTER);
    assert_tips(TIPS("call 1, dgemm_TN: measured 2.000 us, smoothed 1.000 us"));
    draw_study(&study, CACHE_STAGE + TCPLAN_CACHE_IN);
    assert_tips(TIPS("call 1, dgemm_TN: measured 2.000 us, in 1.500 us"));
    call[0].estimate[TCPLAN_CACHE_IN] = 4e-6;
    draw_study(&study, CACHE_STAGE + TCPLAN_CACHE_IN);
    assert_tips(TIPS("call 1, dgemm_TN: measured 2.000 us, in 4.000 us"));
}

static void errors_of_calls_have_heights_by_their_size(void **state) {
    (void)state;
    struct tcplan_blocked_cache_kernel kernel = {.name = "dgemm_TN", .counts = true};
    struct tcplan_blocked_cache_call call[] = {{.counts = true, .seconds = 1},
                                               {.counts = true, .seconds = 1}};
    struct tcplan_blocked_cache study = {
        .count = 2, .call = call, .kernel_count = 1, .kernel = &kernel};
    double height[2];
    call[0].estimate[TCPLAN_CACHE_REPEATED] = 0.8;
    for (int better = 0; better < 2; better++) {
        call[1].estimate[TCPLAN_CACHE_REPEATED] = better ? 1 : 1.2;
        draw_study(&study, CACHE_STAGE + TCPLAN_CACHE_REPEATED);
        const char *mark = strstr(picture, "<use href=\"#m0\"");
        mark = strstr(mark + 1, "<use href=\"#m0\""); /* that of the second call */
        assert_non_null(mark);
        height[better] = strtod(strstr(mark, " y=\"") + 4, NULL);
    }
    assert_float_equal(height[0], 0, 0.1); /* +20 % of -20 % to 20 % */
    assert_true(height[1] > 10);           /* exact, below 1 % */
}

/* Sizes of a contraction. */

enum { SIZES = 3 };

static void draw_sizes(const struct sizes_plot *plot) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(sizes_plot_print(file, plot));
    fclose(file);
    read_picture();
}

static void performance_over_sizes_is_predicted_and_measured(void **state) {
    (void)state;
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem[SIZES] = {{0}};
    struct tcplan_error error;
    double predicted[SIZES] = {1, 2, 4}, measured[SIZES] = {0}, speedup[SIZES] = {20, 0, 3000};
    struct sizes_curve curve = {
        .name = "b-dgemv", .kernel = TCPLAN_GEMV, .predicted = predicted, .measured = measured};
    struct sizes_plot plot = {.subtitle = "",
                              .predictor = "window",
                              .points = SIZES,
                              .problem = problem,
                              .count = 1,
                              .curve = &curve};
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "C_ab=A_ai*B_ib", TCPLAN_COLUMN_MAJOR, &error),
        TCPLAN_OK);
    for (int p = 0; p < SIZES; p++) {
        problem[p] = (struct tcplan_problem){
            .contraction = contraction, .dtype = TCPLAN_DOUBLE, .flops = 8e9};
        for (int i = 0; i < contraction->index_count; i++)
            problem[p].extent[i] = contraction->index[i].name[0] == 'i' ? 8 : 100 * (p + 1);
    }
    draw_sizes(&plot);
    assert_tips(TIPS("b-dgemv: 8 GFLOP/s at 100", "b-dgemv: 4 GFLOP/s at 200"));
    assert_null(strstr(picture, "GFLOP/s, measured"));
    assert_non_null(strstr(picture, ">C_ab=A_ai*B_ib, i = 8<"));
    assert_non_null(strstr(picture, ">a = b<"));
    measured[1] = 1;
    draw_sizes(&plot);
    assert_tips(TIPS("b-dgemv: 4 GFLOP/s at 200", "b-dgemv: 8 GFLOP/s at 200"));
    assert_non_null(strstr(picture, "GFLOP/s, measured"));
    measured[2] = 5;
    plot.errors = true;
    draw_sizes(&plot);
    assert_tips(TIPS("b-dgemv: 100 % at 200", "b-dgemv: -20 % at 300"));
    assert_non_null(strstr(picture, "mean absolute error 60.0 %"));
    predicted[2] = 5;
    draw_sizes(&plot);
    assert_tips(TIPS("b-dgemv: 100 % at 200", "b-dgemv: 0 % at 300"));
    plot.errors = false;
    plot.speedups = true;
    curve.speedup = speedup;
    draw_sizes(&plot);
    assert_tips(TIPS("b-dgemv: 20 times at 100", "b-dgemv: 3000 times at 300"));
    assert_non_null(strstr(picture, "time of the runs / time of the prediction (window)"));
    speedup[2] = 5000;
    draw_sizes(&plot);
    assert_tips(TIPS("b-dgemv: 20 times at 100", "b-dgemv: 5000 times at 300"));
    tcplan_contraction_free(contraction);
}

/* Tuning. */

static void draw_tuning(const struct tcplan_tuning *tuning) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(tuning_plot_print(file, tuning));
    fclose(file);
    read_picture();
}

static void configurations_of_a_gemm_have_a_rate_and_a_time(void **state) {
    (void)state;
    struct tcplan_tuned_row row[] = {
        {.threads = 1, .found = true, .m = 64, .n = 32, .k = 16, .rate = 40, .seconds = 0.5},
        {.threads = 1, .found = true, .m = 128, .n = 32, .k = 16, .rate = 50, .seconds = 2},
        {.threads = 1, .m = 256, .n = 32, .k = 16}};
    const struct tcplan_tuning tuning = {
        .options = {.benchmark = TCPLAN_TUNED_DGEMM}, .count = 3, .row = row};
    draw_tuning(&tuning);
    assert_tips(TIPS("m=64, n=32, k=16: 40 GFLOP/s", "m=128, n=32, k=16: 2 s"));
    assert_null(strstr(picture, "m=256")); /* every iteration was disturbed */
    assert_non_null(strstr(picture, ">1 core<"));
    row[0].rate = 45;
    row[1].seconds = 3;
    draw_tuning(&tuning);
    assert_tips(TIPS("m=64, n=32, k=16: 45 GFLOP/s", "m=128, n=32, k=16: 3 s"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_a_sign_and_a_statistic),
        cmocka_unit_test(errors_of_several_algorithms_are_those_of_medians),
        cmocka_unit_test(extrapolated_predictions_are_marked_with_their_interval),
        cmocka_unit_test(a_yield_compares_the_predicted_choice_with_the_fastest),
        cmocka_unit_test(a_yield_of_several_algorithms_is_also_that_of_the_best_of_all),
        cmocka_unit_test(best_blocks_are_predicted_and_measured),
        cmocka_unit_test(optima_are_marked_for_each_size),
        cmocka_unit_test(what_was_not_measured_is_a_gap),
        cmocka_unit_test(performance_is_that_of_the_best_block_of_each_algorithm),
        cmocka_unit_test(of_many_algorithms_the_fastest_and_the_slowest_are_drawn),
        cmocka_unit_test(errors_over_sizes_and_blocks_are_cells),
        cmocka_unit_test(kernels_have_shares_and_rates),
        cmocka_unit_test(configurations_have_a_cost_and_an_error),
        cmocka_unit_test(pieces_have_the_colour_of_their_error),
        cmocka_unit_test(pieces_of_three_sizes_need_one_of_them),
        cmocka_unit_test(calls_show_the_estimates_of_a_stage),
        cmocka_unit_test(errors_of_calls_have_heights_by_their_size),
        cmocka_unit_test(performance_over_sizes_is_predicted_and_measured),
        cmocka_unit_test(a_sample_shows_the_error_of_the_model),
        cmocka_unit_test(configurations_of_a_gemm_have_a_rate_and_a_time),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
