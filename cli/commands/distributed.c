#include "cli/commands/distributed.h"

#include "base/alloc.h"
#include "base/input_file.h"
#include "cli/commands/commands.h"
#include "cli/output/printed.h"
#include "cli/render/algorithms/distributed.h"
#include "cli/request.h"

enum { MOST_MODEL_BYTES = 16 << 20 };

/** A contraction to distribute. Zero-initialise before use. */
struct work {
    struct options options; /* without --algorithm, which names a distributed one */
    struct request request;
    struct tcplan_communication *communication;
    struct tcplan_planner *planner;
    struct tcplan_distributed *distributed;
    struct distributed_report report;
};

bool distributed_is_asked(const struct options *options) {
    return options->distributed.processes > 0;
}

static enum exit_status read_communication(struct work *work) {
    const char *path = work->options.distributed.communication;
    char *text = NULL;
    size_t length;
    if (!path) return EXIT_DONE;
    enum tcplan_status status =
        input_file_read(&text, &length, "communication model ", path, MOST_MODEL_BYTES, &failure);
    if (status == TCPLAN_OK)
        status = tcplan_communication_parse(&work->communication, text, &failure);
    base_free(text);
    return diagnosed(status);
}

static enum exit_status make_planner(struct work *work) {
    const struct options *options = &work->options;
    enum tcplan_status status = tcplan_planner_new(&work->planner, &failure);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_effort(work->planner, TCPLAN_EFFORT_ESTIMATE, &failure);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_threads(work->planner, options->threads, &failure);
    return diagnosed(status);
}

/** Ranks the algorithms, or plans one, if a command wants its details. */
static enum exit_status plan(struct work *work, const char *algorithm, bool in_detail) {
    const struct distributed_options *given = &work->options.distributed;
    const struct tcplan_distributed_options options = {.processes = given->processes,
                                                       .ranks_per_node = given->ranks_per_node,
                                                       .grid = given->grid,
                                                       .distribute = given->distribute,
                                                       .algorithm = algorithm,
                                                       .max_memory_bytes =
                                                           work->options.max_memory_bytes,
                                                       .planner = work->planner,
                                                       .communication = work->communication};
    struct distributed_report *report = &work->report;
    const char *wrong = NULL;
    enum tcplan_status status =
        tcplan_distributed_rank(&report->ranking, &report->problem, &options, &wrong, &failure);
    if (status == TCPLAN_OK && in_detail)
        status = tcplan_distributed_new(&work->distributed, &report->problem, &options, &wrong,
                                        &failure);
    if (status != TCPLAN_OK) return diagnose_failure(failure.column > 0 ? wrong : NULL);
    report->processes = given->processes;
    report->communication = work->communication;
    report->distributed = work->distributed;
    return EXIT_DONE;
}

static enum exit_status emit(struct work *work, const char *path) {
    const struct options *options = &work->options;
    char *text = NULL;
    const enum tcplan_status status = tcplan_distributed_emit(
        &text, work->distributed, work->planner, options->function, options->with_main, &failure);
    return status == TCPLAN_OK ? printed_text(path, text) : diagnose_failure(NULL);
}

static void work_free(struct work *work) {
    tcplan_distributed_free(work->distributed);
    tcplan_distributed_ranking_free(&work->report.ranking);
    tcplan_planner_free(work->planner);
    tcplan_communication_free(work->communication);
    request_free(&work->request);
}

enum exit_status distributed_run(const struct options *options) {
    struct work work = {.options = *options};
    const bool emits = (options->command->bit & COMMAND(EMIT)) != 0;
    const bool explains = (options->command->bit & COMMAND(EXPLAIN)) != 0;
    const bool writes = emits || options->emit;
    work.options.algorithm = NULL;
    if (options->header || options->fortran || options->takes_extents) {
        diagnose("--header, --fortran and --extents do not apply with --processes");
        return EXIT_REFUSED;
    }
    enum exit_status status =
        request_read(&work.request, &work.options, REQUEST_SIZES | REQUEST_ONE_POINT);
    if (status == EXIT_DONE) status = read_communication(&work);
    if (status == EXIT_DONE) status = make_planner(&work);
    if (status == EXIT_DONE) {
        work.report.request = &work.request;
        work.report.options = &work.options;
        work.report.problem = request_problem(&work.request, 0);
        status = plan(&work, options->algorithm, writes || explains);
    }
    if (explains && status == EXIT_DONE) work.options.top = 1;
    if (!explains) work.report.distributed = NULL;
    if (status == EXIT_DONE && writes)
        status = emit(&work, emits ? options->output : options->emit);
    if (status == EXIT_DONE && !emits)
        status = printed_view(options, &distributed_view, &work.report);
    work_free(&work);
    return status;
}
