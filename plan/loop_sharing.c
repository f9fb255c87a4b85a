/*
 * Decides which loops threads may share: only loops whose iterations write to different parts of
 * the result, so no contracted loops. The thread with the most iterations determines the time.
 */
#include "plan/loop_sharing.h"

#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "base/indexset.h"
#include "gen/lower/sharing.h"

/** Returns the number of iterations of a loop. If tiles differ in size, that of the loop's first
 * execution. */
static int64_t loop_extent(const struct tcplan_problem *problem,
                           const struct tcplan_algorithm *algorithm, int loop) {
    const int number = algorithm->loop[loop];
    const int index = algorithm_source_index(algorithm, problem->contraction, number);
    const int64_t extent = problem->extent[index];
    for (int s = 0; s < algorithm->split_count; s++) {
        const int64_t step = algorithm->split[s].step;
        if (algorithm->split[s].index != index) continue;
        return number == index ? (step < extent ? step : extent) : (extent + step - 1) / step;
    }
    return extent;
}

/** Returns the distance in the result between consecutive iterations of a loop; 0 if each thread
 * writes to a temporary. */
static int64_t result_step_bytes(const struct tcplan_problem *problem,
                                 const struct tcplan_algorithm *algorithm, int loop) {
    const int number = algorithm->loop[loop], steps = number - problem->contraction->index_count;
    const int index = algorithm_source_index(algorithm, problem->contraction, number);
    const int64_t step = steps < 0 ? 1 : algorithm->split[steps].step;
    const int8_t depth = algorithm->copy[TCPLAN_C].depth;
    if (depth >= 0 && depth <= algorithm->parallel) return 0;
    return llabs(problem->stride_elems[TCPLAN_C][index]) * step * (int64_t)problem->element_bytes;
}

double loop_sharing_largest(const struct tcplan_problem *problem,
                            const struct tcplan_algorithm *algorithm, int threads) {
    if (algorithm->parallel < 0) return 1;
    const int own = algorithm->parallel, innermost = own + algorithm->collapsed;
    const int64_t inner = algorithm->collapsed ? loop_extent(problem, algorithm, innermost) : 0;
    const int64_t extent =
        loop_extent(problem, algorithm, own) * (algorithm->collapsed ? inner : 1);
    const int64_t unit =
        sharing_unit(result_step_bytes(problem, algorithm, innermost), extent, inner, threads);
    const int64_t most = (extent + threads - 1) / threads;
    const int64_t shared = (most + unit - 1) / unit * unit;
    return (double)shared / (double)extent;
}

static bool is_contracted(const struct tcplan_problem *problem,
                          const struct tcplan_algorithm *algorithm, int loop) {
    const int index =
        algorithm_source_index(algorithm, problem->contraction, algorithm->loop[loop]);
    return problem->contraction->index[index].kind == TCPLAN_CONTRACTED;
}

/** Returns the outermost loop that has at least as many iterations as there are threads; -1: none.
 */
static int loop_to_share(const struct tcplan_problem *problem,
                         const struct tcplan_algorithm *algorithm, int threads) {
    for (int l = 0; l < algorithm->loop_count; l++) {
        if (!is_contracted(problem, algorithm, l) && loop_extent(problem, algorithm, l) >= threads)
            return l;
    }
    return -1;
}

/** Returns the outermost loop that, collapsed with the next one, has at least as many iterations as
 * there are threads; -1: none. */
static int loops_to_collapse(const struct tcplan_problem *problem,
                             const struct tcplan_algorithm *algorithm, int threads) {
    for (int l = 0; l + 1 < algorithm->loop_count; l++) {
        if (is_contracted(problem, algorithm, l) || is_contracted(problem, algorithm, l + 1))
            continue;
        if (algorithm->copy[TCPLAN_C].depth == l + 1) continue;
        if (loop_extent(problem, algorithm, l) * loop_extent(problem, algorithm, l + 1) >= threads)
            return l;
    }
    return -1;
}

/** Moves a loop outside of all others, and with it the copies inside it of tensors that depend
 * on its index. Copies outside of all loops stay there. */
static void move_outside(struct tcplan_algorithm *algorithm,
                         const struct tcplan_contraction *contraction, int number) {
    const int index = algorithm_source_index(algorithm, contraction, number);
    int place = 0;
    while (algorithm->loop[place] != number) place++;
    memmove(algorithm->loop + 1, algorithm->loop, (size_t)place);
    algorithm->loop[0] = (uint8_t)number;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        int8_t *depth = &algorithm->copy[t].depth;
        const bool varies = indexset_has(contraction->tensor[t].indices, index);
        if (*depth >= 0 && *depth <= place && (varies || *depth > 0)) ++*depth;
    }
}

bool loop_sharing_choose(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem,
                         const struct tcplan_algorithm *structure, int threads) {
    if (structure->parallel >= 0) {
        if (structure->collapsed)
            move_outside(algorithm, problem->contraction, structure->loop[structure->parallel + 1]);
        move_outside(algorithm, problem->contraction, structure->loop[structure->parallel]);
    } else {
        algorithm->parallel = (int8_t)loop_to_share(problem, algorithm, threads);
    }
    return algorithm->parallel >= 0;
}

bool loop_sharing_collapse(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem,
                           int threads) {
    struct tcplan_algorithm one = *algorithm;
    one.parallel = (int8_t)loop_to_share(problem, algorithm, threads);
    algorithm->parallel = (int8_t)loops_to_collapse(problem, algorithm, threads);
    algorithm->collapsed = algorithm->parallel >= 0;
    return algorithm->collapsed &&
           (one.parallel < 0 || loop_sharing_largest(problem, algorithm, threads) <
                                    loop_sharing_largest(problem, &one, threads));
}
