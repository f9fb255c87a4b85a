/**
 * The tensors of a check lie between inaccessible pages. Inputs are in read-only pages, and
 * tensors that must not be read in inaccessible ones. All bytes around elements are NaN. The
 * result is compared with nested loops.
 */
#ifndef TORTURE_OPERANDS_H
#define TORTURE_OPERANDS_H

#include <complex.h>

#include "tcplan/problem.h"
#include "torture/pages.h"
#include "torture/subject.h"

struct operand {
    struct pages pages;
    char *at; /* address of the element whose indices are all 0 */
};

struct operands {
    const struct tcplan_problem *problem;
    const struct subject *subject;
    struct tcplan_scalar alpha, beta; /* alpha and beta of the execution */
    struct operand tensor[TCPLAN_TENSORS];
    int64_t points;          /* number of elements of the result */
    double _Complex *before; /* initial value, or addend, for each element of the result */
    unsigned char *image;    /* initial contents of the result's memory; NULL: not stored */
    unsigned char *elements; /* mask of the bytes that must not change: 0 for elements, all bits set
                                elsewhere */
    double _Complex *sums;   /* expected sum of products for each element of the result; NULL: not
                                computed yet */
    double *magnitudes;      /* sum of the magnitudes of each element's products */
    double terms;            /* number of products in each sum */
    bool conjugates_before;  /* whether the conjugate of the initial value is added */
};

/**
 * Prepares the operands of an execution with these alpha and beta. Consecutive checks of one
 * product share memory, data and sums. Returns false if memory runs out. Call operands_free() in
 * any case.
 */
bool operands_init(struct operands *out, const struct tcplan_problem *problem,
                   const struct subject *subject, struct tcplan_scalar alpha,
                   struct tcplan_scalar beta);

/** Restores the initial values of the result. */
void operands_reset(struct operands *operands);

/** Returns the pointer to pass for a tensor; NULL for a missing addend. */
void *operands_at(const struct operands *operands, enum tcplan_operand operand);

/** Returns NULL if the result is right, otherwise a message, which the next call overwrites. */
const char *operands_wrong(struct operands *operands);

void operands_free(struct operands *operands);

#endif
