/**
 * The tensors of a check. They are between inaccessible pages; inputs are in read-only pages, and
 * data that must not be read in inaccessible ones; everything that is not an element is poisoned.
 * The result is compared with nested loops.
 */
#ifndef TORTURE_OPERANDS_H
#define TORTURE_OPERANDS_H

#include <complex.h>

#include "tcplan/problem.h"
#include "torture/pages.h"
#include "torture/subject.h"

struct operand {
    struct pages pages;
    char *at; /* its element whose indices are all 0 */
};

struct operands {
    const struct tcplan_problem *problem;
    const struct subject *subject;
    struct tcplan_scalar alpha, beta; /* factors of the execution */
    struct operand tensor[TCPLAN_TENSORS];
    int64_t points;          /* number of points of the result */
    double _Complex *before; /* initial value or addend at each point of the result */
    unsigned char *image;    /* initial contents of the result's memory; NULL: not stored */
    unsigned char *elements; /* bits to compare: 0 in the bytes of its elements, 1 elsewhere */
    double _Complex *sums;   /* sums of products at each point of the result; NULL: not computed yet
                              */
    double *magnitudes;      /* sums of their magnitudes */
    double terms;            /* number of products in a sum */
    bool conjugates_before;  /* the initial value is added as its conjugate */
};

/**
 * Prepares an execution with these factors. Consecutive checks of one product share memory, data
 * and sums, which operands_free() stores for reuse. Returns false if memory runs out. Free with
 * operands_free() in any case.
 */
bool operands_init(struct operands *out, const struct tcplan_problem *problem,
                   const struct subject *subject, struct tcplan_scalar alpha,
                   struct tcplan_scalar beta);

/** Restores the initial value of the result, between two executions. */
void operands_reset(struct operands *operands);

/** Returns the pointer to a tensor for the call; NULL for a missing addend. */
void *operands_at(const struct operands *operands, enum tcplan_operand operand);

/** Returns NULL if the result is right, otherwise the error; overwritten by the next call. */
const char *operands_wrong(struct operands *operands);

void operands_free(struct operands *operands);

#endif
