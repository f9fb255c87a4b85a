#include "plan/variant.h"

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/algorithm/provider.h"
#include "ast/nest/refine.h"
#include "ast/scalar.h"

/** Returns the bytes of a cache level, from 0; for higher levels, those of the last cache. */
static double cache_bytes(const struct tcplan_machine *machine, int cache) {
    const int last = machine->cache_count - 1;
    return last < 0 ? 0 : (double)machine->cache[cache < last ? cache : last].size_bytes;
}

/** Returns the distance in bytes of cache lines that map to the same set of the L1 cache; 0:
 * unknown. */
static int64_t way_bytes(const struct tcplan_machine *machine) {
    const struct tcplan_cache_level *first = &machine->cache[0];
    return machine->cache_count > 0 && first->ways > 0 ? first->size_bytes / first->ways : 0;
}

/** Returns whether, along some dimension, more elements of a temporary map to one set of the L1
 * cache than the cache has ways. */
static bool is_in_its_way(const struct refined_problem *problem,
                          const struct tcplan_machine *machine, int operand) {
    const struct tcplan_refinement *refinement = problem->refinement;
    const int64_t bytes = way_bytes(machine);
    for (int d = refinement->padded_dims[operand];
         bytes > 0 && d < refinement->temporary_rank[operand]; d++) {
        const int index = refinement->temporary_dims[operand][d];
        const int64_t apart =
            problem->temporary_stride[operand][index] * (int64_t)problem->written.element_bytes;
        if (problem->extent[index] > machine->cache[0].ways && apart % bytes == 0) return true;
    }
    return false;
}

bool variant_padded(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                    const struct tcplan_machine *machine,
                    const struct tcplan_algorithm *algorithm) {
    const struct tcplan_refinement refinement = refinement_unnamed(problem->contraction, algorithm);
    const struct refined_problem refined = problem_refine(problem, &refinement);
    const int64_t line_elems = machine->line_bytes / (int64_t)problem->element_bytes;
    *out = *algorithm;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!refinement.has_temporary[t] || refinement.padding[t] > 0 ||
            !is_in_its_way(&refined, machine, t))
            continue;
        out->copy[t].padding = (uint16_t)(line_elems > 1 ? line_elems : 1);
    }
    algorithm_canonical(out, problem->contraction);
    return !tcplan_algorithm_equal(out, algorithm) &&
           algorithm_check(out, problem->contraction, NULL) == TCPLAN_OK;
}

bool variant_unshared(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction,
                      const struct tcplan_algorithm *algorithm) {
    *out = *algorithm;
    out->parallel = -1;
    out->collapsed = false;
    algorithm_canonical(out, contraction);
    return algorithm->parallel >= 0;
}

bool variant_streamed(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                      const struct tcplan_machine *machine,
                      const struct tcplan_algorithm *algorithm) {
    const double bytes = (double)problem->elems[TCPLAN_C] * (double)problem->element_bytes;
    const bool may_stream =
        provider_traits_of(algorithm->provider)->streams && algorithm->copy[TCPLAN_C].depth < 0;
    *out = *algorithm;
    if (!may_stream || algorithm->copy[TCPLAN_C].streamed || bytes <= cache_bytes(machine, 1))
        return false;
    if (!scalar_is(problem->contraction->beta, 0)) return false;
    out->copy[TCPLAN_C].streamed = true;
    algorithm_canonical(out, problem->contraction);
    return algorithm_check(out, problem->contraction, NULL) == TCPLAN_OK;
}

static const struct tcplan_operand_copy in_place = {.depth = -1};

bool variant_of_result(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                       const struct tcplan_machine *machine,
                       const struct tcplan_algorithm *algorithm) {
    const struct tcplan_operand_copy *copy = &algorithm->copy[TCPLAN_C];
    const double bytes = (double)problem->elems[TCPLAN_C] * (double)problem->element_bytes;
    if (copy->depth < 0) return false;
    if (copy->streamed ? bytes > cache_bytes(machine, machine->cache_count - 1)
                       : bytes <= cache_bytes(machine, 1))
        return false;
    *out = *algorithm;
    out->copy[TCPLAN_C] = in_place;
    if (!copy->streamed || algorithm_check(out, problem->contraction, NULL) != TCPLAN_OK) {
        out->copy[TCPLAN_C] = *copy;
        out->copy[TCPLAN_C].streamed = !copy->streamed;
        if (algorithm_check(out, problem->contraction, NULL) != TCPLAN_OK) return false;
    }
    algorithm_canonical(out, problem->contraction);
    return true;
}
