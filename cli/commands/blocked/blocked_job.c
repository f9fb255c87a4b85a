#include "cli/commands/blocked/blocked_job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/commands/model/generation.h"
#include "cli/kept.h"
#include "cli/output/cleanup.h"

enum { MOST_VALUES = 100000, MOST_CORNERS = 4, ANSWER = 16 };

/* Sizes. */

static enum exit_status read_points(struct blocked_job *out) {
    const int64_t count = blocked_request_points(&out->of);
    if (count > MOST_VALUES || blocked_sweep_count(&out->of.block) > MOST_VALUES) {
        diagnose("--n and --block have %d values at most", MOST_VALUES);
        return EXIT_USAGE;
    }
    out->point = base_alloc_zero((size_t)count, sizeof *out->point);
    if (!out->point) return diagnose_no_memory();
    for (; out->points < count; out->points++)
        out->point[out->points] = blocked_request_sizes(&out->of, out->points, 0);
    return EXIT_DONE;
}

/** The block sizes, with LAPACK's among them where it is between the first and the last. */
static enum exit_status read_blocks(struct blocked_job *out) {
    const int64_t usual = out->of.of.default_block, count = blocked_sweep_count(&out->of.block);
    out->default_place = -1;
    out->block = base_alloc((size_t)(count + 1) * sizeof *out->block);
    if (!out->block) return diagnose_no_memory();
    for (int64_t b = 0; b < count; b++) {
        const int64_t block = blocked_sweep_at(&out->of.block, b);
        if (out->blocks > 0 && out->block[out->blocks - 1] < usual && usual < block) {
            out->default_place = out->blocks;
            out->block[out->blocks++] = usual;
        }
        if (block == usual) out->default_place = out->blocks;
        out->block[out->blocks++] = block;
    }
    return EXIT_DONE;
}

static void find_lapack(struct blocked_job *out) {
    const struct tcplan_blocked_operation *operation = &out->of.of;
    out->lapack = operation->lapack >= 0 && operation->lapack < out->of.count &&
                          out->of.count == operation->algorithms
                      ? operation->lapack
                      : -1;
}

/* Machine and models. */

static void set_peak(struct blocked_job *out) {
    const enum tcplan_dtype dtype = out->view.dtype;
    const enum tcplan_dtype real =
        dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
    const struct tcplan_ceiling *peak =
        out->request.ceilings
            ? tcplan_roofline_compute(out->request.ceilings, NULL, real, 0, out->options->threads)
            : NULL;
    out->view.peak_gflops = peak ? peak->rate : 0;
}

static enum exit_status read_machine(struct blocked_job *out) {
    const struct options *options = out->options;
    struct tcplan_error error;
    out->request.options = options;
    enum exit_status status =
        request_read_machine(&out->request, REQUEST_CEILINGS | REQUEST_EXPERIENCE);
    if (status != EXIT_DONE) return status;
    if (!out->request.models) out->request.models = tcplan_models_new();
    if (!out->request.models) return diagnose_no_memory();
    out->setup = tcplan_generation_setup(
        &(struct tcplan_generation_options){.provider =
                                                (enum tcplan_provider)options->model.provider,
                                            .threads = options->threads,
                                            .placement = TCPLAN_MODEL_WARM},
        false);
    out->view.setup = &out->setup;
    set_peak(out);
    for (int p = 0; p < out->points; p++) {
        struct tcplan_blocked_sizes sizes = out->point[p];
        sizes.block = out->block[0];
        if (tcplan_blocked_check(out->of.algorithm[0], &sizes, &error) != TCPLAN_OK)
            return diagnose_error(&error, NULL);
    }
    return EXIT_DONE;
}

/** The sizes at which calls are largest and smallest: the first and last points and block sizes. */
static int corners_of(struct tcplan_blocked_sizes out[MOST_CORNERS],
                      const struct blocked_job *job) {
    int count = 0;
    for (int c = 0; c < 4; c++) {
        const int point = c & 1 ? job->points - 1 : 0, block = c & 2 ? job->blocks - 1 : 0;
        if ((c & 1 && job->points == 1) || (c & 2 && job->blocks == 1)) continue;
        out[count] = job->point[point];
        out[count++].block = job->block[block];
    }
    return count;
}

static enum exit_status find_needs(struct blocked_job *out) {
    struct tcplan_blocked_sizes corner[MOST_CORNERS];
    const int corners = corners_of(corner, out);
    struct tcplan_error error;
    enum tcplan_status status = TCPLAN_OK;
    tcplan_blocked_needs_free(&out->needs);
    for (int a = 0; a < out->of.count && status == TCPLAN_OK; a++) {
        struct tcplan_blocked_predictor *predictor;
        status = tcplan_blocked_predictor_new(&predictor, out->of.algorithm[a], out->request.models,
                                              &out->setup, &error);
        if (status == TCPLAN_OK)
            status = tcplan_blocked_needs_add(&out->needs, predictor, corner, corners, &error);
        tcplan_blocked_predictor_free(predictor);
    }
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

/* Models on demand. */

/** Whether who sits there says yes; false where nobody does. */
static bool ask(const struct blocked_job *job) {
    char answer[ANSWER] = "";
    if (job->options->quiet || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) return false;
    fprintf(
        stderr,
        "%zu of %zu models are missing; making them measures, for minutes or, of three sizes and large ones, for hours. Make them now? [y/N] ",
        job->needs.missing, job->needs.count);
    fflush(stderr);
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static enum exit_status refuse(const struct blocked_job *job) {
    const struct blocked_needs needs = {.view = job->view, .needs = &job->needs};
    diagnose(
        "%zu of the %zu models that this needs are missing; --generate makes them first, and so does",
        job->needs.missing, job->needs.count);
    blocked_needs_print_command(stderr, &needs);
    return EXIT_REFUSED;
}

static enum exit_status generate(struct blocked_job *out) {
    const char **word = base_alloc((out->needs.count + 1) * sizeof(const char *));
    int count = 0;
    if (!word) return diagnose_no_memory();
    for (size_t n = 0; n < out->needs.count; n++) {
        if (out->needs.of[n].missing) word[count++] = out->needs.of[n].word;
    }
    enum exit_status status = generation_make_words(out->options, word, count);
    base_free(word);
    if (status != EXIT_DONE) return status;
    tcplan_models_free(out->request.models);
    out->request.models = NULL;
    status = kept_models(&out->request.models, &out->request);
    if (status == EXIT_DONE && !out->request.models) out->request.models = tcplan_models_new();
    if (status == EXIT_DONE && !out->request.models) status = diagnose_no_memory();
    if (status == EXIT_DONE) status = find_needs(out);
    if (status != EXIT_DONE || out->needs.missing == 0) return status;
    diagnose(
        "%zu models are still missing: the time was over, or there is no store to keep them in; the same command goes on",
        out->needs.missing);
    return EXIT_ENVIRONMENT;
}

enum exit_status blocked_job_demand(struct blocked_job *out) {
    const struct blocked_options *given = &out->options->blocked;
    if (out->needs.missing == 0) return EXIT_DONE;
    if (given->generate || (!given->no_generate && ask(out))) return generate(out);
    return refuse(out);
}

/* The job. */

static void begin_view(struct blocked_job *out) {
    out->view = (struct blocked_view){.operation = out->of.of.name ? out->of.of.name
                                                   : out->of.name
                                                       ? out->of.name
                                                       : tcplan_blocked_name(out->of.algorithm[0]),
                                      .purpose = out->of.of.purpose,
                                      .dtype = tcplan_blocked_dtype(out->of.algorithm[0]),
                                      .format = out->options->format};
}

enum exit_status blocked_job_read(struct blocked_job *out, const struct options *options,
                                  enum blocked_missing missing) {
    *out = (struct blocked_job){.options = options};
    enum exit_status status = blocked_request_read(&out->of, options, true);
    if (status != EXIT_DONE) return status;
    begin_view(out);
    find_lapack(out);
    status = read_points(out);
    if (status == EXIT_DONE) status = read_blocks(out);
    if (status == EXIT_DONE) status = read_machine(out);
    if (status == EXIT_DONE) status = find_needs(out);
    if (status == EXIT_DONE && missing == BLOCKED_DEMAND) status = blocked_job_demand(out);
    return status;
}

void blocked_job_free(struct blocked_job *job) {
    blocked_request_free(&job->of);
    base_free(job->point);
    base_free(job->block);
    tcplan_blocked_needs_free(&job->needs);
    request_free(&job->request);
}

struct tcplan_blocked_map blocked_job_map(const struct blocked_job *job) {
    return (struct tcplan_blocked_map){.algorithms = job->of.count,
                                       .blocked =
                                           (const struct tcplan_blocked *const *)job->of.algorithm,
                                       .points = job->points,
                                       .point = job->point,
                                       .blocks = job->blocks,
                                       .block = job->block};
}

/* Output. */

bool blocked_job_prints(const struct options *options) {
    return (!options->plot && !options->emit) || options->output || options_name_format(options);
}

enum exit_status blocked_job_check_output(const struct options *options) {
    struct output_file out = {0};
    struct tcplan_error error;
    const enum tcplan_status status = output_open(&out, options->output, &error);
    output_file_discard(&out);
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}
