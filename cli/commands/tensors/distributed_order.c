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
#include "cli/render/text/values.h"

/** An expression to distribute over processes. Zero-initialise before use. */
struct work {
    struct options options;
    struct request request;
    struct distributed_planning planning;
    char *sizes;      /* extents of --shapes as text; NULL: not needed */
    char *conjugated; /* the expression with the conjugates of --conj; NULL: not needed */
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

/** Conjugates the tensors of --conj wherever they occur in the expression. */
static enum exit_status conjugate(struct work *work) {
    const char *names = work->options.conjugates;
    struct tcplan_network *network = NULL;
    if (tcplan_network_parse(&network, work->options.argument,
                             (enum tcplan_order)work->options.order, &failure) != TCPLAN_OK)
        return diagnose_failure(work->options.argument);
    struct tcplan_network changed = *network;
    const size_t bytes = (size_t)network->operand_count * sizeof *network->operand;
    struct tcplan_network_operand *operand = base_alloc(bytes);
    enum tcplan_status status = operand ? TCPLAN_OK : error_no_memory(&failure);
    if (operand) memcpy(operand, network->operand, bytes);
    changed.operand = operand;
    for (const char *at = names; *at && status == TCPLAN_OK; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        bool is_found = false;
        for (int o = 0; o < network->operand_count; o++) {
            if (strlen(operand[o].name) != length || strncmp(operand[o].name, at, length) != 0)
                continue;
            operand[o].conjugated = !operand[o].conjugated;
            is_found = true;
        }
        if (!is_found)
            status =
                error_at(&failure, TCPLAN_INVALID, (size_t)(at - names), length,
                         "the expression has no factor %.*s", (int)(length < 64 ? length : 64), at);
        at += length;
    }
    if (status == TCPLAN_OK) work->conjugated = tcplan_network_text(&changed);
    base_free(operand);
    tcplan_network_free(network);
    if (status != TCPLAN_OK) return diagnose_failure(names);
    if (!work->conjugated) return diagnose_no_memory();
    work->options.argument = work->conjugated;
    work->options.conjugates = NULL;
    return EXIT_DONE;
}

/** Finds the algorithms for a number of processes. */
static enum tcplan_status find(struct tcplan_distributed_network **out, const struct work *work,
                               int processes, bool times, const char **wrong) {
    const struct options *options = &work->options;
    struct tcplan_distributed_options wanted =
        distributed_planning_options(&work->planning, options, options->algorithm);
    wanted.processes = processes;
    if (!times) wanted.timing = NULL;
    const struct tcplan_network_texts texts = {.notation = options->argument,
                                               .sizes = work->sizes ? work->sizes : options->sizes,
                                               .path = options->path,
                                               .order = (enum tcplan_order)options->order};
    return tcplan_distributed_network_new(out, &texts, (enum tcplan_dtype)options->dtype, &wanted,
                                          wrong, &failure);
}

static enum exit_status plan(struct work *work) {
    const char *wrong = NULL;
    const enum tcplan_status status =
        find(&work->network, work, work->options.distributed.processes, true, &wrong);
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

/* Pictures. */

/** Predicts the fastest algorithm for a number of processes by estimate. */
static enum tcplan_status rank_point(void *context, struct ranks_point *out, int processes) {
    struct tcplan_distributed_network *network = NULL;
    const char *wrong = NULL;
    const enum tcplan_status status = find(&network, context, processes, false, &wrong);
    if (status == TCPLAN_OK) out->best = tcplan_distributed_network_entry(network, 0);
    tcplan_distributed_network_free(network);
    return status;
}

static enum exit_status check(const struct options *options) {
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
    if (status == EXIT_DONE && options->plot) {
        const struct tcplan_tree *tree = tcplan_distributed_network_tree(work->network, 0);
        status = distributed_draw(options, tcplan_network_text(tree->network),
                                  tcplan_distributed_network_processes(work->network),
                                  work->planning.communication, rank_point, work);
    }
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
    if (status == EXIT_DONE && options->conjugates) status = conjugate(&work);
    if (status == EXIT_DONE && options->shapes) status = read_shapes(&work);
    if (status == EXIT_DONE) status = request_read_machine(&work.request, REQUEST_UNTIMED);
    if (status == EXIT_DONE) status = distributed_planning_open(&work.planning, &work.options);
    if (status == EXIT_DONE) status = run(&work);
    tcplan_distributed_network_free(work.network);
    distributed_planning_close(&work.planning);
    free(work.sizes);
    free(work.conjugated);
    request_free(&work.request);
    return status;
}
