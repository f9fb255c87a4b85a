#include "cli/commands/network.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/commands/commands.h"
#include "cli/commands/distributed_measure.h"
#include "cli/commands/distributed_planning.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/render/algorithms/results.h"
#include "cli/render/text/values.h"

/** An expression to distribute over processes. Zero-initialise before use. */
struct work {
    struct options options;
    struct request request;
    struct distributed_planning planning;
    char *sizes; /* extents of --shapes as text; NULL: not needed */
    struct tcplan_distributed_network *network;
    int measured_count;
    int shown[TCPLAN_DISTRIBUTED_MOST_COMPARED]; /* numbers of the measured algorithms */
    struct distributed_measured measured[TCPLAN_DISTRIBUTED_MOST_COMPARED];
};

enum { MEASURED_UNLESS_TOLD = 4 };

/** Converts the shapes of --shapes to sizes. */
static enum exit_status read_shapes(struct work *work) {
    struct tcplan_network *network = NULL;
    const char *wrong = work->options.argument;
    int64_t *extent = NULL;
    enum tcplan_status status = tcplan_network_parse(
        &network, work->options.argument, (enum tcplan_order)work->options.order, &failure);
    if (status == TCPLAN_OK) {
        wrong = work->options.shapes;
        extent = base_alloc_zero((size_t)network->index_count + 1, sizeof *extent);
        status = extent ? tcplan_network_shapes(extent, network, work->options.shapes, &failure)
                        : TCPLAN_NO_MEMORY;
    }
    if (status == TCPLAN_OK)
        work->sizes =
            sizes_text(network->index_count, (const char *const *)network->index, extent, true);
    base_free(extent);
    tcplan_network_free(network);
    if (status == TCPLAN_OK && !work->sizes) return diagnose_no_memory();
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_failure(wrong);
}

/** Finds the algorithms. */
static enum exit_status plan(struct work *work) {
    const struct options *options = &work->options;
    const struct tcplan_distributed_options wanted =
        distributed_planning_options(&work->planning, options, options->algorithm);
    const struct tcplan_network_texts texts = {.notation = options->argument,
                                               .sizes = work->sizes ? work->sizes : options->sizes,
                                               .path = options->path,
                                               .order = (enum tcplan_order)options->order};
    const char *wrong = NULL;
    const enum tcplan_status status = tcplan_distributed_network_new(
        &work->network, &texts, (enum tcplan_dtype)options->dtype, &wanted, &wrong, &failure);
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_failure(failure.column > 0 ? wrong : NULL);
}

static enum exit_status emit(const struct work *work, const char *path) {
    const struct options *options = &work->options;
    char *text = NULL;
    const enum tcplan_status status = tcplan_distributed_network_emit(
        &text, work->network, 0,
        work->planning.timing ? work->planning.timing : work->planning.planner, options->function,
        options->with_main, &failure);
    return status == TCPLAN_OK ? printed_text(path, text) : diagnose_failure(NULL);
}

/* Measuring. */

/** Sorts the measured algorithms by time. */
static void sort_measured(struct work *work) {
    for (int a = 0; a < work->measured_count; a++) {
        const struct distributed_measured measured = work->measured[a];
        int place = a;
        for (; place > 0 && work->measured[place - 1].seconds > measured.seconds; place--) {
            work->measured[place] = work->measured[place - 1];
            work->shown[place] = work->shown[place - 1];
        }
        work->measured[place] = measured;
        work->shown[place] = a;
    }
}

/** Measures the fastest algorithms. */
static enum exit_status measure(struct work *work) {
    const struct options *options = &work->options;
    const struct distributed_planning *planning = &work->planning;
    const double seconds = distributed_measure_seconds(options->time_limit_seconds);
    const int64_t asked = options->top > 0 ? options->top : MEASURED_UNLESS_TOLD;
    int count = tcplan_distributed_network_count(work->network);
    if (count > TCPLAN_DISTRIBUTED_MOST_COMPARED) count = TCPLAN_DISTRIBUTED_MOST_COMPARED;
    if (count > asked) count = (int)asked;
    const size_t most = (size_t)tcplan_distributed_network_step_count(work->network, 0) *
                        TCPLAN_DISTRIBUTED_MOST_CALLS;
    struct distributed_subject subject[TCPLAN_DISTRIBUTED_MOST_COMPARED];
    struct tcplan_distributed_call *call = base_alloc_zero((size_t)count * most, sizeof *call);
    char *text = NULL;
    if (!call) return diagnose_no_memory();
    for (int a = 0; a < count; a++) {
        struct tcplan_distributed_call *own = &call[(size_t)a * most];
        subject[a] = (struct distributed_subject){
            tcplan_distributed_network_name(work->network, a),
            tcplan_distributed_network_calls(own, work->network, a, 0), own};
    }
    enum exit_status status = diagnosed(tcplan_distributed_network_emit_comparison(
        &text, work->network, count, planning->timing ? planning->timing : planning->planner,
        seconds, &failure));
    if (status == EXIT_DONE)
        status = distributed_measure(work->measured, text,
                                     tcplan_distributed_network_processes(work->network), subject,
                                     count, seconds);
    base_free(call);
    free(text);
    work->measured_count = count;
    if (status == EXIT_DONE) sort_measured(work);
    return status;
}

/** Refuses options that apply to a product of two tensors only. */
static enum exit_status check(const struct options *options) {
    const char *wrong = options->conjugates ? "conj" : options->plot ? "plot" : NULL;
    if (wrong)
        return options_refuse(options,
                              "--%s applies to a product of two tensors, not to an expression of "
                              "several over processes",
                              wrong);
    if (options->sizes || options->shapes) return EXIT_DONE;
    return options_refuse(options,
                          "%s needs sizes: the extent of every index of the expression, such as "
                          "--sizes a=400,b=400,i=8",
                          options->command->name);
}

/** Finds the algorithms and prints the result. Holds the lock of this machine while something is
 * timed. */
static enum exit_status run(struct work *work) {
    const struct options *options = &work->options;
    const bool emits = options_run(options, COMMAND(EMIT));
    struct tcplan_node_lock *lock = NULL;
    const bool measures = options_run(options, COMMAND(MEASURE));
    enum exit_status status =
        work->planning.timing || measures ? lock_hold(&lock, options) : EXIT_DONE;
    if (status == EXIT_DONE) status = plan(work);
    if (status == EXIT_DONE && measures) status = measure(work);
    if (lock) tcplan_node_lock_release(lock);
    tcplan_node_lock_close(lock);
    if (status == EXIT_DONE && (emits || options->emit))
        status = emit(work, emits ? options->output : options->emit);
    if (status != EXIT_DONE || emits) return status;
    const struct distributed_order_report report = {
        .request = &work->request,
        .options = options,
        .network = work->network,
        .lists_all = options_run(options, COMMAND(LIST)),
        .is_named = options->algorithm != NULL,
        .in_detail = options_run(options, COMMAND(EXPLAIN)),
        .shown = work->shown,
        .measured = measures ? work->measured : NULL,
        .measured_count = work->measured_count,
        .communication = work->planning.communication,
        .communication_source = work->planning.source};
    return printed_view(options, &distributed_order_view, &report);
}

enum exit_status distributed_order_run(const struct options *options) {
    struct work work = {.options = *options};
    enum exit_status status = check(options);
    work.request = (struct request){.options = &work.options,
                                    .machine = {.heuristics = tcplan_heuristics_default()}};
    if (status == EXIT_DONE && options->shapes) status = read_shapes(&work);
    if (status == EXIT_DONE) status = request_read_machine(&work.request, REQUEST_UNTIMED);
    if (status == EXIT_DONE) status = distributed_planning_open(&work.planning, &work.options);
    if (status == EXIT_DONE) status = run(&work);
    tcplan_distributed_network_free(work.network);
    distributed_planning_close(&work.planning);
    free(work.sizes);
    request_free(&work.request);
    return status;
}
