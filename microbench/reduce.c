#include "microbench/reduce.h"

#include "base/indexset.h"

#define MAX_CALL_FLOPS 1e9
#define MAX_CALL_BYTES 48e6

enum { SMALLEST_REDUCED_EXTENT = 256, REDUCED_MULTIPLE = 8 };

static double call_flops(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm) {
    double flops = 2;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        if (algorithm->role[role] >= 0) flops *= (double)problem->extent[algorithm->role[role]];
    }
    return flops;
}

static double call_bytes(const struct tcplan_problem *problem, const struct tcplan_nest *nest) {
    double bytes = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        double elems = 1;
        for (int role = 0; role < TCPLAN_ROLES; role++) {
            const int index = nest->algorithm.role[role];
            if (indexset_has(problem->contraction->tensor[t].indices, index)) elems *= (double)problem->extent[index];
        }
        bytes += elems * (double)problem->element_bytes * (nest->temporary_span[t] ? 2 : 1);
    }
    return bytes;
}

double kernel_reduce(struct tcplan_problem *problem, const struct tcplan_nest *nest) {
    double scale = 1;
    for (;;) {
        int largest = -1;
        for (int role = 0; role < TCPLAN_ROLES; role++) {
            const int index = nest->algorithm.role[role];
            if (index >= 0 && (largest < 0 || problem->extent[index] > problem->extent[largest])) largest = index;
        }
        const bool short_enough = call_flops(problem, &nest->algorithm) <= MAX_CALL_FLOPS && call_bytes(problem, nest) <= MAX_CALL_BYTES;
        if (largest < 0 || short_enough || problem->extent[largest] < 2 * SMALLEST_REDUCED_EXTENT) return scale;
        const int64_t halved = (problem->extent[largest] / 2 + REDUCED_MULTIPLE - 1) / REDUCED_MULTIPLE * REDUCED_MULTIPLE;
        scale *= (double)problem->extent[largest] / (double)halved;
        problem->extent[largest] = halved;
    }
}
