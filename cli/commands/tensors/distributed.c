#include "cli/commands/tensors/network.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/commands/tensors/distributed_measure.h"
#include "cli/commands/tensors/distributed_planning.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/render/algorithms/results.h"
#include "cli/request.h"

/** A contraction to distribute over processes. Zero-initialise before use. */
struct work {
    struct options options; /* options without --algorithm, which here names a distributed algorithm
                             */
    const char *algorithm;
    struct request request;
    struct distributed_planning planning;
    struct tcplan_distributed *distributed;
    struct distributed_measured measured[TCPLAN_DISTRIBUTED_MOST_COMPARED];
    struct distributed_report report;
};

bool distributed_is_asked(const struct options *options) {
    return options->distributed.processes > 0;
}

enum { MEASURED_UNLESS_TOLD = 4 };

/** Returns how many of `count` algorithms are measured. */
static int measured_count(const struct work *work, int count) {
    const int64_t wanted = work->options.top > 0 ? work->options.top : MEASURED_UNLESS_TOLD;
    const int most =
        count < TCPLAN_DISTRIBUTED_MOST_COMPARED ? count : TCPLAN_DISTRIBUTED_MOST_COMPARED;
    return wanted < most ? (int)wanted : most;
}

/** Ranks distributed algorithms; with `in_detail`, also plans the fastest one. */
static enum exit_status plan(struct work *work, bool in_detail) {
    struct tcplan_distributed_options options =
        distributed_planning_options(&work->planning, &work->options, work->algorithm);
    struct distributed_report *report = &work->report;
    const char *wrong = NULL;
    if (options_run(&work->options, COMMAND(MEASURE)))
        options.timed_count = measured_count(work, TCPLAN_DISTRIBUTED_MOST_COMPARED);
    enum tcplan_status status =
        tcplan_distributed_rank(&report->ranking, &report->problem, &options, &wrong, &failure);
    if (status == TCPLAN_OK && in_detail) {
        options.algorithm = report->ranking.entry[0].name;
        options.timing = NULL;
        status = tcplan_distributed_new(&work->distributed, &report->problem, &options, &wrong,
                                        &failure);
    }
    if (status != TCPLAN_OK) return diagnose_failure(failure.column > 0 ? wrong : NULL);
    report->processes = options.processes;
    report->lists_all = options_run(&work->options, COMMAND(LIST));
    report->is_named = work->algorithm != NULL;
    report->communication = work->planning.communication;
    report->distributed = work->distributed;
    return EXIT_DONE;
}

static enum exit_status emit(struct work *work, const char *path) {
    const struct options *options = &work->options;
    char *text = NULL;
    const enum tcplan_status status = tcplan_distributed_emit(
        &text, work->distributed,
        work->planning.timing ? work->planning.timing : work->planning.planner, options->function,
        options->with_main, &failure);
    return status == TCPLAN_OK ? printed_text(path, text) : diagnose_failure(NULL);
}

static void work_free(struct work *work) {
    tcplan_distributed_free(work->distributed);
    tcplan_distributed_ranking_free(&work->report.ranking);
    distributed_planning_close(&work->planning);
    request_free(&work->request);
}

/* Measuring. */

/** An entry and its measurement, as a sorting key. */
struct ran {
    struct tcplan_distributed_entry entry;
    struct distributed_measured measured;
};

static int compare_ran(const void *left, const void *right) {
    const double a = ((const struct ran *)left)->measured.seconds,
                 b = ((const struct ran *)right)->measured.seconds;
    return a < b ? -1 : a > b;
}

/** Sorts the first `count` entries, which are measured, by time. */
static enum exit_status sort_measured(struct work *work, int count) {
    struct ran *ran = base_alloc_zero((size_t)count, sizeof *ran);
    if (!ran) return diagnose_no_memory();
    for (int e = 0; e < count; e++)
        ran[e] = (struct ran){work->report.ranking.entry[e], work->measured[e]};
    qsort(ran, (size_t)count, sizeof *ran, compare_ran);
    for (int e = 0; e < count; e++) {
        work->report.ranking.entry[e] = ran[e].entry;
        work->measured[e] = ran[e].measured;
    }
    base_free(ran);
    work->report.measured = work->measured;
    work->report.measured_count = count;
    return EXIT_DONE;
}

/** Removes ScaLAPACK's algorithms if $MPICC names a compiler other than the one of tcplan's
 * ScaLAPACK, because both need the same MPI. Refuses if there is no other algorithm. */
static enum exit_status remove_scalapack(const struct work *work,
                                         struct tcplan_distributed_ranking *ranking) {
    const char *compiler = getenv("MPICC");
    int count = 0;
    if (!compiler || !*compiler) return EXIT_DONE;
    for (int e = 0; e < ranking->count; e++) {
        if (!ranking->entry[e].scalapack) ranking->entry[count++] = ranking->entry[e];
    }
    if (count == 0)
        return diagnose_as(EXIT_REFUSED,
                           "pdgemm cannot be measured with MPICC=%s: ScaLAPACK was built for the "
                           "MPI of mpicc; unset MPICC",
                           compiler);
    if (count < ranking->count)
        note(&work->options, "ScaLAPACK is omitted, because MPICC=%s may use another MPI",
             compiler);
    ranking->count = count;
    return EXIT_DONE;
}

/** Moves ScaLAPACK's fastest algorithm to the first `count` entries or directly after them, for
 * comparison. Returns the number of first entries including it. */
static int include_scalapack(struct tcplan_distributed_ranking *ranking, int count) {
    int place = 0;
    while (place < ranking->count && !ranking->entry[place].scalapack) place++;
    if (place < count || place == ranking->count || count == TCPLAN_DISTRIBUTED_MOST_COMPARED)
        return count;
    const struct tcplan_distributed_entry scalapack = ranking->entry[place];
    memmove(&ranking->entry[count + 1], &ranking->entry[count],
            (size_t)(place - count) * sizeof scalapack);
    ranking->entry[count] = scalapack;
    return count + 1;
}

/** Writes, compiles and runs the program that measures algorithms. */
static enum exit_status run_comparison(struct work *work,
                                       const struct tcplan_distributed *const list[], int count) {
    struct distributed_subject subject[TCPLAN_DISTRIBUTED_MOST_COMPARED];
    struct tcplan_distributed_entry entry[TCPLAN_DISTRIBUTED_MOST_COMPARED];
    struct tcplan_distributed_call call[TCPLAN_DISTRIBUTED_MOST_COMPARED]
                                       [TCPLAN_DISTRIBUTED_MOST_CALLS];
    const struct distributed_planning *planning = &work->planning;
    const double seconds = distributed_measure_seconds(work->options.time_limit_seconds);
    char *text = NULL;
    for (int a = 0; a < count; a++) {
        entry[a] = tcplan_distributed_entry(list[a]);
        subject[a] = (struct distributed_subject){
            entry[a].name, tcplan_distributed_calls(call[a], list[a], 0), call[a]};
    }
    enum exit_status status = diagnosed(tcplan_distributed_emit_comparison(
        &text, list, count, planning->timing ? planning->timing : planning->planner, seconds,
        &failure));
    if (status == EXIT_DONE)
        status = distributed_measure(work->measured, text, tcplan_distributed_processes(list[0]),
                                     subject, count, seconds);
    free(text);
    return status;
}

/** Measures the fastest algorithms. */
static enum exit_status measure(struct work *work) {
    const struct tcplan_distributed_ranking *ranking = &work->report.ranking;
    struct tcplan_distributed *distributed[TCPLAN_DISTRIBUTED_MOST_COMPARED] = {NULL};
    const struct tcplan_distributed *list[TCPLAN_DISTRIBUTED_MOST_COMPARED];
    const enum exit_status removed = remove_scalapack(work, &work->report.ranking);
    if (removed != EXIT_DONE) return removed;
    const int count =
        include_scalapack(&work->report.ranking, measured_count(work, ranking->count));
    enum tcplan_status planned = TCPLAN_OK;
    for (int e = 0; e < count && planned == TCPLAN_OK; e++) {
        struct tcplan_distributed_options wanted =
            distributed_planning_options(&work->planning, &work->options, work->algorithm);
        wanted.algorithm = ranking->entry[e].name;
        wanted.timing = NULL;
        planned =
            tcplan_distributed_new(&distributed[e], &work->report.problem, &wanted, NULL, &failure);
        list[e] = distributed[e];
    }
    enum exit_status status = diagnosed(planned);
    if (status == EXIT_DONE) status = run_comparison(work, list, count);
    for (int e = 0; e < count; e++) tcplan_distributed_free(distributed[e]);
    return status == EXIT_DONE ? sort_measured(work, count) : status;
}

/** Returns the bytes of all tensors together. */
static int64_t tensor_bytes(const struct tcplan_problem *problem) {
    int64_t elements = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) elements += problem->elems[t];
    return elements * (int64_t)problem->element_bytes;
}

/* Pictures. */

/** Ranks algorithms for a number of processes by estimate. */
static enum tcplan_status rank_point(void *context, struct ranks_point *out, int processes) {
    const struct work *work = context;
    struct tcplan_distributed_options options =
        distributed_planning_options(&work->planning, &work->options, work->algorithm);
    struct tcplan_distributed_ranking ranking = {0};
    options.processes = processes;
    options.timing = NULL;
    const enum tcplan_status status =
        tcplan_distributed_rank(&ranking, &work->report.problem, &options, NULL, &failure);
    for (int e = ranking.count - 1; e >= 0; e--) {
        if (ranking.entry[e].scalapack) out->scalapack = ranking.entry[e];
        out->best = ranking.entry[e];
    }
    tcplan_distributed_ranking_free(&ranking);
    return status;
}

/** Ranks the algorithms and prints the result. Holds the lock of this machine while something is
 * timed. */
static enum exit_status run(struct work *work) {
    const struct options *options = work->report.options;
    const bool emits = options_run(options, COMMAND(EMIT));
    const bool explains = options_run(options, COMMAND(EXPLAIN));
    const bool writes = emits || options->emit;
    const bool measures = options_run(options, COMMAND(MEASURE));
    struct tcplan_node_lock *lock = NULL;
    enum exit_status status =
        work->planning.timing || measures ? lock_hold(&lock, options) : EXIT_DONE;
    if (status == EXIT_DONE) status = plan(work, writes || explains);
    if (status == EXIT_DONE && measures) status = measure(work);
    if (explains && status == EXIT_DONE) work->options.top = 1;
    if (!explains) work->report.distributed = NULL;
    if (status == EXIT_DONE && options->plot)
        status = distributed_draw(
            options, tcplan_contraction_text(work->report.problem.contraction),
            work->report.processes, work->planning.communication, rank_point, work);
    if (status == EXIT_DONE && writes) status = emit(work, emits ? options->output : options->emit);
    if (lock) tcplan_node_lock_release(lock);
    tcplan_node_lock_close(lock);
    if (status == EXIT_DONE && !emits)
        status = printed_view(options, &distributed_view, &work->report);
    return status;
}

enum exit_status distributed_run(const struct options *options) {
    if (network_is_asked(options)) return distributed_order_run(options);
    struct work work = {.options = *options, .algorithm = options->algorithm};
    work.options.algorithm = NULL;
    enum exit_status status =
        request_read(&work.request, &work.options,
                     REQUEST_SIZES | REQUEST_ONE_POINT | REQUEST_MACHINE | REQUEST_UNTIMED);
    if (status == EXIT_DONE) status = distributed_planning_open(&work.planning, &work.options);
    if (status == EXIT_DONE) {
        work.report.request = &work.request;
        work.report.communication_source = work.planning.source;
        work.report.options = &work.options;
        work.report.problem = request_problem(&work.request, 0);
        work.report.serial_bytes = tensor_bytes(&work.report.problem);
        status = run(&work);
    }
    work_free(&work);
    return status;
}
