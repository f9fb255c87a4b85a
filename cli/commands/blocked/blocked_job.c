#include "cli/commands/blocked/blocked_job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "cli/commands/commands.h"
#include "cli/commands/model/model.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/stored.h"

enum { MOST_VALUES = 100000, MOST_CORNERS = 4, ANSWER = 16 };

/* Sizes. */

static enum exit_status read_points(struct blocked_job *out) {
    const int64_t count = blocked_request_points(&out->of);
    if (count > MOST_VALUES || blocked_sweep_count(&out->of.block) > MOST_VALUES)
        return diagnose_as(EXIT_USAGE, "--n and --block have %d values at most", MOST_VALUES);
    out->point = base_alloc_zero((size_t)count, sizeof *out->point);
    if (!out->point) return diagnose_no_memory();
    for (; out->map.points < count; out->map.points++)
        out->point[out->map.points] = blocked_request_sizes(&out->of, out->map.points, 0);
    return EXIT_DONE;
}

/** Reads the block sizes, and inserts LAPACK's block size if it is between the smallest and the
 * largest one. */
static enum exit_status read_blocks(struct blocked_job *out) {
    const int64_t usual = out->of.of.default_block, count = blocked_sweep_count(&out->of.block);
    out->default_place = -1;
    out->block = base_alloc((size_t)(count + 1) * sizeof *out->block);
    if (!out->block) return diagnose_no_memory();
    for (int64_t b = 0; b < count; b++) {
        const int64_t block = blocked_sweep_at(&out->of.block, b);
        if (b > 0 && out->block[out->map.blocks - 1] < usual && usual < block) {
            out->default_place = out->map.blocks;
            out->block[out->map.blocks++] = usual;
        }
        if (block == usual) out->default_place = out->map.blocks;
        out->block[out->map.blocks++] = block;
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
    const enum tcplan_dtype dtype = out->head.dtype;
    const enum tcplan_dtype real =
        dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
    const struct tcplan_ceiling *peak =
        out->request.ceilings
            ? tcplan_roofline_compute(out->request.ceilings, NULL, real, 0, out->options->threads)
            : NULL;
    out->head.peak_gflops = peak ? peak->rate : 0;
}

static enum exit_status read_machine(struct blocked_job *out) {
    const struct options *options = out->options;
    out->request.options = options;
    enum exit_status status = request_read_binding(&out->request.binding, options);
    if (status == EXIT_DONE)
        status = request_read_machine(&out->request, REQUEST_CEILINGS | REQUEST_EXPERIENCE);
    if (status != EXIT_DONE) return status;
    if (!out->request.models) out->request.models = tcplan_models_new();
    if (!out->request.models) return diagnose_no_memory();
    struct tcplan_generation_options of = {.provider = options->model.provider,
                                           .threads = options->threads,
                                           .placement = TCPLAN_MODEL_WARM,
                                           .binding = out->request.binding};
    out->setup = tcplan_generation_setup(&of, false);
    out->head.setup = &out->setup;
    set_peak(out);
    for (int p = 0; p < out->map.points; p++) {
        struct tcplan_blocked_sizes sizes = out->point[p];
        sizes.block = out->block[0];
        if (tcplan_blocked_check(out->of.algorithm[0], &sizes, &failure) != TCPLAN_OK)
            return diagnose_failure(NULL);
    }
    return EXIT_DONE;
}

/** Sets the sizes of the largest and smallest calls: combinations of the first and last size points
 * with the first and last block sizes. Returns their number. */
static int corners_of(struct tcplan_blocked_sizes out[MOST_CORNERS],
                      const struct blocked_job *job) {
    int count = 0;
    for (int c = 0; c < 4; c++) {
        const int point = c & 1 ? job->map.points - 1 : 0, block = c & 2 ? job->map.blocks - 1 : 0;
        if ((c & 1 && job->map.points == 1) || (c & 2 && job->map.blocks == 1)) continue;
        out[count] = job->point[point];
        out[count++].block = job->block[block];
    }
    return count;
}

static enum exit_status find_needs(struct blocked_job *out) {
    struct tcplan_blocked_sizes corner[MOST_CORNERS];
    const int corners = corners_of(corner, out);
    enum tcplan_status status = TCPLAN_OK;
    tcplan_blocked_needs_free(&out->needs);
    for (int a = 0; a < out->of.count && status == TCPLAN_OK; a++) {
        struct tcplan_blocked_predictor *predictor;
        status = tcplan_blocked_predictor_new(&predictor, out->of.algorithm[a], out->request.models,
                                              &out->setup, &failure);
        if (status == TCPLAN_OK)
            status = tcplan_blocked_needs_add(&out->needs, predictor, corner, corners, &failure);
        tcplan_blocked_predictor_free(predictor);
    }
    return diagnosed(status);
}

/* Models on demand. */

/** Asks the user whether to make models; false if there is no terminal. */
static bool ask(const struct blocked_job *job) {
    char answer[ANSWER] = "";
    if (job->options->quiet || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) return false;
    fprintf(
        stderr,
        "%zu of %zu models are missing. Generating them takes minutes, or hours for large models of three sizes. Generate them now? [y/N] ",
        job->needs.missing, job->needs.count);
    fflush(stderr);
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static enum exit_status refuse(const struct blocked_job *job) {
    const struct blocked_needs needs = {.head = &job->head, .needs = &job->needs};
    diagnose("%zu of %zu models are missing; generate them with --generate, or by",
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
    status = stored_models(&out->request.models, &out->request);
    if (status == EXIT_DONE && !out->request.models) out->request.models = tcplan_models_new();
    if (status == EXIT_DONE && !out->request.models) status = diagnose_no_memory();
    if (status == EXIT_DONE) status = find_needs(out);
    if (status != EXIT_DONE || out->needs.missing == 0) return status;
    return diagnose_as(
        EXIT_ENVIRONMENT,
        "%zu models are still missing: the time limit was reached, or there is no store; the same command resumes",
        out->needs.missing);
}

enum exit_status blocked_job_demand(struct blocked_job *out) {
    const struct blocked_options *given = &out->options->blocked;
    if (out->needs.missing == 0 || given->extrapolate) return EXIT_DONE;
    if (given->generate || (!given->no_generate && ask(out))) return generate(out);
    return refuse(out);
}

/* The job. */

static void begin_head(struct blocked_job *out) {
    struct tcplan_provider_info info = {0};
    const struct blocked_request *of = &out->of;
    out->head =
        (struct blocked_head){.operation = of->of.name ? of->of.name
                                           : of->name  ? of->name
                                                       : tcplan_blocked_name(of->algorithm[0]),
                              .purpose = of->of.purpose,
                              .dtype = tcplan_blocked_dtype(of->algorithm[0])};
    out->map.algorithms = of->count;
    out->map.extrapolates = out->options->blocked.extrapolate;
    out->map.blocked = (const struct tcplan_blocked *const *)of->algorithm;
    tcplan_provider_info(&info, out->options->model.provider);
    snprintf(out->library, sizeof out->library, "%s%s%s", info.name ? info.name : "?",
             info.version ? " " : "", info.version ? info.version : "");
}

static enum exit_status read_job(struct blocked_job *out, const struct options *options) {
    out->options = options;
    enum exit_status status = blocked_request_read(&out->of, options, true);
    if (status != EXIT_DONE) return status;
    begin_head(out);
    find_lapack(out);
    status = read_points(out);
    if (status == EXIT_DONE) status = read_blocks(out);
    out->map.point = out->point;
    out->map.block = out->block;
    if (status == EXIT_DONE) status = read_machine(out);
    return status == EXIT_DONE ? find_needs(out) : status;
}

static void free_job(struct blocked_job *job) {
    tcplan_node_lock_close(job->lock);
    tcplan_blocked_map_free(&job->map);
    blocked_request_free(&job->of);
    base_free(job->rank);
    base_free(job->point);
    base_free(job->block);
    tcplan_blocked_needs_free(&job->needs);
    request_free(&job->request);
}

static enum exit_status take_lock(struct blocked_job *job) {
    const enum exit_status status = lock_open(&job->lock, job->options);
    return status == EXIT_DONE ? lock_take(job->lock, job->options) : status;
}

static enum exit_status run(const struct options *options, const struct blocked_work *work) {
    struct blocked_job *own = base_alloc_zero(1, work->size);
    if (!own) return diagnose_no_memory();
    enum exit_status status = read_job(own, options);
    const struct blocked_work *other = status == EXIT_DONE && work->other ? work->other(own) : NULL;
    if (other) {
        free_job(own);
        base_free(own);
        return run(options, other);
    }
    if (status == EXIT_DONE && work->prepare) status = work->prepare(own);
    if (status == EXIT_DONE && work->locks) status = take_lock(own);
    if (status == EXIT_DONE && work->run) status = work->run(own);
    if (status == EXIT_DONE) status = work->show(own);
    if (work->release) work->release(own);
    free_job(own);
    base_free(own);
    return status;
}

enum exit_status blocked_job_run(const struct options *options) {
    return run(options, options->action->of);
}

/* Predictions. */

size_t blocked_job_place(const struct blocked_job *job, int algorithm, int point, int block) {
    return ((size_t)algorithm * (size_t)job->map.points + (size_t)point) * (size_t)job->map.blocks +
           (size_t)block;
}

enum exit_status blocked_job_reserve(struct blocked_job *job, bool predictions) {
    size_t rows;
    if (!checked_mul_size((size_t)job->map.algorithms, (size_t)job->map.points, &rows) ||
        !checked_mul_size(rows, (size_t)job->map.blocks, &job->count))
        return diagnose_no_memory();
    job->rank = base_alloc_zero(rows + 1, sizeof *job->rank);
    if (predictions)
        job->map.prediction = base_alloc_zero(job->count + 1, sizeof *job->map.prediction);
    return job->rank && (job->map.prediction || !predictions) ? EXIT_DONE : diagnose_no_memory();
}

void blocked_job_rank(struct blocked_job *job, double tie) {
    for (int p = 0; p < job->map.points; p++)
        tcplan_blocked_rank(job->rank + (size_t)p * (size_t)job->map.algorithms, &job->map, p, tie);
}

enum exit_status blocked_job_predict(struct blocked_job *job, double tie) {
    enum exit_status status = blocked_job_reserve(job, false);
    if (status == EXIT_DONE)
        status = diagnosed(tcplan_blocked_map_make(&job->map, job->request.models, &job->setup,
                                                   progress_update, NULL, &failure));
    if (status == EXIT_DONE) blocked_job_rank(job, tie);
    return status;
}

/* Output. */

bool blocked_job_prints(const struct options *options) {
    return (!options->plot && !options->emit) || options->output || options_name_format(options);
}

enum exit_status blocked_job_check_output(const struct options *options) {
    struct output_file out = {0};
    const enum exit_status status = output_begin(&out, options->output);
    output_file_discard(&out);
    return status;
}
