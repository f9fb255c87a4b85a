#include "plan/variant.h"

#include "ast/algorithm.h"
#include "ast/algorithm_check.h"

/** Bytes of a cache, 0 for the first; beyond the last one its. */
static double cache_bytes(const struct tcplan_machine *machine, int cache) {
    const int last = machine->cache_count - 1;
    return last < 0 ? 0 : (double)machine->cache[cache < last ? cache : last].size_bytes;
}

static const struct tcplan_operand_copy in_place = {.depth = -1};

bool variant_of_result(struct tcplan_algorithm *out, const struct tcplan_problem *problem, const struct tcplan_machine *machine,
                       const struct tcplan_algorithm *algorithm) {
    const struct tcplan_operand_copy *copy = &algorithm->copy[TCPLAN_C];
    const double bytes = (double)problem->elems[TCPLAN_C] * (double)problem->element_bytes;
    if (copy->depth < 0) return false;
    if (copy->streamed ? bytes > cache_bytes(machine, machine->cache_count - 1) : bytes <= cache_bytes(machine, 1)) return false;
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
