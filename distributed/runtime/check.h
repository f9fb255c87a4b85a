/**
 * Checks and times a distributed contraction whose tensors are too large for one process.
 *
 * The value of an element depends only on the tensor and the element's position. Each rank can
 * therefore fill its blocks, and compute some elements of the result, without communication.
 */
#ifndef DISTRIBUTED_RUNTIME_CHECK_H
#define DISTRIBUTED_RUNTIME_CHECK_H

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "distributed/runtime/execute.h"

/** The function to check, and the scalar factor and conjugations that it applies. */
struct dist_checked {
    const struct dist_plan *plan;
    int (*function)(MPI_Comm comm, const void *A, const void *B, void *C);
    double alpha[2];
    bool conjugated[DIST_TENSORS];
};

/** Returns the real (`part` 0) or imaginary part of an element: a multiple of 1/8 from -1 to 1. */
static double dist_value(int tensor, int64_t place, int part) {
    uint64_t z = (uint64_t)place * 6 + (uint64_t)tensor * 2 + (uint64_t)part + 1;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return (double)((z ^ z >> 31) % 17) / 8 - 1;
}

/** Returns the position of an element in the whole tensor, counted from its first element. */
static int64_t dist_place(const struct dist_plan *plan, int tensor, const int64_t index[]) {
    int64_t place = 0;
    for (int d = plan->tensor[tensor].rank - 1; d >= 0; d--) {
        const int i = plan->tensor[tensor].dims[d];
        place = place * plan->extent[i] + index[i];
    }
    return place;
}

/** Computes the indices, in the whole tensor, of an element of a block. */
static void dist_indices_at(const struct dist_plan *plan, int tensor, const struct dist_box *box,
                            int64_t element, int64_t index[]) {
    for (int d = 0; d < plan->tensor[tensor].rank; d++) {
        const int i = plan->tensor[tensor].dims[d];
        index[i] = dist_global(box, i, element % box->length[i]);
        element /= box->length[i];
    }
}

static double *dist_part(const struct dist_plan *plan, void *block, int64_t element, int part,
                         double *value, bool writes) {
    const int64_t place = plan->is_complex ? 2 * element + part : element;
    if (plan->element_bytes == (plan->is_complex ? 8 : 4)) {
        float *at = (float *)block + place;
        if (writes) *at = (float)*value;
        *value = *at;
    } else {
        double *at = (double *)block + place;
        if (writes) *at = *value;
        *value = *at;
    }
    return value;
}

/** Allocates this rank's block of an operand and sets its elements to the values of tensor number
 * `tensor`; NULL if memory runs out. */
static void *dist_filled(const struct dist_plan *plan, int operand, int tensor, int rank) {
    const struct dist_box box = dist_box_of(plan, &plan->home[operand], rank);
    const int64_t elements = dist_elements(&plan->tensor[operand], &box);
    int64_t index[DIST_INDICES] = {0};
    void *block = malloc((size_t)(elements > 0 ? elements : 1) * (size_t)plan->element_bytes);
    for (int64_t e = 0; e < elements && block; e++) {
        dist_indices_at(plan, operand, &box, e, index);
        for (int part = 0; part <= plan->is_complex; part++) {
            double value = dist_value(tensor, dist_place(plan, operand, index), part);
            dist_part(plan, block, e, part, &value, true);
        }
    }
    return block;
}

/** Adds to `sum` the products of factors that contribute to an element of the result. Returns a
 * bound of the sum of their magnitudes. */
static double dist_sum(const struct dist_checked *checked, int64_t index[], double sum[2]) {
    const struct dist_plan *plan = checked->plan;
    bool is_free[DIST_INDICES] = {false};
    double magnitude = 0;
    int i;
    for (int d = 0; d < plan->tensor[DIST_C].rank; d++)
        is_free[plan->tensor[DIST_C].dims[d]] = true;
    for (i = 0; i < plan->index_count; i++) {
        if (plan->extent[i] == 0) return 0;
        if (!is_free[i]) index[i] = 0;
    }
    do {
        double value[2][2];
        for (int t = 0; t < 2; t++) {
            const int64_t place = dist_place(plan, t, index);
            value[t][0] = dist_value(t, place, 0);
            value[t][1] = plan->is_complex ? dist_value(t, place, 1) : 0;
            if (checked->conjugated[t]) value[t][1] = -value[t][1];
        }
        sum[0] += value[0][0] * value[1][0] - value[0][1] * value[1][1];
        sum[1] += value[0][0] * value[1][1] + value[0][1] * value[1][0];
        magnitude += 4;
        for (i = 0; i < plan->index_count; i++) {
            if (is_free[i]) continue;
            if (++index[i] < plan->extent[i]) break;
            index[i] = 0;
        }
    } while (i < plan->index_count);
    return magnitude;
}

/** Returns the largest error among up to 2 * `most` evenly spaced elements of this rank's block,
 * divided by the error that rounding may cause. */
static double dist_error(const struct dist_checked *checked, int rank, void *C, int64_t most) {
    const struct dist_plan *plan = checked->plan;
    const struct dist_box box = dist_box_of(plan, &plan->home[DIST_C], rank);
    const int64_t elements = dist_elements(&plan->tensor[DIST_C], &box);
    const bool is_single = plan->element_bytes == (plan->is_complex ? 8 : 4);
    const double epsilon = is_single ? FLT_EPSILON : DBL_EPSILON;
    const int64_t step = elements > most ? elements / most : 1;
    double worst = 0;
    for (int64_t e = 0; e < elements; e += step) {
        int64_t index[DIST_INDICES] = {0};
        double sum[2] = {0, 0}, got[2] = {0, 0}, expected[2];
        dist_indices_at(plan, DIST_C, &box, e, index);
        const int64_t place = dist_place(plan, DIST_C, index);
        const double re = dist_value(DIST_C, place, 0), sign = plan->conjugated ? -1 : 1;
        const double im = plan->is_complex ? sign * dist_value(DIST_C, place, 1) : 0;
        const double magnitude = 2 * dist_sum(checked, index, sum) *
                                     (fabs(checked->alpha[0]) + fabs(checked->alpha[1])) +
                                 2 * (fabs(plan->beta[0]) + fabs(plan->beta[1])) + 1;
        expected[0] = checked->alpha[0] * sum[0] - checked->alpha[1] * sum[1] + plan->beta[0] * re -
                      plan->beta[1] * im;
        expected[1] = checked->alpha[0] * sum[1] + checked->alpha[1] * sum[0] + plan->beta[0] * im +
                      plan->beta[1] * re;
        for (int part = 0; part <= plan->is_complex; part++) {
            dist_part(plan, C, e, part, &got[part], false);
            const double error = fabs(got[part] - expected[part]) / (8 * magnitude * epsilon);
            if (!(error <= worst)) worst = error;
        }
    }
    return worst;
}

/** Runs, checks and times the function on all ranks; returns the exit status of the program. */
static inline int dist_check(const struct dist_checked *checked, MPI_Comm comm) {
    const struct dist_plan *plan = checked->plan;
    int rank, status = 0, worst_status;
    double error = 0, seconds = 0, best = HUGE_VAL, worst;
    void *block[DIST_TENSORS];
    MPI_Comm_rank(comm, &rank);
    for (int t = 0; t < DIST_TENSORS; t++) {
        block[t] = dist_filled(plan, t, t, rank);
        if (!block[t]) status = ENOMEM;
    }
    MPI_Allreduce(&status, &worst_status, 1, MPI_INT, MPI_MAX, comm);
    for (int run = 0; run < 4 && worst_status == 0; run++) {
        MPI_Barrier(comm);
        const double begin = MPI_Wtime();
        worst_status = checked->function(comm, block[DIST_A], block[DIST_B], block[DIST_C]);
        seconds = MPI_Wtime() - begin;
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
        if (run == 0 && worst_status == 0) error = dist_error(checked, rank, block[DIST_C], 500);
        if (run > 0 && seconds < best) best = seconds;
    }
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    for (int t = 0; t < DIST_TENSORS; t++) free(block[t]);
    if (rank == 0 && worst_status != 0) fprintf(stderr, "%s\n", strerror(worst_status));
    if (rank == 0 && worst_status == 0)
        printf("%s: the result %s; fastest of 3: %.3g s\n", worst <= 1 ? "passed" : "FAILED",
               worst <= 1 ? "is correct" : "is wrong", best);
    return worst_status != 0 || !(worst <= 1);
}

#endif
