/**
 * Checks and times a distributed expression of several tensors.
 *
 * As in check.h, each rank fills its blocks and computes some elements of the result without
 * communication. The values of elements are few multiples of 1/8, so that sums stay small.
 */
#ifndef DISTRIBUTED_RUNTIME_STEPS_CHECK_H
#define DISTRIBUTED_RUNTIME_STEPS_CHECK_H

#include "distributed/runtime/check.h"
#include "distributed/runtime/steps.h"

/** A factor of the expression: a tensor with an index for each dimension, the contiguous one
 * first. */
struct dist_factor {
    int tensor,
        rank; /**< number of the input tensor; for the result, the number of input tensors */
    bool conjugated;
    const int *dims;
};

/** The function to check, and the expression that it computes. */
struct dist_steps_checked {
    const struct dist_steps *steps;
    int (*function)(MPI_Comm comm, const void *const tensor[], void *result);
    int index_count, factor_count;
    const int64_t *extent;
    const struct dist_factor *factor; /**< factors of the expression, then its result */
    double alpha[2];
};

enum { DIST_MOST_CHECKED_INDICES = 256 };

/** Returns a step that reads or computes a tensor; `*operand` receives which of the step's operands
 * the tensor is. */
static const struct dist_plan *dist_steps_holder(const struct dist_steps *steps, int tensor,
                                                 int *operand) {
    for (int s = 0; s < steps->count && tensor < steps->inputs; s++) {
        for (*operand = 0; *operand < 2; ++*operand) {
            if (steps->step[s].operand[*operand] == tensor) return steps->step[s].plan;
        }
    }
    *operand = DIST_C;
    return steps->step[steps->count - 1].plan;
}

/** Allocates this rank's block of a tensor and sets its elements; NULL if memory runs out. */
static void *dist_steps_filled(const struct dist_steps *steps, int tensor, int rank) {
    int operand;
    const struct dist_plan *plan = dist_steps_holder(steps, tensor, &operand);
    return dist_filled(plan, operand, tensor, rank);
}

/** Adds to `sum` the products that contribute to an element of the result. Returns a bound of the
 * sum of their magnitudes. */
static double dist_steps_sum(const struct dist_steps_checked *checked, int64_t index[],
                             double sum[2]) {
    const struct dist_factor *result = &checked->factor[checked->factor_count];
    const bool is_complex = checked->steps->step[0].plan->is_complex;
    bool is_free[DIST_MOST_CHECKED_INDICES] = {false};
    double magnitude = 0;
    int i;
    for (int d = 0; d < result->rank; d++) is_free[result->dims[d]] = true;
    for (i = 0; i < checked->index_count; i++) {
        if (checked->extent[i] == 0) return 0;
        if (!is_free[i]) index[i] = 0;
    }
    do {
        double product[2] = {1, 0}, bound = 1;
        for (int f = 0; f < checked->factor_count; f++) {
            const struct dist_factor *factor = &checked->factor[f];
            int64_t place = 0;
            for (int d = factor->rank - 1; d >= 0; d--)
                place = place * checked->extent[factor->dims[d]] + index[factor->dims[d]];
            const double re = dist_value(factor->tensor, place, 0);
            double im = is_complex ? dist_value(factor->tensor, place, 1) : 0;
            if (factor->conjugated) im = -im;
            const double real = product[0] * re - product[1] * im;
            product[1] = product[0] * im + product[1] * re;
            product[0] = real;
            bound *= is_complex ? 2 : 1;
        }
        sum[0] += product[0];
        sum[1] += product[1];
        magnitude += bound;
        for (i = 0; i < checked->index_count; i++) {
            if (is_free[i]) continue;
            if (++index[i] < checked->extent[i]) break;
            index[i] = 0;
        }
    } while (i < checked->index_count);
    return magnitude;
}

/** Sets the expected value of an element of the result. Returns a bound of the magnitudes that are
 * added up. */
static double dist_steps_expected(const struct dist_steps_checked *checked, int64_t index[],
                                  double expected[2]) {
    const struct dist_steps *steps = checked->steps;
    const struct dist_plan *last = steps->step[steps->count - 1].plan;
    const struct dist_factor *result = &checked->factor[checked->factor_count];
    double sum[2] = {0, 0};
    int64_t place = 0;
    for (int d = result->rank - 1; d >= 0; d--)
        place = place * checked->extent[result->dims[d]] + index[result->dims[d]];
    const double re = dist_value(steps->inputs, place, 0), sign = last->conjugated ? -1 : 1;
    const double im = last->is_complex ? sign * dist_value(steps->inputs, place, 1) : 0;
    const double magnitude = 2 * dist_steps_sum(checked, index, sum) *
                                 (fabs(checked->alpha[0]) + fabs(checked->alpha[1])) +
                             2 * (fabs(last->beta[0]) + fabs(last->beta[1])) + 1;
    expected[0] = checked->alpha[0] * sum[0] - checked->alpha[1] * sum[1] + last->beta[0] * re -
                  last->beta[1] * im;
    expected[1] = checked->alpha[0] * sum[1] + checked->alpha[1] * sum[0] + last->beta[0] * im +
                  last->beta[1] * re;
    return magnitude;
}

/** Returns the largest error among up to 2 * `most` evenly spaced elements of this rank's block,
 * divided by the error that rounding may cause. */
static double dist_steps_error(const struct dist_steps_checked *checked, int rank, void *block,
                               int64_t most) {
    const struct dist_steps *steps = checked->steps;
    const struct dist_plan *last = steps->step[steps->count - 1].plan;
    const struct dist_factor *result = &checked->factor[checked->factor_count];
    const struct dist_box box = dist_box_of(last, &last->home[DIST_C], rank);
    const int64_t elements = dist_elements(&last->tensor[DIST_C], &box);
    const bool is_single = last->element_bytes == (last->is_complex ? 8 : 4);
    const double epsilon = is_single ? FLT_EPSILON : DBL_EPSILON;
    const int64_t step = elements > most ? elements / most : 1;
    double worst = 0;
    for (int64_t e = 0; e < elements; e += step) {
        int64_t own[DIST_INDICES] = {0}, index[DIST_MOST_CHECKED_INDICES] = {0};
        double got[2] = {0, 0}, expected[2];
        dist_indices_at(last, DIST_C, &box, e, own);
        for (int d = 0; d < result->rank; d++)
            index[result->dims[d]] = own[last->tensor[DIST_C].dims[d]];
        const double magnitude = dist_steps_expected(checked, index, expected);
        for (int part = 0; part <= last->is_complex; part++) {
            dist_part(last, block, e, part, &got[part], false);
            const double error =
                fabs(got[part] - expected[part]) / (8 * steps->count * magnitude * epsilon);
            if (!(error <= worst)) worst = error;
        }
    }
    return worst;
}

/** Runs, checks and times the function on all ranks; returns the exit status of the program. */
static inline int dist_steps_check(const struct dist_steps_checked *checked, MPI_Comm comm) {
    const int tensors = checked->steps->inputs + 1;
    int rank, status = 0, worst_status;
    double error = 0, seconds = 0, best = HUGE_VAL, worst;
    MPI_Comm_rank(comm, &rank);
    void **block = calloc((size_t)tensors, sizeof *block);
    for (int t = 0; t < tensors; t++) {
        if (block) block[t] = dist_steps_filled(checked->steps, t, rank);
        if (!block || !block[t]) status = ENOMEM;
    }
    MPI_Allreduce(&status, &worst_status, 1, MPI_INT, MPI_MAX, comm);
    for (int run = 0; run < 4 && worst_status == 0; run++) {
        MPI_Barrier(comm);
        const double begin = MPI_Wtime();
        worst_status = checked->function(comm, (const void *const *)block, block[tensors - 1]);
        seconds = MPI_Wtime() - begin;
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
        if (run == 0 && worst_status == 0)
            error = dist_steps_error(checked, rank, block[tensors - 1], 100);
        if (run > 0 && seconds < best) best = seconds;
    }
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    for (int t = 0; t < tensors && block; t++) free(block[t]);
    free(block);
    if (rank == 0 && worst_status != 0) fprintf(stderr, "%s\n", strerror(worst_status));
    if (rank == 0 && worst_status == 0)
        printf("%s: the result %s; fastest of 3: %.3g s\n", worst <= 1 ? "passed" : "FAILED",
               worst <= 1 ? "is correct" : "is wrong", best);
    return worst_status != 0 || !(worst <= 1);
}

#endif
