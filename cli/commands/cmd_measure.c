#include <stdlib.h>

#include "cli/commands/commands.h"
#include "cli/commands/tensors/network.h"
#include "cli/survey.h"

enum { MEASURED_UNLESS_TOLD = 5 };

/** Compares two entries for sorting: measured entries come first, sorted by time. */
static int compare_measured(const void *a, const void *b) {
    const struct tcplan_entry *x = a, *y = b;
    const bool measured = x->status == TCPLAN_ENTRY_MEASURED;
    if (measured != (y->status == TCPLAN_ENTRY_MEASURED)) return measured ? -1 : 1;
    const double first = x->measured.seconds, second = y->measured.seconds;
    return first < second ? -1 : first > second;
}

/** Measures the fastest entries, and the chosen one if it is not among them; implements
 * survey_step. */
static enum tcplan_status measure(struct tcplan_ranking *ranking, const struct request *request,
                                  const struct tcplan_rank_options *options) {
    const uint64_t top =
        request->options->top > 0 ? (uint64_t)request->options->top : MEASURED_UNLESS_TOLD;
    const size_t wanted = request->options->all ? SIZE_MAX : (size_t)top;
    const size_t count = tcplan_ranking_front(ranking, wanted);
    if (count == 0) return TCPLAN_OK;
    enum tcplan_status status = tcplan_ranking_predict_front(ranking, count, options, &failure);
    if (status != TCPLAN_OK) return status;
    const size_t front = tcplan_ranking_front(ranking, wanted);
    status = tcplan_ranking_measure(ranking, 0, front, options, &failure);
    if (status == TCPLAN_OK) qsort(ranking->entry, front, sizeof *ranking->entry, compare_measured);
    return status;
}

/** Checks, before anything is timed, that the tensors of the last size point, which are the
 * largest, fit into memory. */
static enum exit_status check_memory(const struct request *request) {
    const struct tcplan_problem problem = request_problem(request, request_points(request) - 1);
    const struct tcplan_rank_options options = request_rank_options(request);
    return diagnosed(tcplan_measure_check(&problem, &options, &failure));
}

/** Measures each size point. Holds the lock of this machine per size point, as `batch` does
 * per entry. */
static enum exit_status run(struct task *task) {
    struct tcplan_node_lock *lock = NULL;
    enum exit_status status = check_memory(&task->request);
    if (status == EXIT_DONE) status = lock_open(&lock, task->options);
    if (status == EXIT_DONE) status = survey_run(&task->request, measure, NULL, lock);
    tcplan_node_lock_close(lock);
    return status;
}

const struct command command_measure = {
    "measure",
    COMMAND(MEASURE),
    "CONTRACTION --sizes SIZES [--top N | --algorithm NAME | --all] [OPTIONS]",
    "run algorithms; print predicted and measured times",
    "  tcplan measure \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 --top 5\n"
    "  tcplan measure \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 --algorithm c-dgemm \\\n"
    "      --format json\n",
    .opens = TASK_CONTRACTION | REQUEST_SIZES | REQUEST_MACHINE | REQUEST_CEILINGS |
             REQUEST_EXPERIENCE | REQUEST_PLANS,
    .run = run,
    .run_several = network_measure,
    .manual =
        "Ranks the algorithms, runs the fastest (5 without `--top`, `--algorithm` or `--all`), and prints measured and predicted times. For an "
        "expression of several tensors it runs the best order of the products, or that of `--path`: the whole and each step."};
