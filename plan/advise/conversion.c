#include "plan/advise/conversion.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cachesim/arrangement/arrangement.h"
#include "cachesim/arrangement/bound.h"
#include "gen/space/baseline.h"
#include "microbench/copy/strided.h"
#include "microbench/program/buffers.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"

enum { MOST_COPIES = 9, LEAST_COPIES = 3 };

/* A copy is repeated until the repetitions together take this many seconds, from LEAST_COPIES to
 * MOST_COPIES times. */
#define COPYING_SECONDS 0.1

/** A copy as the product "C[i1,i0]=A[i0,i1]*B", which is never computed. Dimensions of extent 1 are
 * omitted, and dimensions that stay adjacent are fused. */
struct copying {
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
};

static void print_indices(struct strbuf *out, const struct layout *order, int rank) {
    strbuf_add(out, "[");
    for (int d = 0; d < rank; d++) strbuf_add(out, "%si%d", d > 0 ? "," : "", order->dim[d]);
    strbuf_add(out, "]");
}

/** Creates the copy from today's layout to the layout `layout`. A result must be copied back to
 * today's layout, but is timed in this direction as well, which takes about as long. */
static enum tcplan_status copying_new(struct copying *out,
                                      const struct tcplan_layout_program *program, int tensor,
                                      const struct layout *layout, struct tcplan_error *error) {
    const struct tcplan_layout_tensor *is = &program->tensor[tensor];
    const struct layout today = layout_today(is->rank);
    int64_t extent[TCPLAN_MAX_INDICES] = {0};
    struct strbuf text = {0};
    strbuf_add(&text, "C");
    print_indices(&text, layout, is->rank);
    strbuf_add(&text, "=A");
    print_indices(&text, &today, is->rank);
    strbuf_add(&text, "*B");
    char *notation = strbuf_finish(&text);
    if (!notation) return error_no_memory(error);
    enum tcplan_status status =
        tcplan_contraction_parse(&out->contraction, notation, program->kind[tensor].order, error);
    free(notation);
    if (status != TCPLAN_OK) return status;
    for (int d = 0; d < is->rank; d++)
        extent[d] = is->extent[layout->dim[d]]; /* sizes of the indices, in the order of the copied
                                                   tensor's dimensions */
    status = tcplan_problem_init(&out->problem, out->contraction, extent,
                                 program->kind[tensor].dtype, error);
    if (status != TCPLAN_OK) tcplan_contraction_free(out->contraction);
    return status;
}

/** Returns the cost model's time for copying an operand or result in the baseline. If the
 * baseline needs no such copy, returns the time of loading the cache lines of source and
 * destination. */
static double model_seconds(const struct tcplan_problem *problem,
                            const struct tcplan_machine *machine) {
    struct tcplan_algorithm baseline;
    struct arrangement_parts parts = {0};
    struct arranger *arranger = arranger_new(problem, machine, 1, (struct deadline){0});
    if (!arranger) return NAN;
    double seconds = 0;
    if (baseline_of(&baseline, problem) &&
        isfinite(arrangement_seconds(arranger, &baseline, &parts))) {
        for (int t = 0; t < TCPLAN_OPERANDS; t++)
            seconds += parts.copy[t].executions > 0 ? parts.copy[t].seconds : 0;
    }
    arranger_free(arranger);
    if (seconds > 0) return seconds;
    const struct arrangement_bound least = arrangement_bound_of(problem, machine);
    return least.tensor[TCPLAN_A].line_seconds[0] + 2 * least.tensor[TCPLAN_C].line_seconds[0];
}

double conversion_estimate(const struct tcplan_layout_program *program, int tensor,
                           const struct layout *layout, const struct tcplan_machine *machine) {
    const struct layout today = layout_today(program->tensor[tensor].rank);
    struct copying copying;
    if (layout_equal(layout, &today, program->tensor[tensor].rank) ||
        program->tensor[tensor].bytes == 0)
        return 0;
    if (copying_new(&copying, program, tensor, layout, NULL) != TCPLAN_OK) return NAN;
    const double seconds = model_seconds(&copying.problem, machine);
    tcplan_contraction_free(copying.contraction);
    return seconds;
}

static double time_copies(const struct buffers *buffers, const struct tcplan_problem *problem) {
    const struct tcplan_refinement none = refinement_none(problem->contraction);
    const struct refined_problem whole = problem_refine(problem, &none);
    struct tcplan_copy copy = {
        .to = {.operand = TCPLAN_C}, .from = {.operand = TCPLAN_A}, .update = {.alpha = {1, 0}}};
    copy.to.span = copy.from.span = problem->contraction->tensor[TCPLAN_C].indices;
    copy.streamed =
        problem->elems[TCPLAN_C] * (int64_t)problem->element_bytes > problem->heuristics.far_bytes;
    const struct strided block = strided_copy(&whole, &copy, (struct blas_call_place){0});
    double ns[MOST_COPIES], sum = 0;
    int count = 0;
    while (count < MOST_COPIES && (count < LEAST_COPIES || sum < 1e9 * COPYING_SECONDS)) {
        const uint64_t start_ns = clock_now_ns();
        strided_run_copy(&block, buffers->tensor[TCPLAN_C].base, buffers->tensor[TCPLAN_A].base);
        strided_fence();
        ns[count] = clock_since_ns(start_ns);
        sum += ns[count++];
    }
    return statistics_median_estimate(ns, count).seconds;
}

enum tcplan_status conversion_time(double *out, const struct tcplan_layout_program *program,
                                   int tensor, const struct layout *layout, int64_t limit_bytes,
                                   struct tcplan_error *error) {
    struct copying copying;
    struct buffers buffers;
    const double limit = limit_bytes > 0 ? (double)limit_bytes : (double)buffers_available_bytes();
    *out = 0;
    if (program->tensor[tensor].bytes == 0) return TCPLAN_OK;
    if (limit > 0 && 2 * program->tensor[tensor].bytes > limit) return TCPLAN_NOT_APPLICABLE;
    enum tcplan_status status = copying_new(&copying, program, tensor, layout, error);
    if (status != TCPLAN_OK) return status;
    status = buffers_reserve(&buffers, &copying.problem, BUFFERS_ALIGNMENT, SIZE_MAX, error);
    if (status == TCPLAN_OK) {
        buffers_back_all(&buffers);
        *out = time_copies(&buffers, &copying.problem);
        buffers_free(&buffers);
    }
    tcplan_contraction_free(copying.contraction);
    return status;
}
